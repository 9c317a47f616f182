//! JavaScript and TypeScript: relative imports, the package by its own name, tests by title.

use super::Language;
use super::slice::{in_folder, quoted, relative};
use crate::locate::Sources;
use crate::symbols::Defined;

pub const LANGUAGE: Language = Language {
    extensions: EXTENSIONS,
    imports,
    aliases,
    is_export,
    is_test_file: |file| {
        let name = file.rsplit('/').next().unwrap_or(file);
        in_folder(file, &["test", "tests", "__tests__", "spec", "specs"])
            || [".test.", ".spec.", "_test.", "-test."].iter().any(|mark| name.contains(mark))
            || name.starts_with("test.")
            || name.starts_with("test-")
    },
    is_test: |_, _, _| false,
    common: &[
        "get", "set", "push", "pop", "map", "filter", "forEach", "reduce", "join", "split", "slice",
        "replace", "test", "match", "call", "apply", "bind", "then", "catch", "toString", "concat",
        "indexOf", "includes", "keys", "values", "equal",
    ],
};

const EXTENSIONS: &[&str] = &["js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "cts"];

fn imports(sources: &Sources, file: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for path in quoted(text, &["import", "require", "from", "export"]) {
        if path.starts_with('.') {
            found.extend(relative(file, path).and_then(|path| resolved(sources, &path)));
        } else if let Some(package) = own_package(sources, file, path) {
            found.push(package);
        }
    }
    found.dedup();
    found
}

/// The file of a module's path: itself, with an ending, or the index of a folder.
fn resolved(sources: &Sources, path: &str) -> Option<String> {
    let is_file = |path: &String| sources.text(path).is_some();
    let with_ending = EXTENSIONS.iter().map(|end| format!("{path}.{end}"));
    // TypeScript writes the ending of what it becomes.
    let compiled = path.strip_suffix(".js").map(|stem| format!("{stem}.ts"));
    let as_written =
        Some(path.to_owned()).filter(|path| EXTENSIONS.iter().any(|end| path.ends_with(&format!(".{end}"))));
    let index = EXTENSIONS
        .iter()
        .map(|end| if path.is_empty() { format!("index.{end}") } else { format!("{path}/index.{end}") });
    let named = as_written.into_iter().chain(compiled).chain(with_ending).chain(index).find(is_file);
    named.or_else(|| main_of(sources, path))
}

/// The file that a folder's `package.json` names.
fn main_of(sources: &Sources, folder: &str) -> Option<String> {
    let manifest = manifest(sources, folder)?;
    let named = ["source", "module", "main"].iter().find_map(|key| manifest.get(key)?.as_str());
    let main = named.unwrap_or("index.js").trim_start_matches("./");
    let path = if folder.is_empty() { main.to_owned() } else { format!("{folder}/{main}") };
    let with_ending = EXTENSIONS.iter().map(|end| format!("{path}.{end}"));
    Some(path.clone()).into_iter().chain(with_ending).find(|path| sources.text(path).is_some())
}

fn manifest(sources: &Sources, folder: &str) -> Option<serde_json::Value> {
    let path = if folder.is_empty() { "package.json".to_owned() } else { format!("{folder}/package.json") };
    serde_json::from_str(&sources.text(&path)?).ok()
}

/// The main file of the package that a file belongs to, where it is imported by the package's own name.
fn own_package(sources: &Sources, file: &str, name: &str) -> Option<String> {
    let mut folder = file;
    while let Some((above, _)) =
        folder.rsplit_once('/').or(if folder.is_empty() { None } else { Some(("", folder)) })
    {
        folder = above;
        let Some(manifest) = manifest(sources, folder) else { continue };
        let own = manifest.get("name").and_then(serde_json::Value::as_str)?;
        if name == own {
            return main_of(sources, folder);
        }
        let inside = name.strip_prefix(own)?.strip_prefix('/')?;
        return resolved(
            sources,
            &if folder.is_empty() { inside.to_owned() } else { format!("{folder}/{inside}") },
        );
    }
    None
}

/// `const parse = require("./parse")`, `import parse from "./parse"`, `parse: require("./parse")`.
fn aliases(sources: &Sources, file: &str, text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let is_import = line.trim_start().starts_with("import ");
        let Some((before, after)) =
            line.split_once("require(").or_else(|| line.split_once(" from ").filter(|_| is_import))
        else {
            continue;
        };
        let before = before.trim_end_matches(['=', ':', ' ']);
        let name =
            before.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).next().unwrap_or("");
        let quotes = ['"', '\''];
        let Some(path) = after.trim_start().strip_prefix(quotes).and_then(|rest| rest.split(quotes).next())
        else {
            continue;
        };
        let target = match path.starts_with('.') {
            true => relative(file, path).and_then(|path| resolved(sources, &path)),
            false => own_package(sources, file, path),
        };
        if let Some(target) = target.filter(|_| !name.is_empty()) {
            found.push((name.to_owned(), target));
        }
    }
    found
}

/// What `module.exports =` and `export default` stand before, or name.
fn is_export(text: &str, definition: &Defined) -> bool {
    if matches!(&*definition.name, "module.exports" | "default") {
        return true;
    }
    let before = text.get(..definition.bytes.end).unwrap_or("");
    let line_start =
        before.get(..definition.bytes.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let line = text.get(line_start..definition.bytes.end).unwrap_or("");
    let marks = ["module.exports =", "export default", "export ="];
    if marks.iter().any(|mark| line.trim_start().starts_with(mark)) {
        return true;
    }
    marks.iter().any(|mark| {
        let named = text.split(mark).skip(1).map(|rest| rest.trim_start());
        let mut names = named.map(|rest| {
            rest.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).next().unwrap_or("")
        });
        names.any(|name| name == definition.name)
    })
}
