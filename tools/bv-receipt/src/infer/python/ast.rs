//! A Python module as the resolver needs it: definitions, statements and expressions by index, names as
//! ranges of the text.
//!
//! What no edge can come from (literal values, comments, patterns' details) is not kept.

use std::rc::Rc;

/// An expression's place in [`Tree::exprs`].
pub type ExprId = u32;
/// A function's place in [`Tree::defs`].
pub type DefId = u32;
/// A class's place in [`Tree::classes`].
pub type ClassId = u32;

/// A range of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// A parsed module.
#[derive(Debug)]
pub struct Tree {
    pub text: Rc<str>,
    pub exprs: Vec<Expr>,
    pub defs: Vec<Def>,
    pub classes: Vec<Class>,
    pub body: Vec<Stmt>,
}

impl Tree {
    /// The text of a range; empty where it is none.
    pub fn name(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id as usize]
    }

    /// The name that an expression is, if it is one.
    pub fn as_name(&self, id: ExprId) -> Option<&str> {
        match self.expr(id).kind {
            Kind::Name(span) => Some(self.name(span)),
            _ => None,
        }
    }

    /// The last name of a dotted one: `mark.parametrize` gives `parametrize`.
    pub fn last_name(&self, id: ExprId) -> Option<&str> {
        match self.expr(id).kind {
            Kind::Name(span) | Kind::Attribute(_, span) => Some(self.name(span)),
            Kind::Call { callee, .. } => match self.expr(callee).kind {
                Kind::Name(span) | Kind::Attribute(_, span) => Some(self.name(span)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// An expression and the lines it covers, from 1.
#[derive(Debug)]
pub struct Expr {
    pub kind: Kind,
    pub line: u32,
}

#[derive(Debug)]
pub enum Kind {
    Name(Span),
    Attribute(ExprId, Span),
    Call {
        callee: ExprId,
        args: Vec<ExprId>,
        keywords: Vec<(Option<Span>, ExprId)>,
    },
    /// A string literal: its inside, without quotes.
    Text(Span),
    /// An f-string: its pieces.
    Format(Vec<Piece>),
    /// A number, `True`, `...`.
    Literal,
    /// `None`.
    Nothing,
    Tuple(Vec<ExprId>),
    List(Vec<ExprId>),
    Set(Vec<ExprId>),
    Dict(Vec<(Option<ExprId>, ExprId)>),
    Binary(Op, ExprId, ExprId),
    Unary(Op, ExprId),
    Compare(ExprId, Vec<(Op, ExprId)>),
    /// `and`, `or`.
    Either(Vec<ExprId>),
    Conditional {
        test: ExprId,
        then: ExprId,
        other: ExprId,
    },
    /// A function without a name, by its result.
    Lambda(ExprId),
    Comprehension {
        results: Vec<ExprId>,
        clauses: Vec<Clause>,
    },
    Subscript(ExprId, ExprId),
    Slice(Vec<ExprId>),
    /// `*x`, `await x`.
    Inner(ExprId),
    Yield(Option<ExprId>),
    Walrus(ExprId, ExprId),
}

#[derive(Debug)]
pub enum Piece {
    Text(Span),
    Value(ExprId),
}

#[derive(Debug)]
pub struct Clause {
    pub target: ExprId,
    pub iter: ExprId,
    pub conditions: Vec<ExprId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Add,
    Sub,
    Mul,
    TrueDiv,
    FloorDiv,
    Mod,
    Pow,
    MatMul,
    LShift,
    RShift,
    Or,
    And,
    Xor,
    Neg,
    Pos,
    Invert,
    Not,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    Is,
}

#[derive(Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub line: u32,
    pub last: u32,
}

#[derive(Debug)]
pub enum StmtKind {
    Expr(ExprId),
    Assign {
        targets: Vec<ExprId>,
        value: ExprId,
    },
    Annotated {
        target: ExprId,
        annotation: ExprId,
        value: Option<ExprId>,
    },
    Augmented {
        target: ExprId,
        op: Op,
        value: ExprId,
    },
    Return(Option<ExprId>),
    Raise(Vec<ExprId>),
    /// `assert`, `del`: values that are read.
    Values(Vec<ExprId>),
    Import(Vec<(Span, Option<Span>)>),
    ImportFrom {
        level: u32,
        module: Option<Span>,
        names: Vec<(Span, Option<Span>)>,
        star: bool,
    },
    For {
        target: ExprId,
        iter: ExprId,
        blocks: Vec<Vec<Stmt>>,
    },
    While {
        test: ExprId,
        blocks: Vec<Vec<Stmt>>,
    },
    With {
        items: Vec<(ExprId, Option<ExprId>)>,
        body: Vec<Stmt>,
    },
    /// `if`, `try`, `match`: what their heads read, and their blocks.
    Branch {
        heads: Vec<ExprId>,
        blocks: Vec<Vec<Stmt>>,
    },
    Def(DefId),
    Class(ClassId),
    /// `pass`, `global` and what could not be read.
    Nothing,
}

impl Stmt {
    /// The blocks inside a compound statement.
    pub fn blocks(&self) -> &[Vec<Stmt>] {
        match &self.kind {
            StmtKind::For { blocks, .. }
            | StmtKind::While { blocks, .. }
            | StmtKind::Branch { blocks, .. } => blocks,
            StmtKind::With { body, .. } => std::slice::from_ref(body),
            _ => &[],
        }
    }
}

/// A function definition.
#[derive(Debug)]
pub struct Def {
    pub name: Span,
    pub params: Vec<Param>,
    pub decorators: Vec<ExprId>,
    pub returns: Option<ExprId>,
    pub body: Vec<Stmt>,
    /// The line of `def`.
    pub line: u32,
    pub last: u32,
}

#[derive(Debug)]
pub struct Param {
    pub name: Span,
    pub annotation: Option<ExprId>,
    pub default: Option<ExprId>,
}

/// A class definition.
#[derive(Debug)]
pub struct Class {
    pub name: Span,
    pub bases: Vec<ExprId>,
    pub body: Vec<Stmt>,
    /// The line of `class`.
    pub line: u32,
}
