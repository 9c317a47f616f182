//! A regular expression of JavaScript, without flags, as the crate `regex` writes it.
//!
//! What only a backtracking engine can do is refused by name: look-around and back-references. The rest differs
//! in what stands for itself: a bracket in a class, a brace that opens no count.

/// The expression in the crate's words.
///
/// # Errors
/// What it holds that the crate has not.
pub fn translate(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len() + 8);
    let mut class: Option<usize> = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '\\' => escape(after, class.is_some(), &mut out)?,
            '[' if class.is_none() => {
                if after.starts_with(']') || after.starts_with("^]") {
                    return Err("an empty class ([] or [^])".into());
                }
                class = Some(out.len());
                let negated = after.starts_with('^');
                out.push_str(if negated { "[^" } else { "[" });
                &after[usize::from(negated)..]
            }
            ']' if class.is_some() => {
                class = None;
                out.push(']');
                after
            }
            // They are set operations of the crate's, or open a class in a class.
            '[' | '&' | '~' if class.is_some() => {
                out.push('\\');
                out.push(c);
                after
            }
            '-' if class.is_some() && after.starts_with('-') => {
                out.push_str("\\-");
                after
            }
            '(' if class.is_none() => group(after, &mut out)?,
            '{' if class.is_none() && !is_count(after) => {
                out.push_str("\\{");
                after
            }
            _ => {
                out.push(c);
                after
            }
        };
    }
    Ok(out)
}

/// After `(`.
fn group<'a>(after: &'a str, out: &mut String) -> Result<&'a str, String> {
    let around =
        [("?=", "a look-ahead"), ("?!", "a look-ahead"), ("?<=", "a look-behind"), ("?<!", "a look-behind")];
    if let Some((mark, name)) = around.iter().find(|(mark, _)| after.starts_with(mark)) {
        return Err(format!("{name} ({mark})"));
    }
    out.push('(');
    Ok(after)
}

/// After a backslash.
fn escape<'a>(after: &'a str, in_class: bool, out: &mut String) -> Result<&'a str, String> {
    let Some(c) = after.chars().next() else { return Err("a backslash at its end".into()) };
    let rest = &after[c.len_utf8()..];
    match c {
        '1'..='9' if !in_class => return Err(format!("a back-reference (\\{c})")),
        'k' if rest.starts_with('<') => return Err("a back-reference (\\k)".into()),
        'c' => return Err("a control escape (\\c)".into()),
        '0' => out.push_str("\\x00"),
        'b' if in_class => out.push_str("\\x08"),
        // JavaScript knows digits and words of ASCII alone.
        'd' => out.push_str("[0-9]"),
        'w' => out.push_str("[0-9A-Za-z_]"),
        'B' | 'D' | 'S' | 'W' | 'b' | 'f' | 'n' | 'r' | 's' | 't' | 'u' | 'v' | 'x' => {
            out.push('\\');
            out.push(c);
        }
        // Any other letter stands for itself, and so does a sign that the crate would not have escaped.
        c if c.is_alphanumeric() || matches!(c, '<' | '>') || !c.is_ascii() => out.push(c),
        c => {
            out.push('\\');
            out.push(c);
        }
    }
    Ok(rest)
}

/// `3}`, `3,}`, `3,5}` behind a brace.
fn is_count(after: &str) -> bool {
    let Some((inner, _)) = after.split_once('}') else { return false };
    let (from, to) = inner.split_once(',').unwrap_or((inner, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    !from.is_empty() && digits(from) && digits(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex::Regex;

    #[test]
    fn what_fits_in_javascript_fits_here() {
        for (pattern, fits, not) in [
            (r"^([^\s].*)$", "a.js", " a.js"),
            (r"^\s+(\d+):(\d+)\s+(error|warning|info)\s+(.*)\s\s+(.*)$", "  1:2  error  m  r", "1:2 error"),
            (r"^\[([^[\]]+)\]$", "[a]", "[[a]]"),
            (r"^[a&&b]+$", "a&b", "c"),
            (r"^[+--]$", "-", "."),
            (r"^a{b$", "a{b", "ab"),
            (r"^a{2,}$", "aa", "a"),
            (r"\/src\/", "/src/", "src"),
            (r"^\w+\-\w+$", "a-b", "ä-b"),
            (r"^[\w\]]+$", "a]", "a["),
            (r"^(?<file>.+)\u003a(?:x)?$", "f:x", "f;x"),
        ] {
            let regex = translate(pattern).map(|pattern| Regex::new(&pattern));
            let Ok(Ok(regex)) = regex else { panic!("{pattern}: {regex:?}") };
            assert!(regex.is_match(fits) && !regex.is_match(not), "{pattern} became {regex}");
        }
    }

    #[test]
    fn what_needs_backtracking_is_named() {
        for (pattern, want) in [
            (r"^(?!\s)(.*)$", "a look-ahead (?!)"),
            (r"(?=x)", "a look-ahead (?=)"),
            (r"(?<=a)b", "a look-behind (?<=)"),
            (r"(?<!a)b", "a look-behind (?<!)"),
            (r"(a)\1", r"a back-reference (\1)"),
            (r"(?<n>a)\k<n>", r"a back-reference (\k)"),
            (r"[^]", "an empty class ([] or [^])"),
            (r"a\", "a backslash at its end"),
        ] {
            assert_eq!(translate(pattern), Err(want.to_owned()), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_translated_or_refused(text in "[\\[\\](){}\\\\^$.*+?|a-z0-9<>=!&~, -]{0,30}") {
            if let Ok(pattern) = translate(&text) {
                let _ = Regex::new(&pattern);
            }
        }
    }
}
