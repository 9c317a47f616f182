//! Ruby: what is required, else the files of `lib` and `app`, as a loader would find them.

use super::Language;
use super::slice::{in_folder, quoted, relative};
use crate::locate::Sources;

/// Folders inside each other that a loader looks through.
const FOLDERS_MAX: usize = 60;
/// Files that are looked at.
const FILES_MAX: usize = 200;

pub const LANGUAGE: Language = Language {
    extensions: &["rb"],
    imports,
    aliases: |_, _, _| Vec::new(),
    is_export: |_, _| false,
    is_test_file: |file| {
        in_folder(file, &["test", "tests", "spec", "specs"])
            || file.ends_with("_test.rb")
            || file.ends_with("_spec.rb")
    },
    is_test: |_, definition, _| definition.is_function && definition.own.starts_with("test_"),
    common: &[
        "new",
        "map",
        "each",
        "to_s",
        "size",
        "length",
        "join",
        "first",
        "last",
        "expect",
        "eq",
        "to",
        "assert_equal",
        "is_a?",
        "call",
    ],
};

fn imports(sources: &Sources, file: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for path in quoted(text, &["require", "autoload", "load"]) {
        let near = relative(file, path);
        let candidates =
            [near, Some(format!("lib/{path}")), Some(path.to_owned()), Some(format!("app/{path}"))];
        let with_ending = candidates
            .into_iter()
            .flatten()
            .map(|path| if path.ends_with(".rb") { path } else { format!("{path}.rb") });
        found.extend(with_ending.into_iter().find(|path| path != file && sources.text(path).is_some()));
    }
    if (LANGUAGE.is_test_file)(file) {
        let mut folders = vec!["lib".to_owned(), "app".to_owned()];
        let mut at = 0;
        while at < folders.len() && at < FOLDERS_MAX && found.len() < FILES_MAX {
            let folder = folders[at].clone();
            found.extend(sources.folder(&folder).into_iter().filter(|file| file.ends_with(".rb")));
            folders.extend(sources.folders(&folder));
            at += 1;
        }
    }
    found
}
