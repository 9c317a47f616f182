//! Paths of a source that is a folder: pnpm runs a package's script in `packages/core` and begins its lines so;
//! a path in them is relative to that folder, and two packages may have a file of one name.

use bv_schemas::{Failure, Place};

/// Lets the paths of a failure begin at the root, as `folder` does. A path that is absolute, that begins there
/// already or that is none (`node:internal/...`) stays as printed.
pub fn begin_there(failure: &mut Failure, folder: &str) {
    let places = failure.test.iter_mut().chain(&mut failure.fault).chain(&mut failure.frames);
    places.for_each(|place| of_place(place, folder));
}

fn of_place(place: &mut Place, folder: &str) {
    let Some(file) = &mut place.file else { return };
    let folder = folder.trim_end_matches('/');
    let bare = file.strip_prefix("./").unwrap_or(file);
    let there = bare.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    if folder != "." && !there && !bare.starts_with(['/', '\\', '.', '<']) && !bare.contains(':') {
        *file = format!("{folder}/{bare}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_at_the_root() {
        for (file, folder, want) in [
            ("src/a.test.ts", "packages/core", "packages/core/src/a.test.ts"),
            ("./src/a.ts", "packages/core", "packages/core/src/a.ts"),
            ("packages/core/src/a.ts", "packages/core", "packages/core/src/a.ts"),
            ("/home/me/a.ts", "packages/core", "/home/me/a.ts"),
            ("C:\\a.ts", "packages/core", "C:\\a.ts"),
            ("../a.ts", "packages/core", "../a.ts"),
            ("node:internal/x", "packages/core", "node:internal/x"),
            ("<anonymous>", "packages/core", "<anonymous>"),
            ("a.ts", ".", "a.ts"),
        ] {
            let place = |file: &str| Place { file: Some(file.into()), ..Place::default() };
            let mut failure =
                Failure { test: Some(place(file)), frames: vec![place(file)], ..Failure::default() };
            begin_there(&mut failure, folder);
            assert_eq!((failure.test, failure.frames), (Some(place(want)), vec![place(want)]), "{file}");
        }
    }
}
