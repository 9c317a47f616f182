//! Which functions of a file are tests, and which test a runner's name means.

use super::{ClassId, Python};
use crate::infer::code::{FunctionId, Target};

/// Functions that stand in for a generated test that no definition carries.
const STAND_INS_MAX: usize = 25;

impl Python<'_> {
    /// The tests of a file, named as pytest names them behind the file: `Class::method`, `function`.
    pub(super) fn all_tests(&mut self, file: &str) -> Vec<(String, Target)> {
        let Some(module_id) = self.load_file(file) else { return Vec::new() };
        self.settle_bases();
        let module = self.module(module_id);
        let mut tests: Vec<(u32, String, Target)> = Vec::new();
        let line = |def: u32| module.tree.defs[def as usize].line;
        for &id in &module.functions {
            let function = self.function(id);
            if function.class.is_none() && function.parent.is_none() && function.name.starts_with("test") {
                tests.push((
                    line(function.def),
                    function.name.to_string(),
                    Target { function: id, owner: None },
                ));
            }
        }
        let classes: Vec<ClassId> = (0..self.classes.len() as ClassId)
            .filter(|&id| self.class(id).module == module_id && self.class(id).parent.is_none())
            .collect();
        for class in classes {
            if !self.holds_tests(class) {
                continue;
            }
            let class_name = self.class(class).name.clone();
            let class_line = module.tree.classes[self.class(class).class as usize].line;
            let mut known: Vec<String> = Vec::new();
            for at in self.line_of(class) {
                for method in self.class(at).order.clone() {
                    let name = self.function(method).name.to_string();
                    if name.starts_with("test") && !known.contains(&name) {
                        let target = Target { function: method, owner: Some(class) };
                        tests.push((class_line, format!("{class_name}::{name}"), target));
                        known.push(name);
                    }
                }
            }
        }
        // In the order in which they run.
        tests.sort_by_key(|(line, ..)| *line);
        tests.into_iter().map(|(_, name, target)| (name, target)).collect()
    }

    fn holds_tests(&mut self, class: ClassId) -> bool {
        self.class(class).name.starts_with("Test")
            || self.line_of(class).into_iter().any(|at| {
                let known = self.class(at);
                let tree = &self.modules[known.module as usize].tree;
                let bases = &tree.classes[known.class as usize].bases;
                bases.iter().any(|&base| tree.last_name(base).is_some_and(|name| name.contains("TestCase")))
            })
    }

    /// The functions that a test of this name runs: its definition, else the methods of its class.
    pub(super) fn named_test(&mut self, file: &str, id: &str) -> Vec<Target> {
        let plain = id.split('[').next().unwrap_or(id);
        let all = self.all_tests(file);
        if let Some((_, target)) = all.iter().find(|(name, _)| name == plain) {
            return vec![*target];
        }
        let Some(module_id) = self.load_file(file) else { return Vec::new() };
        let module = self.module(module_id);
        let (class, name) = plain.rsplit_once("::").unwrap_or(("", plain));
        let class = class.rsplit("::").next().unwrap_or(class);
        let of_class = |id: &&FunctionId| {
            let owner = self.function(**id).class;
            owner.map_or("", |owner| &self.class(owner).name) == class
        };
        let functions: Vec<FunctionId> = module.functions.iter().filter(of_class).copied().collect();
        let target = |&function: &FunctionId| Target { function, owner: self.function(function).class };
        if let Some(named) = functions.iter().find(|&&id| &*self.function(id).name == name) {
            return vec![target(named)];
        }
        if class.is_empty() {
            return Vec::new();
        }
        let is_hook = |name: &str| matches!(name, "setUp" | "tearDown");
        let stand_ins = functions.iter().filter(|&&id| !is_hook(&self.function(id).name));
        stand_ins.take(STAND_INS_MAX).map(target).collect()
    }
}
