//! Modules on demand: a dotted name or a path to a parsed module with its definitions booked.
//!
//! Reading stops at a number of lines, whatever the size of the project: what is not read has no edges.

use super::ast::{Stmt, StmtKind, Tree};
use super::{Class, ClassId, Entry, Function, LINES_MAX, Module, ModuleId, Python};
use crate::infer::code::FunctionId;
use std::collections::HashMap;
use std::rc::Rc;

/// Functions of one name in one scope that are kept.
const NAMESAKES_MAX: usize = 8;

/// A module while its definitions are booked.
struct Booking {
    id: ModuleId,
    name: Rc<str>,
    is_package: bool,
    globals: HashMap<Rc<str>, Entry>,
    stars: Vec<Rc<str>>,
    functions: Vec<FunctionId>,
}

/// What stands around a statement.
#[derive(Clone, Copy)]
struct Around {
    class: Option<ClassId>,
    parent: Option<FunctionId>,
}

impl Python<'_> {
    /// Makes a test file's folders places that imports start from, and reads its `conftest.py` files.
    pub(super) fn enter(&mut self, file: &str) {
        let mut folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        if self.load_file(file).is_none() {
            return;
        }
        loop {
            for base in ["", "src", "lib"] {
                let base = join(folder, base);
                if !self.bases.contains(&base) {
                    self.bases.push(base);
                    self.by_name.retain(|_, module| module.is_some());
                }
            }
            self.load_file(&join(folder, "conftest.py"));
            if folder.is_empty() {
                return;
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }

    /// The module of a dotted name; `None` where there is none under the root.
    pub(super) fn load(&mut self, name: &str) -> Option<ModuleId> {
        if let Some(known) = self.by_name.get(name) {
            return *known;
        }
        let path = name.replace('.', "/");
        let found = self.bases.clone().iter().find_map(|base| {
            let path = join(base, &path);
            self.load_file(&format!("{path}.py")).or_else(|| self.load_file(&format!("{path}/__init__.py")))
        });
        self.by_name.insert(name.into(), found);
        found
    }

    /// The module of a file under the root.
    pub(super) fn load_file(&mut self, file: &str) -> Option<ModuleId> {
        if let Some(known) = self.by_file.get(file) {
            return *known;
        }
        self.by_file.insert(file.into(), None);
        if self.lines >= LINES_MAX || !file.ends_with(".py") {
            return None;
        }
        let text = self.sources.text(file)?;
        self.lines += text.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let tree = super::parse::module(text);
        let id = self.book(file, tree);
        self.by_file.insert(file.into(), Some(id));
        Some(id)
    }

    fn book(&mut self, file: &str, tree: Tree) -> ModuleId {
        let id = self.modules.len() as ModuleId;
        let (name, is_package) = dotted(file, &self.bases);
        let mut booking = Booking {
            id,
            name: name.as_str().into(),
            is_package,
            globals: HashMap::new(),
            stars: Vec::new(),
            functions: Vec::new(),
        };
        self.body(&tree, &tree.body, Around { class: None, parent: None }, &mut booking);
        let Booking { name, globals, stars, functions, .. } = booking;
        self.by_name.entry(name.clone()).or_insert(Some(id));
        self.modules.push(Rc::new(Module {
            file: file.into(),
            name,
            is_package,
            is_test: is_test(file),
            tree,
            globals,
            stars,
            functions,
        }));
        id
    }

    fn body(&mut self, tree: &Tree, body: &[Stmt], around: Around, booking: &mut Booking) {
        for stmt in body {
            self.statement(tree, stmt, around, booking);
        }
    }

    fn statement(&mut self, tree: &Tree, stmt: &Stmt, around: Around, booking: &mut Booking) {
        match &stmt.kind {
            StmtKind::Def(def) => {
                let id = self.def(tree, *def, around, booking);
                let name = self.functions[id as usize].name.clone();
                match around.class {
                    Some(class) => self.book_method(class, name, id, tree),
                    None => self.put(name, Entry::Functions(vec![id]), around, booking, true),
                }
            }
            StmtKind::Class(class) => {
                let parsed = &tree.classes[*class as usize];
                let id = self.classes.len() as ClassId;
                let name: Rc<str> = tree.name(parsed.name).into();
                self.classes.push(Class {
                    name: name.clone(),
                    module: booking.id,
                    class: *class,
                    parent: around.parent,
                    methods: HashMap::new(),
                    order: Vec::new(),
                    attributes: HashMap::new(),
                    bases: None,
                    subclasses: Vec::new(),
                    assigned: None,
                });
                self.fresh.push(id);
                match around.class {
                    Some(outer) => {
                        drop(self.classes[outer as usize].attributes.insert(name, Entry::Class(id)))
                    }
                    None => self.put(name, Entry::Class(id), around, booking, true),
                }
                self.body(tree, &parsed.body, Around { class: Some(id), parent: around.parent }, booking);
            }
            StmtKind::Import(names) if around.class.is_none() => {
                for (module, alias) in names {
                    let module = tree.name(*module);
                    let first = module.split('.').next().unwrap_or(module);
                    let (name, module) = match alias {
                        Some(alias) => (tree.name(*alias), module),
                        None => (first, first),
                    };
                    let entry = Entry::Import { module: module.into(), name: None };
                    self.put(name.into(), entry, around, booking, true);
                }
            }
            StmtKind::ImportFrom { level, module, names, star } if around.class.is_none() => {
                let module = module.map_or("", |span| tree.name(span));
                let from: Rc<str> = absolute(booking, *level, module).into();
                if *star {
                    booking.stars.push(from.clone());
                }
                for (name, alias) in names {
                    let known_as = alias.unwrap_or(*name);
                    let entry = Entry::Import { module: from.clone(), name: Some(tree.name(*name).into()) };
                    self.put(tree.name(known_as).into(), entry, around, booking, true);
                }
            }
            StmtKind::Assign { targets, value } => {
                for &target in targets {
                    self.variable(tree, target, *value, around, booking);
                }
            }
            StmtKind::Annotated { target, value: Some(value), .. } => {
                self.variable(tree, *target, *value, around, booking);
            }
            StmtKind::Augmented { target, value, .. } => {
                self.variable(tree, *target, *value, around, booking)
            }
            _ => {
                for block in stmt.blocks() {
                    self.body(tree, block, around, booking);
                }
            }
        }
    }

    fn variable(&mut self, tree: &Tree, target: u32, value: u32, around: Around, booking: &mut Booking) {
        let targets = match &tree.expr(target).kind {
            super::ast::Kind::Tuple(all) | super::ast::Kind::List(all) => all.clone(),
            _ => vec![target],
        };
        for name in targets.into_iter().filter_map(|target| tree.as_name(target)) {
            match around.class {
                Some(class) => {
                    self.classes[class as usize].attributes.insert(name.into(), Entry::Variable(value));
                }
                // A function's own variables have origins of their own.
                None if around.parent.is_none() => {
                    self.put(name.into(), Entry::Variable(value), around, booking, false);
                }
                None => {}
            }
        }
    }

    fn put(&mut self, name: Rc<str>, entry: Entry, around: Around, booking: &mut Booking, replaces: bool) {
        let names = match around.parent {
            Some(parent) => &mut self.functions[parent as usize].nested,
            None => &mut booking.globals,
        };
        match (names.get_mut(&name), entry) {
            (Some(Entry::Functions(all)), Entry::Functions(more)) if all.len() < NAMESAKES_MAX => {
                all.extend(more)
            }
            (Some(_), _) if !replaces => {}
            (_, entry) => drop(names.insert(name, entry)),
        }
    }

    fn book_method(&mut self, class: ClassId, name: Rc<str>, id: FunctionId, tree: &Tree) {
        let def = &tree.defs[self.functions[id as usize].def as usize];
        if def.decorators.iter().any(|&decorator| tree.last_name(decorator) == Some("overload")) {
            return;
        }
        self.by_method.entry(name.clone()).or_default().push(id);
        let class = &mut self.classes[class as usize];
        class.order.push(id);
        class.methods.entry(name).or_insert(id);
    }

    fn def(&mut self, tree: &Tree, def: u32, around: Around, booking: &mut Booking) -> FunctionId {
        let parsed = &tree.defs[def as usize];
        let id = self.functions.len() as FunctionId;
        let name: Rc<str> = tree.name(parsed.name).into();
        let parent = around.parent.filter(|_| around.class.is_none());
        let owner = match (around.class, parent) {
            (Some(class), _) => format!("{}.", self.classes[class as usize].name),
            (None, Some(parent)) => format!("{}.", self.functions[parent as usize].qualified),
            (None, None) => String::new(),
        };
        let is_decorated = |known: &[&str]| {
            let names = parsed.decorators.iter().filter_map(|&decorator| tree.last_name(decorator));
            names.into_iter().any(|name| known.contains(&name))
        };
        let is_fixture = is_decorated(&["fixture", "yield_fixture"]);
        self.functions.push(Function {
            qualified: format!("{owner}{name}").into(),
            module: booking.id,
            def,
            class: around.class,
            parent: around.parent,
            nested: HashMap::new(),
            params: parsed.params.iter().map(|param| tree.name(param.name).into()).collect(),
            is_fixture,
            is_property: is_decorated(&["property", "cached_property", "cachedproperty"]),
            is_static: is_decorated(&["staticmethod"]),
            is_class_method: is_decorated(&["classmethod"])
                || matches!(&*name, "__new__" | "__init_subclass__" | "__class_getitem__"),
            name: name.clone(),
        });
        booking.functions.push(id);
        if is_fixture {
            self.fixtures.entry(name).or_default().push(id);
        }
        self.body(tree, &parsed.body, Around { class: None, parent: Some(id) }, booking);
        id
    }
}

/// Whether a file belongs to the tests, by the names that runners look for.
pub fn is_test(file: &str) -> bool {
    let lower = file.to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    folders.split('/').any(|folder| matches!(folder, "test" | "tests" | "testing"))
        || name.starts_with("test_")
        || name.starts_with("conftest")
        || name.ends_with("_test.py")
        || matches!(name, "test.py" | "tests.py" | "testing.py")
}

/// A file's dotted name below the longest folder that imports start from, and whether it is a package's own.
fn dotted(file: &str, bases: &[String]) -> (String, bool) {
    let stem = file.strip_suffix(".py").unwrap_or(file);
    let below = bases.iter().filter(|base| {
        matches!(base.as_str(), "" | "src" | "lib") || base.ends_with("/src") || base.ends_with("/lib")
    });
    let inside = below.filter_map(|base| {
        if base.is_empty() { Some(stem) } else { stem.strip_prefix(base)?.strip_prefix('/') }
    });
    let shortest = inside.min_by_key(|rest| rest.len()).unwrap_or(stem);
    let name = shortest.replace('/', ".");
    match name.strip_suffix("__init__") {
        Some(package) => (package.trim_end_matches('.').to_owned(), true),
        None => (name, false),
    }
}

/// The module that a relative import names.
fn absolute(booking: &Booking, level: u32, module: &str) -> String {
    if level == 0 {
        return module.to_owned();
    }
    let mut parts: Vec<&str> = booking.name.split('.').filter(|part| !part.is_empty()).collect();
    let up = level as usize - usize::from(booking.is_package);
    parts.truncate(parts.len().saturating_sub(up));
    parts.extend(Some(module).filter(|module| !module.is_empty()));
    parts.join(".")
}

pub fn join(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", name) => name.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, name) => format!("{folder}/{name}"),
    }
}
