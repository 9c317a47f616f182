//! What an expression may stand for: a class, an instance, a function, a module.
//!
//! Types come from constructors, annotations, default values, attributes that methods assign, what functions
//! return, fixtures and tables of parameters. Depth and steps are bounded; what is not known has no type.

use super::STEPS_MAX;
use super::ast::{ExprId, Kind, Stmt, StmtKind};
use super::operators::operator_method;
use super::{Assigned, ClassId, Entry, Locals, Origin, Python, Scope, Value};
use crate::infer::code::FunctionId;
use std::rc::Rc;

/// Resolutions inside each other.
const DEPTH_MAX: u32 = 8;
/// Meanings of one expression that are kept.
const VALUES_MAX: usize = 8;
/// Values of a container that are looked at.
const ELEMENTS_MAX: usize = 40;

impl Python<'_> {
    /// What an expression may stand for.
    pub(super) fn types(&mut self, expr: ExprId, scope: Scope, depth: u32) -> Vec<Value> {
        self.steps += 1;
        if depth >= DEPTH_MAX || self.steps > STEPS_MAX {
            return Vec::new();
        }
        let deeper = depth + 1;
        let module = self.module(scope.module);
        let tree = &module.tree;
        let mut found = Vec::new();
        match &tree.expr(expr).kind {
            Kind::Name(span) => return self.types_of_name(tree.name(*span), scope, deeper),
            Kind::Attribute(value, name) => {
                for value in self.types(*value, scope, deeper) {
                    for member in self.attribute(value, tree.name(*name), deeper) {
                        match member {
                            Value::Property(function, class) => {
                                found.extend(self.returned(function, Some(class), deeper));
                            }
                            other => found.push(other),
                        }
                    }
                }
            }
            Kind::Call { callee, args, .. } => {
                let word = tree.as_name(*callee).unwrap_or("");
                match (word, &args[..]) {
                    ("super", _) => return self.super_of(scope),
                    (
                        "staticmethod" | "classmethod" | "partial" | "property" | "iter" | "next" | "copy"
                        | "deepcopy",
                        [first, ..],
                    ) => {
                        return self.types(*first, scope, deeper);
                    }
                    ("type", [only]) => {
                        let values = self.types(*only, scope, deeper);
                        return values
                            .into_iter()
                            .filter_map(|value| match value {
                                Value::Instance(class) => Some(Value::Class(class)),
                                _ => None,
                            })
                            .collect();
                    }
                    _ => {}
                }
                for callee in self.types(*callee, scope, deeper) {
                    found.extend(self.result(callee, deeper));
                }
            }
            Kind::Binary(op, left, right) => {
                for (side, reflected) in [(left, false), (right, true)] {
                    for value in self.types(*side, scope, deeper) {
                        let Value::Instance(class) = value else { continue };
                        let name = operator_method(*op, reflected);
                        if let Some(method) = name.and_then(|name| self.method(class, &name)) {
                            let results = self.returned(method, Some(class), deeper);
                            if results.is_empty() {
                                found.push(value);
                            }
                            found.extend(results);
                        }
                    }
                }
            }
            Kind::Unary(_, value) => {
                let values = self.types(*value, scope, deeper);
                found.extend(values.into_iter().filter(|value| matches!(value, Value::Instance(_))));
            }
            Kind::Conditional { then, other, .. } => {
                found.extend(self.types(*then, scope, deeper));
                found.extend(self.types(*other, scope, deeper));
            }
            Kind::Either(all) => {
                for &value in all.iter().take(ELEMENTS_MAX) {
                    found.extend(self.types(value, scope, deeper));
                }
            }
            Kind::Inner(value) | Kind::Walrus(_, value) => return self.types(*value, scope, deeper),
            Kind::Subscript(value, _) => return self.elements(*value, scope, deeper),
            _ => {}
        }
        distinct(found)
    }

    fn types_of_name(&mut self, name: &str, scope: Scope, depth: u32) -> Vec<Value> {
        let mut around = scope.function;
        while let Some(id) = around {
            if let Some(own) = self.self_value(id, name, scope) {
                return vec![own];
            }
            let locals = self.locals(id);
            let is_param = self.function(id).params.iter().any(|param| &**param == name);
            if is_param || locals.contains_key(name) {
                return self.types_of_local(id, name, &locals, is_param, scope, depth);
            }
            around = self.function(id).parent;
        }
        let mut found = Vec::new();
        for value in self.name(name, scope.function, scope.module) {
            match value {
                Value::Variable(module, value) => {
                    found.extend(self.types(value, Scope { module, function: None, owner: None }, depth));
                }
                other => found.push(other),
            }
        }
        distinct(found)
    }

    /// What the first parameter of a method stands for.
    fn self_value(&self, function: FunctionId, name: &str, scope: Scope) -> Option<Value> {
        let known = self.function(function);
        let class = known.class.filter(|_| !known.is_static)?;
        if known.params.first().map(|first| &**first) != Some(name) {
            return None;
        }
        let class = scope.owner.filter(|_| scope.function == Some(function)).unwrap_or(class);
        Some(if known.is_class_method { Value::Class(class) } else { Value::Instance(class) })
    }

    fn types_of_local(
        &mut self,
        function: FunctionId,
        name: &str,
        locals: &Locals,
        is_param: bool,
        scope: Scope,
        depth: u32,
    ) -> Vec<Value> {
        const ORIGINS_MAX: usize = 4;
        let module = self.module(scope.module);
        let here = Scope { function: Some(function), ..scope };
        let mut found = Vec::new();
        for origin in locals.get(name).into_iter().flatten().take(ORIGINS_MAX) {
            match *origin {
                Origin::Annotation(annotation) => found.extend(self.annotated(annotation, here, depth)),
                Origin::Value(value) if module.tree.as_name(value) == Some(name) => {}
                Origin::Value(value) => found.extend(self.types(value, here, depth)),
                Origin::Element(value) => found.extend(self.elements(value, here, depth)),
                Origin::Part(value, nth) => found.extend(self.parts(value, nth as usize, here, depth)),
            }
        }
        if found.is_empty() && is_param && self.is_test(function) {
            for fixture in self.fixtures.get(name).cloned().unwrap_or_default() {
                found.extend(self.returned(fixture, None, depth));
            }
        }
        distinct(found)
    }

    fn super_of(&self, scope: Scope) -> Vec<Value> {
        let own = scope.function.and_then(|function| self.function(function).class);
        let called_on = scope.owner.or(own);
        called_on.map(|class| Value::Super(own.unwrap_or(class), class)).into_iter().collect()
    }

    /// What calling a value gives.
    fn result(&mut self, callee: Value, depth: u32) -> Vec<Value> {
        match callee {
            Value::Class(class) => vec![Value::Instance(class)],
            Value::Function(function) => self.returned(function, None, depth),
            Value::Method(function, class) => self.returned(function, Some(class), depth),
            Value::Instance(class) => match self.method(class, "__call__") {
                Some(method) => self.returned(method, Some(class), depth),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// What the elements of a container may stand for, where it is written out.
    fn elements(&mut self, expr: ExprId, scope: Scope, depth: u32) -> Vec<Value> {
        self.steps += 1;
        if depth >= DEPTH_MAX || self.steps > STEPS_MAX {
            return Vec::new();
        }
        let deeper = depth + 1;
        let module = self.module(scope.module);
        let tree = &module.tree;
        let mut found = Vec::new();
        match &tree.expr(expr).kind {
            Kind::List(all) | Kind::Tuple(all) | Kind::Set(all) => {
                for &element in all.iter().take(ELEMENTS_MAX) {
                    found.extend(match tree.expr(element).kind {
                        Kind::Tuple(_) | Kind::List(_) => self.elements(element, scope, deeper),
                        _ => self.types(element, scope, deeper),
                    });
                }
            }
            Kind::Dict(pairs) => {
                for &(_, value) in pairs.iter().take(ELEMENTS_MAX) {
                    found.extend(self.types(value, scope, deeper));
                }
            }
            Kind::Comprehension { results, .. } => {
                for &result in results {
                    found.extend(self.types(result, scope, deeper));
                }
            }
            Kind::Call { callee, args, .. } => {
                let last = tree.last_name(*callee).unwrap_or("");
                match (last, &args[..]) {
                    // `pytest.param(1, Class())` in a table of parameters.
                    ("param", args) => {
                        for &arg in args.iter().take(ELEMENTS_MAX) {
                            found.extend(self.types(arg, scope, deeper));
                        }
                    }
                    (
                        "list" | "tuple" | "set" | "sorted" | "iter" | "reversed" | "enumerate" | "zip",
                        args,
                    ) => {
                        for &arg in args {
                            found.extend(self.elements(arg, scope, deeper));
                        }
                    }
                    _ => {
                        for value in self.types(expr, scope, deeper) {
                            found.extend(self.iterated(value, deeper));
                        }
                    }
                }
            }
            Kind::Name(span) => {
                let name = tree.name(*span);
                let values = self.name(name, scope.function, scope.module);
                for value in values {
                    if let Value::Variable(module, value) = value {
                        found.extend(self.elements(
                            value,
                            Scope { module, function: None, owner: None },
                            deeper,
                        ));
                    }
                }
                if let Some(function) = scope.function.filter(|_| found.is_empty()) {
                    let locals = self.locals(function);
                    for origin in locals.get(name).into_iter().flatten().take(3) {
                        match *origin {
                            Origin::Value(value) if value != expr => {
                                found.extend(self.elements(value, scope, deeper));
                            }
                            Origin::Element(value) => found.extend(self.elements(value, scope, deeper)),
                            _ => {}
                        }
                    }
                }
                for value in if found.is_empty() { self.types(expr, scope, deeper) } else { Vec::new() } {
                    found.extend(self.iterated(value, deeper));
                }
            }
            _ => {
                for value in self.types(expr, scope, deeper) {
                    found.extend(self.iterated(value, deeper));
                }
            }
        }
        distinct(found)
    }

    /// What the `nth` part of an element may stand for, where the container and its elements are written out.
    fn parts(&mut self, expr: ExprId, nth: usize, scope: Scope, depth: u32) -> Vec<Value> {
        self.steps += 1;
        if depth >= DEPTH_MAX || self.steps > STEPS_MAX {
            return Vec::new();
        }
        let deeper = depth + 1;
        let module = self.module(scope.module);
        let tree = &module.tree;
        let mut found = Vec::new();
        match &tree.expr(expr).kind {
            Kind::List(all) | Kind::Tuple(all) | Kind::Set(all) => {
                for &element in all.iter().take(ELEMENTS_MAX) {
                    let part = match &tree.expr(element).kind {
                        Kind::Tuple(parts) | Kind::List(parts) => parts.get(nth),
                        Kind::Call { callee, args, .. } if tree.last_name(*callee) == Some("param") => {
                            args.get(nth)
                        }
                        _ => None,
                    };
                    if let Some(&part) = part {
                        found.extend(self.types(part, scope, deeper));
                    }
                }
            }
            Kind::Name(span) => {
                let name = tree.name(*span);
                for value in self.name(name, scope.function, scope.module) {
                    if let Value::Variable(module, value) = value {
                        found.extend(self.parts(
                            value,
                            nth,
                            Scope { module, function: None, owner: None },
                            deeper,
                        ));
                    }
                }
                let locals = scope.function.map(|function| self.locals(function));
                let origins = locals.as_ref().and_then(|locals| locals.get(name)).into_iter().flatten();
                for origin in origins.take(3) {
                    if let Origin::Value(value) = *origin
                        && value != expr
                    {
                        found.extend(self.parts(value, nth, scope, deeper));
                    }
                }
            }
            _ => return self.elements(expr, scope, deeper),
        }
        distinct(found)
    }

    /// What an instance of a class of ours gives when it is indexed or looped over.
    fn iterated(&mut self, value: Value, depth: u32) -> Vec<Value> {
        let Value::Instance(class) = value else { return Vec::new() };
        for name in ["__getitem__", "__iter__", "__next__"] {
            if let Some(method) = self.method(class, name) {
                return self.returned(method, Some(class), depth);
            }
        }
        Vec::new()
    }

    /// The instances that an annotation allows.
    fn annotated(&mut self, annotation: ExprId, scope: Scope, depth: u32) -> Vec<Value> {
        if depth >= DEPTH_MAX {
            return Vec::new();
        }
        let module = self.module(scope.module);
        let tree = &module.tree;
        match &tree.expr(annotation).kind {
            Kind::Name(span) if tree.name(*span) == "Self" => {
                let class = scope.function.and_then(|function| self.function(function).class);
                class.map(Value::Instance).into_iter().collect()
            }
            Kind::Subscript(outer, inner) => match tree.last_name(*outer) {
                Some("Optional" | "Union" | "Annotated") => {
                    let parts = match &tree.expr(*inner).kind {
                        Kind::Slice(parts) | Kind::Tuple(parts) => parts.clone(),
                        _ => vec![*inner],
                    };
                    let types = parts.into_iter().map(|part| self.annotated(part, scope, depth + 1));
                    types.collect::<Vec<_>>().concat()
                }
                _ => self.annotated(*outer, scope, depth + 1),
            },
            Kind::Binary(_, left, right) => {
                let mut found = self.annotated(*left, scope, depth + 1);
                found.extend(self.annotated(*right, scope, depth + 1));
                found
            }
            _ => {
                let named = self.types(annotation, Scope { owner: None, ..scope }, depth + 1);
                let instances = named.into_iter().filter_map(|value| match value {
                    Value::Class(class) => Some(Value::Instance(class)),
                    _ => None,
                });
                instances.collect()
            }
        }
    }

    /// What a function gives back, by its annotation or its `return` statements.
    pub(super) fn returned(
        &mut self,
        function: FunctionId,
        owner: Option<ClassId>,
        depth: u32,
    ) -> Vec<Value> {
        let key = (function, owner);
        if let Some(known) = self.returns.get(&key) {
            return known.to_vec();
        }
        if depth >= DEPTH_MAX {
            return Vec::new();
        }
        // A function that returns itself ends here.
        self.returns.insert(key, Rc::new([]));
        let known = self.function(function);
        let (module_id, def, is_fixture) = (known.module, known.def, known.is_fixture);
        let module = self.module(module_id);
        let def = &module.tree.defs[def as usize];
        let scope = Scope { module: module_id, function: Some(function), owner };
        let mut found = match def.returns {
            Some(annotation) => self.annotated(annotation, scope, depth + 1),
            None => Vec::new(),
        };
        if found.is_empty() {
            let mut values = Vec::new();
            results(&def.body, &module.tree.exprs, is_fixture, &mut values);
            for value in values {
                found.extend(self.types(value, scope, depth + 1));
                if found.len() > VALUES_MAX {
                    break;
                }
            }
        }
        let found = distinct(found);
        self.returns.insert(key, found.clone().into());
        found
    }

    /// What an attribute of a value may stand for.
    pub(super) fn attribute(&mut self, value: Value, name: &str, depth: u32) -> Vec<Value> {
        let mut found = Vec::new();
        match value {
            Value::Module(module) => {
                for member in self.member_of(module, name, 0) {
                    match member {
                        Value::Variable(module, value) => {
                            found.extend(self.types(
                                value,
                                Scope { module, function: None, owner: None },
                                depth + 1,
                            ));
                        }
                        other => found.push(other),
                    }
                }
            }
            Value::Super(own, called_on) => {
                let line = self.line_of(called_on);
                let after = line.iter().position(|&class| class == own).map_or(1, |at| at + 1);
                let above: Vec<ClassId> = line.into_iter().skip(after).collect();
                let method = above.into_iter().find_map(|class| self.class(class).methods.get(name).copied());
                found.extend(method.map(|method| Value::Method(method, called_on)));
            }
            Value::Class(class) | Value::Instance(class) => {
                return self.class_attribute(class, matches!(value, Value::Instance(_)), name, depth);
            }
            Value::Property(function, class) if depth < DEPTH_MAX => {
                for value in self.returned(function, Some(class), depth) {
                    found.extend(self.attribute(value, name, depth + 1));
                }
            }
            _ => {}
        }
        distinct(found)
    }

    fn class_attribute(&mut self, class: ClassId, is_instance: bool, name: &str, depth: u32) -> Vec<Value> {
        let line = self.line_of(class);
        for &at in &line {
            if let Some(&method) = self.class(at).methods.get(name) {
                let is_property = is_instance && self.function(method).is_property;
                let value =
                    if is_property { Value::Property(method, class) } else { Value::Method(method, class) };
                return vec![value];
            }
            let module = self.class(at).module;
            match self.class(at).attributes.get(name).cloned() {
                Some(Entry::Class(inner)) => return vec![Value::Class(inner)],
                Some(Entry::Variable(value)) => {
                    return self.types(value, Scope { module, function: None, owner: None }, depth + 1);
                }
                _ => {}
            }
        }
        if depth >= DEPTH_MAX {
            return Vec::new();
        }
        let mut found = Vec::new();
        for at in line {
            let assigned = self.assigned(at);
            for &(function, value, is_annotation) in assigned.get(name).into_iter().flatten().take(3) {
                let scope = Scope {
                    module: self.function(function).module,
                    function: Some(function),
                    owner: Some(class),
                };
                found.extend(if is_annotation {
                    self.annotated(value, scope, depth + 1)
                } else {
                    self.types(value, scope, depth + 1)
                });
            }
        }
        distinct(found)
    }

    /// What the methods of a class assign to attributes of `self`.
    fn assigned(&mut self, class: ClassId) -> Rc<Assigned> {
        if let Some(known) = &self.class(class).assigned {
            return known.clone();
        }
        let mut all = Assigned::new();
        let module = self.module(self.class(class).module);
        for function in self.class(class).order.clone() {
            let Some(first) = self.function(function).params.first().cloned() else { continue };
            let def = &module.tree.defs[self.function(function).def as usize];
            let mut open: Vec<&Stmt> = def.body.iter().collect();
            while let Some(stmt) = open.pop() {
                open.extend(stmt.blocks().iter().flatten());
                let (targets, value, is_annotation) = match &stmt.kind {
                    StmtKind::Assign { targets, value } => (&targets[..], *value, false),
                    StmtKind::Annotated { target, annotation, value } => {
                        (std::slice::from_ref(target), value.unwrap_or(*annotation), value.is_none())
                    }
                    _ => continue,
                };
                for &target in targets {
                    if let Kind::Attribute(object, name) = module.tree.expr(target).kind
                        && module.tree.as_name(object) == Some(&*first)
                    {
                        all.entry(module.tree.name(name).into()).or_default().push((
                            function,
                            value,
                            is_annotation,
                        ));
                    }
                }
            }
        }
        let all = Rc::new(all);
        self.classes[class as usize].assigned = Some(all.clone());
        all
    }
}

/// The values of `return` statements, and of a fixture's `yield`.
fn results(body: &[Stmt], exprs: &[super::ast::Expr], is_fixture: bool, into: &mut Vec<ExprId>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Return(Some(value)) => into.push(*value),
            StmtKind::Expr(value) if is_fixture => {
                if let Kind::Yield(Some(value)) = exprs[*value as usize].kind {
                    into.push(value);
                }
            }
            _ => stmt.blocks().iter().for_each(|block| results(block, exprs, is_fixture, into)),
        }
    }
}

/// Without repeats, the first few.
fn distinct(values: Vec<Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for value in values {
        if !kept.contains(&value) && kept.len() < VALUES_MAX {
            kept.push(value);
        }
    }
    kept
}
