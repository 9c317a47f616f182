//! Python's expressions, by precedence.
//!
//! What is no expression stops the parser, which then goes on with the next statement. Nesting is bounded.

use super::ast::{Clause, Expr, ExprId, Kind, Op, Param, Piece, Span};
use super::lex::{self, Token, TokenKind};

/// Expressions inside each other that are followed.
const NESTED_MAX: u32 = 80;

/// The text is no Python here.
#[derive(Debug)]
pub struct Stop;

pub type Parsed<T> = Result<T, Stop>;

/// The arguments of a call, those without a keyword first.
pub type Arguments = (Vec<ExprId>, Vec<(Option<Span>, ExprId)>);

/// Reads tokens and gathers expressions.
pub struct Parser<'text> {
    pub text: &'text str,
    pub tokens: Vec<Token>,
    pub at: usize,
    pub exprs: Vec<Expr>,
    depth: u32,
}

/// The binary operators, loosest first.
const BINARY: &[&[(&str, Op)]] = &[
    &[("|", Op::Or)],
    &[("^", Op::Xor)],
    &[("&", Op::And)],
    &[("<<", Op::LShift), (">>", Op::RShift)],
    &[("+", Op::Add), ("-", Op::Sub)],
    &[("*", Op::Mul), ("/", Op::TrueDiv), ("//", Op::FloorDiv), ("%", Op::Mod), ("@", Op::MatMul)],
];

const COMPARISONS: &[(&str, Op)] = &[
    ("==", Op::Eq),
    ("!=", Op::Ne),
    ("<", Op::Lt),
    ("<=", Op::Le),
    (">", Op::Gt),
    (">=", Op::Ge),
    ("in", Op::In),
    ("is", Op::Is),
];

/// Words that begin no expression.
const KEYWORDS: &[&str] = &[
    "and", "as", "assert", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally",
    "for", "from", "global", "if", "import", "in", "is", "nonlocal", "or", "pass", "raise", "return", "try",
    "while", "with",
];

impl<'text> Parser<'text> {
    pub fn new(text: &'text str, tokens: Vec<Token>, exprs: Vec<Expr>) -> Parser<'text> {
        Parser { text, tokens, at: 0, exprs, depth: 0 }
    }

    pub fn token(&self) -> Token {
        let last = self.tokens.len().saturating_sub(1);
        self.tokens.get(self.at.min(last)).copied().unwrap_or(Token {
            kind: TokenKind::End,
            span: Span { start: 0, end: 0 },
            line: 1,
            last: 1,
        })
    }

    pub fn word(&self) -> &'text str {
        self.text_of(self.token().span)
    }

    pub fn text_of(&self, span: Span) -> &'text str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    pub fn is(&self, word: &str) -> bool {
        matches!(self.token().kind, TokenKind::Mark | TokenKind::Name) && self.word() == word
    }

    pub fn take(&mut self, word: &str) -> bool {
        let is = self.is(word);
        self.at += usize::from(is);
        is
    }

    pub fn expect(&mut self, word: &str) -> Parsed<()> {
        if self.take(word) { Ok(()) } else { Err(Stop) }
    }

    pub fn name(&mut self) -> Parsed<Span> {
        let token = self.token();
        if token.kind != TokenKind::Name {
            return Err(Stop);
        }
        self.at += 1;
        Ok(token.span)
    }

    pub fn push(&mut self, kind: Kind, line: u32) -> ExprId {
        self.exprs.push(Expr { kind, line });
        self.exprs.len() as ExprId - 1
    }

    /// Comma-separated expressions, a tuple where there is a comma.
    pub fn list(&mut self) -> Parsed<ExprId> {
        self.comma_separated(Parser::named)
    }

    /// What `for` and `del` name: expressions that hold no comparison.
    pub fn targets(&mut self) -> Parsed<ExprId> {
        self.comma_separated(|parser| parser.starred(|parser| parser.binary(0)))
    }

    fn comma_separated(&mut self, one: impl Fn(&mut Self) -> Parsed<ExprId>) -> Parsed<ExprId> {
        let line = self.token().line;
        let first = one(self)?;
        if !self.is(",") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.take(",") {
            if !self.begins_expression() {
                break;
            }
            all.push(one(self)?);
        }
        Ok(self.push(Kind::Tuple(all), line))
    }

    fn begins_expression(&self) -> bool {
        match self.token().kind {
            TokenKind::Name => !KEYWORDS.contains(&self.word()),
            TokenKind::Number | TokenKind::Text => true,
            TokenKind::Mark => matches!(self.word(), "(" | "[" | "{" | "-" | "+" | "~" | "*" | "**" | "..."),
            _ => false,
        }
    }

    /// An expression, `x := y` and `*x` included.
    pub fn named(&mut self) -> Parsed<ExprId> {
        self.starred(|parser| {
            let line = parser.token().line;
            let first = parser.ternary()?;
            if parser.take(":=") {
                let value = parser.ternary()?;
                return Ok(parser.push(Kind::Walrus(first, value), line));
            }
            Ok(first)
        })
    }

    fn starred(&mut self, one: impl Fn(&mut Self) -> Parsed<ExprId>) -> Parsed<ExprId> {
        let line = self.token().line;
        if self.take("*") || self.take("**") {
            let inner = one(self)?;
            return Ok(self.push(Kind::Inner(inner), line));
        }
        one(self)
    }

    pub fn ternary(&mut self) -> Parsed<ExprId> {
        self.depth += 1;
        let parsed = if self.depth > NESTED_MAX { Err(Stop) } else { self.unbounded_ternary() };
        self.depth -= 1;
        parsed
    }

    fn unbounded_ternary(&mut self) -> Parsed<ExprId> {
        let line = self.token().line;
        if self.take("lambda") {
            self.params(":", false)?;
            self.expect(":")?;
            let body = self.ternary()?;
            return Ok(self.push(Kind::Lambda(body), line));
        }
        if self.take("yield") {
            let _ = self.take("from");
            let value = if self.begins_expression() { Some(self.list()?) } else { None };
            return Ok(self.push(Kind::Yield(value), line));
        }
        let then = self.either(0)?;
        if !self.take("if") {
            return Ok(then);
        }
        let test = self.either(0)?;
        self.expect("else")?;
        let other = self.ternary()?;
        Ok(self.push(Kind::Conditional { test, then, other }, line))
    }

    /// `or`, below it `and`.
    fn either(&mut self, level: usize) -> Parsed<ExprId> {
        let Some(word) = ["or", "and"].get(level) else { return self.not() };
        let line = self.token().line;
        let first = self.either(level + 1)?;
        if !self.is(word) {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.take(word) {
            all.push(self.either(level + 1)?);
        }
        Ok(self.push(Kind::Either(all), line))
    }

    fn not(&mut self) -> Parsed<ExprId> {
        let line = self.token().line;
        let mut nots = 0;
        while self.take("not") {
            nots += 1;
        }
        let inner = self.comparison()?;
        Ok(if nots > 0 { self.push(Kind::Unary(Op::Not, inner), line) } else { inner })
    }

    fn comparison(&mut self) -> Parsed<ExprId> {
        let line = self.token().line;
        let first = self.binary(0)?;
        let mut others = Vec::new();
        while let Some(op) = self.comparison_operator() {
            others.push((op, self.binary(0)?));
        }
        Ok(if others.is_empty() { first } else { self.push(Kind::Compare(first, others), line) })
    }

    fn comparison_operator(&mut self) -> Option<Op> {
        if !matches!(self.token().kind, TokenKind::Mark | TokenKind::Name) {
            return None;
        }
        if self.take("not") {
            // Only `not in` can stand here.
            return self.take("in").then_some(Op::In);
        }
        let word = self.word();
        let op = COMPARISONS.iter().find(|(mark, _)| *mark == word)?.1;
        self.at += 1;
        if op == Op::Is {
            self.take("not");
        }
        Some(op)
    }

    fn binary(&mut self, level: usize) -> Parsed<ExprId> {
        let Some(operators) = BINARY.get(level) else { return self.unary() };
        let line = self.token().line;
        let mut left = self.binary(level + 1)?;
        while self.token().kind == TokenKind::Mark {
            let word = self.word();
            let Some((_, op)) = operators.iter().find(|(mark, _)| *mark == word) else { break };
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = self.push(Kind::Binary(*op, left, right), line);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<ExprId> {
        let line = self.token().line;
        let mut op = None;
        while self.token().kind == TokenKind::Mark {
            op = match self.word() {
                "-" => Some(Op::Neg),
                "+" => Some(Op::Pos),
                "~" => Some(Op::Invert),
                _ => break,
            };
            self.at += 1;
        }
        let waits = self.take("await");
        let base = self.atom()?;
        let mut value = self.postfix(base, line)?;
        if waits {
            value = self.push(Kind::Inner(value), line);
        }
        if self.take("**") {
            self.depth += 1;
            let right = if self.depth > NESTED_MAX { Err(Stop) } else { self.unary() };
            self.depth -= 1;
            let right = right?;
            value = self.push(Kind::Binary(Op::Pow, value, right), line);
        }
        Ok(op.map_or(value, |op| self.push(Kind::Unary(op, value), line)))
    }

    fn postfix(&mut self, base: ExprId, line: u32) -> Parsed<ExprId> {
        let mut value = base;
        while self.token().kind == TokenKind::Mark {
            match self.word() {
                "." => {
                    self.at += 1;
                    let name = self.name()?;
                    value = self.push(Kind::Attribute(value, name), line);
                }
                "(" => {
                    self.at += 1;
                    let (args, keywords) = self.arguments()?;
                    value = self.push(Kind::Call { callee: value, args, keywords }, line);
                }
                "[" => {
                    self.at += 1;
                    let index = self.subscript()?;
                    value = self.push(Kind::Subscript(value, index), line);
                }
                _ => break,
            }
        }
        Ok(value)
    }

    /// The arguments of a call, after its parenthesis.
    pub fn arguments(&mut self) -> Parsed<Arguments> {
        let (mut args, mut keywords) = (Vec::new(), Vec::new());
        while !self.take(")") {
            let line = self.token().line;
            let is_keyword = self.token().kind == TokenKind::Name
                && self
                    .tokens
                    .get(self.at + 1)
                    .is_some_and(|next| self.text_of(next.span) == "=" && next.kind == TokenKind::Mark);
            if is_keyword {
                let name = self.name()?;
                self.at += 1;
                keywords.push((Some(name), self.ternary()?));
            } else if self.take("**") {
                keywords.push((None, self.ternary()?));
            } else {
                let value = self.named()?;
                args.push(self.comprehension(vec![value], line)?.unwrap_or(value));
            }
            if !self.take(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok((args, keywords))
    }

    fn subscript(&mut self) -> Parsed<ExprId> {
        let line = self.token().line;
        let mut parts = Vec::new();
        let mut is_slice = false;
        while !self.take("]") {
            if self.take(":") || self.take(",") {
                is_slice = true;
                continue;
            }
            if !self.begins_expression() && !self.is("not") && !self.is("lambda") && !self.is("await") {
                return Err(Stop);
            }
            parts.push(self.named()?);
        }
        match parts[..] {
            [only] if !is_slice => Ok(only),
            _ => Ok(self.push(Kind::Slice(parts), line)),
        }
    }

    /// A comprehension over `results`, where `for` follows.
    fn comprehension(&mut self, results: Vec<ExprId>, line: u32) -> Parsed<Option<ExprId>> {
        let mut clauses = Vec::new();
        loop {
            if self.is("async") {
                self.at += 1;
            }
            if !self.take("for") {
                break;
            }
            let target = self.targets()?;
            self.expect("in")?;
            let iter = self.either(0)?;
            let mut conditions = Vec::new();
            while self.take("if") {
                conditions.push(self.either(0)?);
            }
            clauses.push(Clause { target, iter, conditions });
        }
        if clauses.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.push(Kind::Comprehension { results, clauses }, line)))
    }

    fn atom(&mut self) -> Parsed<ExprId> {
        let token = self.token();
        match token.kind {
            TokenKind::Number => {
                self.at += 1;
                Ok(self.push(Kind::Literal, token.line))
            }
            TokenKind::Text => self.strings(),
            TokenKind::Name => {
                let word = self.word();
                if KEYWORDS.contains(&word) {
                    return Err(Stop);
                }
                self.at += 1;
                let kind = match word {
                    "None" => Kind::Nothing,
                    "True" | "False" => Kind::Literal,
                    _ => Kind::Name(token.span),
                };
                Ok(self.push(kind, token.line))
            }
            TokenKind::Mark => match self.word() {
                "(" => self.bracketed(")", token.line),
                "[" => self.bracketed("]", token.line),
                "{" => self.braced(token.line),
                "..." => {
                    self.at += 1;
                    Ok(self.push(Kind::Literal, token.line))
                }
                _ => Err(Stop),
            },
            _ => Err(Stop),
        }
    }

    fn bracketed(&mut self, close: &str, line: u32) -> Parsed<ExprId> {
        self.at += 1;
        let mut items = Vec::new();
        let mut comma = false;
        while !self.take(close) {
            let item = self.named()?;
            if let Some(all) = self.comprehension(vec![item], line)? {
                self.expect(close)?;
                return Ok(all);
            }
            items.push(item);
            if !self.take(",") {
                self.expect(close)?;
                break;
            }
            comma = true;
        }
        match items[..] {
            [only] if close == ")" && !comma => Ok(only),
            _ if close == ")" => Ok(self.push(Kind::Tuple(items), line)),
            _ => Ok(self.push(Kind::List(items), line)),
        }
    }

    fn braced(&mut self, line: u32) -> Parsed<ExprId> {
        self.at += 1;
        let mut pairs: Vec<(Option<ExprId>, ExprId)> = Vec::new();
        let mut items = Vec::new();
        while !self.take("}") {
            if self.take("**") {
                pairs.push((None, self.ternary()?));
            } else {
                let key = self.named()?;
                let mut results = vec![key];
                if self.take(":") {
                    let value = self.ternary()?;
                    results.push(value);
                    pairs.push((Some(key), value));
                } else {
                    items.push(key);
                }
                if let Some(all) = self.comprehension(results, line)? {
                    self.expect("}")?;
                    return Ok(all);
                }
            }
            if !self.take(",") {
                self.expect("}")?;
                break;
            }
        }
        let kind = if items.is_empty() { Kind::Dict(pairs) } else { Kind::Set(items) };
        Ok(self.push(kind, line))
    }

    /// String literals side by side; the pieces of formatted ones are read.
    fn strings(&mut self) -> Parsed<ExprId> {
        let line = self.token().line;
        let mut pieces = Vec::new();
        let mut count = 0;
        let mut plain = None;
        while self.token().kind == TokenKind::Text {
            let token = self.token();
            self.at += 1;
            count += 1;
            let (inside, is_format) = self.inside(token.span);
            if is_format {
                self.format(inside, token.line, &mut pieces);
            } else {
                plain = plain.or(Some(inside));
                pieces.push(Piece::Text(inside));
            }
        }
        let kind = match plain {
            Some(inside) if count == 1 => Kind::Text(inside),
            _ => Kind::Format(pieces),
        };
        Ok(self.push(kind, line))
    }

    /// A literal's range without prefix and quotes, and whether it is a formatted one.
    fn inside(&self, span: Span) -> (Span, bool) {
        let text = self.text_of(span);
        let quotes_at = text.find(['"', '\'']).unwrap_or(0);
        let is_format = text[..quotes_at].contains(['f', 'F', 't', 'T']);
        let quoted = &text[quotes_at..];
        let quote = if quoted.starts_with("\"\"\"") || quoted.starts_with("'''") { 3 } else { 1 };
        let start = span.start + (quotes_at + quote) as u32;
        let end = if quoted.len() >= 2 * quote { span.end - quote as u32 } else { span.end };
        (Span { start: start.min(end), end }, is_format)
    }

    fn format(&mut self, inside: Span, line: u32, pieces: &mut Vec<Piece>) {
        let text = self.text_of(inside);
        let mut at = 0;
        while let Some(open) = text[at..].find('{').map(|offset| at + offset) {
            pieces
                .push(Piece::Text(Span { start: inside.start + at as u32, end: inside.start + open as u32 }));
            if text[open + 1..].starts_with('{') {
                at = open + 2;
                continue;
            }
            let mut depth = 1;
            let close = text[open + 1..].char_indices().find(|(_, c)| {
                depth += i32::from(matches!(c, '{' | '(' | '[')) - i32::from(matches!(c, '}' | ')' | ']'));
                depth == 0
            });
            let Some((close, _)) = close.map(|(offset, c)| (open + 1 + offset, c)) else { return };
            let span = Span { start: inside.start + open as u32 + 1, end: inside.start + close as u32 };
            if let Some(value) = self.nested(span, line) {
                pieces.push(Piece::Value(value));
            }
            at = close + 1;
        }
        pieces.push(Piece::Text(Span { start: inside.start + at as u32, end: inside.end }));
    }

    /// An expression that stands inside a string: in a formatted one, or as an annotation.
    pub fn nested(&mut self, span: Span, line: u32) -> Option<ExprId> {
        if self.depth > NESTED_MAX / 4 {
            return None;
        }
        let tokens = lex::expression(self.text, span, line);
        let mut inner = Parser::new(self.text, tokens, std::mem::take(&mut self.exprs));
        inner.depth = self.depth + NESTED_MAX / 8;
        let value = inner.list().ok();
        self.exprs = inner.exprs;
        value
    }

    /// Parameters up to `close`, which is left.
    pub fn params(&mut self, close: &str, annotated: bool) -> Parsed<Vec<Param>> {
        let mut params = Vec::new();
        while !self.is(close) {
            let is_rest = self.take("**") || self.take("*");
            if self.take("/") || is_rest && self.is(",") {
                self.take(",");
                continue;
            }
            let name = self.name()?;
            let annotation = if annotated && self.take(":") { Some(self.annotation()?) } else { None };
            let default = if self.take("=") { Some(self.ternary()?) } else { None };
            params.push(Param { name, annotation: annotation.filter(|_| !is_rest), default });
            if !self.take(",") && !self.is(close) {
                return Err(Stop);
            }
        }
        Ok(params)
    }

    /// A type, also one that is written as a string.
    pub fn annotation(&mut self) -> Parsed<ExprId> {
        let value = self.named()?;
        if let Kind::Text(span) = self.exprs[value as usize].kind {
            let line = self.exprs[value as usize].line;
            return Ok(self.nested(span, line).unwrap_or(value));
        }
        Ok(value)
    }
}
