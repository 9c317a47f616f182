//! Java: classes by their names, of the same package and of the imported ones.

use super::Language;
use super::slice::in_folder;
use crate::locate::Sources;

/// Files of one package that are looked at.
const FILES_MAX: usize = 120;

pub const LANGUAGE: Language = Language {
    extensions: &["java"],
    imports,
    aliases: |_, _, _| Vec::new(),
    is_export: |_, _| false,
    is_test_file: |file| {
        in_folder(file, &["test", "tests", "androidTest", "integrationTest"])
            || ["Test.java", "Tests.java", "IT.java"].iter().any(|end| file.ends_with(end))
    },
    is_test: |_, definition, lead| {
        definition.is_function
            && lead.lines().any(|line| {
                let line = line.trim();
                line.starts_with('@') && line.contains("Test")
            })
    },
    common: &[
        "get",
        "set",
        "add",
        "put",
        "size",
        "equals",
        "toString",
        "hashCode",
        "of",
        "assertEquals",
        "assertTrue",
        "println",
        "append",
        "length",
        "isEmpty",
    ],
};

fn imports(sources: &Sources, file: &str, text: &str) -> Vec<String> {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    // The product's half of the same package.
    let mut folders = vec![folder.to_owned()];
    for (tests, product) in [("src/test/", "src/main/"), ("test/", "src/"), ("test/", "main/")] {
        if folder.contains(tests) {
            folders.push(folder.replacen(tests, product, 1));
        }
    }
    let mut found: Vec<String> =
        folders.iter().flat_map(|folder| java_files(sources, folder, file)).collect();
    let own = text.lines().find_map(|line| line.trim().strip_prefix("package ")).unwrap_or("");
    let own = own.trim_end_matches(';').trim().replace('.', "/");
    let bases: Vec<String> =
        folders.iter().filter_map(|folder| folder.strip_suffix(&own)).map(str::to_owned).collect();
    for line in text.lines().filter_map(|line| line.trim().strip_prefix("import ")) {
        let path = line.trim_start_matches("static ").trim_end_matches(';').trim().replace('.', "/");
        let outer = path.rsplit_once('/').map_or("", |(outer, _)| outer);
        for base in &bases {
            match path.strip_suffix("/*") {
                Some(package) => found.extend(java_files(sources, &format!("{base}{package}"), file)),
                None => {
                    let candidates = [format!("{base}{path}.java"), format!("{base}{outer}.java")];
                    found.extend(candidates.into_iter().find(|path| sources.text(path).is_some()));
                }
            }
        }
    }
    found
}

fn java_files(sources: &Sources, folder: &str, but: &str) -> Vec<String> {
    let files = sources.folder(folder).into_iter().filter(|file| file.ends_with(".java") && file != but);
    files.take(FILES_MAX).collect()
}
