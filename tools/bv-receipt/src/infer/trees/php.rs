//! PHP: classes by the names they are used under, below the folders that sources stand in.

use super::Language;
use super::slice::{in_folder, quoted, relative};
use crate::locate::Sources;

/// Files of one folder that are looked at.
const FILES_MAX: usize = 80;

pub const LANGUAGE: Language = Language {
    extensions: &["php"],
    imports,
    aliases: |_, _, _| Vec::new(),
    is_export: |_, _| false,
    is_test_file: |file| in_folder(file, &["test", "tests", "Test", "Tests"]) || file.ends_with("Test.php"),
    is_test: |_, definition, lead| {
        definition.is_function
            && (definition.own.starts_with("test") || lead.contains("@test") || lead.contains("#[Test"))
    },
    common: &["get", "set", "add", "assertSame", "assertEquals", "assertTrue", "count", "__construct"],
};

fn imports(sources: &Sources, file: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for path in quoted(text, &["require", "include"]) {
        found
            .extend(relative(file, path.trim_start_matches('/')).filter(|path| sources.text(path).is_some()));
    }
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let php = |folder: &str| -> Vec<String> {
        sources
            .folder(folder)
            .into_iter()
            .filter(|other| other.ends_with(".php") && other != file)
            .take(FILES_MAX)
            .collect()
    };
    for line in text.lines().filter_map(|line| line.trim().strip_prefix("use ")) {
        let name = line
            .trim_start_matches("function ")
            .split([' ', ';', '{'])
            .next()
            .unwrap_or("")
            .replace('\\', "/");
        // A namespace's first parts stand for the folder; the rest is the path.
        let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty()).collect();
        let candidates = (0..parts.len()).flat_map(|skipped| {
            let rest = parts[skipped..].join("/");
            ["src", "lib", "app", ""].map(|base| {
                if base.is_empty() { format!("{rest}.php") } else { format!("{base}/{rest}.php") }
            })
        });
        found.extend(candidates.into_iter().find(|path| sources.text(path).is_some()));
    }
    if !(LANGUAGE.is_test_file)(file) {
        found.extend(php(folder));
    } else if found.is_empty() {
        ["src", "lib", "app"].iter().for_each(|base| found.extend(php(base)));
    }
    found
}
