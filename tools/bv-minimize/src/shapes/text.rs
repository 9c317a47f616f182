//! Text as lines that belong together, and as tokens with their brackets.
//!
//! In: any bytes. Out: ranges of them. No language is known: indentation and brackets are what most have in
//! common.

use std::ops::Range;

/// Lines that stand together: a first one, the deeper ones under it, and a closing bracket as deep as the first.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Block {
    /// All its bytes, with the last line's newline where it has one.
    pub bytes: Range<usize>,
    /// The deeper lines' bytes; empty for a block of one line.
    pub body: Range<usize>,
    /// The block that it lies in.
    pub parent: Option<usize>,
}

/// All blocks in the order in which they begin.
pub(crate) fn blocks(text: &[u8]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    // Of each block that may go on: its index and its indentation.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut from = 0;
    for line in text.split_inclusive(|&b| b == b'\n') {
        let end = from + line.len();
        let indent = line.iter().take_while(|&&b| b == b' ' || b == b'\t').count();
        let rest = line[indent..].trim_ascii_end();
        let closes = matches!(rest.first(), Some(b')' | b']' | b'}'));
        if rest.is_empty() {
            // A blank line belongs to what is open, but makes no body.
            grow(&mut blocks, &open, end);
            if let Some((last, _)) = open.last() {
                let block = &mut blocks[*last];
                block.body.start = if block.body.start == from { end } else { block.body.start };
            }
        } else {
            while open.pop_if(|(_, depth)| *depth > indent || *depth == indent && !closes).is_some() {}
            let goes_on = closes && open.last().is_some_and(|(_, depth)| *depth == indent);
            if goes_on {
                grow(&mut blocks, &open, end);
                if let Some((block, _)) = open.last()
                    && rest.last() != Some(&b'{')
                {
                    // `} else {` leaves the block open for more.
                    blocks[*block].body.end = blocks[*block].body.end.min(from);
                    open.pop();
                }
            } else {
                let parent = open.last().map(|(block, _)| *block);
                grow(&mut blocks, &open, end);
                open.push((blocks.len(), indent));
                blocks.push(Block { bytes: from..end, body: end..end, parent });
            }
        }
        from = end;
    }
    blocks
}

/// Every open block reaches to `end`.
fn grow(blocks: &mut [Block], open: &[(usize, usize)], end: usize) {
    for (block, _) in open {
        blocks[*block].bytes.end = end;
        blocks[*block].body.end = end;
    }
}

/// What a token is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Sort {
    /// A letter or underscore, then such and digits.
    Word,
    /// Digits.
    Number,
    /// Blanks in a line.
    Blank,
    /// Newlines and the blanks around them that begin a line.
    Newline,
    /// In quotes, on one line.
    Quoted,
    /// Anything else.
    Mark,
}

/// A token's sort and bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Token {
    /// What it is.
    pub sort: Sort,
    /// Where it lies.
    pub bytes: Range<usize>,
}

/// All bytes as tokens.
pub(crate) fn tokens(text: &[u8]) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let run = |is: fn(&u8) -> bool| rest.iter().take_while(|&b| is(b)).count();
        let (sort, length) = match rest[0] {
            b'\n' => (Sort::Newline, run(|b| b.is_ascii_whitespace())),
            b if b.is_ascii_whitespace() => (Sort::Blank, run(|b| b.is_ascii_whitespace() && *b != b'\n')),
            b'0'..=b'9' => (Sort::Number, run(u8::is_ascii_digit)),
            b if b.is_ascii_alphabetic() || b == b'_' => {
                (Sort::Word, run(|b| b.is_ascii_alphanumeric() || *b == b'_'))
            }
            0x80.. => (Sort::Mark, run(|b| *b >= 0x80)),
            b'"' | b'\'' => quoted(rest).map_or((Sort::Mark, 1), |length| (Sort::Quoted, length)),
            _ => (Sort::Mark, operator(rest)),
        };
        tokens.push(Token { sort, bytes: at..at + length });
        at += length;
    }
    tokens
}

/// The length of a literal in quotes that ends on its line; quotes of an empty one stay marks.
fn quoted(rest: &[u8]) -> Option<usize> {
    let mut at = 1;
    while let Some(&byte) = rest.get(at) {
        match byte {
            b'\n' => return None,
            b'\\' => at += 1,
            _ if byte == rest[0] => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Marks that most languages write together.
fn operator(rest: &[u8]) -> usize {
    const PAIRS: [&[u8; 2]; 20] = [
        b"==", b"!=", b"<=", b">=", b"->", b"=>", b"::", b"&&", b"||", b"+=", b"-=", b"*=", b"/=", b"++",
        b"--", b"<<", b">>", b"//", b"/*", b"*/",
    ];
    if PAIRS.iter().any(|pair| rest.starts_with(&pair[..])) { 2 } else { 1 }
}

/// For each token that opens or closes a bracket, the one that it belongs to.
pub(crate) fn brackets(text: &[u8], tokens: &[Token]) -> Vec<Option<usize>> {
    let mut partner = vec![None; tokens.len()];
    let mut open: Vec<(u8, usize)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let byte = text[token.bytes.start];
        match byte {
            b'<' if token.bytes.len() == 1 => open.push((b'>', at)),
            b'(' => open.push((b')', at)),
            b'[' => open.push((b']', at)),
            b'{' => open.push((b'}', at)),
            b'>' if token.bytes.len() > 1 => {}
            b')' | b']' | b'}' | b'>' => {
                // A `<` that only compares is never closed.
                while byte != b'>' && open.pop_if(|(closer, _)| *closer == b'>').is_some() {}
                if let Some((_, other)) = open.pop_if(|(closer, _)| *closer == byte) {
                    partner[at] = Some(other);
                    partner[other] = Some(at);
                }
            }
            _ => {}
        }
    }
    partner
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let found: Vec<(&str, &str)> = blocks(text.as_bytes())
            .into_iter()
            .map(|block| (&text[block.bytes], &text[block.body]))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn indentation_and_brackets_make_blocks() {
        check("a\nb", &[("a\n", ""), ("b", "")]);
        check(
            "def f():\n  x\n\n  y\ng",
            &[("def f():\n  x\n\n  y\n", "  x\n\n  y\n"), ("  x\n\n", ""), ("  y\n", ""), ("g", "")],
        );
        check("f {\n a;\n}\ng", &[("f {\n a;\n}\n", " a;\n"), (" a;\n", ""), ("g", "")]);
        check("", &[]);
    }
}
