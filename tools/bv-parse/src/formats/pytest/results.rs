//! pytest's lines while tests run: `tests/a.py::test_b PASSED [ 12%]`, xdist's `[gw0] [ 12%] PASSED
//! tests/a.py::test_b`, the letters `tests/a.py ..F [100%]`.
//!
//! There is one such line a test, so nothing here allocates and nothing uses a regex.

use memchr::memmem;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// It ran and held.
    Passed,
    /// It did not hold.
    Failed,
    /// A fixture did not.
    Error,
    /// It was left out.
    Skipped,
    /// It failed as announced.
    Xfailed,
    /// It passed though a failure was announced.
    Xpassed,
    /// It failed and will be run again.
    Rerun,
    /// A subtest, however it ended.
    Subtest,
}

/// One line that tells of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told<'a> {
    /// The test's id; empty where the line has the word alone, as after captured-off output.
    pub id: &'a str,
    /// How it ended; `None`: it begins.
    pub word: Option<Word>,
}

const WORDS: &[(&str, Word)] = &[
    ("PASSED", Word::Passed),
    ("FAILED", Word::Failed),
    ("ERROR", Word::Error),
    ("SKIPPED", Word::Skipped),
    ("XFAIL", Word::Xfailed),
    ("XPASS", Word::Xpassed),
    ("RERUN", Word::Rerun),
];

/// Reads a line with `-v`.
pub fn verbose(text: &str) -> Option<Told<'_>> {
    verbose_in(text, progress(text).map_or(text, |(line, _)| line).trim_end())
}

/// Reads a line with `-v`, of which `line` is what stands before the progress.
pub fn verbose_in<'a>(text: &'a str, line: &'a str) -> Option<Told<'a>> {
    if let Some(rest) = text.strip_prefix("[gw") {
        return distributed(rest);
    }
    if let Some((at, word)) = ending(line) {
        let id = line[..at].trim_end();
        return (id.is_empty() || is_id(id)).then_some(Told { id: shown(id), word: Some(word) });
    }
    let colons = double_colon(line)?;
    if let Some(at) = memmem::find(&line.as_bytes()[colons..], b" SUB") {
        let id = &line[..colons + at];
        return is_id(id).then_some(Told { id, word: Some(Word::Subtest) });
    }
    // A test begins; what it prints follows, `-s` given, or a line of xdist's ends here.
    let id = match text.strip_suffix(' ').filter(|id| is_id(id)) {
        Some(id) => id,
        None => {
            let end = line[colons..].find(' ').map_or(line.len(), |at| colons + at);
            &line[..end]
        }
    };
    is_id(id).then_some(Told { id: shown(id), word: None })
}

/// Where `::` stands first.
fn double_colon(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b':', bytes).find(|&at| bytes.get(at + 1) == Some(&b':'))
}

/// The id of a subtest that failed: the test's own and the description behind it, which is how its block
/// is headed; `None` for one that did not.
pub fn failed_subtest(text: &str, id: &str) -> Option<String> {
    let rest = text.strip_prefix(id)?.trim_start();
    let rest = rest.strip_prefix("SUBFAILED").or_else(|| rest.strip_prefix("SUBFAIL"))?;
    let description = progress(rest).map_or(rest, |(rest, _)| rest).trim();
    Some(format!("{id} {description}").trim_end().to_owned()).filter(|id| !id.is_empty())
}

/// `[gw0] [ 12%] PASSED tests/a.py::test_b `
fn distributed(rest: &str) -> Option<Told<'_>> {
    let (worker, rest) = rest.split_once("] ")?;
    if !worker.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let rest = match rest.strip_prefix('[') {
        Some(percent) => percent.split_once("] ")?.1,
        None => rest,
    };
    let rest = rest.trim();
    if rest.starts_with("SUB") {
        return Some(Told { id: "", word: Some(Word::Subtest) });
    }
    let (word, id) = rest.split_once(' ')?;
    let &(_, word) = WORDS.iter().find(|(name, _)| *name == word)?;
    is_id(id).then_some(Told { id: shown(id), word: Some(word) })
}

/// The word that ends the line, perhaps with a reason in brackets behind it, and where it begins.
fn ending(line: &str) -> Option<(usize, Word)> {
    let fits = |name: &str, at: usize| {
        let alone = at == 0 || line.as_bytes()[at - 1] == b' ';
        alone && line.as_bytes()[at..].starts_with(name.as_bytes())
    };
    match line.as_bytes().last()? {
        b'D' | b'R' | b'L' | b'S' | b'N' => WORDS.iter().find_map(|&(name, word)| {
            let at = line.len().checked_sub(name.len())?;
            fits(name, at).then_some((at, word))
        }),
        b')' => ["SKIPPED (", "XFAIL (", "XPASS ("].into_iter().zip([3, 4, 5]).find_map(|(name, at)| {
            let found = memmem::find(line.as_bytes(), name.as_bytes()).filter(|&from| fits(name, from))?;
            Some((found, WORDS[at].1))
        }),
        _ => None,
    }
}

/// An id begins with a file, and no line of the short summary (`FAILED a.py::test_b`) is one.
fn is_id(id: &str) -> bool {
    let Some(colons) = double_colon(id) else { return false };
    let file = &id.as_bytes()[..colons];
    let worded = || WORDS.iter().any(|(word, _)| file.starts_with(word.as_bytes()));
    colons > 0 && colons + 2 < id.len() && file.contains(&b'.') && !file.starts_with(b"[") && !worded()
}

/// With `-vv` the file that an inherited test stands in follows: `a.py::TestA::test_b <- base.py`.
fn shown(id: &str) -> &str {
    let arrow = memchr::memchr(b'<', id.as_bytes()).and_then(|_| memmem::find(id.as_bytes(), b" <- "));
    arrow.map_or(id, |at| &id[..at])
}

/// The line without `[ 12%]` or `[ 3/25]` at its end, and whether that says that all is done.
pub fn progress(text: &str) -> Option<(&str, bool)> {
    let inner = text.strip_suffix(']')?;
    let from = inner.len().saturating_sub(24);
    let open = from + inner.as_bytes()[from..].iter().rposition(|&b| b == b'[')?;
    let bytes = &inner.as_bytes()[open + 1..];
    let (digits, whole) = match bytes {
        [digits @ .., b'%'] => (digits, digits == b"100"),
        digits => {
            let slash = digits.iter().position(|&b| b == b'/')?;
            (digits, digits[..slash].trim_ascii() == digits[slash + 1..].trim_ascii())
        }
    };
    let fine = digits.iter().all(|b| b.is_ascii_digit() || matches!(b, b' ' | b'/')) && !digits.is_empty();
    fine.then(|| (&text[..open], whole))
}

/// What stands for a test: pytest's own, and those of reruns and subtests.
const LETTERS: &[u8] = b".FEsxXRuy,-";

/// A line of letters, one a test: the file that stands before them (none where the line goes on or
/// `-q` leaves it out) and the letters.
pub fn letters(text: &str) -> Option<(Option<&str>, &str)> {
    letters_in(progress(text).map_or(text, |(line, _)| line).trim_end())
}

/// Reads a line of letters whose progress is taken off.
pub fn letters_in(line: &str) -> Option<(Option<&str>, &str)> {
    let last = *line.as_bytes().last()?;
    if !LETTERS.contains(&last) {
        return None;
    }
    let (file, letters) = match line.rsplit_once(' ') {
        Some((file, letters)) => (Some(file), letters),
        None => (None, line),
    };
    let known = |b: u8| LETTERS.contains(&b);
    if letters.is_empty() || !letters.bytes().all(known) {
        return None;
    }
    match file {
        // A file's last part has an ending, and the sentence `it said ...` has none.
        Some(file) => {
            let last = file.rsplit(['/', '\\']).next().unwrap_or(file);
            let named = last.find('.').is_some_and(|at| at > 0 && at + 1 < last.len());
            named.then_some((Some(file), letters))
        }
        None => Some((None, letters)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_tell_test_and_word() {
        let check = |text: &str, expected: Option<(&str, Option<Word>)>| {
            let got = verbose(text).map(|told| (told.id, told.word));
            assert_eq!(got, expected, "{text}");
        };
        check("t/a.py::test_b PASSED                  [ 12%]", Some(("t/a.py::test_b", Some(Word::Passed))));
        check("t/a.py::test_b[1h 30m] FAILED   [100%]", Some(("t/a.py::test_b[1h 30m]", Some(Word::Failed))));
        check("t/a.py::test_b SKIPPED (no FAILED)  [ 1/9]", Some(("t/a.py::test_b", Some(Word::Skipped))));
        check("t/a.py::test_b XFAIL (bug)", Some(("t/a.py::test_b", Some(Word::Xfailed))));
        check("t/a.py::T::test_b <- base.py PASSED [ 5%]", Some(("t/a.py::T::test_b", Some(Word::Passed))));
        check("[gw1] [ 33%] FAILED t/a.py::test_b ", Some(("t/a.py::test_b", Some(Word::Failed))));
        check("[gw10] PASSED t/a.py::test_b", Some(("t/a.py::test_b", Some(Word::Passed))));
        check("t/a.py::test_b ", Some(("t/a.py::test_b", None)));
        check("t/a.py::test_b[x y] ", Some(("t/a.py::test_b[x y]", None)));
        check("t/a.py::test_b printing 1 [    ]", Some(("t/a.py::test_b", None)));
        check("t/a.py::test_s SUBPASSED[m] (i=1) [ 50%]", Some(("t/a.py::test_s", Some(Word::Subtest))));
        check("PASSED                       [ 50%]", Some(("", Some(Word::Passed))));
        check("FAILED", Some(("", Some(Word::Failed))));
        check("it is said that all FAILED", None);
        check("UNFAILED", None);
        check("FAILED a.py::test_b - z", None);
        check("std::vector is fine", None);
        check("[info] a.py::b", None);
    }

    #[test]
    fn letters_are_told_from_words() {
        for (text, expected) in [
            ("t/a.py ..F                 [100%]", Some((Some("t/a.py"), "..F"))),
            ("..F.sxX                    [ 33%]", Some((None, "..F.sxX"))),
            ("t/a.py .F", Some((Some("t/a.py"), ".F"))),
            ("it went on ...", None),
            ("[ 12%] Building C object", None),
            ("ok [100%]", None),
            ("", None),
        ] {
            assert_eq!(letters(text), expected, "{text}");
        }
    }

    #[test]
    fn progress_knows_when_all_is_done() {
        for (text, expected) in [
            ("..  [100%]", Some(("..  ", true))),
            ("..  [ 99%]", Some(("..  ", false))),
            ("..  [ 3/12]", Some(("..  ", false))),
            ("..  [12/12]", Some(("..  ", true))),
            ("[x] list[1]", None),
            ("a [ab%]", None),
        ] {
            assert_eq!(progress(text), expected, "{text}");
        }
    }
}
