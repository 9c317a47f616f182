//! The words of a GLSL source with their lines: comments and line continuations are left out, directives kept whole.

/// One word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'t> {
    pub kind: Kind,
    /// As it stands in the source; a directive with its `#`, up to its end.
    pub text: &'t str,
    /// 1-based physical line on which it begins.
    pub line: u32,
    /// Its first byte.
    pub at: usize,
}

/// What a [`Token`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Identifier,
    Number,
    Punctuation,
    Directive,
}

/// Splits a text into words. Any text has some.
pub fn tokens(text: &str) -> Tokens<'_> {
    Tokens { text, at: 0, line: 1, fresh: true }
}

/// See [`tokens`].
pub struct Tokens<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    /// Whether nothing but space stands before on this line, so that `#` begins a directive.
    fresh: bool,
}

impl<'t> Tokens<'t> {
    fn rest(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// Passes `bytes` bytes, lines counted.
    fn pass(&mut self, bytes: usize) {
        let end = (self.at + bytes).min(self.text.len());
        let lines = self.text.as_bytes()[self.at..end].iter().filter(|byte| **byte == b'\n').count();
        self.line += lines as u32;
        self.fresh |= lines > 0;
        self.at = end;
    }

    /// Passes space, comments and continued lines.
    fn pass_blank(&mut self) {
        loop {
            match self.rest() {
                [b'/', b'/', ..] => {
                    let length = line_end(self.rest());
                    self.pass(length);
                }
                [b'/', b'*', rest @ ..] => {
                    let fresh = self.fresh;
                    let length = find(rest, b"*/").map_or(rest.len() + 2, |end| end + 4);
                    self.pass(length);
                    self.fresh = fresh || self.fresh;
                }
                [b'\\', b'\r', b'\n', ..] => self.pass_continued(3),
                [b'\\', b'\n', ..] => self.pass_continued(2),
                [space, ..] if space.is_ascii_whitespace() => self.pass(1),
                _ => return,
            }
        }
    }

    fn pass_continued(&mut self, bytes: usize) {
        let fresh = self.fresh;
        self.pass(bytes);
        self.fresh = fresh;
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        self.pass_blank();
        let (at, line, rest) = (self.at, self.line, self.rest());
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let (kind, length) = match rest {
            [] => return None,
            [b'#', ..] if self.fresh => (Kind::Directive, line_end(rest)),
            [first, ..] if first.is_ascii_alphabetic() || *first == b'_' => {
                (Kind::Identifier, rest.iter().take_while(|byte| word(byte)).count())
            }
            [first, ..] if first.is_ascii_digit() => {
                (Kind::Number, rest.iter().take_while(|byte| word(byte) || **byte == b'.').count())
            }
            _ => (Kind::Punctuation, self.text[at..].chars().next().map_or(1, char::len_utf8)),
        };
        self.pass(length);
        self.fresh = false;
        let text = &self.text[at..self.at];
        Some(Token { kind, text, line, at })
    }
}

/// Bytes up to the line's end, its newline not included; a continued line goes on.
fn line_end(bytes: &[u8]) -> usize {
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at..] {
            [b'\\', b'\r', b'\n', ..] => at += 3,
            [b'\\', b'\n', ..] => at += 2,
            [b'\n', ..] => break,
            // A comment in a directive may run over lines.
            [b'/', b'*', ..] => {
                at = find(&bytes[at + 2..], b"*/").map_or(bytes.len(), |end| at + 2 + end + 2)
            }
            [b'/', b'/', ..] => {
                at += bytes[at..].iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len() - at);
            }
            _ => at += 1,
        }
    }
    at.min(bytes.len())
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// Splits a directive into its name and the rest: `#  line 7` is `("line", "7")`.
pub fn directive(text: &str) -> (&str, &str) {
    let body = text.trim_start_matches('#').trim();
    let end = body.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(body.len());
    (&body[..end], body[end..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_their_lines() {
        let check = |text: &str, expected: &[(Kind, &str, u32)]| {
            let found: Vec<_> = tokens(text).map(|token| (token.kind, token.text, token.line)).collect();
            assert_eq!(found, expected, "{text:?}");
        };
        check("", &[]);
        check("a // b\nc", &[(Kind::Identifier, "a", 1), (Kind::Identifier, "c", 2)]);
        check("/* x\ny */ 1.5f;", &[(Kind::Number, "1.5f", 2), (Kind::Punctuation, ";", 2)]);
        check(
            " # define A \\\n 1\nA",
            &[(Kind::Directive, "# define A \\\n 1", 1), (Kind::Identifier, "A", 3)],
        );
        check(
            "a # b",
            &[(Kind::Identifier, "a", 1), (Kind::Punctuation, "#", 1), (Kind::Identifier, "b", 1)],
        );
        check("/*", &[]);
        check("é", &[(Kind::Punctuation, "é", 1)]);
        check("#if /* a\nb */ 1\nx", &[(Kind::Directive, "#if /* a\nb */ 1", 1), (Kind::Identifier, "x", 3)]);
    }
}
