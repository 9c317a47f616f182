//! What a failing line proves: which statement it is, what made the values in it, and how far the function ran.

use super::Python;
use super::ast::{Def, ExprId, Kind, Span, Stmt, StmtKind, Tree};
use super::uses::{self, Use};
use crate::infer::code::{Failing, FunctionId};
use std::collections::HashSet;
use std::rc::Rc;

/// What one step back weighs against the step before.
const STEP: f32 = 0.7;
/// Steps back from the failing statement.
const STEPS: usize = 2;

/// First and last line of a statement that raises.
pub type Raised = (u32, u32);

impl Python<'_> {
    /// Whether a line of a function belongs to a `raise`: what builds an error runs only when there is one.
    pub(super) fn is_raised(&mut self, function: FunctionId, line: u32) -> bool {
        let raised = match self.raised.get(&function) {
            Some(known) => known.clone(),
            None => {
                let module = self.module(self.function(function).module);
                let def = &module.tree.defs[self.function(function).def as usize];
                let all =
                    statements(&def.body).into_iter().filter(|stmt| matches!(stmt.kind, StmtKind::Raise(_)));
                let raised: Rc<[Raised]> = all.map(|stmt| (stmt.line, stmt.last)).collect();
                self.raised.insert(function, raised.clone());
                raised
            }
        };
        raised.iter().any(|(first, last)| (first..=last).contains(&&line))
    }

    /// What is proved by a failure on this line of a function.
    pub(super) fn failing_line(&mut self, function: FunctionId, line: u32) -> Failing {
        let module = self.module(self.function(function).module);
        let tree = &module.tree;
        let def = &tree.defs[self.function(function).def as usize];
        let all = statements(&def.body);
        let holds = |stmt: &&&Stmt| (stmt.line..=stmt.last).contains(&line);
        let loops = all
            .iter()
            .filter(holds)
            .filter(|stmt| matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. }));
        let loop_last = loops.map(|stmt| stmt.last).max().unwrap_or(0);
        let innermost = all.iter().filter(holds).min_by_key(|stmt| stmt.last.saturating_sub(stmt.line));
        let Some(stmt) = innermost.filter(|stmt| !matches!(stmt.kind, StmtKind::Def(_) | StmtKind::Class(_)))
        else {
            return Failing {
                ran_to: line.max(loop_last),
                slice: vec![(line, line, 1.0)],
                ..Failing::default()
            };
        };
        Failing {
            ran_to: line.max(head_last(stmt)).max(loop_last),
            slice: slice(tree, &all, stmt),
            raises: matches!(stmt.kind, StmtKind::Raise(_)),
            only_raises: only_raises(tree, def),
        }
    }
}

impl Python<'_> {
    /// The keywords of the calls on some lines of a function.
    pub(super) fn keywords(&mut self, function: FunctionId, on: &dyn Fn(u32) -> bool) -> Vec<Rc<str>> {
        let module = self.module(self.function(function).module);
        let tree = &module.tree;
        let mut all: Vec<Rc<str>> = Vec::new();
        for using in &*self.uses(function) {
            let Use::Read(expr) = *using else { continue };
            let Kind::Call { keywords, .. } = &tree.expr(expr).kind else { continue };
            for (name, value) in keywords {
                let name = name.map_or("", |name| tree.name(name));
                if !name.is_empty() && on(tree.expr(*value).line) && !all.iter().any(|known| &**known == name)
                {
                    all.push(name.into());
                }
            }
        }
        all
    }

    /// The share of `return` statements that give `None`; none in a function that is not there to return something.
    pub(super) fn share_of_none(&mut self, function: FunctionId) -> f32 {
        let module = self.module(self.function(function).module);
        let tree = &module.tree;
        let def = &tree.defs[self.function(function).def as usize];
        let is_none = |value: &ExprId| matches!(&tree.expr(*value).kind, Kind::Nothing);
        let returned: Vec<Option<ExprId>> = statements(&def.body)
            .into_iter()
            .filter_map(|stmt| match stmt.kind {
                StmtKind::Return(value) => Some(value),
                _ => None,
            })
            .collect();
        if !returned.iter().any(Option::is_some) {
            return 0.0;
        }
        let nothing = returned.iter().filter(|value| value.as_ref().is_none_or(is_none)).count();
        nothing as f32 / returned.len() as f32
    }

    /// The names that a function reads other than to hand them on under the same name.
    pub(super) fn read_names(&mut self, function: FunctionId) -> Rc<HashSet<Rc<str>>> {
        if let Some(known) = self.read_names.get(&function) {
            return known.clone();
        }
        let module = self.module(self.function(function).module);
        let tree = &module.tree;
        let def = &tree.defs[self.function(function).def as usize];
        let mut handed_on: HashSet<ExprId> = HashSet::new();
        for stmt in statements(&def.body) {
            if let StmtKind::Assign { targets, value } = &stmt.kind
                && let ([target], Some(name)) = (&targets[..], tree.last_name(*value))
                && tree.last_name(*target) == Some(name)
            {
                handed_on.insert(*value);
            }
        }
        let uses = self.uses(function);
        for using in &*uses {
            let Use::Read(expr) = *using else { continue };
            let Kind::Call { keywords, .. } = &tree.expr(expr).kind else { continue };
            let same = |(name, value): &&(Option<Span>, ExprId)| {
                tree.last_name(*value) == name.map(|name| tree.name(name))
            };
            handed_on.extend(keywords.iter().filter(same).map(|(_, value)| *value));
        }
        let mut names: HashSet<Rc<str>> = HashSet::new();
        for using in &*uses {
            let Use::Read(expr) = *using else { continue };
            if let (Kind::Name(name) | Kind::Attribute(_, name), false) =
                (&tree.expr(expr).kind, handed_on.contains(&expr))
            {
                names.insert(tree.name(*name).into());
            }
        }
        let names = Rc::new(names);
        self.read_names.insert(function, names.clone());
        names
    }
}

/// The statements of a body and of the blocks in it, in the order of the text.
fn statements(body: &[Stmt]) -> Vec<&Stmt> {
    let mut all = Vec::new();
    let mut open: Vec<&Stmt> = body.iter().rev().collect();
    while let Some(stmt) = open.pop() {
        all.push(stmt);
        open.extend(stmt.blocks().iter().rev().flat_map(|block| block.iter().rev()));
    }
    all
}

/// The last line of a statement without its blocks.
fn head_last(stmt: &Stmt) -> u32 {
    let first_inside = stmt.blocks().iter().flatten().map(|inner| inner.line).min();
    first_inside.map_or(stmt.last, |inner| inner.saturating_sub(1).max(stmt.line))
}

fn slice(tree: &Tree, all: &[&Stmt], failing: &Stmt) -> Vec<(u32, u32, f32)> {
    let mut slice = vec![(failing.line, head_last(failing), 1.0)];
    let mut wanted = names(tree, &uses::of_body(tree, std::slice::from_ref(&without_blocks(failing))));
    let mut weight = 0.8;
    for _ in 0..STEPS {
        let mut further = HashSet::new();
        for stmt in all.iter().filter(|stmt| stmt.line <= failing.line) {
            let (targets, value) = match &stmt.kind {
                StmtKind::Assign { targets, value } => (targets.clone(), Some(*value)),
                StmtKind::Annotated { target, value, .. } => (vec![*target], *value),
                StmtKind::Augmented { target, value, .. } => (vec![*target], Some(*value)),
                StmtKind::For { target, iter, .. } => (vec![*target], Some(*iter)),
                StmtKind::With { items, .. } => (
                    items.iter().filter_map(|(_, target)| *target).collect(),
                    items.first().map(|(value, _)| *value),
                ),
                StmtKind::Expr(call) if stmt.line < failing.line => {
                    // A method that is called on a value of the statement may have changed it.
                    let base = receiver(tree, *call);
                    if base.is_some_and(|name| name != "self" && wanted.contains(name)) {
                        slice.push((stmt.line, stmt.last, weight * STEP));
                    }
                    continue;
                }
                _ => continue,
            };
            let bound: HashSet<&str> =
                targets.iter().flat_map(|&target| names(tree, &uses::of_expression(tree, target))).collect();
            if bound.is_disjoint(&wanted) {
                continue;
            }
            slice.push((stmt.line, head_last(stmt), weight));
            if let Some(value) = value {
                further.extend(names(tree, &uses::of_expression(tree, value)));
            }
        }
        wanted.extend(further);
        weight *= STEP;
    }
    slice
}

/// A statement's head alone: what is in its blocks did not fail.
fn without_blocks(stmt: &Stmt) -> Stmt {
    let kind = match &stmt.kind {
        StmtKind::For { iter, .. } => StmtKind::Expr(*iter),
        StmtKind::While { test, .. } => StmtKind::Expr(*test),
        StmtKind::With { items, .. } => StmtKind::Values(items.iter().map(|(value, _)| *value).collect()),
        StmtKind::Branch { heads, .. } => StmtKind::Values(heads.clone()),
        StmtKind::Expr(value) => StmtKind::Expr(*value),
        StmtKind::Return(value) => StmtKind::Return(*value),
        StmtKind::Raise(values) => StmtKind::Raise(values.clone()),
        StmtKind::Values(values) => StmtKind::Values(values.clone()),
        StmtKind::Assign { targets, value } => StmtKind::Assign { targets: targets.clone(), value: *value },
        StmtKind::Annotated { target, annotation, value } => {
            StmtKind::Annotated { target: *target, annotation: *annotation, value: *value }
        }
        StmtKind::Augmented { target, op, value } => {
            StmtKind::Augmented { target: *target, op: *op, value: *value }
        }
        _ => StmtKind::Nothing,
    };
    Stmt { kind, line: stmt.line, last: stmt.last }
}

fn names<'tree>(tree: &'tree Tree, uses: &[Use]) -> HashSet<&'tree str> {
    let read = |using: &Use| match *using {
        Use::Read(expr) | Use::Set(expr) => tree.as_name(expr),
        _ => None,
    };
    uses.iter().filter_map(read).collect()
}

/// The name at the start of `name.attribute[0].method()`.
fn receiver(tree: &Tree, call: ExprId) -> Option<&str> {
    let Kind::Call { callee, .. } = tree.expr(call).kind else { return None };
    let Kind::Attribute(mut value, _) = tree.expr(callee).kind else { return None };
    loop {
        value = match tree.expr(value).kind {
            Kind::Attribute(inner, _) | Kind::Subscript(inner, _) => inner,
            Kind::Call { callee, .. } => callee,
            _ => return tree.as_name(value),
        };
    }
}

/// Whether a function ends in `raise` and never returns.
fn only_raises(tree: &Tree, def: &Def) -> bool {
    let is_text = |stmt: &&Stmt| match stmt.kind {
        StmtKind::Expr(value) => matches!(tree.expr(value).kind, Kind::Text(_) | Kind::Format(_)),
        _ => false,
    };
    let last = def.body.iter().rfind(|stmt| !is_text(stmt));
    last.is_some_and(|stmt| matches!(stmt.kind, StmtKind::Raise(_)))
        && !statements(&def.body).iter().any(|stmt| matches!(stmt.kind, StmtKind::Return(_)))
}
