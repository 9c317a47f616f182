//! Python programs: modules read as imports ask for them, names and types resolved far enough to say which
//! function a line leads to.
//!
//! The text goes through a reader of our own (`lex`, `expr`, `parse`), which is many times faster than a
//! syntax tree of every token and lets a receipt look at thousands of lines.

mod ast;
mod calls;
mod computed;
mod expr;
mod lex;
mod load;
mod names;
mod operators;
mod parse;
mod slice;
mod tests_of;
mod types;
mod uses;

use super::code::{About, Code, Edge, Failing, FunctionId, Target};
use crate::locate::Sources;
use ast::{DefId, ExprId, Tree};
use slice::Raised;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use uses::Use;

/// Lines of source that are read for one receipt.
const LINES_MAX: usize = 10_000;
/// Steps of type resolution for one receipt.
const STEPS_MAX: u32 = 150_000;

/// What methods assign to attributes of `self`: the method, the value or, where there is none, the annotation, and
/// whether it is one.
type Assigned = HashMap<Rc<str>, Vec<(FunctionId, ExprId, bool)>>;
/// Where the values of a function's names come from.
type Locals = HashMap<Rc<str>, Vec<Origin>>;

type ModuleId = u32;
type ClassId = u32;

/// What a name stands for in its scope.
#[derive(Clone, Debug)]
enum Entry {
    /// The functions of that name: branches may define several.
    Functions(Vec<FunctionId>),
    Class(ClassId),
    /// A module, or a name of one.
    Import {
        module: Rc<str>,
        name: Option<Rc<str>>,
    },
    /// A variable by the value that it is first given.
    Variable(ExprId),
}

/// What an expression may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Value {
    Function(FunctionId),
    /// A method and the class it is called on.
    Method(FunctionId, ClassId),
    Property(FunctionId, ClassId),
    Class(ClassId),
    Instance(ClassId),
    Module(ModuleId),
    Variable(ModuleId, ExprId),
    /// `super()` in a method of the first class, called on the second.
    Super(ClassId, ClassId),
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug)]
struct Scope {
    module: ModuleId,
    function: Option<FunctionId>,
    /// The class that `self` is an instance of.
    owner: Option<ClassId>,
}

#[derive(Debug)]
struct Module {
    file: Rc<str>,
    /// Dotted; for relative imports.
    name: Rc<str>,
    is_package: bool,
    is_test: bool,
    tree: Tree,
    globals: HashMap<Rc<str>, Entry>,
    stars: Vec<Rc<str>>,
    functions: Vec<FunctionId>,
}

#[derive(Debug)]
struct Function {
    name: Rc<str>,
    qualified: Rc<str>,
    module: ModuleId,
    def: DefId,
    class: Option<ClassId>,
    parent: Option<FunctionId>,
    nested: HashMap<Rc<str>, Entry>,
    params: Vec<Rc<str>>,
    is_fixture: bool,
    is_property: bool,
    is_static: bool,
    is_class_method: bool,
}

#[derive(Debug)]
struct Class {
    name: Rc<str>,
    module: ModuleId,
    class: ast::ClassId,
    parent: Option<FunctionId>,
    methods: HashMap<Rc<str>, FunctionId>,
    /// In the order of the text, so that results have one order.
    order: Vec<FunctionId>,
    attributes: HashMap<Rc<str>, Entry>,
    bases: Option<Vec<ClassId>>,
    subclasses: Vec<ClassId>,
    /// `self.x = value` in its methods.
    assigned: Option<Rc<Assigned>>,
}

/// Where a local name's values come from.
#[derive(Clone, Copy, Debug)]
enum Origin {
    Annotation(ExprId),
    Value(ExprId),
    /// An element of this.
    Element(ExprId),
    /// This part of an element of it.
    Part(ExprId, u32),
}

/// A Python program.
pub struct Python<'run> {
    sources: &'run Sources,
    /// Folders that imports start from, relative to the root; "" is the root itself.
    bases: Vec<String>,
    modules: Vec<Rc<Module>>,
    by_name: HashMap<Rc<str>, Option<ModuleId>>,
    by_file: HashMap<Rc<str>, Option<ModuleId>>,
    functions: Vec<Function>,
    classes: Vec<Class>,
    by_method: HashMap<Rc<str>, Vec<FunctionId>>,
    fixtures: HashMap<Rc<str>, Vec<FunctionId>>,
    /// Classes whose bases were not looked at yet.
    fresh: Vec<ClassId>,
    lines: usize,
    steps: u32,
    calls: HashMap<Target, Rc<[Edge]>>,
    of_variables: HashMap<(ModuleId, ExprId), Rc<[Edge]>>,
    at_import: HashMap<ModuleId, Rc<[Edge]>>,
    returns: HashMap<(FunctionId, Option<ClassId>), Rc<[Value]>>,
    locals: HashMap<FunctionId, Rc<Locals>>,
    uses: HashMap<FunctionId, Rc<[Use]>>,
    near: HashMap<ModuleId, Rc<HashSet<ModuleId>>>,
    raised: HashMap<FunctionId, Rc<[Raised]>>,
    read_names: HashMap<FunctionId, Rc<HashSet<Rc<str>>>>,
}

impl<'run> Python<'run> {
    pub fn new(sources: &'run Sources) -> Python<'run> {
        Python {
            sources,
            bases: vec![String::new(), "src".into(), "lib".into()],
            modules: Vec::new(),
            by_name: HashMap::new(),
            by_file: HashMap::new(),
            functions: Vec::new(),
            classes: Vec::new(),
            by_method: HashMap::new(),
            fixtures: HashMap::new(),
            fresh: Vec::new(),
            lines: 0,
            steps: 0,
            calls: HashMap::new(),
            of_variables: HashMap::new(),
            at_import: HashMap::new(),
            returns: HashMap::new(),
            locals: HashMap::new(),
            uses: HashMap::new(),
            near: HashMap::new(),
            raised: HashMap::new(),
            read_names: HashMap::new(),
        }
    }

    fn module(&self, module: ModuleId) -> Rc<Module> {
        self.modules[module as usize].clone()
    }

    fn function(&self, function: FunctionId) -> &Function {
        &self.functions[function as usize]
    }

    fn class(&self, class: ClassId) -> &Class {
        &self.classes[class as usize]
    }

    fn is_test(&self, function: FunctionId) -> bool {
        self.modules[self.function(function).module as usize].is_test
    }
}

impl Code for Python<'_> {
    fn about(&self, function: FunctionId) -> About {
        let known = self.function(function);
        let module = &self.modules[known.module as usize];
        let def = &module.tree.defs[known.def as usize];
        About {
            file: module.file.clone(),
            name: known.qualified.clone(),
            lines: [def.line, def.last],
            is_test: module.is_test,
        }
    }

    fn function_at(&mut self, file: &str, line: u32) -> Option<FunctionId> {
        let module = self.load_file(file)?;
        let module = self.module(module);
        let holds = |&&id: &&FunctionId| {
            let def = &module.tree.defs[self.functions[id as usize].def as usize];
            (def.line..=def.last).contains(&line)
        };
        let lines = |&&id: &&FunctionId| {
            let def = &module.tree.defs[self.functions[id as usize].def as usize];
            def.last.saturating_sub(def.line)
        };
        // Of two on the same lines the inner one, which is read later.
        module.functions.iter().rev().filter(holds).min_by_key(lines).copied()
    }

    fn test(&mut self, file: &str, id: &str) -> Vec<Target> {
        self.enter(file);
        self.named_test(file, id)
    }

    fn tests_of(&mut self, file: &str) -> Vec<(String, Target)> {
        self.enter(file);
        self.all_tests(file)
    }

    fn setup(&mut self, test: Target) -> Vec<Edge> {
        const NAMES: &[&str] = &["setUp", "setup_method", "setup", "asyncSetUp", "setUpClass", "setup_class"];
        let Some(class) = test.owner else { return Vec::new() };
        let methods = NAMES.iter().filter_map(|name| self.method(class, name));
        methods
            .map(|function| Edge { to: Target { function, owner: Some(class) }, weight: 1.0, line: 0 })
            .collect()
    }

    fn calls(&mut self, caller: Target) -> Rc<[Edge]> {
        if let Some(known) = self.calls.get(&caller) {
            return known.clone();
        }
        let edges: Rc<[Edge]> = self.all_calls(caller).into();
        self.calls.insert(caller, edges.clone());
        edges
    }

    fn failing(&mut self, function: FunctionId, line: u32) -> Failing {
        self.failing_line(function, line)
    }

    fn options(&mut self, function: FunctionId, on: &dyn Fn(u32) -> bool) -> Vec<Rc<str>> {
        self.keywords(function, on)
    }

    fn decides_by(&mut self, function: FunctionId, option: &str) -> bool {
        self.read_names(function).contains(option)
    }

    fn gives_nothing(&mut self, function: FunctionId) -> f32 {
        self.share_of_none(function)
    }

    fn owner(&self, function: FunctionId) -> Option<u32> {
        self.function(function).class
    }
}
