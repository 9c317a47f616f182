//! GoogleMock's reports (`gmock-spec-builders.h`, `gmock-spec-builders.cc`).

use super::Said;

/// What the lines say, when they are such a report.
pub fn read(lines: &[&str]) -> Option<Said> {
    const HEADS: &[&str] = &[
        "Unexpected mock function call",
        "Mock function call",
        "Mock function called more times than expected",
        "Actual function call count doesn't match ",
        "Uninteresting mock function call",
    ];
    let first = lines.first()?.trim();
    if !HEADS.iter().any(|head| first.starts_with(head)) {
        return None;
    }
    let call = lines.iter().find_map(|line| line.trim().strip_prefix("Function call: "));
    let message = match call {
        Some(call) => [first, " Function call: ", call.trim()].concat(),
        None => first.to_owned(),
    };
    // The argument that does not match tells more than how often the call was made.
    let argument = lines.iter().position(|line| line.trim().starts_with("Expected arg #"));
    let from = argument.or_else(|| lines.iter().position(|line| line.trim().starts_with("Expected: ")));
    let side = |label: &str| {
        let rest = &lines[from?..];
        let line = rest.iter().map(|line| line.trim()).find(|line| line.starts_with(label))?;
        let (_, value) = line.split_once(": ")?;
        Some(value.trim().to_owned())
    };
    Some(Said {
        message: Some(message),
        expected: side("Expected"),
        observed: side("Actual"),
        ..Said::default()
    })
}
