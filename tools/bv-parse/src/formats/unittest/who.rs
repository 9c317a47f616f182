//! Which runner speaks, of those that print as unittest does: Django, nose and nose2 use its blocks and its
//! closing statement, and tell themselves by little things around them.

use super::{DJANGO, NOSE, NOSE2};

/// The runner whose own line this is: Django's database and its system check, which `manage.py test`
/// prints before the tests, or after them where standard output comes late.
pub fn of_line(text: &str) -> Option<&'static str> {
    let alias = |words: &str| text.starts_with(words) && text.contains(" test database for alias '");
    let django = match text.as_bytes().first()? {
        b'F' => text.strip_prefix("Found ").and_then(|rest| rest.strip_suffix(" test(s).")).is_some(),
        b'S' => {
            text.starts_with("System check identified ")
                || text.starts_with("SystemCheckError: ")
                || text.starts_with("Skipping setup of unused database(s): ")
        }
        b'C' => alias("Creating ") || alias("Cloning "),
        b'D' => alias("Destroying "),
        b'P' => alias("Preserving "),
        b'U' => alias("Using existing "),
        b'G' => {
            text.starts_with("Got an error creating the test database: ")
                || text.starts_with("Got an error recreating the test database: ")
        }
        _ => false,
    };
    django.then_some(DJANGO.name)
}

/// The runner whose own frames stand in a traceback.
pub fn of_frame(text: &str) -> Option<&'static str> {
    let file = text.strip_prefix("  File \"")?;
    let package = file.split_once("-packages/")?.1;
    [("nose2/", NOSE2.name), ("nose/", NOSE.name)]
        .iter()
        .find_map(|(folder, name)| package.starts_with(folder).then_some(*name))
}

/// The runner that writes a skip so in the lines of `-v`: `skipped 'why'` is unittest's.
pub fn of_skip(text: &str) -> Option<&'static str> {
    if text == "SKIP" || text.starts_with("SKIP: ") {
        return Some(NOSE.name);
    }
    let reason = text.strip_prefix("skipped ")?;
    (!reason.starts_with(['\'', '"'])).then_some(NOSE2.name)
}
