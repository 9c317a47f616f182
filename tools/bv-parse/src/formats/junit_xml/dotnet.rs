//! JUnit XML of what runs on .NET (JunitXml.TestLogger, Microsoft.Testing.Platform's), where the text holds its
//! stacks.

use super::{Case, Fault, Tag};
use crate::dotnet::{self, frame};
use bv_schemas::{Failure, Kind};

/// A report of another runner, where the text shows .NET.
pub fn other(case: &Case, fault: &Fault) -> Option<Failure> {
    let is_frame = |line: &str| {
        line.trim_start().starts_with("at ") && frame(line).is_some_and(|frame| frame.is_dotnet())
    };
    if !fault.text.lines().any(is_frame) {
        return None;
    }
    let lines =
        |text: &str| -> Vec<String> { text.lines().take(dotnet::LINES_MAX).map(str::to_owned).collect() };
    let text = lines(&fault.text);
    let stack = text.iter().position(|line| frame(line).is_some()).unwrap_or(text.len());
    // The message stands in the attribute, and above the stack where there is none.
    let message =
        if fault.message.trim().is_empty() { text[..stack].to_vec() } else { lines(&fault.message) };
    let read = dotnet::Fault { name: case.dotted(), message, stack: text[stack..].to_vec() };
    let mut failure = read.failure();
    if fault.tag == Tag::Error && failure.kind == Kind::Assertion {
        failure.kind = Kind::Exception;
    }
    Some(failure)
}
