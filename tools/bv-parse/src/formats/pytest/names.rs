//! Which test a block belongs to: headings, the short test summary, result lines.
//!
//! A heading has the test's name without its file (`TestStep.test_x[a.b]`), the short summary has the
//! whole id and a shortened message behind ` - `; either part may hold nearly any text.

use super::block::Phase;
use crate::python;

/// The title of a block, `TestStep.test_x[1]`, `ERROR at setup of test_x`, `ERROR collecting tests/a.py`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// What was running.
    pub phase: Phase,
    /// The test's name, classes before it, or the file that could not be loaded.
    pub name: String,
}

impl Heading {
    /// Reads a title.
    pub fn read(title: &str) -> Heading {
        const PHASES: &[(&str, Phase)] = &[
            ("ERROR at setup of ", Phase::Setup),
            ("ERROR at teardown of ", Phase::Teardown),
            ("ERROR collecting ", Phase::Collect),
        ];
        let found = PHASES.iter().find_map(|(words, phase)| Some((title.strip_prefix(words)?, *phase)));
        let (name, phase) = found.unwrap_or((title, Phase::Call));
        Heading { phase, name: name.to_owned() }
    }

    /// The test function's bare name; the last part of a doctest's.
    pub fn function(&self) -> Option<&str> {
        if self.phase == Phase::Collect {
            return None;
        }
        let name = self.name.strip_prefix("[doctest] ").unwrap_or(&self.name);
        let bare = name.split(['[', ' ']).next().unwrap_or(name);
        bare.rsplit('.').next().filter(|bare| !bare.is_empty())
    }

    /// The end of the test's id: dots before the parameters are `::` there.
    pub fn tail(&self) -> String {
        if let Some(doctest) = self.name.strip_prefix("[doctest] ") {
            return doctest.to_owned();
        }
        let at = self.name.find(['[', ' ']).unwrap_or(self.name.len());
        let (path, parameters) = self.name.split_at(at);
        format!("{}{parameters}", path.replace('.', "::"))
    }
}

/// A line of the short test summary that tells of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Short {
    /// `ERROR`, not `FAILED`.
    pub error: bool,
    /// It is a subtest's: its description stands before the id.
    pub sub: bool,
    /// All behind the word.
    pub rest: String,
    /// Where the line lies in the raw stream.
    pub span: [u64; 2],
}

impl Short {
    /// Reads `FAILED id - message`, `ERROR id`, `SUBFAILED[…] (…) id - message`.
    pub fn read(text: &str, span: [u64; 2]) -> Option<Short> {
        let of = |error, sub, rest: &str| Some(Short { error, sub, rest: rest.to_owned(), span });
        if let Some(rest) = text.strip_prefix("FAILED ") {
            return of(false, false, rest);
        }
        if let Some(rest) = text.strip_prefix("ERROR ") {
            return of(true, false, rest);
        }
        // The plugin pytest-subtests, before pytest 9 has its own: `[…] (…) SUBFAIL id - message`.
        if text.starts_with(['[', '('])
            && let Some((description, rest)) = text.split_once(" SUBFAIL ")
        {
            return of(false, true, &format!("{description} {rest}"));
        }
        let rest = text.strip_prefix("SUBFAILED").or_else(|| text.strip_prefix("SUBFAIL"))?;
        of(false, true, rest.strip_prefix(' ').unwrap_or(rest))
    }

    /// The id, when this line belongs to the block of that heading, and the shortened message.
    pub fn id_for(&self, heading: &Heading) -> Option<(String, Option<&str>)> {
        if self.error != (heading.phase != Phase::Call) {
            return None;
        }
        if self.sub {
            return self.subtest_id(heading);
        }
        if heading.phase == Phase::Collect {
            let message = ended(self.rest.strip_prefix(heading.name.as_str())?)?;
            return Some((heading.name.clone(), message));
        }
        let (id, message) = self.id_with(&heading.tail())?;
        Some((id.to_owned(), message))
    }

    fn id_with(&self, tail: &str) -> Option<(&str, Option<&str>)> {
        let whole = format!("::{tail}");
        self.rest.match_indices(&whole).find_map(|(at, _)| {
            let end = at + whole.len();
            Some((&self.rest[..end], ended(&self.rest[end..])?))
        })
    }

    /// A subtest's heading is the test's name and the description: `test_a [m] (i=1)`. The id is put
    /// together in that order, so that it begins with the test's own.
    fn subtest_id(&self, heading: &Heading) -> Option<(String, Option<&str>)> {
        heading.name.match_indices(' ').find_map(|(at, _)| {
            let description = &heading.name[at + 1..];
            let rest = self.rest.strip_prefix(description)?.strip_prefix(' ')?;
            let test = Heading { phase: Phase::Call, name: heading.name[..at].to_owned() };
            let whole = format!("::{}", test.tail());
            let end = rest.find(&whole)? + whole.len();
            Some((format!("{} {description}", &rest[..end]), ended(&rest[end..])?))
        })
    }

    /// The id and the message where no heading helps: an id among `known`, else up to the first ` - `
    /// outside of the parameters.
    pub fn split<'a>(&'a self, mut known: impl Iterator<Item = &'a str>) -> (String, Option<&'a str>) {
        let fits = |id: &&str| self.rest.strip_prefix(*id).is_some_and(|rest| ended(rest).is_some());
        if let Some(id) = known.find(fits) {
            return (id.to_owned(), ended(&self.rest[id.len()..]).flatten());
        }
        let from = self.sub.then(|| self.sub_from()).flatten().unwrap_or(0);
        let (description, rest) = self.rest.split_at(from);
        let (id, message) = split_id(rest);
        match description.trim_end() {
            "" => (id.to_owned(), message),
            description => (format!("{id} {description}"), message),
        }
    }

    /// Where the id of a subtest's line begins: at the last blank before its first `::`.
    fn sub_from(&self) -> Option<usize> {
        let colons = self.rest.rfind("::")?;
        self.rest[..colons].rfind(' ').map(|at| at + 1)
    }
}

/// What follows an id: nothing, or ` - ` and the message.
fn ended(rest: &str) -> Option<Option<&str>> {
    match rest {
        "" | " " => Some(None),
        rest => rest.strip_prefix(" - ").map(Some),
    }
}

/// An id up to ` - `; one inside the parameters' brackets is part of it. Of several ends that brackets
/// could have, the one that an exception follows.
fn split_id(rest: &str) -> (&str, Option<&str>) {
    let dash = rest.find(" - ");
    let at = match (rest.find('['), dash) {
        (Some(open), Some(dash)) if open < dash => {
            let mut ends = rest[open..].match_indices("] - ").map(|(close, _)| open + close + 1);
            let first = ends.clone().next().or(Some(dash).filter(|_| !rest.ends_with(']')));
            ends.find(|&end| is_exception(&rest[end + 3..])).or(first)
        }
        (_, dash) => dash,
    };
    match at {
        Some(at) => (&rest[..at], Some(&rest[at + 3..])),
        None => (rest.trim_end(), None),
    }
}

fn is_exception(message: &str) -> bool {
    message.starts_with("assert ")
        || message.starts_with("[XPASS(strict)]")
        || python::exception(message).is_some()
}

/// The file of an id.
pub fn file(id: &str) -> &str {
    id.split("::").next().unwrap_or(id)
}

/// The bare function of an id; `None` for a file's.
pub fn function(id: &str) -> Option<&str> {
    let (_, name) = id.split_once("::")?;
    let bare = name.split(['[', ' ']).next().unwrap_or(name);
    bare.rsplit("::").next().filter(|bare| !bare.is_empty())
}

/// Whether both paths name one file, one of them perhaps from further up.
pub fn same_file(a: &str, b: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|head| head.is_empty() || head.ends_with(['/', '\\']))
    };
    ends(a, b) || ends(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(text: &str) -> Short {
        Short::read(text, [0, 0]).expect("a line of the summary")
    }

    #[test]
    fn a_heading_finds_its_id_whatever_the_parameters_hold() {
        let check = |line: &str, title: &str, expected: Option<(&str, Option<&str>)>| {
            let found = short(line);
            let got = found.id_for(&Heading::read(title));
            let got = got.as_ref().map(|(id, message)| (id.as_str(), *message));
            assert_eq!(got, expected, "{line}");
        };
        check(
            "FAILED t/a.py::TestX::test_b[a - b] - assert 1 == 2",
            "TestX.test_b[a - b]",
            Some(("t/a.py::TestX::test_b[a - b]", Some("assert 1 == 2"))),
        );
        check("FAILED a.py::test_b[x.y::z]", "test_b[x.y::z]", Some(("a.py::test_b[x.y::z]", None)));
        check("FAILED a.py::test_bc - x", "test_b", None);
        check("ERROR a.py::test_b - E: x", "test_b", None);
        check("ERROR a.py::test_b - E: x", "ERROR at setup of test_b", Some(("a.py::test_b", Some("E: x"))));
        check("ERROR t/a.py", "ERROR collecting t/a.py", Some(("t/a.py", None)));
        check("FAILED m.py::pkg.m.f", "[doctest] pkg.m.f", Some(("m.py::pkg.m.f", None)));
        check(
            "SUBFAILED[m] (i=1) t/a.py::test_s - assert 1",
            "test_s [m] (i=1)",
            Some(("t/a.py::test_s [m] (i=1)", Some("assert 1"))),
        );
    }

    #[test]
    fn without_a_heading_the_line_is_split_outside_of_brackets() {
        for (line, id, message) in [
            ("FAILED a.py::test_b - KeyError: 'x'", "a.py::test_b", Some("KeyError: 'x'")),
            ("FAILED a.py::test_b[p - q] - no - go", "a.py::test_b[p - q]", Some("no - go")),
            ("FAILED a.py::test_b[p - q]", "a.py::test_b[p - q]", None),
            ("FAILED a.py::test_b[] - z] - E: x", "a.py::test_b[] - z]", Some("E: x")),
            ("FAILED a.py::test_b - assert [1] - x", "a.py::test_b", Some("assert [1] - x")),
            ("SUBFAILED(i=1) a.py::test_b - m", "a.py::test_b (i=1)", Some("m")),
            ("[x - y] (i=1) SUBFAIL a.py::test_b - m", "a.py::test_b [x - y] (i=1)", Some("m")),
            ("ERROR a.py", "a.py", None),
        ] {
            assert_eq!(short(line).split(std::iter::empty()), (id.to_owned(), message), "{line}");
        }
    }
}
