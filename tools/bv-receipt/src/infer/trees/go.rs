//! Go: the files of a package are one, imports are folders below the module's path, tests are named.

use super::Language;
use super::slice::quoted;
use crate::locate::Sources;

/// Files of one folder that are looked at.
const FILES_MAX: usize = 80;

pub const LANGUAGE: Language = Language {
    extensions: &["go"],
    imports,
    aliases: |_, _, _| Vec::new(),
    is_export: |_, _| false,
    is_test_file: |file| file.ends_with("_test.go"),
    is_test: |file, definition, _| {
        file.ends_with("_test.go")
            && ["Test", "Fuzz", "Example", "Benchmark"].iter().any(|start| definition.own.starts_with(start))
    },
    common: &[
        "Get", "Set", "String", "Error", "Len", "Close", "Read", "Write", "Errorf", "Fatalf", "Run", "Equal",
    ],
};

fn imports(sources: &Sources, file: &str, text: &str) -> Vec<String> {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut found = package(sources, folder, file);
    let Some(module) = module_path(sources) else { return found };
    for path in quoted(text, &["\""]) {
        let inside = path.strip_prefix(&module).map(|rest| rest.trim_start_matches('/'));
        if let Some(inside) = inside.filter(|inside| *inside != folder) {
            found.extend(package(sources, inside, file));
        }
    }
    found
}

/// The files of a folder that are not tests.
fn package(sources: &Sources, folder: &str, but: &str) -> Vec<String> {
    let files = sources
        .folder(folder)
        .into_iter()
        .filter(|file| file.ends_with(".go") && !file.ends_with("_test.go") && file != but);
    files.take(FILES_MAX).collect()
}

fn module_path(sources: &Sources) -> Option<String> {
    let text = sources.text("go.mod")?;
    let line = text.lines().find_map(|line| line.strip_prefix("module "))?;
    Some(line.trim().trim_matches('"').to_owned())
}
