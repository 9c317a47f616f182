//! Rust: the modules of a crate, tests by their attribute.

use super::Language;
use super::slice::in_folder;
use crate::locate::Sources;

pub const LANGUAGE: Language = Language {
    extensions: &["rs"],
    imports,
    aliases: |_, _, _| Vec::new(),
    is_export: |_, _| false,
    is_test_file: |file| {
        in_folder(file, &["tests", "benches", "examples"])
            || file.ends_with("/tests.rs")
            || file.ends_with("/test.rs")
    },
    is_test: |_, definition, lead| {
        let is_marked = lead.lines().any(|line| {
            let line = line.trim();
            line.starts_with("#[") && (line.contains("test") || line.contains("case"))
        });
        is_marked && definition.is_function
            || definition.name.starts_with("tests::")
            || definition.name.starts_with("test::")
            || definition.name.contains("::tests::")
    },
    common: &[
        "new",
        "get",
        "push",
        "pop",
        "len",
        "iter",
        "map",
        "unwrap",
        "into",
        "from",
        "clone",
        "next",
        "insert",
        "fmt",
        "eq",
        "as_str",
        "is_empty",
        "to_string",
    ],
};

/// Every module of the crate may be meant by a path; the nearest ones come first.
fn imports(sources: &Sources, file: &str, text: &str) -> Vec<String> {
    let mut found = modules(sources, file, text);
    let package = package(sources, file);
    for root in ["src/lib.rs", "src/main.rs"] {
        let root = if package.is_empty() { root.to_owned() } else { format!("{package}/{root}") };
        if root != file && sources.text(&root).is_some() {
            found.push(root);
        }
    }
    found
}

/// The files of `mod name;` declarations.
fn modules(sources: &Sources, file: &str, text: &str) -> Vec<String> {
    let (folder, base) = file.rsplit_once('/').unwrap_or(("", file));
    let stem = base.strip_suffix(".rs").unwrap_or(base);
    let is_root = matches!(stem, "lib" | "main" | "mod") || in_folder(file, &["tests"]);
    let inside = if is_root { folder.to_owned() } else { format!("{folder}/{stem}") };
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.trim_start();
        let line = line.strip_prefix("pub").map_or(line, |rest| {
            let rest = rest.trim_start();
            rest.strip_prefix('(')
                .and_then(|rest| rest.split_once(')'))
                .map_or(rest, |(_, rest)| rest.trim_start())
        });
        let Some(name) =
            line.strip_prefix("mod ").and_then(|rest| rest.split_once(';')).map(|(name, _)| name.trim())
        else {
            continue;
        };
        let candidates = [format!("{inside}/{name}.rs"), format!("{inside}/{name}/mod.rs")];
        found.extend(candidates.into_iter().find(|path| sources.text(path).is_some()));
    }
    found
}

/// The folder of the nearest `Cargo.toml`.
fn package(sources: &Sources, file: &str) -> String {
    let mut folder = file;
    while let Some((above, _)) = folder.rsplit_once('/') {
        folder = above;
        if sources.text(&format!("{folder}/Cargo.toml")).is_some() {
            return folder.to_owned();
        }
    }
    String::new()
}
