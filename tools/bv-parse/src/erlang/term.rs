//! Parts of printed Erlang terms, found by brackets and quotes; what is cut or odd is left out.

/// The end of the part of a tuple or list that begins here: the byte of the comma or bracket behind it.
fn end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut quote, mut at) = (0u32, None, 0);
    while at < bytes.len() {
        let byte = bytes[at];
        match quote {
            Some(_) if byte == b'\\' => at += 1,
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None => match byte {
                b'"' | b'\'' => quote = Some(byte),
                // A character is written with a dollar sign: `$"`.
                b'$' => at += 1,
                b'{' | b'[' | b'(' => depth += 1,
                b'}' | b']' | b')' | b',' if depth == 0 => return Some(at),
                b'}' | b']' | b')' => depth -= 1,
                _ => {}
            },
        }
        at += 1;
    }
    None
}

/// The first part of the tuple that `text` continues with, and what follows its comma.
pub fn element(text: &str) -> Option<(&str, &str)> {
    let at = end(text)?;
    Some((&text[..at], text.get(at + 1..).unwrap_or_default()))
}

/// The pairs of the list in `,[{line,5},{value,300}]}`. A pattern or an expression is printed as a string of
/// source text, and loses its quotes.
pub fn pairs(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let Some(mut rest) = text.strip_prefix(",[") else { return found };
    while let Some(pair) = rest.strip_prefix('{') {
        let Some((key, after)) = element(pair) else { break };
        let Some(at) = end(after) else { break };
        let value = &after[..at];
        let source = matches!(key, "pattern" | "expression");
        let bare = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).filter(|_| source);
        found.push((key, bare.unwrap_or(value)));
        rest = after.get(at + 1..).unwrap_or_default().trim_start_matches(',');
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_pairs() {
        assert_eq!(
            pairs(r#",[{module,b},{pattern,"{ ok }"},{value,<<"a\"}">>},{char,$"},{cut,[1"#),
            [("module", "b"), ("pattern", "{ ok }"), ("value", r#"<<"a\"}">>"#), ("char", "$\"")]
        );
        assert_eq!(pairs(",nothing"), []);
        assert_eq!(element("{a,1},[x]}"), Some(("{a,1}", "[x]}")));
        assert_eq!(element("boom,[]"), Some(("boom", "[]")));
        assert_eq!(element("cut"), None);
    }
}
