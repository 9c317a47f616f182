//! A Python text to its [`Tree`].
//!
//! A statement that cannot be read is left out, with its block; the rest of the module stands.

use super::ast::{Class, Def, Expr, ExprId, Kind, Op, Span, Stmt, StmtKind, Tree};
use super::expr::{Parsed, Parser, Stop};
use super::lex::{self, TokenKind};
use std::rc::Rc;

/// Blocks inside each other that are followed.
const BLOCKS_MAX: u32 = 60;

const AUGMENTED: &[(&str, Op)] = &[
    ("+=", Op::Add),
    ("-=", Op::Sub),
    ("*=", Op::Mul),
    ("/=", Op::TrueDiv),
    ("//=", Op::FloorDiv),
    ("%=", Op::Mod),
    ("**=", Op::Pow),
    (">>=", Op::RShift),
    ("<<=", Op::LShift),
    ("&=", Op::And),
    ("^=", Op::Xor),
    ("|=", Op::Or),
    ("@=", Op::MatMul),
];

/// Parses a module.
pub fn module(text: Rc<str>) -> Tree {
    let exprs: Vec<Expr> = Vec::new();
    let mut reader = Reader {
        parser: Parser::new(&text, lex::module(&text), exprs),
        defs: Vec::new(),
        classes: Vec::new(),
        depth: 0,
    };
    let mut body = Vec::new();
    while reader.parser.token().kind != TokenKind::End {
        reader.statement(&mut body);
    }
    let Reader { parser, defs, classes, .. } = reader;
    let exprs = parser.exprs;
    Tree { exprs, defs, classes, body, text }
}

struct Reader<'text> {
    parser: Parser<'text>,
    defs: Vec<Def>,
    classes: Vec<Class>,
    depth: u32,
}

impl Reader<'_> {
    /// One line of simple statements, or one compound statement with its blocks.
    fn statement(&mut self, into: &mut Vec<Stmt>) {
        let start = self.parser.at;
        if matches!(self.parser.token().kind, TokenKind::Newline | TokenKind::Dedent) {
            self.parser.at += 1;
            return;
        }
        if self.parser.token().kind == TokenKind::Indent {
            self.skip_block();
            return;
        }
        self.depth += 1;
        let read = if self.depth > BLOCKS_MAX { Err(Stop) } else { self.compound_or_simple(into) };
        self.depth -= 1;
        if read.is_err() {
            self.parser.at = self.parser.at.max(start);
            self.skip_line();
        }
    }

    fn skip_line(&mut self) {
        while !matches!(self.parser.token().kind, TokenKind::Newline | TokenKind::End) {
            self.parser.at += 1;
        }
        self.parser.at += usize::from(self.parser.token().kind == TokenKind::Newline);
        if self.parser.token().kind == TokenKind::Indent {
            self.skip_block();
        }
    }

    fn skip_block(&mut self) {
        let mut depth = 0;
        loop {
            match self.parser.token().kind {
                TokenKind::Indent => depth += 1,
                TokenKind::Dedent => depth -= 1,
                TokenKind::End => return,
                _ => {}
            }
            self.parser.at += 1;
            if depth <= 0 {
                return;
            }
        }
    }

    fn compound_or_simple(&mut self, into: &mut Vec<Stmt>) -> Parsed<()> {
        let line = self.parser.token().line;
        let word = if self.parser.token().kind == TokenKind::Name { self.parser.word() } else { "" };
        let kind = match word {
            "def" => self.def(Vec::new(), line)?,
            "class" => self.class()?,
            "async" => {
                self.parser.at += 1;
                return self.compound_or_simple(into);
            }
            "if" | "while" => self.condition(word == "while")?,
            "for" => self.for_loop()?,
            "with" => self.with()?,
            "try" => self.attempt()?,
            "match" if self.is_match() => self.matching()?,
            _ if self.parser.is("@") => self.decorated()?,
            _ => return self.simple_line(into),
        };
        into.push(Stmt { kind, line, last: self.last_line() });
        Ok(())
    }

    /// The last line of what was read so far.
    fn last_line(&self) -> u32 {
        let read = &self.parser.tokens[..self.parser.at.min(self.parser.tokens.len())];
        let text = read.iter().rev().find(|token| {
            !matches!(token.kind, TokenKind::Newline | TokenKind::Indent | TokenKind::Dedent | TokenKind::End)
        });
        text.map_or(1, |token| token.last)
    }

    fn block(&mut self) -> Parsed<Vec<Stmt>> {
        self.parser.expect(":")?;
        let mut body = Vec::new();
        if self.parser.token().kind != TokenKind::Newline {
            self.simple_line(&mut body)?;
            return Ok(body);
        }
        self.parser.at += 1;
        if self.parser.token().kind != TokenKind::Indent {
            return Ok(body);
        }
        self.parser.at += 1;
        while !matches!(self.parser.token().kind, TokenKind::Dedent | TokenKind::End) {
            self.statement(&mut body);
        }
        self.parser.at += 1;
        Ok(body)
    }

    fn decorated(&mut self) -> Parsed<StmtKind> {
        let mut decorators = Vec::new();
        while self.parser.take("@") {
            decorators.push(self.parser.named()?);
            while self.parser.token().kind == TokenKind::Newline {
                self.parser.at += 1;
            }
        }
        let _ = self.parser.take("async");
        let line = self.parser.token().line;
        if self.parser.is("class") { self.class() } else { self.def(decorators, line) }
    }

    fn def(&mut self, decorators: Vec<ExprId>, line: u32) -> Parsed<StmtKind> {
        self.parser.expect("def")?;
        let name = self.parser.name()?;
        self.type_params()?;
        self.parser.expect("(")?;
        let params = self.parser.params(")", true)?;
        self.parser.expect(")")?;
        let returns = if self.parser.take("->") { Some(self.parser.annotation()?) } else { None };
        let body = self.block()?;
        self.defs.push(Def { name, params, decorators, returns, body, line, last: self.last_line() });
        Ok(StmtKind::Def(self.defs.len() as u32 - 1))
    }

    fn class(&mut self) -> Parsed<StmtKind> {
        let line = self.parser.token().line;
        self.parser.expect("class")?;
        let name = self.parser.name()?;
        self.type_params()?;
        let bases = if self.parser.take("(") { self.parser.arguments()?.0 } else { Vec::new() };
        let body = self.block()?;
        self.classes.push(Class { name, bases, body, line });
        Ok(StmtKind::Class(self.classes.len() as u32 - 1))
    }

    fn type_params(&mut self) -> Parsed<()> {
        if self.parser.take("[") {
            while !self.parser.take("]") {
                if self.parser.token().kind == TokenKind::Newline
                    || self.parser.token().kind == TokenKind::End
                {
                    return Err(Stop);
                }
                self.parser.at += 1;
            }
        }
        Ok(())
    }

    fn condition(&mut self, is_loop: bool) -> Parsed<StmtKind> {
        let mut heads = Vec::new();
        let mut blocks = Vec::new();
        self.parser.at += 1;
        heads.push(self.parser.named()?);
        blocks.push(self.block()?);
        while self.parser.is("elif") {
            self.parser.at += 1;
            heads.push(self.parser.named()?);
            blocks.push(self.block()?);
        }
        if self.parser.take("else") {
            blocks.push(self.block()?);
        }
        match heads[..] {
            [test] if is_loop => Ok(StmtKind::While { test, blocks }),
            _ => Ok(StmtKind::Branch { heads, blocks }),
        }
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.parser.at += 1;
        let target = self.parser.targets()?;
        self.parser.expect("in")?;
        let iter = self.parser.list()?;
        let mut blocks = vec![self.block()?];
        if self.parser.take("else") {
            blocks.push(self.block()?);
        }
        Ok(StmtKind::For { target, iter, blocks })
    }

    fn with(&mut self) -> Parsed<StmtKind> {
        self.parser.at += 1;
        let start = (self.parser.at, self.parser.exprs.len());
        if self.parser.take("(")
            && let Ok(items) = self.with_items()
            && self.parser.take(")")
            && self.parser.is(":")
        {
            return Ok(StmtKind::With { items, body: self.block()? });
        }
        // The parenthesis was the item's own.
        self.parser.at = start.0;
        self.parser.exprs.truncate(start.1);
        let items = self.with_items()?;
        Ok(StmtKind::With { items, body: self.block()? })
    }

    fn with_items(&mut self) -> Parsed<Vec<(ExprId, Option<ExprId>)>> {
        let mut items = Vec::new();
        loop {
            let value = self.parser.named()?;
            let target = if self.parser.take("as") { Some(self.parser.named()?) } else { None };
            items.push((value, target));
            if !self.parser.take(",") || self.parser.is(")") {
                return Ok(items);
            }
        }
    }

    fn attempt(&mut self) -> Parsed<StmtKind> {
        self.parser.at += 1;
        let mut heads = Vec::new();
        let mut blocks = vec![self.block()?];
        loop {
            if self.parser.take("except") {
                let _ = self.parser.take("*");
                if !self.parser.is(":") {
                    heads.push(self.parser.list()?);
                    if self.parser.take("as") {
                        self.parser.name()?;
                    }
                }
            } else if !self.parser.take("else") && !self.parser.take("finally") {
                return Ok(StmtKind::Branch { heads, blocks });
            }
            blocks.push(self.block()?);
        }
    }

    /// `match` is a keyword only where a line that ends with a colon says so.
    fn is_match(&self) -> bool {
        let tokens = &self.parser.tokens[self.parser.at..];
        let next = tokens.get(1).map_or("", |token| self.parser.text_of(token.span));
        let line_end =
            tokens.iter().position(|token| matches!(token.kind, TokenKind::Newline | TokenKind::End));
        let last = line_end.and_then(|end| tokens.get(end.checked_sub(1)?));
        last.is_some_and(|token| self.parser.text_of(token.span) == ":")
            && !matches!(next, "=" | "." | "," | ":" | ")")
    }

    fn matching(&mut self) -> Parsed<StmtKind> {
        self.parser.at += 1;
        let mut heads = vec![self.parser.list()?];
        let mut blocks = Vec::new();
        self.parser.expect(":")?;
        while self.parser.token().kind == TokenKind::Newline {
            self.parser.at += 1;
        }
        if self.parser.token().kind != TokenKind::Indent {
            return Err(Stop);
        }
        self.parser.at += 1;
        while self.parser.take("case") {
            // A pattern names classes as an expression does; what is no expression of it is passed over.
            let mut depth = 0;
            while !(depth == 0 && self.parser.is(":")) {
                match self.parser.token().kind {
                    TokenKind::Newline | TokenKind::End => return Err(Stop),
                    TokenKind::Name => {
                        let token = self.parser.token();
                        heads.push(self.parser.push(Kind::Name(token.span), token.line));
                    }
                    _ => match self.parser.word() {
                        "(" | "[" | "{" => depth += 1,
                        ")" | "]" | "}" => depth -= 1,
                        _ => {}
                    },
                }
                self.parser.at += 1;
            }
            blocks.push(self.block()?);
        }
        while !matches!(self.parser.token().kind, TokenKind::Dedent | TokenKind::End) {
            self.parser.at += 1;
        }
        self.parser.at += 1;
        Ok(StmtKind::Branch { heads, blocks })
    }

    /// Simple statements up to the end of the line.
    fn simple_line(&mut self, into: &mut Vec<Stmt>) -> Parsed<()> {
        loop {
            let line = self.parser.token().line;
            let kind = self.simple()?;
            into.push(Stmt { kind, line, last: self.last_line() });
            if !self.parser.take(";") || self.parser.token().kind == TokenKind::Newline {
                break;
            }
        }
        match self.parser.token().kind {
            TokenKind::Newline => {
                self.parser.at += 1;
                Ok(())
            }
            TokenKind::End => Ok(()),
            _ => Err(Stop),
        }
    }

    fn simple(&mut self) -> Parsed<StmtKind> {
        let is_name = self.parser.token().kind == TokenKind::Name;
        match self.parser.word() {
            "return" if is_name => {
                self.parser.at += 1;
                let ends = matches!(self.parser.token().kind, TokenKind::Newline | TokenKind::End)
                    || self.parser.is(";");
                Ok(StmtKind::Return(if ends { None } else { Some(self.parser.list()?) }))
            }
            "raise" if is_name => {
                self.parser.at += 1;
                let mut values = Vec::new();
                if !matches!(self.parser.token().kind, TokenKind::Newline | TokenKind::End)
                    && !self.parser.is(";")
                {
                    values.push(self.parser.list()?);
                }
                if self.parser.take("from") {
                    values.push(self.parser.list()?);
                }
                Ok(StmtKind::Raise(values))
            }
            "assert" | "del" if is_name => {
                self.parser.at += 1;
                Ok(StmtKind::Values(vec![self.parser.list()?]))
            }
            "import" if is_name => self.import(),
            "from" if is_name => self.import_from(),
            "pass" | "break" | "continue" if is_name => {
                self.parser.at += 1;
                Ok(StmtKind::Nothing)
            }
            "global" | "nonlocal" if is_name => {
                while !matches!(self.parser.token().kind, TokenKind::Newline | TokenKind::End)
                    && !self.parser.is(";")
                {
                    self.parser.at += 1;
                }
                Ok(StmtKind::Nothing)
            }
            _ => self.expression_statement(),
        }
    }

    fn expression_statement(&mut self) -> Parsed<StmtKind> {
        let first = self.parser.list()?;
        if self.parser.take(":") {
            let annotation = self.parser.annotation()?;
            let value = if self.parser.take("=") { Some(self.parser.list()?) } else { None };
            return Ok(StmtKind::Annotated { target: first, annotation, value });
        }
        if self.parser.token().kind == TokenKind::Mark {
            let word = self.parser.word();
            if let Some((_, op)) = AUGMENTED.iter().find(|(mark, _)| *mark == word) {
                self.parser.at += 1;
                let value = self.parser.list()?;
                return Ok(StmtKind::Augmented { target: first, op: *op, value });
            }
        }
        let mut all = vec![first];
        while self.parser.take("=") {
            all.push(self.parser.list()?);
        }
        match all.pop() {
            Some(value) if !all.is_empty() => Ok(StmtKind::Assign { targets: all, value }),
            _ => Ok(StmtKind::Expr(first)),
        }
    }

    fn dotted(&mut self) -> Parsed<Span> {
        let mut span = self.parser.name()?;
        while self.parser.take(".") {
            span.end = self.parser.name()?.end;
        }
        Ok(span)
    }

    fn alias(&mut self) -> Parsed<Option<Span>> {
        if self.parser.take("as") { Ok(Some(self.parser.name()?)) } else { Ok(None) }
    }

    fn import(&mut self) -> Parsed<StmtKind> {
        self.parser.at += 1;
        let mut names = Vec::new();
        loop {
            let name = self.dotted()?;
            names.push((name, self.alias()?));
            if !self.parser.take(",") {
                return Ok(StmtKind::Import(names));
            }
        }
    }

    fn import_from(&mut self) -> Parsed<StmtKind> {
        self.parser.at += 1;
        let mut level = 0;
        while self.parser.is(".") || self.parser.is("...") {
            level += self.parser.word().len() as u32;
            self.parser.at += 1;
        }
        let module = if self.parser.is("import") { None } else { Some(self.dotted()?) };
        self.parser.expect("import")?;
        if self.parser.take("*") {
            return Ok(StmtKind::ImportFrom { level, module, names: Vec::new(), star: true });
        }
        let bracketed = self.parser.take("(");
        let mut names = Vec::new();
        while !(bracketed && self.parser.take(")")) {
            let name = self.parser.name()?;
            names.push((name, self.alias()?));
            if !self.parser.take(",") {
                if bracketed {
                    self.parser.expect(")")?;
                }
                break;
            }
        }
        Ok(StmtKind::ImportFrom { level, module, names, star: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Python is made of, whole and torn.
    const PARTS: &[&str] = &[
        "\n",
        "\n    ",
        "\n\t",
        "def f(a, *b, c=1):",
        "class A(B):",
        "@x.y",
        "if x:",
        "for a, b in c:",
        "with a as b:",
        "try:",
        "except E as e:",
        "match x:",
        "case A(b):",
        "return",
        "raise X from y",
        "import a.b as c",
        "from . import *",
        "lambda x: y",
        "f'{a!r:>{b}}'",
        "f\"{",
        "'''",
        "\"",
        "é",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ":",
        ",",
        "=",
        ":=",
        "**",
        "not",
        "in",
        "is not",
        "x",
        "1e-3",
        "\\\n",
        "# c",
        "await",
        "yield",
        "async",
        "...",
        "->",
    ];

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { cases: 256, ..Default::default() })]

        #[test]
        fn any_text_is_read(parts in proptest::collection::vec(proptest::sample::select(PARTS), 0..60)) {
            let text = parts.join(" ");
            let lines = text.lines().count() as u32 + 1;
            let tree = module(text.as_str().into());
            for def in &tree.defs {
                proptest::prop_assert!(def.line <= def.last && def.last <= lines, "{def:?} in {text:?}");
            }
        }
    }

    #[test]
    fn nesting_is_bounded() {
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("-", ""),
            ("not ", ""),
            ("lambda: ", ""),
            ("f'{", "}'"),
            ("a if b else ", ""),
        ] {
            let text = format!("x = {}1{}\ndef after(): pass\n", open.repeat(20_000), close.repeat(20_000));
            let tree = module(text.as_str().into());
            assert!(tree.defs.len() <= 1, "{open}");
        }
        let chain = format!("x = {}1\n", "1 + ".repeat(50_000));
        assert_eq!(module(chain.as_str().into()).body.len(), 1);
        let blocks: String = (0..500).map(|depth| format!("{}if x:\n", " ".repeat(depth))).collect();
        module(blocks.as_str().into());
    }
}
