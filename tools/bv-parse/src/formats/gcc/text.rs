//! Diagnostics as text (GCC's `diagnostic.cc`, Clang's `TextDiagnostic.cpp`).

use aho_corasick::AhoCorasick;
use bv_schemas::{Failure, Kind, Place};
use std::sync::LazyLock;

/// Texts of which each line that matters holds one, unless its end tells.
static MARKS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let words = [
        "error: ",
        "sorry, unimplemented: ",
        "undefined reference to ",
        "multiple definition of ",
        "cannot find -l",
        "treated as errors",
        "mold: fatal: ",
        "duplicate symbol '",
        "ld: library ",
        "ld: framework ",
    ];
    AhoCorasick::new(words).ok()
});

/// Whether the line may be a compiler's or a linker's: most lines are not, and this is cheap.
pub fn may_speak(line: &str) -> bool {
    matches!(line.as_bytes().last(), Some(b':' | b'.'))
        || line.starts_with('[')
        || MARKS.as_ref().is_none_or(|marks| marks.is_match(line))
}

/// What a line says.
#[derive(Debug, PartialEq)]
pub enum Said<'a> {
    /// An error at a place.
    Error(Box<Failure>),
    /// GCC: the file and the function of the diagnostics to come.
    Context(&'a str, Option<&'a str>),
    /// The compiler's own program: its name, the message.
    Driver(&'a str, &'a str),
    /// Only Clang counts its diagnostics.
    Clang,
    /// A finding of clang-tidy that it treats as an error.
    Tidy(Box<Failure>),
    /// How many it treated so.
    Tidied(u64),
}

/// What the line says, when it is a compiler's.
pub fn said(line: &str) -> Option<Said<'_>> {
    if line.starts_with([' ', '\t', '|']) {
        return None;
    }
    if let Some(context) = context(line) {
        return Some(context);
    }
    if line.ends_with(" generated.") {
        let counted = line
            .split(' ')
            .nth(1)
            .is_some_and(|word| word.starts_with("error") || word.starts_with("warning"));
        return (counted && line.starts_with(|c: char| c.is_ascii_digit())).then_some(Said::Clang);
    }
    if let Some(count) = line.strip_suffix(" treated as errors").or(line.strip_suffix(" treated as error")) {
        let count = count.strip_suffix(" warnings").or(count.strip_suffix(" warning"))?;
        return count.parse().ok().map(Said::Tidied);
    }
    // Of a whole file there is no place.
    if let Some(message) =
        line.strip_prefix("error: ").and_then(|text| text.strip_suffix(" [clang-diagnostic-error]"))
    {
        return Some(Said::Tidy(Box::new(error(None, message))));
    }
    const LABELS: &[&str] =
        &[": fatal error: ", ": error: ", ": internal compiler error: ", ": sorry, unimplemented: "];
    let (before, message) = LABELS.iter().find_map(|label| line.split_once(label))?;
    // Test libraries write so that editors find the place: CppUTest, Boost.Test.
    if message.starts_with("Failure in ") || message.starts_with("in \"") {
        return None;
    }
    if let Some(place) = place(before) {
        if let Some((words, check)) = checked(message) {
            return Some(Said::Tidy(Box::new(tidy(place, words, check))));
        }
        return Some(Said::Error(Box::new(error(Some(place), message))));
    }
    let name = before.rsplit('/').next().unwrap_or(before);
    is_driver(name).then_some(Said::Driver(name, message))
}

/// The failure of an error.
pub fn error(place: Option<Place>, message: &str) -> Failure {
    let (message, rule) = flagged(message.trim_end());
    Failure {
        kind: Kind::CompileError,
        message: Some(message.to_owned()),
        rule: rule.map(str::to_owned),
        fault: place,
        ..Failure::default()
    }
}

/// clang-tidy names the check at the end, `[bugprone-branch-clone,-warnings-as-errors]`: no flag, for that begins
/// with a dash, and always with one inside.
fn checked(message: &str) -> Option<(&str, &str)> {
    let (words, check) = message.trim_end().strip_suffix(']')?.rsplit_once(" [")?;
    let check = check.strip_suffix(",-warnings-as-errors").unwrap_or(check);
    let plain =
        check.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b',' | b'_' | b'+'));
    (plain && !check.starts_with('-') && check.contains('-')).then_some((words, check))
}

fn tidy(place: Place, words: &str, check: &str) -> Failure {
    // It can read no further than the compiler.
    let kind = if check == "clang-diagnostic-error" { Kind::CompileError } else { Kind::Lint };
    Failure {
        kind,
        message: Some(words.to_owned()),
        rule: (kind == Kind::Lint).then(|| check.to_owned()),
        fault: Some(place),
        ..Failure::default()
    }
}

/// `    5 |     b->x += b->w * dt;`
pub fn is_numbered(line: &str) -> bool {
    line.split_once('|').is_some_and(|(number, _)| {
        let number = number.trim();
        line.starts_with(' ') && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// `sim.c: In function ‘step’:`, `a.cpp: In member function ‘int A::f(int) const’:`, `a.c: At top level:`.
fn context(line: &str) -> Option<Said<'_>> {
    let text = line.strip_suffix(':')?;
    if let Some(file) = text.strip_suffix(": At global scope").or(text.strip_suffix(": At top level")) {
        return is_source(file).then_some(Said::Context(file, None));
    }
    let (file, rest) = text.split_once(": In ")?;
    let (what, signature) = rest.split_once(['‘', '\''])?;
    let signature = signature.split(['’', '\'']).next()?;
    let known = [
        "function ",
        "member function ",
        "static member function ",
        "constructor ",
        "destructor ",
        "substitution of ",
        "instantiation of ",
    ];
    let function = known.contains(&what).then(|| name(signature));
    (is_source(file)).then_some(Said::Context(file, function))
}

/// The function's name in its signature: `int ns::A::f(int) const [with T = int]` is `ns::A::f`.
pub fn name(signature: &str) -> &str {
    let head = signature.split(" [with ").next().unwrap_or(signature);
    let head = match head.find("operator()") {
        Some(at) => &head[..at + "operator()".len()],
        None => head.split('(').next().unwrap_or(head),
    };
    head.rsplit([' ', '*', '&']).next().filter(|name| !name.is_empty()).unwrap_or(head)
}

/// `file:line:column`, `file:line`.
fn place(before: &str) -> Option<Place> {
    let (rest, last) = before.rsplit_once(':')?;
    let last: u64 = last.parse().ok()?;
    let (file, line) =
        match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<u64>().ok()?))) {
            Some((file, line)) => (file, line),
            None => (rest, last),
        };
    // cmocka: `[   LINE   ] --- a.c:11: error: Failure!`
    (is_source(file) && !file.starts_with('[')).then(|| Place {
        file: Some(file.to_owned()),
        line: Some(line),
        function: None,
    })
}

/// Whether it is a file that a C compiler reads; other languages' compilers write alike.
pub fn is_source(file: &str) -> bool {
    const ENDS: &[&str] = &[
        "c", "cc", "cpp", "cxx", "c++", "C", "h", "hh", "hpp", "hxx", "h++", "inl", "ipp", "tcc", "tpp", "m",
        "mm", "cu", "cuh", "ino", "i", "ii", "def", "inc",
    ];
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    match name.rsplit_once('.') {
        Some((stem, end)) => !stem.is_empty() && ENDS.contains(&end) && !file.starts_with(' '),
        // The standard library's headers have no extension: `/usr/include/c++/12/vector`.
        None => file.contains("/include/"),
    }
}

/// The compiler that a program belongs to.
pub fn compiler(program: &str) -> &'static str {
    if program.contains("clang") { super::CLANG.name } else { super::FORMAT.name }
}

fn is_driver(name: &str) -> bool {
    const NAMES: &[&str] =
        &["gcc", "g++", "cc", "c++", "cc1", "cc1plus", "clang", "clang++", "collect2", "lto1"];
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    NAMES.iter().any(|known| name == *known || plain == *known || plain.ends_with(&["-", known].concat()))
}

/// A diagnostic that a flag asks for names it at the end: `[-Werror=unused-variable]`, `[-Werror,-Wunused]`.
fn flagged(message: &str) -> (&str, Option<&str>) {
    match message.strip_suffix(']').and_then(|rest| rest.rsplit_once(" [-")) {
        Some((words, flag)) if !flag.contains(' ') => {
            (words, message.get(words.len() + 2..message.len() - 1))
        }
        _ => (message, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics() {
        let at = |file: &str, line| Some(Place { file: Some(file.into()), line: Some(line), function: None });
        let failed = |place, message: &str, rule: Option<&str>| {
            Some(Said::Error(Box::new(Failure {
                kind: Kind::CompileError,
                message: Some(message.into()),
                rule: rule.map(str::to_owned),
                fault: place,
                ..Failure::default()
            })))
        };
        for (line, want) in [
            ("sim.c:5:14: error: no ‘w’", failed(at("sim.c", 5), "no ‘w’", None)),
            ("src/a.cpp:7: error: x", failed(at("src/a.cpp", 7), "x", None)),
            (
                "a.c:1:10: fatal error: x.h: No such file or directory",
                failed(at("a.c", 1), "x.h: No such file or directory", None),
            ),
            (
                "a.c:3:7: error: unused [-Werror=unused]",
                failed(at("a.c", 3), "unused", Some("-Werror=unused")),
            ),
            ("C:\\w\\a.cpp:3:7: error: x", failed(at("C:\\w\\a.cpp", 3), "x", None)),
            ("sim.c:5:14: warning: error: none", None),
            ("sim.c: In function ‘step’:", Some(Said::Context("sim.c", Some("step")))),
            ("a.cpp: In member function 'int A::f(int) const':", Some(Said::Context("a.cpp", Some("A::f")))),
            ("a.cpp: In lambda function:", None),
            ("a.cpp: At global scope:", Some(Said::Context("a.cpp", None))),
            ("cc1plus: error: bad option", Some(Said::Driver("cc1plus", "bad option"))),
            (
                "/usr/bin/x86_64-linux-gnu-g++-12: fatal error: no input files",
                Some(Said::Driver("x86_64-linux-gnu-g++-12", "no input files")),
            ),
            ("1 warning and 3 errors generated.", Some(Said::Clang)),
            ("3 warnings treated as errors", Some(Said::Tidied(3))),
            (
                "/w/a.cpp:3:7: error: use nullptr [modernize-use-nullptr,-warnings-as-errors]",
                Some(Said::Tidy(Box::new(Failure {
                    kind: Kind::Lint,
                    message: Some("use nullptr".into()),
                    rule: Some("modernize-use-nullptr".into()),
                    fault: at("/w/a.cpp", 3),
                    ..Failure::default()
                }))),
            ),
            ("/w/a.cpp:3:7: warning: use nullptr [modernize-use-nullptr]", None),
            ("report: error: none", None),
            ("[   LINE   ] --- a.c:11: error: Failure!", None),
            ("a.cpp:16: error: Failure in TEST(Spring, Name)", None),
            ("a.java:3: error: x", None),
            ("main.ts:3:1: error: x", None),
        ] {
            assert_eq!(said(line), want, "{line}");
        }
    }
}
