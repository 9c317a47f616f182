//! What the stream says of the failing tests: where each lies, where it failed, what passed beside it.
//!
//! In come failures, out go those that tell where a test is, by paths under the root.

use crate::locate::Sources;
use crate::read::Stream;
use bv_schemas::{Failure, Kind, Place};

/// Failing tests that are looked at for one receipt.
pub const TESTS_MAX: usize = 60;

/// Errors that say that the code in which they are raised is wrong itself: a name that nothing has.
const OF_THE_TEST: &[&str] = &[
    "NameError",
    "UnboundLocalError",
    "ImportError",
    "ModuleNotFoundError",
    "SyntaxError",
    "IndentationError",
    "ReferenceError",
];

/// A failing test.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// Its failure, by its index in the stream.
    pub failure: usize,
    /// The test's file, relative to the root.
    pub file: String,
    /// The test's name behind its file.
    pub name: String,
    /// Files and lines, innermost first.
    pub frames: Vec<(String, u32)>,
    /// Whether a value was missing where there should be one: `None`, `null`, `nil`.
    pub saw_nothing: bool,
}

/// The failing tests among `chosen` failures, in that order.
pub fn gather(stream: &Stream, sources: &Sources, chosen: impl Iterator<Item = usize>) -> Vec<Evidence> {
    let known = chosen.filter_map(|index| Some((index, stream.failures.get(index)?)));
    known.filter_map(|(index, failure)| of(index, failure, sources)).take(TESTS_MAX).collect()
}

fn of(index: usize, failure: &Failure, sources: &Sources) -> Option<Evidence> {
    let is_of_code =
        matches!(failure.kind, Kind::Assertion | Kind::Exception | Kind::Snapshot | Kind::Property);
    let exception = failure.exception_type.as_deref().unwrap_or("");
    if !is_of_code || failure.vector_index.is_some() || OF_THE_TEST.contains(&exception) {
        return None;
    }
    let mut places: Vec<&Place> = failure.frames.iter().collect();
    for place in [&failure.test, &failure.fault].into_iter().flatten() {
        if !places.contains(&place) {
            if failure.test.as_ref() == Some(place) { places.push(place) } else { places.insert(0, place) }
        }
    }
    let frames: Vec<(String, u32)> = places
        .iter()
        .filter_map(|place| Some((sources.file(place)?, u32::try_from(place.line?).ok()?)))
        .collect();
    // A name alone implicates too little.
    if frames.is_empty() {
        return None;
    }
    let id = failure.id.as_deref().unwrap_or("");
    let (named_file, name) = split(id);
    let named_file = named_file
        .and_then(|file| sources.file(&Place { file: Some(file.to_owned()), line: None, function: None }));
    let test_file = failure.test.as_ref().and_then(|place| sources.file(place));
    let outermost = frames.last().map(|(file, _)| file.clone());
    let file = named_file.or(test_file).or(outermost)?;
    Some(Evidence { failure: index, file, name: name.to_owned(), frames, saw_nothing: saw_nothing(failure) })
}

fn saw_nothing(failure: &Failure) -> bool {
    const NOTHING: &[&str] = &["None", "null", "nil", "undefined", "<nil>"];
    const SAID: &[&str] = &[
        "'NoneType'",
        "None is not an instance",
        "unexpectedly None",
        "None != ",
        "assert None",
        "of undefined",
        "of null",
        "is undefined",
        "is null",
        "is not iterable",
        "undefined method",
        "for nil",
        "nil pointer",
        "on null",
        "on a `None` value",
    ];
    let observed = failure.observed.as_deref().is_some_and(|observed| NOTHING.contains(&observed));
    observed
        || failure.message.as_deref().is_some_and(|message| SAID.iter().any(|said| message.contains(said)))
}

/// A test's id as its file, where it begins with one, and its name behind that.
pub fn split(id: &str) -> (Option<&str>, &str) {
    match id.split_once("::") {
        Some((file, name)) if file.rsplit('/').next().is_some_and(|name| name.contains('.')) => {
            (Some(file), name)
        }
        _ => (None, id),
    }
}
