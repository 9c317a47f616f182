//! Names to what they stand for, through scopes, imports, re-exports and base classes.

use super::{ClassId, Entry, Module, ModuleId, Python, Scope, Value};
use crate::infer::code::FunctionId;
use std::collections::HashSet;
use std::rc::Rc;

/// Re-exports that are followed.
const IMPORTS_MAX: u32 = 6;
/// Classes of one line of inheritance.
const BASES_MAX: usize = 40;

impl Python<'_> {
    /// What a name stands for where it is not a local variable.
    pub(super) fn name(&mut self, name: &str, function: Option<FunctionId>, module: ModuleId) -> Vec<Value> {
        let mut around = function;
        while let Some(id) = around {
            let function = self.function(id);
            if let Some(entry) = function.nested.get(name).cloned() {
                return self.entry(&entry, module, 0);
            }
            around = function.parent;
        }
        let known = self.module(module);
        self.global(&known, module, name, 0)
    }

    fn global(&mut self, known: &Rc<Module>, module: ModuleId, name: &str, depth: u32) -> Vec<Value> {
        if let Some(entry) = known.globals.get(name) {
            return self.entry(entry, module, depth + 1);
        }
        for star in &known.stars {
            let found = self.member(star, name, depth + 1);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// A name of a module, given by its dotted name.
    fn member(&mut self, module: &str, name: &str, depth: u32) -> Vec<Value> {
        if depth > IMPORTS_MAX {
            return Vec::new();
        }
        match self.load(module) {
            Some(id) => self.member_of(id, name, depth),
            None => Vec::new(),
        }
    }

    /// A name of a module: its own, an imported one, or a module inside a package.
    pub(super) fn member_of(&mut self, module: ModuleId, name: &str, depth: u32) -> Vec<Value> {
        if depth > IMPORTS_MAX {
            return Vec::new();
        }
        let known = self.module(module);
        let found = self.global(&known, module, name, depth);
        if !found.is_empty() || !known.is_package {
            return found;
        }
        let inside = if known.name.is_empty() { name.to_owned() } else { format!("{}.{name}", known.name) };
        self.load(&inside).map(Value::Module).into_iter().collect()
    }

    fn entry(&mut self, entry: &Entry, module: ModuleId, depth: u32) -> Vec<Value> {
        match entry {
            Entry::Functions(all) => all.iter().copied().map(Value::Function).collect(),
            Entry::Class(id) => vec![Value::Class(*id)],
            Entry::Variable(value) => vec![Value::Variable(module, *value)],
            Entry::Import { module, name: None } => {
                self.load(module).map(Value::Module).into_iter().collect()
            }
            Entry::Import { module, name: Some(name) } => {
                let found = self.member(module, name, depth + 1);
                if !found.is_empty() {
                    return found;
                }
                self.load(&format!("{module}.{name}")).map(Value::Module).into_iter().collect()
            }
        }
    }

    /// The base classes under the root.
    pub(super) fn bases(&mut self, class: ClassId) -> Vec<ClassId> {
        if let Some(known) = &self.class(class).bases {
            return known.clone();
        }
        // A class among its own bases ends here.
        self.classes[class as usize].bases = Some(Vec::new());
        let (module, parent) = (self.class(class).module, self.class(class).parent);
        let tree_class = self.class(class).class;
        let known = self.module(module);
        let scope = Scope { module, function: parent, owner: None };
        let mut bases = Vec::new();
        for &base in &known.tree.classes[tree_class as usize].bases {
            for value in self.types(base, scope, 0) {
                match value {
                    Value::Class(base) if base != class && !bases.contains(&base) => bases.push(base),
                    _ => {}
                }
            }
        }
        for &base in &bases {
            self.classes[base as usize].subclasses.push(class);
        }
        self.classes[class as usize].bases = Some(bases.clone());
        bases
    }

    /// Looks at the bases of classes that were read since, so that overriding methods are known.
    pub(super) fn settle_bases(&mut self) {
        while let Some(class) = self.fresh.pop() {
            self.bases(class);
        }
    }

    /// The class and those above it, nearest first.
    pub(super) fn line_of(&mut self, class: ClassId) -> Vec<ClassId> {
        let mut line = vec![class];
        let mut at = 0;
        while at < line.len() && line.len() < BASES_MAX {
            for base in self.bases(line[at]) {
                if !line.contains(&base) {
                    line.push(base);
                }
            }
            at += 1;
        }
        line
    }

    /// The classes below a class.
    pub(super) fn below(&self, class: ClassId) -> Vec<ClassId> {
        let mut all: Vec<ClassId> = Vec::new();
        let mut open = vec![class];
        while let Some(next) = open.pop() {
            for &below in &self.class(next).subclasses {
                if !all.contains(&below) && below != class && all.len() < BASES_MAX {
                    all.push(below);
                    open.push(below);
                }
            }
        }
        all
    }

    /// A method of a class or of those above it.
    pub(super) fn method(&mut self, class: ClassId, name: &str) -> Option<FunctionId> {
        self.line_of(class).into_iter().find_map(|class| self.class(class).methods.get(name).copied())
    }

    /// The modules that a module imports by name, itself among them, as far as they were read.
    pub(super) fn near(&mut self, module: ModuleId) -> Rc<HashSet<ModuleId>> {
        if let Some(known) = self.near.get(&module) {
            return known.clone();
        }
        let known = self.module(module);
        let mut near = HashSet::from([module]);
        let mut add = |name: &str| near.extend(self.by_name.get(name).copied().flatten());
        for entry in known.globals.values() {
            if let Entry::Import { module, name } = entry {
                add(module);
                if let Some(name) = name {
                    add(&format!("{module}.{name}"));
                }
            }
        }
        known.stars.iter().for_each(|star| add(star));
        let near = Rc::new(near);
        self.near.insert(module, near.clone());
        near
    }
}
