//! An expression's words.

/// A word, and the byte at which it begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'t> {
    pub(super) at: usize,
    pub(super) word: Word<'t>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Word<'t> {
    Number(f64),
    /// A name with its members and indices: `u_color.x`, `lights[1].position.y`.
    Name(&'t str),
    Sign(&'static str),
    End,
}

const SIGNS: [&str; 19] =
    ["==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "+", "-", "*", "/", "(", ")", ",", "?", ":", "="];

/// The words of `text`, the last one its end.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, (usize, String)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let rest = &text[at..];
        let (word, bytes) = if first.is_ascii_digit() || first == '.' {
            number(rest).ok_or_else(|| (at, format!("`{}` is no number", &rest[..number_bytes(rest)])))?
        } else if first.is_ascii_alphabetic() || first == '_' {
            let bytes = name_bytes(rest);
            (Word::Name(&rest[..bytes]), bytes)
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Word::Sign(sign), sign.len())
        } else {
            return Err((at, format!("`{first}` does not belong into an expression")));
        };
        tokens.push(Token { at, word });
        at += bytes;
    }
    tokens.push(Token { at, word: Word::End });
    Ok(tokens)
}

fn number(text: &str) -> Option<(Word<'_>, usize)> {
    let bytes = number_bytes(text);
    // Whatever GLSL takes as a float literal: `1.0f` is not among it in a rule.
    text[..bytes].parse().ok().map(|n| (Word::Number(n), bytes))
}

fn number_bytes(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let after_exponent = at > 0 && matches!(bytes[at - 1], b'e' | b'E');
        let belongs =
            byte.is_ascii_alphanumeric() || byte == b'.' || (after_exponent && matches!(byte, b'+' | b'-'));
        if !belongs {
            break;
        }
        at += 1;
    }
    at
}

/// Bytes of a name; `.` and `[number]` belong to it where they follow without a space.
fn name_bytes(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        match bytes.get(at) {
            Some(byte) if byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'.' => at += 1,
            Some(b'[') => {
                let digits = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                if digits == 0 || bytes.get(at + 1 + digits) != Some(&b']') {
                    return at;
                }
                at += digits + 2;
            }
            _ => return at,
        }
    }
}
