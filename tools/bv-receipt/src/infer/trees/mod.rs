//! Programs of the languages that the symbol lookup has a grammar for: functions by their names.
//!
//! A name in a body leads to the functions of that name: those of the same file first, then those of the files that
//! it imports. Names of methods are looked for without their class. What a language imports and what it calls a test
//! is one file here.

mod go;
mod java;
mod javascript;
mod php;
mod ruby;
mod rust;
mod slice;

use super::code::{About, Code, Edge, Failing, FunctionId, Target};
use crate::locate::Sources;
use crate::symbols::{Defined, Outline};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Lines of source that are parsed for one receipt.
const LINES_MAX: usize = 12_000;
/// Files that are read for one receipt, parsed or not.
const FILES_MAX: usize = 400;
/// Functions of one name among which a mention is shared.
const NAMESAKES_MAX: usize = 12;
/// Names shorter than this are everywhere.
const NAME_BYTES_MIN: usize = 2;

/// What differs between languages.
pub struct Language {
    /// File name endings without the dot.
    pub extensions: &'static [&'static str],
    /// The files under the root that a file can call into, nearest first.
    pub imports: fn(&Sources, file: &str, text: &str) -> Vec<String>,
    /// Names that stand for all that a file exports, with that file.
    pub aliases: fn(&Sources, file: &str, text: &str) -> Vec<(String, String)>,
    /// Whether a definition is all that its file exports.
    pub is_export: fn(text: &str, definition: &Defined) -> bool,
    /// Whether a file holds tests only.
    pub is_test_file: fn(&str) -> bool,
    /// Whether a definition is a test, by what stands before its name in the text.
    pub is_test: fn(file: &str, definition: &Defined, lead: &str) -> bool,
    /// Names that are called everywhere and never the project's own.
    pub common: &'static [&'static str],
}

const LANGUAGES: &[&Language] = &[
    &javascript::LANGUAGE,
    &rust::LANGUAGE,
    &go::LANGUAGE,
    &java::LANGUAGE,
    &ruby::LANGUAGE,
    &php::LANGUAGE,
];

/// The language of a file, by its name's ending.
pub fn language(file: &str) -> Option<&'static Language> {
    let extension = file.rsplit('/').next()?.rsplit_once('.')?.1;
    LANGUAGES.iter().find(|language| language.extensions.contains(&extension)).copied()
}

struct File {
    name: Rc<str>,
    text: Rc<str>,
    is_test: bool,
    outline: Outline,
    /// The functions of the definitions, in their order.
    functions: Vec<Option<FunctionId>>,
    imports: Rc<[Rc<str>]>,
    aliases: Vec<(String, String)>,
    /// The tests that hold no other test, by what they are called.
    tests: Vec<(String, Target)>,
}

struct Function {
    file: usize,
    definition: usize,
    is_test: bool,
}

/// A program in one of the languages.
pub struct Trees<'run> {
    sources: &'run Sources,
    language: &'static Language,
    files: Vec<Rc<File>>,
    by_file: HashMap<Rc<str>, Option<usize>>,
    texts: HashMap<Rc<str>, Option<Rc<str>>>,
    functions: Vec<Function>,
    by_name: HashMap<Rc<str>, Vec<(usize, FunctionId)>>,
    calls: HashMap<FunctionId, Rc<[Edge]>>,
    lines: usize,
}

impl<'run> Trees<'run> {
    pub fn new(sources: &'run Sources, language: &'static Language) -> Trees<'run> {
        Trees {
            sources,
            language,
            files: Vec::new(),
            by_file: HashMap::new(),
            texts: HashMap::new(),
            functions: Vec::new(),
            by_name: HashMap::new(),
            calls: HashMap::new(),
            lines: 0,
        }
    }

    fn text(&mut self, file: &str) -> Option<Rc<str>> {
        if let Some(known) = self.texts.get(file) {
            return known.clone();
        }
        let text = if self.texts.len() < FILES_MAX { self.sources.text(file) } else { None };
        self.texts.insert(file.into(), text.clone());
        text
    }

    fn load(&mut self, name: &str) -> Option<usize> {
        if let Some(known) = self.by_file.get(name) {
            return *known;
        }
        let loaded = self.parse(name);
        self.by_file.insert(name.into(), loaded);
        loaded
    }

    fn parse(&mut self, name: &str) -> Option<usize> {
        let is_ours = name.rsplit_once('.').is_some_and(|(_, end)| self.language.extensions.contains(&end));
        if !is_ours || self.lines >= LINES_MAX {
            return None;
        }
        let text = self.text(name)?;
        self.lines += text.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let outline = Outline::of(name, &text)?;
        let file = self.files.len();
        let is_test_file = (self.language.is_test_file)(name);
        let mut functions = Vec::new();
        let lines: Vec<&str> = text.lines().collect();
        let mut tests = Vec::new();
        let mut holds_tests: HashSet<usize> = HashSet::new();
        for definition in outline.definitions.iter().filter(|definition| definition.is_test) {
            holds_tests.extend(definition.parent);
        }
        for (nth, definition) in outline.definitions.iter().enumerate() {
            let lead =
                lines.get(definition.lead_first.saturating_sub(1) as usize..definition.lines[0] as usize);
            let is_test = definition.is_test
                || (self.language.is_test)(name, definition, &lead.unwrap_or_default().join("\n"));
            if !definition.is_function && !is_test {
                functions.push(None);
                continue;
            }
            let id = self.functions.len() as FunctionId;
            self.functions.push(Function { file, definition: nth, is_test: is_test_file || is_test });
            if !is_test {
                self.by_name.entry(definition.own.as_str().into()).or_default().push((file, id));
            } else if !holds_tests.contains(&nth) {
                tests.push((definition.name.clone(), Target { function: id, owner: None }));
            }
            functions.push(Some(id));
        }
        let imports = (self.language.imports)(self.sources, name, &text).into_iter().map(Rc::from).collect();
        let aliases = (self.language.aliases)(self.sources, name, &text);
        self.files.push(Rc::new(File {
            aliases,
            tests,
            name: name.into(),
            text,
            is_test: is_test_file,
            outline,
            functions,
            imports,
        }));
        Some(file)
    }

    fn file_of(&self, function: FunctionId) -> Rc<File> {
        self.files[self.functions[function as usize].file].clone()
    }

    fn definition<'file>(&self, file: &'file File, function: FunctionId) -> &'file Defined {
        &file.outline.definitions[self.functions[function as usize].definition]
    }

    /// The functions that a name in a file may mean, and how sure that is.
    fn named(&mut self, name: &str, file: usize, has_receiver: bool) -> (Vec<FunctionId>, f32) {
        let here = self.files[file].clone();
        let own = self.of_file(name, file);
        if !own.is_empty() && !here.is_test {
            return (own, if has_receiver { 0.9 } else { 1.0 });
        }
        let mut found = Vec::new();
        for import in self.reachable(file) {
            if let Some(file) = self.holding(&import, name) {
                found.extend(self.of_file(name, file));
            }
            if found.len() > NAMESAKES_MAX {
                break;
            }
        }
        if !found.is_empty() {
            return (found, if has_receiver { 0.8 } else { 0.95 });
        }
        (own, 1.0)
    }

    /// A file that is parsed only where its text holds the name.
    fn holding(&mut self, file: &str, name: &str) -> Option<usize> {
        match self.by_file.get(file) {
            Some(known) => *known,
            None => self.text(file).filter(|text| text.contains(name)).and_then(|_| self.load(file)),
        }
    }

    fn of_file(&mut self, name: &str, file: usize) -> Vec<FunctionId> {
        let all = self.by_name.get(name).into_iter().flatten();
        let own: Vec<FunctionId> = all.filter(|(of, _)| *of == file).map(|(_, id)| *id).collect();
        let here = self.files[file].clone();
        let alias = here.aliases.iter().find(|(known, _)| own.is_empty() && known == name);
        match alias.and_then(|(_, exported)| self.load(exported)) {
            Some(exported) => self.exported(exported),
            None => own,
        }
    }

    /// The function that is all that a file exports.
    fn exported(&self, file: usize) -> Vec<FunctionId> {
        let file = &self.files[file];
        let definitions = file.outline.definitions.iter().zip(&file.functions);
        let exports = definitions.filter(|(definition, _)| (self.language.is_export)(&file.text, definition));
        exports.filter_map(|(_, function)| *function).collect()
    }

    /// The imports of a file and what those hand on, nearest first.
    fn reachable(&mut self, file: usize) -> Vec<Rc<str>> {
        const REACHABLE_MAX: usize = 60;
        let mut all: Vec<Rc<str>> = self.files[file].imports.to_vec();
        let mut at = 0;
        while at < all.len() && all.len() < REACHABLE_MAX {
            let next = all[at].clone();
            at += 1;
            let further: Vec<Rc<str>> = match self.by_file.get(&next).copied().flatten() {
                Some(file) => self.files[file].imports.to_vec(),
                None => match self.text(&next) {
                    Some(text) => (self.language.imports)(self.sources, &next, &text)
                        .into_iter()
                        .map(Rc::from)
                        .collect(),
                    None => Vec::new(),
                },
            };
            for import in further {
                if !all.contains(&import) && *import != *self.files[file].name {
                    all.push(import);
                }
            }
        }
        all
    }

    fn all_calls(&mut self, caller: FunctionId) -> Vec<Edge> {
        let file = self.file_of(caller);
        let at = self.functions[caller as usize].file;
        let bytes = self.definition(&file, caller).bytes.clone();
        let inner: Vec<std::ops::Range<usize>> = self.inner_functions(&file, caller);
        let mut edges: Vec<Edge> = Vec::new();
        let from = file.outline.mentions.partition_point(|mention| mention.bytes.start < bytes.start);
        let names = file.outline.mentions[from..].iter().take_while(|mention| mention.bytes.end <= bytes.end);
        for mention in names {
            if inner.iter().any(|inner| inner.contains(&mention.bytes.start)) {
                continue;
            }
            let Some(name) = file.text.get(mention.bytes.clone()) else { continue };
            if name.len() < NAME_BYTES_MIN {
                continue;
            }
            let use_of = slice::use_of(&file.text, &mention.bytes);
            let (candidates, sure) = self.named(name, at, use_of.has_receiver);
            let candidates: Vec<FunctionId> = candidates.into_iter().filter(|&id| id != caller).collect();
            if candidates.is_empty() || candidates.len() > NAMESAKES_MAX {
                continue;
            }
            let called = if use_of.is_call { 1.0 } else { 0.6 };
            let common = if use_of.has_receiver && self.language.common.contains(&name) { 0.4 } else { 1.0 };
            let weight = sure * called * common / (candidates.len() as f32).sqrt();
            for function in candidates {
                let to = Target { function, owner: None };
                match edges.iter_mut().find(|edge| edge.to == to && edge.line == mention.line) {
                    Some(known) => known.weight = known.weight.max(weight),
                    None => edges.push(Edge { to, weight, line: mention.line }),
                }
            }
        }
        edges
    }

    /// The named functions inside a function, whose bodies are not its own.
    fn inner_functions(&self, file: &File, outer: FunctionId) -> Vec<std::ops::Range<usize>> {
        let nth = self.functions[outer as usize].definition;
        let outer = &file.outline.definitions[nth];
        let definitions = file.outline.definitions.iter().enumerate();
        let inside = definitions.filter(|(other, definition)| {
            *other != nth
                && (definition.is_function || definition.is_test)
                && outer.bytes.start <= definition.bytes.start
                && definition.bytes.end <= outer.bytes.end
                && definition.bytes != outer.bytes
        });
        // From after its name on: what a function is called stands outside of it.
        inside.map(|(_, definition)| definition.bytes.clone()).collect()
    }
}

impl Code for Trees<'_> {
    fn about(&self, function: FunctionId) -> About {
        let file = &self.files[self.functions[function as usize].file];
        let definition = self.definition(file, function);
        About {
            file: file.name.clone(),
            name: definition.name.as_str().into(),
            lines: definition.lines,
            is_test: self.functions[function as usize].is_test,
        }
    }

    fn function_at(&mut self, file: &str, line: u32) -> Option<FunctionId> {
        let file = self.load(file)?;
        let file = self.files[file].clone();
        let definitions = file.outline.definitions.iter().zip(&file.functions);
        let around = definitions.filter_map(|(definition, function)| {
            let holds = (definition.lines[0]..=definition.lines[1]).contains(&line);
            Some((definition.lines[1].saturating_sub(definition.lines[0]), (*function)?)).filter(|_| holds)
        });
        around.min_by_key(|(lines, _)| *lines).map(|(_, function)| function)
    }

    fn test(&mut self, file: &str, id: &str) -> Vec<Target> {
        let Some(file) = self.load(file) else { return Vec::new() };
        let named = self.files[file].tests.iter().filter(|(name, _)| is_called(id, name));
        named.max_by_key(|(name, _)| name.len()).map(|(_, target)| *target).into_iter().collect()
    }

    fn tests_of(&mut self, file: &str) -> Vec<(String, Target)> {
        self.load(file).map(|file| self.files[file].tests.clone()).unwrap_or_default()
    }

    fn setup(&mut self, _: Target) -> Vec<Edge> {
        Vec::new()
    }

    fn calls(&mut self, caller: Target) -> Rc<[Edge]> {
        if let Some(known) = self.calls.get(&caller.function) {
            return known.clone();
        }
        let edges: Rc<[Edge]> = self.all_calls(caller.function).into();
        self.calls.insert(caller.function, edges.clone());
        edges
    }

    fn failing(&mut self, function: FunctionId, line: u32) -> Failing {
        let file = self.file_of(function);
        slice::failing(&file.text, &file.outline, self.definition(&file, function), line)
    }

    fn options(&mut self, _: FunctionId, _: &dyn Fn(u32) -> bool) -> Vec<Rc<str>> {
        Vec::new()
    }

    fn decides_by(&mut self, _: FunctionId, _: &str) -> bool {
        false
    }

    fn gives_nothing(&mut self, function: FunctionId) -> f32 {
        let file = self.file_of(function);
        let bytes = self.definition(&file, function).bytes.clone();
        slice::share_of_nothing(file.text.get(bytes).unwrap_or(""))
    }

    fn owner(&self, _: FunctionId) -> Option<u32> {
        None
    }
}

/// Whether a runner's name for a test ends in this one: titles and parts of a path may stand before it.
fn is_called(id: &str, name: &str) -> bool {
    let last = name.rsplit([' ', ':', '.', '#', '›']).next().unwrap_or(name);
    let ends = |end: &str| {
        id == end || id.strip_suffix(end).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
    };
    let titles: String = name.split(" › ").last().unwrap_or(name).to_owned();
    ends(name)
        || (name.contains(" › ") && ends(&titles))
        || (!name.contains(' ') && ends(last))
        || ends(&titles)
}
