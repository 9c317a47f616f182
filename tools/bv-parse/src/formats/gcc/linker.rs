//! Linkers: GNU ld and gold, lld, mold, Apple's ld.

use super::text;
use bv_schemas::{Failure, Place};

/// The function that the lines to come speak of: `/usr/bin/ld: /tmp/a.o: in function `main':`.
pub fn context(line: &str) -> Option<&str> {
    let rest = line.strip_suffix("':")?;
    let (_, function) = rest.rsplit_once(": in function `").or(rest.rsplit_once(": In function `"))?;
    Some(function)
}

/// Whether the line goes on with the last error: lld and mold say below it who needs the symbol or has it,
/// `>>> referenced by m.cpp:4 (/w/m.cpp:4)`, Apple's `      _main in main.o`; and a linker's warnings end nothing.
pub fn goes_on(line: &str, last: &mut Failure) -> bool {
    if let Some(rest) = line.strip_prefix(">>> ") {
        let rest = rest.trim_start();
        if let Some(by) = rest.strip_prefix("referenced by ").or(rest.strip_prefix("defined at ")) {
            let whole = by.strip_suffix(')').and_then(|by| by.rsplit_once(" ("));
            let text = whole.map_or(by, |(_, whole)| whole);
            let (file, line) = match place(text) {
                Some((file, line)) => (file, line),
                None => (text, None),
            };
            // Of two definitions the second is one too many.
            if (last.fault.is_none() || rest.starts_with("defined")) && text::is_source(file) {
                last.fault = Some(Place { file: Some(file.to_owned()), line, function: None });
            }
        } else if let Some((_, function)) = rest.strip_suffix(')').and_then(|rest| rest.split_once(":("))
            && let Some(place) = &mut last.fault
            && place.function.is_none()
            && !function.starts_with('.')
        {
            place.function = Some(text::name(function).to_owned());
        }
        return true;
    }
    let apples = line.starts_with("      ") && line.contains(" in ") && line.ends_with(".o");
    let program = line.split(':').next().unwrap_or(line);
    let program = program.rsplit('/').next().unwrap_or(program);
    let linkers = program == "ld" || program.starts_with("ld.") || program == "mold";
    apples || linkers && words(line).is_none() && context(line).is_none()
}

/// An error of the linker.
pub fn error(line: &str, function: Option<&str>) -> Option<Failure> {
    if line.starts_with(' ') {
        return None;
    }
    let (before, message) = words(line)?;
    let last = before.rsplit(": ").next().unwrap_or(before);
    // gold: `/tmp/a.o:m.cpp:function main: error: …`
    if let Some((file, function)) = last.split_once(":function ") {
        let file = file.rsplit(':').next().unwrap_or(file);
        let function = Some(text::name(function).to_owned());
        return Some(text::error(Some(Place { file: Some(file.to_owned()), line: None, function }), message));
    }
    let place = place(last).map(|(file, line)| Place {
        file: Some(file.to_owned()),
        line,
        function: function.map(|function| text::name(function).to_owned()),
    });
    Some(text::error(place, message))
}

/// What stands before the error's words, and they.
fn words(line: &str) -> Option<(&str, &str)> {
    const WORDS: &[&str] = &[
        ": error: undefined reference to '",
        ": error: cannot find -l",
        ": undefined reference to `",
        ": multiple definition of `",
        ": cannot find -l",
        ": error: undefined symbol: ",
        ": error: duplicate symbol: ",
        ": error: unable to find library ",
        "mold: fatal: library not found: ",
        "ld: library not found for ",
        "ld: library '",
        "ld: framework not found ",
        "ld: framework '",
    ];
    if line.starts_with("duplicate symbol '") && line.ends_with(" in:") {
        return Some(("", line.trim_end_matches(':')));
    }
    // gold: `ld.gold: error: /tmp/a.o: multiple definition of 'main'`
    if let Some((before, message)) = line.split_once(": error: ")
        && message.contains(": multiple definition of '")
    {
        return Some((before, message));
    }
    let (at, words) = WORDS.iter().find_map(|words| Some((line.find(words)?, *words)))?;
    let labels = [": error: ", "mold: fatal: ", ": ", "ld: "];
    let label = labels.iter().find(|label| words.starts_with(**label)).map_or(0, |label| label.len());
    Some((&line[..at], &line[at + label..]))
}

/// `a.c:4`, `a.c:(.text+0x5)`; an object file is no place in the source.
fn place(text: &str) -> Option<(&str, Option<u64>)> {
    let (file, rest) = text.rsplit_once(':')?;
    if file.ends_with(".o") || file.ends_with(".a") || file.is_empty() {
        return None;
    }
    match rest.strip_prefix('(') {
        Some(_) => Some((file, None)),
        None => Some((file, Some(rest.parse().ok()?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors() {
        for (line, message, place) in [
            (
                "a.c:(.text+0x5): undefined reference to `foo'",
                "undefined reference to `foo'",
                Some(("a.c", None)),
            ),
            (
                "/usr/bin/ld: /w/a.c:4: undefined reference to `foo'",
                "undefined reference to `foo'",
                Some(("/w/a.c", Some(4))),
            ),
            (
                "/usr/bin/ld: b.o:(.data+0x0): multiple definition of `x'; a.o:(.data+0x0): first defined here",
                "multiple definition of `x'; a.o:(.data+0x0): first defined here",
                None,
            ),
            (
                "/usr/bin/ld: cannot find -lfoo: No such file or directory",
                "cannot find -lfoo: No such file or directory",
                None,
            ),
            ("ld.lld: error: undefined symbol: foo", "undefined symbol: foo", None),
            ("mold: fatal: library not found: foo", "library not found: foo", None),
            ("ld: library not found for -lfoo", "library not found for -lfoo", None),
            (
                "/w/m.cpp:4: error: undefined reference to 'f(int)'",
                "undefined reference to 'f(int)'",
                Some(("/w/m.cpp", Some(4))),
            ),
            (
                "/tmp/a.o:m.cpp:function main: error: undefined reference to 'f(int)'",
                "undefined reference to 'f(int)'",
                Some(("m.cpp", None)),
            ),
        ] {
            let got = error(line, Some("main")).unwrap();
            let at = got.fault.as_ref().map(|place| (place.file.as_deref().unwrap(), place.line));
            assert_eq!((got.message.as_deref(), at), (Some(message), place), "{line}");
        }
        assert_eq!(context("/usr/bin/ld: /tmp/a.o: in function `main':"), Some("main"));
    }
}
