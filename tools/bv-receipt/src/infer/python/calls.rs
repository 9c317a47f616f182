//! What a function leads to: calls, mentions of functions, operators, loops, attributes by computed names.
//!
//! A mention counts like a call: a function that is handed on is called by someone. Where the receiver is not
//! known, methods of that name share one call between them.

use super::ast::{ExprId, Kind, Op, StmtKind, Tree};
use super::operators::{BUILTINS, CHECKS, COMMON, LIBRARY, comparison_methods, methods_of, operator_method};
use super::uses::{self, Use};
use super::{ClassId, ModuleId, Python, Scope, Value};
use crate::infer::code::{Edge, FunctionId, Target};
use std::collections::HashMap;
use std::rc::Rc;

/// Methods of one name among which a call of an unknown receiver is shared.
const NAMESAKES_MAX: usize = 12;
/// Overriding methods that a call may end in.
const OVERRIDES_MAX: usize = 20;
/// Variables of modules inside each other that are followed.
const VARIABLES_MAX: u32 = 2;
/// Statements of a module that count as run at its import.
const AT_IMPORT_MAX: usize = 200;

/// What is called to build an error weighs against what always runs.
const RAISED: f32 = 0.3;
/// What an argument weighs against the call that it is given to.
const ARGUMENT: f32 = 0.9;
/// Calls inside each other that are told apart.
const ARGUMENTS_MAX: u32 = 4;

/// What a call at import weighs for the functions of the module.
const AT_IMPORT: f32 = 0.15;

impl Python<'_> {
    /// Everything that a function leads to, the surest edge of each line.
    pub(super) fn all_calls(&mut self, caller: Target) -> Vec<Edge> {
        self.settle_bases();
        let function = caller.function;
        let known = self.function(function);
        let (module_id, def) = (known.module, known.def);
        let scope = Scope { module: module_id, function: Some(function), owner: caller.owner };
        let module = self.module(module_id);
        let def = &module.tree.defs[def as usize];
        let uses = self.uses(function);
        let mut edges = self.edges(&uses, scope, 0);
        if !module.is_test {
            for edge in &mut edges {
                if self.is_raised(function, edge.line) {
                    edge.weight *= RAISED;
                }
            }
        }
        let around = Scope { module: module_id, function: self.function(function).parent, owner: None };
        for &decorator in &def.decorators {
            let is_table = module.is_test && module.tree.last_name(decorator) == Some("parametrize");
            let weight = if is_table { 0.6 } else { 0.7 };
            let uses = uses::of_expression(&module.tree, decorator);
            for edge in self.edges(&uses, around, 0) {
                edges.push(Edge { weight: edge.weight * weight, line: def.line, ..edge });
            }
        }
        self.decorated_inside(function, &mut edges);
        if module.is_test {
            for param in self.function(function).params.clone() {
                for fixture in self.fixtures.get(&param).cloned().unwrap_or_default() {
                    edges.push(Edge {
                        to: Target { function: fixture, owner: None },
                        weight: 1.0,
                        line: def.line,
                    });
                }
            }
        } else {
            for edge in &*self.at_import(module_id) {
                edges.push(Edge { weight: edge.weight * AT_IMPORT, line: def.line, ..*edge });
            }
        }
        edges.retain(|edge| edge.to != caller);
        surest(edges)
    }

    /// Functions inside that a decorator registers are called by whoever holds them.
    fn decorated_inside(&mut self, function: FunctionId, edges: &mut Vec<Edge>) {
        let module = self.module(self.function(function).module);
        for &inner in &module.functions {
            let known = self.function(inner);
            let def = &module.tree.defs[known.def as usize];
            if known.parent == Some(function) && known.class.is_none() && !def.decorators.is_empty() {
                edges.push(Edge { to: Target { function: inner, owner: None }, weight: 0.8, line: def.line });
            }
        }
    }

    /// What the module's own statements call when it is imported.
    fn at_import(&mut self, module_id: ModuleId) -> Rc<[Edge]> {
        if let Some(known) = self.at_import.get(&module_id) {
            return known.clone();
        }
        self.at_import.insert(module_id, Rc::new([]));
        let module = self.module(module_id);
        let mut uses = Vec::new();
        for stmt in module
            .tree
            .body
            .iter()
            .filter(|stmt| matches!(stmt.kind, StmtKind::Expr(_) | StmtKind::For { .. }))
            .take(AT_IMPORT_MAX)
        {
            uses.extend(uses::of_body(&module.tree, std::slice::from_ref(stmt)));
        }
        let mut edges = self.edges(&uses, Scope { module: module_id, function: None, owner: None }, 0);
        edges.retain(|edge| !self.is_test(edge.to.function));
        let edges: Rc<[Edge]> = edges.into();
        self.at_import.insert(module_id, edges.clone());
        edges
    }

    fn of_variable(&mut self, module_id: ModuleId, value: ExprId, depth: u32) -> Rc<[Edge]> {
        if let Some(known) = self.of_variables.get(&(module_id, value)) {
            return known.clone();
        }
        self.of_variables.insert((module_id, value), Rc::new([]));
        let module = self.module(module_id);
        let uses = uses::of_expression(&module.tree, value);
        let scope = Scope { module: module_id, function: None, owner: None };
        let edges: Rc<[Edge]> = surest(self.edges(&uses, scope, depth)).into();
        self.of_variables.insert((module_id, value), edges.clone());
        edges
    }

    fn edges(&mut self, uses: &[Use], scope: Scope, depth: u32) -> Vec<Edge> {
        let module = self.module(scope.module);
        let nested = argument_depths(&module.tree, uses);
        let mut finding = Finding { python: self, tree: &module.tree, scope, depth, edges: Vec::new() };
        for &using in uses {
            let from = finding.edges.len();
            finding.using(using);
            if let Use::Read(expr) = using
                && let Some(&inside) = nested.get(&expr)
            {
                let factor = ARGUMENT.powi(inside as i32);
                finding.edges[from..].iter_mut().for_each(|edge| edge.weight *= factor);
            }
        }
        finding.edges
    }
}

/// How many calls each expression is an argument of: what is outermost gave the value that was seen.
fn argument_depths(tree: &Tree, uses: &[Use]) -> HashMap<ExprId, u32> {
    let mut depths: HashMap<ExprId, u32> = HashMap::new();
    for using in uses {
        let Use::Read(expr) = *using else { continue };
        let depth = depths.get(&expr).copied().unwrap_or(0);
        let mut inside = |part: ExprId, more: u32| {
            depths.insert(part, (depth + more).min(ARGUMENTS_MAX));
        };
        match &tree.expr(expr).kind {
            Kind::Call { callee, args, keywords } => {
                inside(*callee, 0);
                args.iter().for_each(|&arg| inside(arg, 1));
                keywords.iter().for_each(|&(_, value)| inside(value, 1));
            }
            Kind::Attribute(value, _) | Kind::Unary(_, value) | Kind::Inner(value) => inside(*value, 0),
            Kind::Subscript(value, index) => {
                inside(*value, 0);
                inside(*index, 1);
            }
            Kind::Tuple(all) | Kind::List(all) | Kind::Set(all) | Kind::Either(all) | Kind::Slice(all) => {
                all.iter().for_each(|&one| inside(one, 0));
            }
            Kind::Dict(pairs) => pairs.iter().for_each(|&(_, value)| inside(value, 0)),
            Kind::Binary(_, left, right) | Kind::Walrus(left, right) => {
                inside(*left, 0);
                inside(*right, 0);
            }
            Kind::Compare(first, others) => {
                inside(*first, 0);
                others.iter().for_each(|&(_, other)| inside(other, 0));
            }
            Kind::Conditional { test, then, other } => {
                [*test, *then, *other].into_iter().for_each(|one| inside(one, 0))
            }
            _ => {}
        }
    }
    depths
}

/// The surest edge to each target on each line.
fn surest(edges: Vec<Edge>) -> Vec<Edge> {
    let mut at: HashMap<(Target, u32), usize> = HashMap::new();
    let mut kept: Vec<Edge> = Vec::new();
    for edge in edges {
        match at.get(&(edge.to, edge.line)) {
            Some(&known) => kept[known].weight = kept[known].weight.max(edge.weight),
            None => {
                at.insert((edge.to, edge.line), kept.len());
                kept.push(edge);
            }
        }
    }
    kept
}

/// Edges while they are found.
pub struct Finding<'a, 'run> {
    pub(super) python: &'a mut Python<'run>,
    pub(super) tree: &'a Tree,
    pub(super) scope: Scope,
    depth: u32,
    edges: Vec<Edge>,
}

impl Finding<'_, '_> {
    fn using(&mut self, using: Use) {
        match using {
            Use::Read(expr) => self.read(expr),
            Use::Set(expr) => self.set(expr),
            Use::Loop(expr) => {
                let line = self.line(expr);
                self.called_on(expr, &["__iter__", "__getitem__"], line, 1.0);
            }
            Use::Enter(expr) => {
                let line = self.line(expr);
                self.called_on(expr, &["__enter__", "__aenter__"], line, 1.0);
                self.called_on(expr, &["__exit__", "__aexit__"], line, 1.0);
            }
            Use::Augment(op, target) => {
                let line = self.line(target);
                if let Some(name) = operator_method(op, false) {
                    let in_place = name.replacen("__", "__i", 1);
                    self.called_on(target, &[&in_place, &name], line, 1.0);
                }
            }
            Use::Format(expr) => {
                let line = self.line(expr);
                self.called_on(expr, &["__format__", "__str__", "__repr__"], line, 0.9);
            }
        }
    }

    fn line(&self, expr: ExprId) -> u32 {
        self.tree.expr(expr).line
    }

    pub(super) fn push(&mut self, function: FunctionId, owner: Option<ClassId>, weight: f32, line: u32) {
        self.edges.push(Edge { to: Target { function, owner }, weight, line });
    }

    fn read(&mut self, expr: ExprId) {
        let line = self.line(expr);
        let tree = self.tree;
        match &tree.expr(expr).kind {
            Kind::Name(span) => self.name(expr, tree.name(*span), line),
            Kind::Attribute(value, name) => self.attribute(*value, tree.name(*name), line),
            Kind::Call { callee, args, .. } => self.call(*callee, args, line),
            Kind::Binary(op, left, right) => {
                let (Some(name), Some(reflected)) = (operator_method(*op, false), operator_method(*op, true))
                else {
                    return;
                };
                let one = self.called_on(*left, &[&name], line, 1.0);
                let other = self.called_on(*right, &[&reflected], line, if one { 0.8 } else { 1.0 });
                if !one && !other && !self.is_literal(*left) && !self.is_literal(*right) {
                    self.maybe(&[&name, &reflected], line, 0.25);
                }
            }
            Kind::Unary(op, value) => {
                let names: &[&str] = match op {
                    Op::Neg => &["__neg__"],
                    Op::Pos => &["__pos__"],
                    Op::Invert => &["__invert__"],
                    _ => &["__bool__", "__len__"],
                };
                if !self.called_on(*value, names, line, 1.0) && *op != Op::Not && !self.is_literal(*value) {
                    self.maybe(names, line, 0.25);
                }
            }
            Kind::Compare(first, others) => {
                let mut left = *first;
                for &(op, right) in others {
                    self.comparison(op, left, right, line);
                    left = right;
                }
            }
            Kind::Subscript(value, _) => drop(self.called_on(*value, &["__getitem__"], line, 1.0)),
            _ => {}
        }
    }

    fn is_literal(&self, expr: ExprId) -> bool {
        matches!(self.tree.expr(expr).kind, Kind::Literal | Kind::Nothing | Kind::Text(_) | Kind::Format(_))
    }

    fn comparison(&mut self, op: Op, left: ExprId, right: ExprId, line: u32) {
        let names = comparison_methods(op);
        if names.is_empty() {
            return;
        }
        let (one, other) = match op {
            Op::In => (self.called_on(right, names, line, 1.0), false),
            _ => (self.called_on(left, names, line, 1.0), self.called_on(right, names, line, 0.8)),
        };
        if !one && !other && !self.is_literal(left) && !self.is_literal(right) {
            self.maybe(&names[..1], line, 0.15);
        }
    }

    fn set(&mut self, expr: ExprId) {
        let line = self.line(expr);
        match self.tree.expr(expr).kind {
            Kind::Subscript(value, _) => drop(self.called_on(value, &["__setitem__"], line, 1.0)),
            Kind::Attribute(value, name) => {
                self.attribute(value, self.tree.name(name), line);
                self.called_on(value, &["__setattr__"], line, 1.0);
            }
            _ => {}
        }
    }

    fn name(&mut self, expr: ExprId, name: &str, line: u32) {
        let function = self.scope.function;
        let is_param =
            function.is_some_and(|id| self.python.function(id).params.iter().any(|param| &**param == name));
        if is_param {
            for value in self.python.types(expr, self.scope, 0) {
                if matches!(value, Value::Function(_) | Value::Method(..)) {
                    self.to(value, line, 0.9);
                }
            }
            return;
        }
        for value in self.python.name(name, function, self.scope.module) {
            self.member(value, line);
        }
    }

    /// A name of a module: what it is, or what its value leads to.
    fn member(&mut self, value: Value, line: u32) {
        let Value::Variable(module, value) = value else { return self.to(value, line, 1.0) };
        if self.depth < VARIABLES_MAX {
            for edge in &*self.python.of_variable(module, value, self.depth + 1) {
                self.edges.push(Edge { weight: edge.weight * 0.9, line, ..*edge });
            }
        }
    }

    fn attribute(&mut self, value: ExprId, name: &str, line: u32) {
        let values = self.python.types(value, self.scope, 0);
        for &value in &values {
            if let Value::Module(module) = value {
                for member in self.python.member_of(module, name, 0) {
                    self.member(member, line);
                }
                continue;
            }
            let members = self.python.attribute(value, name, 0);
            for &member in &members {
                self.to(member, line, 1.0);
            }
            if let (true, Value::Instance(class)) = (members.is_empty(), value)
                && let Some(method) = self.python.method(class, "__getattr__")
            {
                self.push(method, Some(class), 1.0, line);
            }
        }
        let is_special = name.starts_with("__") && name.ends_with("__") && name != "__signature__";
        if values.is_empty() && !is_special && methods_of(CHECKS, name).is_none() {
            self.methods_called(name, line);
        }
    }

    /// A call on an unknown receiver: the methods of that name share it.
    fn methods_called(&mut self, name: &str, line: u32) {
        let python = &*self.python;
        let all = python.by_method.get(name).into_iter().flatten().copied();
        let here = self.scope.module;
        let candidates: Vec<FunctionId> =
            all.filter(|&id| !python.is_test(id) || python.function(id).module == here).collect();
        if candidates.is_empty() || candidates.len() > NAMESAKES_MAX {
            return;
        }
        let weight = if COMMON.contains(&name) { 0.35 } else { 0.8 } / candidates.len() as f32;
        for id in candidates {
            let class = self.python.function(id).class;
            self.push(id, class, weight, line);
        }
    }

    fn call(&mut self, callee: ExprId, args: &[ExprId], line: u32) {
        let tree = self.tree;
        match tree.expr(callee).kind {
            Kind::Name(span) => match (tree.name(span), args) {
                ("getattr" | "hasattr" | "setattr", [object, name, ..]) => {
                    self.computed(*object, *name, line)
                }
                (name, args) => {
                    if let Some(methods) = methods_of(BUILTINS, name) {
                        for &arg in args.iter().take(2) {
                            self.called_on(arg, methods, line, 0.9);
                        }
                    }
                    if let ([first, ..], Some(methods)) = (args, methods_of(LIBRARY, name)) {
                        self.called_on(*first, methods, line, 0.9);
                    }
                }
            },
            Kind::Attribute(_, name) => {
                let name = tree.name(name);
                if let ([first, ..], Some(methods)) = (args, methods_of(LIBRARY, name)) {
                    self.called_on(*first, methods, line, 0.9);
                } else if let Some(methods) = methods_of(CHECKS, name) {
                    for &arg in args.iter().take(2) {
                        self.called_on(arg, methods, line, 0.9);
                    }
                }
            }
            _ => {}
        }
        let is_attribute = matches!(tree.expr(callee).kind, Kind::Attribute(..));
        for value in self.python.types(callee, self.scope, 0) {
            match value {
                Value::Instance(class) => {
                    if let Some(method) = self.python.method(class, "__call__") {
                        self.push(method, Some(class), 1.0, line);
                    }
                }
                // What a variable holds, or what a call gave; an attribute was followed when it was read.
                Value::Function(_) | Value::Method(..) | Value::Class(_) if !is_attribute => {
                    self.to(value, line, 1.0)
                }
                _ => {}
            }
        }
    }

    /// The first of these methods that the value of an expression has; whether it is an instance of ours.
    fn called_on(&mut self, expr: ExprId, names: &[&str], line: u32, weight: f32) -> bool {
        let mut is_ours = false;
        for value in self.python.types(expr, self.scope, 0) {
            let Value::Instance(class) = value else { continue };
            is_ours = true;
            if let Some(method) = names.iter().find_map(|name| self.python.method(class, name)) {
                self.push(method, Some(class), weight, line);
            }
        }
        is_ours
    }

    /// An operator on values of unknown type: the classes of the modules at hand may define it.
    fn maybe(&mut self, names: &[&str], line: u32, weight: f32) {
        const CANDIDATES_MAX: usize = 8;
        let near = self.python.near(self.scope.module);
        for name in names {
            let python = &*self.python;
            let all = python.by_method.get(*name).into_iter().flatten().copied();
            let is_near =
                |&id: &FunctionId| !python.is_test(id) && near.contains(&python.function(id).module);
            let candidates: Vec<FunctionId> = all.filter(is_near).collect();
            if candidates.len() <= CANDIDATES_MAX {
                let share = weight / candidates.len().max(1) as f32;
                for id in candidates {
                    let class = self.python.function(id).class;
                    self.push(id, class, share, line);
                }
            }
        }
    }

    fn to(&mut self, value: Value, line: u32, weight: f32) {
        match value {
            Value::Function(function) => self.push(function, None, weight, line),
            Value::Property(function, class) => self.push(function, Some(class), weight, line),
            Value::Method(function, class) => self.method(function, class, line, weight),
            Value::Class(class) => self.construct(class, line, weight),
            _ => {}
        }
    }

    fn method(&mut self, function: FunctionId, class: ClassId, line: u32, weight: f32) {
        let mut class = class;
        if let Some(owner) = self.scope.owner.filter(|&owner| owner != class)
            && self.python.line_of(owner).contains(&class)
        {
            class = owner;
        }
        self.push(function, Some(class), weight, line);
        if weight < 1.0 {
            return;
        }
        // Code of a base class may end in what a subclass overrides.
        let name = self.python.function(function).name.clone();
        let below = self.python.below(class);
        let overriding: Vec<(FunctionId, ClassId)> = below
            .into_iter()
            .filter_map(|class| Some((*self.python.class(class).methods.get(&name)?, class)))
            .collect();
        let share = 0.6 / (overriding.len().max(1) as f32).sqrt();
        for (function, class) in overriding.into_iter().take(OVERRIDES_MAX) {
            self.push(function, Some(class), share, line);
        }
    }

    fn construct(&mut self, class: ClassId, line: u32, weight: f32) {
        for name in ["__init__", "__new__", "__post_init__"] {
            if let Some(method) = self.python.method(class, name) {
                self.push(method, Some(class), weight, line);
            }
        }
        // A base class outside the project calls back.
        let known = self.python.class(class);
        let module = &self.python.modules[known.module as usize];
        let has_bases = !module.tree.classes[known.class as usize].bases.is_empty();
        if has_bases && !module.is_test && self.python.line_of(class).len() == 1 {
            for method in self.python.class(class).order.clone() {
                if &*self.python.function(method).name != "__init__" {
                    self.push(method, Some(class), 0.5 * weight, line);
                }
            }
        }
    }
}
