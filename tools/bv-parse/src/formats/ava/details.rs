//! What AVA prints of one error: the place and an excerpt, the message, labelled values, and the stack.
//!
//! Lines come in without AVA's own two blanks; a failure without a name goes out.

use crate::javascript::{
    Frame, Names, Naming, bare, error, frame, is_error_name, is_user_file, locate, name_and_message, place,
    repeated,
};
use crate::tap::Fields;
use bv_schemas::{Failure, Kind, Place};

/// A value with its label, `Difference (- actual, + expected):`.
#[derive(Debug)]
struct Labelled<'a> {
    label: &'a str,
    lines: Vec<&'a str>,
}

impl Labelled<'_> {
    /// Whether the value is what a test's own code threw, and no check.
    fn is_thrown(&self) -> bool {
        self.label.starts_with("Error thrown in ") || self.label.starts_with("Rejected promise returned by ")
    }

    fn is_difference(&self) -> bool {
        self.label.starts_with("Difference (")
    }

    fn is_expected(&self) -> bool {
        self.label.starts_with("Expected ") || self.label.starts_with("Regular expression")
    }

    fn value(&self) -> Option<String> {
        let text = self.lines.join("\n");
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// The lines with this sign, the sign off.
    fn side(&self, sign: char) -> Option<String> {
        let lines: Vec<&str> = self.lines.iter().filter_map(|line| line.strip_prefix(sign)).collect();
        let indent = |line: &&str| line.len() - line.trim_start().len();
        let common = lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min()?;
        let lines: Vec<&str> =
            lines.iter().map(|line| line.get(common..).unwrap_or_default().trim_end()).collect();
        Some(lines.join("\n"))
    }
}

/// Reads the lines below a failed test's title, or below `Uncaught exception in …`.
pub fn failure(lines: &[&str]) -> Failure {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let stack = lines.iter().position(|line| line.starts_with("› ")).unwrap_or(lines.len());
    let (told, pointed) = lines.split_at(stack);
    let (source, told) = sourced(told);
    let parts = parts(&told);
    let thrown = parts.iter().find(|part| part.is_thrown());
    let raw = told.iter().any(|line| is_call(line));
    let mut failure = if raw || parts.is_empty() && named(&told).is_some() {
        raised(&told)
    } else if let Some(thrown) = thrown {
        Failure { kind: Kind::Exception, message: thrown.value().map(unquoted), ..Failure::default() }
    } else {
        checked(&told, &parts)
    };
    let frames: Vec<Frame> = pointed
        .iter()
        .filter_map(|line| bare(line.strip_prefix("› ")?))
        // AVA names options of its assertions so.
        .filter(|frame| frame.function.as_deref().is_none_or(|name| !name.starts_with("t.")))
        .collect();
    if failure.test.is_none() {
        locate(&frames, Names::Own, None, &mut failure);
    }
    failure.test = failure.test.or(source);
    finished(failure)
}

/// Reads the fields of AVA's TAP.
pub fn tap(fields: &Fields) -> Failure {
    let details = fields.get("details").unwrap_or_default();
    let message = fields.get("message").unwrap_or_default();
    let mut parts: Vec<Labelled<'_>> = Vec::new();
    for line in details.lines() {
        match line.strip_prefix('\'').and_then(|line| line.split_once("': ")) {
            Some((label, value)) => {
                let lines = if value.starts_with(['|', '>']) { Vec::new() } else { vec![value] };
                parts.push(Labelled { label, lines });
            }
            None => {
                if let Some(last) = parts.last_mut() {
                    last.lines.push(line.get(2..).unwrap_or_default());
                }
            }
        }
    }
    for part in &mut parts {
        if let [one] = part.lines[..] {
            part.lines = vec![one.strip_prefix('\'').and_then(|one| one.strip_suffix('\'')).unwrap_or(one)];
        }
    }
    let own = |label: &str| parts.first().is_some_and(|part| part.label.starts_with(label));
    let name = fields.get("name");
    let mut failure = match parts.iter().find(|part| part.is_thrown()) {
        Some(thrown) => printed(thrown),
        None if parts.is_empty() => {
            let text = format!("{}: {message}", name.unwrap_or("Error"));
            finished(error(&[text.as_str()], Naming::Always, Names::Own))
        }
        None => {
            let message = if message.is_empty() || own(message) { Vec::new() } else { vec![message] };
            Failure { exception_type: name.map(str::to_owned), ..checked(&message, &parts) }
        }
    };
    let at = fields.get("at").map(|at| at.split_whitespace().collect::<Vec<_>>().join(" "));
    locate(&at.and_then(|at| bare(&at)).into_iter().collect::<Vec<_>>(), Names::Own, None, &mut failure);
    // The one frame is where the error was raised, which may be far from the test.
    if failure.kind == Kind::Exception {
        failure.fault = failure.test.take();
    }
    failure
}

/// An error in braces, as a value: `RangeError {`, `  message: 'no tax rate for ZZ',`, `}`.
fn printed(thrown: &Labelled<'_>) -> Failure {
    let value = thrown.value();
    let name = thrown.lines.iter().find_map(|line| line.trim().strip_suffix(" {")).map(str::to_owned);
    let message = thrown.lines.iter().find_map(|line| line.trim().strip_prefix("message: "));
    let message = message.map(|text| unquoted(text.trim_end_matches(',').to_owned()));
    Failure { kind: Kind::Exception, exception_type: name, message: message.or(value), ..Failure::default() }
}

/// The place and the excerpt at the beginning, and the other lines.
fn sourced<'a>(lines: &[&'a str]) -> (Option<Place>, Vec<&'a str>) {
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
    let at = lines.get(first).filter(|line| !line.contains(' ')).and_then(|line| place(line));
    let Some((file, line, _)) = at.filter(|(file, ..)| is_user_file(file)) else {
        return (None, lines[first..].to_vec());
    };
    let is_source = |line: &str| {
        let digits = line.trim_start().bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && line.trim_start()[digits..].starts_with(':')
    };
    let rest = lines[first + 1..].iter().skip_while(|line| line.is_empty() || is_source(line));
    (Some(Place { file: Some(file), line: Some(line), function: None }), rest.copied().collect())
}

/// Labels stand alone between blank lines, their values below.
fn parts<'a>(lines: &[&'a str]) -> Vec<Labelled<'a>> {
    let mut parts: Vec<Labelled<'a>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let alone =
            lines.get(at + 1).is_some_and(|next| next.is_empty()) && (at == 0 || lines[at - 1].is_empty());
        if alone && line.ends_with(':') && line.starts_with(|c: char| c.is_ascii_uppercase()) {
            parts.push(Labelled { label: line, lines: Vec::new() });
        } else if let Some(last) = parts.last_mut() {
            last.lines.push(line);
        }
    }
    parts
}

/// A failed check of AVA's own.
fn checked(told: &[&str], parts: &[Labelled<'_>]) -> Failure {
    let first = told.iter().find(|line| !line.is_empty()).copied().unwrap_or_default();
    let first = if parts.first().is_some_and(|part| part.label == first) { "" } else { first };
    // The label of a comparison says nothing.
    let label = parts.first().filter(|part| !part.is_difference()).map(|part| part.label);
    let message = Some(first).filter(|text| !text.is_empty()).or(label).map(str::to_owned);
    let snapshot = parts.iter().any(|part| part.label.starts_with("Did not match snapshot"))
        || message.as_deref().is_some_and(|message| message.starts_with("Did not match snapshot"));
    let mut failure = Failure {
        kind: if snapshot { Kind::Snapshot } else { Kind::Assertion },
        message,
        ..Failure::default()
    };
    if let Some(difference) = parts.iter().find(|part| part.is_difference()) {
        failure.observed = difference.side('-');
        failure.expected = difference.side('+');
        return failure;
    }
    failure.expected = parts.iter().find(|part| part.is_expected()).and_then(Labelled::value);
    failure.observed = parts.iter().find(|part| !part.is_expected()).and_then(Labelled::value);
    failure
}

/// An error of the test's code, whose print with the stack stands last.
fn raised(told: &[&str]) -> Failure {
    if named(told).is_some() {
        return repeated(told);
    }
    // A class of the user's own.
    let end = told.iter().position(|line| is_call(line)).unwrap_or(told.len());
    let start = told[..end].iter().rposition(|line| line.is_empty()).map_or(0, |at| at + 1);
    error(&told[start..], Naming::Always, Names::Own)
}

fn named<'a>(lines: &[&'a str]) -> Option<&'a str> {
    lines.iter().copied().find(|line| name_and_message(line).is_some_and(|(name, _)| is_error_name(name)))
}

fn is_call(line: &str) -> bool {
    line.starts_with(' ') && frame(line).is_some()
}

fn unquoted(text: String) -> String {
    match text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        Some(inside) => inside.to_owned(),
        None => text,
    }
}

/// AVA's own words.
fn finished(mut failure: Failure) -> Failure {
    let message = failure.message.as_deref().unwrap_or_default();
    if message == "Test timeout exceeded" {
        failure.kind = Kind::Timeout;
    } else if message.starts_with("Test finished ") || message.starts_with("Test was expected to fail") {
        failure.kind = Kind::Assertion;
    }
    failure
}
