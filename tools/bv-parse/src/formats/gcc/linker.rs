//! Linkers: GNU ld and gold, lld, mold.

use super::text;
use bv_schemas::{Failure, Place};

/// The function that the lines to come speak of: `/usr/bin/ld: /tmp/a.o: in function `main':`.
pub fn context(line: &str) -> Option<&str> {
    let rest = line.strip_suffix("':")?;
    let (_, function) = rest.rsplit_once(": in function `").or(rest.rsplit_once(": In function `"))?;
    Some(function)
}

/// An error of the linker.
pub fn error(line: &str, function: Option<&str>) -> Option<Failure> {
    if line.starts_with(' ') {
        return None;
    }
    let (before, message) = words(line)?;
    let place = place(before.rsplit(": ").next().unwrap_or(before)).map(|(file, line)| Place {
        file: Some(file.to_owned()),
        line,
        function: function.map(str::to_owned),
    });
    Some(text::error(place, message))
}

/// What stands before the error's words, and they.
fn words(line: &str) -> Option<(&str, &str)> {
    const WORDS: &[&str] = &[
        ": undefined reference to `",
        ": multiple definition of `",
        ": cannot find -l",
        ": error: undefined symbol: ",
        ": error: duplicate symbol: ",
        ": error: unable to find library ",
    ];
    let (at, words) = WORDS.iter().find_map(|words| Some((line.find(words)?, *words)))?;
    let label = words.strip_prefix(": error: ").map_or(": ".len(), |_| ": error: ".len());
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
        ] {
            let got = error(line, Some("main")).unwrap();
            let at = got.fault.as_ref().map(|place| (place.file.as_deref().unwrap(), place.line));
            assert_eq!((got.message.as_deref(), at), (Some(message), place), "{line}");
        }
        assert_eq!(context("/usr/bin/ld: /tmp/a.o: in function `main':"), Some("main"));
    }
}
