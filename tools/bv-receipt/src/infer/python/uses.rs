//! The expressions of one function in the order of no particular line: what it reads, loops over and enters.
//!
//! Bodies of functions and classes inside it are not its own; lambdas and comprehensions are. Without
//! recursion over expressions: how long a chain of operators is, is up to whoever wrote it.

use super::ast::{Clause, Expr, ExprId, Kind, Op, Piece, Stmt, StmtKind, Tree};
use super::{Locals, Origin, Python};
use crate::infer::code::FunctionId;
use std::rc::Rc;

/// Expressions of one body or one module variable that are looked at.
const EXPRESSIONS_MAX: usize = 20_000;

/// One thing that a function does with an expression.
#[derive(Clone, Copy, Debug)]
pub enum Use {
    /// Reads it.
    Read(ExprId),
    /// Assigns to it: an attribute or an element is set.
    Set(ExprId),
    /// Loops over it.
    Loop(ExprId),
    /// Enters it with `with`.
    Enter(ExprId),
    /// Changes it in place.
    Augment(Op, ExprId),
    /// Prints it in a formatted string.
    Format(ExprId),
}

/// What the statements of a body use.
pub fn of_body(tree: &Tree, body: &[Stmt]) -> Vec<Use> {
    let mut all = Vec::new();
    let mut open: Vec<&Stmt> = body.iter().rev().collect();
    while let Some(stmt) = open.pop() {
        open.extend(stmt.blocks().iter().flatten());
        of_statement(tree, stmt, &mut all);
        if all.len() > EXPRESSIONS_MAX {
            break;
        }
    }
    all
}

/// What an expression uses, itself among it.
pub fn of_expression(tree: &Tree, expr: ExprId) -> Vec<Use> {
    let mut all = Vec::new();
    read(&tree.exprs, expr, &mut all);
    all
}

fn of_statement(tree: &Tree, stmt: &Stmt, all: &mut Vec<Use>) {
    let exprs = &tree.exprs;
    match &stmt.kind {
        StmtKind::Expr(value) | StmtKind::Return(Some(value)) => read(exprs, *value, all),
        StmtKind::Assign { targets, value } => {
            targets.iter().for_each(|&target| set(exprs, target, all));
            read(exprs, *value, all);
        }
        StmtKind::Annotated { target, value, .. } => {
            set(exprs, *target, all);
            value.iter().for_each(|&value| read(exprs, value, all));
        }
        StmtKind::Augmented { target, op, value } => {
            all.push(Use::Augment(*op, *target));
            set(exprs, *target, all);
            read(exprs, *target, all);
            read(exprs, *value, all);
        }
        StmtKind::Raise(values) | StmtKind::Values(values) => {
            values.iter().for_each(|&value| read(exprs, value, all))
        }
        StmtKind::For { target, iter, .. } => {
            all.push(Use::Loop(*iter));
            set(exprs, *target, all);
            read(exprs, *iter, all);
        }
        StmtKind::While { test, .. } => read(exprs, *test, all),
        StmtKind::With { items, .. } => {
            for (value, target) in items {
                all.push(Use::Enter(*value));
                read(exprs, *value, all);
                target.iter().for_each(|&target| set(exprs, target, all));
            }
        }
        StmtKind::Branch { heads, .. } => heads.iter().for_each(|&head| read(exprs, head, all)),
        StmtKind::Def(def) => {
            let def = &tree.defs[*def as usize];
            def.decorators.iter().for_each(|&decorator| read(exprs, decorator, all));
            def.params.iter().filter_map(|param| param.default).for_each(|value| read(exprs, value, all));
        }
        _ => {}
    }
}

/// A target: names are bound, attributes and elements are set on what is read.
fn set(exprs: &[Expr], target: ExprId, all: &mut Vec<Use>) {
    match &exprs[target as usize].kind {
        Kind::Name(_) => {}
        Kind::Tuple(parts) | Kind::List(parts) => {
            for &part in parts {
                // One level is what assignments have; a deeper one is read like any expression.
                match &exprs[part as usize].kind {
                    Kind::Name(_) => {}
                    Kind::Attribute(..) | Kind::Subscript(..) => set_member(exprs, part, all),
                    _ => read(exprs, part, all),
                }
            }
        }
        Kind::Attribute(..) | Kind::Subscript(..) => set_member(exprs, target, all),
        _ => read(exprs, target, all),
    }
}

fn set_member(exprs: &[Expr], target: ExprId, all: &mut Vec<Use>) {
    all.push(Use::Set(target));
    match exprs[target as usize].kind {
        Kind::Attribute(value, _) => read(exprs, value, all),
        Kind::Subscript(value, index) => {
            read(exprs, value, all);
            read(exprs, index, all);
        }
        _ => {}
    }
}

fn read(exprs: &[Expr], expr: ExprId, all: &mut Vec<Use>) {
    let mut open = vec![expr];
    while let Some(id) = open.pop() {
        if all.len() > EXPRESSIONS_MAX {
            return;
        }
        all.push(Use::Read(id));
        match &exprs[id as usize].kind {
            Kind::Name(_) | Kind::Text(_) | Kind::Literal | Kind::Nothing => {}
            Kind::Attribute(value, _) | Kind::Unary(_, value) | Kind::Inner(value) => open.push(*value),
            Kind::Call { callee, args, keywords } => {
                open.push(*callee);
                open.extend(args);
                open.extend(keywords.iter().map(|(_, value)| value));
            }
            Kind::Format(pieces) => {
                for piece in pieces {
                    if let Piece::Value(value) = piece {
                        all.push(Use::Format(*value));
                        open.push(*value);
                    }
                }
            }
            Kind::Tuple(all) | Kind::List(all) | Kind::Set(all) | Kind::Either(all) | Kind::Slice(all) => {
                open.extend(all)
            }
            Kind::Dict(pairs) => {
                for (key, value) in pairs {
                    open.extend(key);
                    open.push(*value);
                }
            }
            Kind::Binary(_, left, right) | Kind::Walrus(left, right) | Kind::Subscript(left, right) => {
                open.push(*left);
                open.push(*right);
            }
            Kind::Compare(first, others) => {
                open.push(*first);
                open.extend(others.iter().map(|(_, value)| value));
            }
            Kind::Conditional { test, then, other } => open.extend([test, then, other]),
            Kind::Lambda(body) => open.push(*body),
            Kind::Comprehension { results, clauses } => {
                open.extend(results);
                for Clause { iter, conditions, .. } in clauses {
                    all.push(Use::Loop(*iter));
                    open.push(*iter);
                    open.extend(conditions);
                }
            }
            Kind::Yield(value) => open.extend(value),
        }
    }
}

impl Python<'_> {
    /// What a function uses.
    pub(super) fn uses(&mut self, function: FunctionId) -> Rc<[Use]> {
        if let Some(known) = self.uses.get(&function) {
            return known.clone();
        }
        let module = self.module(self.function(function).module);
        let def = &module.tree.defs[self.function(function).def as usize];
        let uses: Rc<[Use]> = of_body(&module.tree, &def.body).into();
        self.uses.insert(function, uses.clone());
        uses
    }

    /// Where the values of a function's names come from.
    pub(super) fn locals(&mut self, function: FunctionId) -> Rc<Locals> {
        if let Some(known) = self.locals.get(&function) {
            return known.clone();
        }
        let module = self.module(self.function(function).module);
        let tree = &module.tree;
        let def = &tree.defs[self.function(function).def as usize];
        let mut locals = Binding { tree, all: Locals::new() };
        for param in &def.params {
            if let Some(annotation) = param.annotation {
                locals.add(tree.name(param.name), Origin::Annotation(annotation));
            }
            if let Some(default) =
                param.default.filter(|&value| !matches!(tree.expr(value).kind, Kind::Literal | Kind::Nothing))
            {
                locals.add(tree.name(param.name), Origin::Value(default));
            }
        }
        let mut open: Vec<&Stmt> = def.body.iter().rev().collect();
        while let Some(stmt) = open.pop() {
            locals.statement(stmt);
            open.extend(stmt.blocks().iter().rev().flat_map(|block| block.iter().rev()));
        }
        for using in &*self.uses(function) {
            match *using {
                Use::Read(id) => match &tree.expr(id).kind {
                    Kind::Comprehension { clauses, .. } => {
                        clauses.iter().for_each(|clause| locals.element(clause.target, clause.iter));
                    }
                    Kind::Walrus(target, value) => locals.value(*target, *value),
                    _ => {}
                },
                _ => continue,
            }
        }
        if self.is_test(function) {
            def.decorators.iter().for_each(|&decorator| locals.parameters(decorator));
        }
        let all = Rc::new(locals.all);
        self.locals.insert(function, all.clone());
        all
    }
}

struct Binding<'tree> {
    tree: &'tree Tree,
    all: Locals,
}

impl Binding<'_> {
    fn add(&mut self, name: &str, origin: Origin) {
        self.all.entry(name.into()).or_default().push(origin);
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { targets, value } => {
                targets.iter().for_each(|&target| self.value(target, *value))
            }
            StmtKind::Annotated { target, annotation, .. } => {
                if let Some(name) = self.tree.as_name(*target) {
                    self.add(name, Origin::Annotation(*annotation));
                }
            }
            StmtKind::With { items, .. } => {
                for (value, target) in items {
                    target.iter().for_each(|&target| self.value(target, *value));
                }
            }
            StmtKind::For { target, iter, .. } => self.element(*target, *iter),
            _ => {}
        }
    }

    fn value(&mut self, target: ExprId, value: ExprId) {
        let tree = self.tree;
        if let Some(name) = tree.as_name(target) {
            return self.add(name, Origin::Value(value));
        }
        let (Kind::Tuple(targets) | Kind::List(targets)) = &tree.expr(target).kind else { return };
        let values = match &tree.expr(value).kind {
            Kind::Tuple(values) | Kind::List(values) if values.len() == targets.len() => Some(values),
            _ => None,
        };
        for (nth, &target) in targets.iter().enumerate() {
            if let Some(name) = tree.as_name(target) {
                self.add(name, values.map_or(Origin::Element(value), |values| Origin::Value(values[nth])));
            }
        }
    }

    fn element(&mut self, target: ExprId, iter: ExprId) {
        let tree = self.tree;
        if let Some(name) = tree.as_name(target) {
            return self.add(name, Origin::Element(iter));
        }
        let (Kind::Tuple(targets) | Kind::List(targets)) = &tree.expr(target).kind else { return };
        for (nth, &target) in targets.iter().enumerate() {
            if let Some(name) = tree.as_name(target) {
                self.add(name, Origin::Part(iter, nth as u32));
            }
        }
    }

    /// `@pytest.mark.parametrize("a, b", [(1, 2)])`: the table gives the values.
    fn parameters(&mut self, decorator: ExprId) {
        let tree = self.tree;
        let Kind::Call { callee, args, .. } = &tree.expr(decorator).kind else { return };
        let (Some("parametrize"), [names, table, ..]) = (tree.last_name(*callee), &args[..]) else { return };
        let mut texts = Vec::new();
        match &tree.expr(*names).kind {
            Kind::Text(span) => texts.extend(tree.name(*span).split(',').map(str::trim)),
            Kind::Tuple(all) | Kind::List(all) => {
                texts.extend(all.iter().filter_map(|&one| match tree.expr(one).kind {
                    Kind::Text(span) => Some(tree.name(span)),
                    _ => None,
                }));
            }
            _ => {}
        }
        let several = texts.len() > 1;
        for (nth, name) in texts.into_iter().enumerate() {
            self.add(name, if several { Origin::Part(*table, nth as u32) } else { Origin::Element(*table) });
        }
    }
}
