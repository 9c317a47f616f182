//! A Python text to tokens, blocks marked by indents and dedents.
//!
//! Any text gives tokens; what no rule knows is skipped.

use super::ast::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Name,
    Number,
    /// A string literal with its prefix and quotes.
    Text,
    /// An operator or mark.
    Mark,
    Newline,
    Indent,
    Dedent,
    End,
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
    /// The line it begins on, from 1.
    pub line: u32,
    /// The line it ends on.
    pub last: u32,
}

/// The tokens of a whole module.
pub fn module(text: &str) -> Vec<Token> {
    let mut lexer =
        Lexer { text: text.as_bytes(), at: 0, line: 1, depth: 0, indents: vec![0], tokens: Vec::new() };
    lexer.lines();
    lexer.tokens
}

/// The tokens of an expression inside a text, from `span.start` on, which stands on `line`.
pub fn expression(text: &str, span: Span, line: u32) -> Vec<Token> {
    let end = (span.end as usize).min(text.len());
    let bytes = &text.as_bytes()[..end];
    // Inside brackets a newline is a blank.
    let mut lexer =
        Lexer { text: bytes, at: span.start as usize, line, depth: 1, indents: vec![0], tokens: Vec::new() };
    lexer.logical_line();
    lexer.push(TokenKind::End, end);
    lexer.tokens
}

struct Lexer<'text> {
    text: &'text [u8],
    at: usize,
    line: u32,
    depth: u32,
    indents: Vec<usize>,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn lines(&mut self) {
        while self.at < self.text.len() {
            let columns = self.indent();
            match self.peek(0) {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    continue;
                }
                b'#' => {
                    self.comment();
                    continue;
                }
                0 if self.at >= self.text.len() => break,
                _ => {}
            }
            self.blocks(columns);
            self.logical_line();
        }
        self.push(TokenKind::Newline, self.at);
        self.blocks(0);
        self.push(TokenKind::End, self.at);
    }

    fn indent(&mut self) -> usize {
        let mut columns = 0;
        loop {
            match self.peek(0) {
                b' ' => columns += 1,
                b'\t' => columns = (columns / 8 + 1) * 8,
                b'\x0c' | b'\r' => {}
                _ => return columns,
            }
            self.at += 1;
        }
    }

    fn blocks(&mut self, columns: usize) {
        let innermost = |indents: &[usize]| indents.last().copied().unwrap_or(0);
        if columns > innermost(&self.indents) {
            self.indents.push(columns);
            self.push(TokenKind::Indent, self.at);
        }
        while columns < innermost(&self.indents) {
            self.indents.pop();
            self.push(TokenKind::Dedent, self.at);
        }
    }

    fn logical_line(&mut self) {
        while self.at < self.text.len() {
            let start = self.at;
            match self.peek(0) {
                b'\n' => {
                    self.at += 1;
                    if self.depth == 0 {
                        // The newline belongs to the line that it ends.
                        self.push(TokenKind::Newline, start);
                        self.line += 1;
                        return;
                    }
                    self.line += 1;
                }
                b' ' | b'\t' | b'\r' | b'\x0c' => self.at += 1,
                b'\\' if self.peek(1) == b'\n' => {
                    self.at += 2;
                    self.line += 1;
                }
                b'\\' if self.peek(1) == b'\r' && self.peek(2) == b'\n' => {
                    self.at += 3;
                    self.line += 1;
                }
                b'#' => self.comment_in_line(),
                b'"' | b'\'' => self.string(start),
                b'0'..=b'9' => self.number(start),
                b'.' if self.peek(1).is_ascii_digit() => self.number(start),
                byte if byte == b'_' || byte.is_ascii_alphabetic() || byte >= 0x80 => self.word(start),
                b'(' | b'[' | b'{' => {
                    self.depth += 1;
                    self.mark(start, 1);
                }
                b')' | b']' | b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.mark(start, 1);
                }
                _ => self.mark(start, mark_bytes(&self.text[start..])),
            }
        }
    }

    fn comment(&mut self) {
        self.comment_in_line();
        if self.peek(0) == b'\n' {
            self.at += 1;
            self.line += 1;
        }
    }

    fn comment_in_line(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    }

    fn word(&mut self, start: usize) {
        while matches!(self.peek(0), b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | 0x80..) {
            self.at += 1;
        }
        let is_prefix = self.at - start <= 2
            && self.text[start..self.at].iter().all(|byte| b"rRbBuUfFtT".contains(byte))
            && matches!(self.peek(0), b'"' | b'\'');
        if is_prefix {
            self.string(start);
        } else {
            self.push(TokenKind::Name, start);
        }
    }

    fn number(&mut self, start: usize) {
        let mut before = 0;
        loop {
            let byte = self.peek(0);
            let is_sign = matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E');
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') || is_sign) {
                break;
            }
            before = byte;
            self.at += 1;
        }
        self.push(TokenKind::Number, start);
    }

    /// A string from its quotes on; one line where it is not closed on it.
    fn string(&mut self, start: usize) {
        let first_line = self.line;
        let quote = self.peek(0);
        let is_long = self.peek(1) == quote && self.peek(2) == quote;
        self.at += if is_long { 3 } else { 1 };
        while self.at < self.text.len() {
            match self.peek(0) {
                b'\\' => {
                    self.line += u32::from(self.peek(1) == b'\n');
                    self.at += 2;
                    continue;
                }
                b'\n' if !is_long => break,
                b'\n' => self.line += 1,
                byte if byte == quote && !is_long => {
                    self.at += 1;
                    break;
                }
                byte if byte == quote && self.peek(1) == quote && self.peek(2) == quote => {
                    self.at += 3;
                    break;
                }
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.at.min(self.text.len());
        self.push(TokenKind::Text, start);
        if let Some(token) = self.tokens.last_mut() {
            token.line = first_line;
        }
    }

    fn mark(&mut self, start: usize, bytes: usize) {
        self.at = start + bytes;
        self.push(TokenKind::Mark, start);
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let span = Span { start: start as u32, end: self.at as u32 };
        self.tokens.push(Token { kind, span, line: self.line, last: self.line });
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }
}

fn mark_bytes(rest: &[u8]) -> usize {
    const LONG: &[&[u8]] = &[
        b"**=", b"//=", b">>=", b"<<=", b"...", b"**", b"//", b"<<", b">>", b"<=", b">=", b"==", b"!=",
        b"->", b":=", b"+=", b"-=", b"*=", b"/=", b"%=", b"@=", b"&=", b"|=", b"^=",
    ];
    LONG.iter().find(|mark| rest.starts_with(mark)).map_or(1, |mark| mark.len())
}
