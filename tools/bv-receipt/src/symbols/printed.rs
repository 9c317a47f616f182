//! A function's own name in what runners, runtimes and debuggers print for it.
//!
//! In comes a printed name, qualified and decorated as its language does; out goes its last part. What is
//! only a word for code without a name (`<anonymous>`) gives nothing. What one language alone does stands
//! in that language's file.

/// The last part of a function's name as runners print it: `tests::f::{{closure}}`, `Class.f`, `Class#f`,
/// `pkg.(*T).f`, `ns\f`, `f(int)`, `f[case0]` are all `f`.
pub fn last_part(printed: &str) -> &str {
    let mut name = printed.trim();
    while let Some(shorter) =
        name.strip_suffix("::{{closure}}").or_else(|| name.strip_suffix("::{closure#0}"))
    {
        name = shorter;
    }
    let name = without_arguments(name);
    let from = ["::", ".", "#", "->", "/", " ", "\\"]
        .iter()
        .filter_map(|mark| Some(name.rfind(mark)? + mark.len()))
        .max();
    &name[from.unwrap_or(0)..]
}

/// The name of a function that has one; `None` for a word in angle brackets or braces: `<lambda>`, `{main}`.
pub fn plain(printed: &str) -> Option<&str> {
    let name = last_part(printed);
    let is_word =
        name.starts_with('<') && name.ends_with('>') || name.starts_with('{') && name.ends_with('}');
    (!name.is_empty() && !is_word && !printed.starts_with('<')).then_some(name)
}

/// Without the arguments, indices and case names that follow it, in whatever brackets.
pub fn without_arguments(printed: &str) -> &str {
    let mut name = printed.trim_end();
    for _ in 0..BRACKETS_MAX {
        let shorter = [('(', ')'), ('[', ']')].into_iter().find_map(|(open, close)| {
            let at = name.ends_with(close).then(|| opening(name, open, close)).flatten()?;
            (at > 0).then(|| name[..at].trim_end())
        });
        match shorter {
            Some(shorter) if !shorter.is_empty() => name = shorter,
            _ => break,
        }
    }
    name
}

/// Bracketed groups that a name may end with: arguments, template arguments, a clone's number.
const BRACKETS_MAX: usize = 8;

/// Where the group that ends `text` begins.
pub fn opening(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices().rev() {
        if c == close {
            depth += 1;
        } else if c == open {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// What follows `mark`, for names inside a phrase: `f` of `block (2 levels) in f`.
pub fn after_phrase<'name>(printed: &'name str, starts: &[&str], mark: &str) -> &'name str {
    let printed = printed.trim();
    match printed.rfind(mark) {
        Some(at) if starts.iter().any(|start| printed.starts_with(start)) => &printed[at + mark.len()..],
        _ => printed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_name_is_known_by_its_last_part() {
        for (printed, expected) in [
            ("f", "f"),
            ("Class.f", "f"),
            ("tests::f::{{closure}}", "f"),
            ("com.acme.Calc#f(int, long)", "f"),
            ("com.acme.Calc.f(int)[2]", "f"),
            ("pkg.(*T).f", "f"),
            ("test_f[1-2]", "test_f"),
            ("test_f[a[0]]", "test_f"),
            ("mod/f", "f"),
            ("Shop\\Cart->f", "f"),
            ("(odd)", "(odd)"),
            ("odd)", "odd)"),
        ] {
            assert_eq!(last_part(printed), expected);
        }
    }

    #[test]
    fn a_word_in_brackets_is_no_name() {
        for (printed, expected) in [
            ("<listcomp>", None),
            ("f.<locals>.<lambda>", None),
            ("Object.<anonymous>", None),
            ("{closure}", None),
            ("<T as Trait>::f", None),
            ("", None),
            ("f", Some("f")),
        ] {
            assert_eq!(plain(printed), expected, "{printed}");
        }
    }
}
