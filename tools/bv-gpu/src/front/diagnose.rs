//! From glslang's logs to errors at places in the user's own files.
//!
//! A compile error is `ERROR: 0:LINE: 'token' : message`. A link error names no line, or not the user's; the words
//! behind it tell the variable, and its declaration is the place.

use super::places::Places;
use super::source::{Fault, shown};
use super::{Diagnostic, Rule, Source, Stage};

/// Most errors that are told of one program.
pub const DIAGNOSTICS_MAX: usize = 64;

/// Longest message, in bytes.
const MESSAGE_BYTES_MAX: usize = 1024;

/// An error line of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Source string and line, as the log has them.
    pub at: Option<(u32, u32)>,
    pub token: Option<String>,
    pub message: String,
}

impl Entry {
    /// An error that no log holds.
    pub fn new(token: &str, message: String) -> Self {
        Self { at: None, token: Some(token.to_owned()), message }
    }
}

/// The errors of a log, without warnings, repetitions and the closing count.
pub fn errors(log: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in log.lines() {
        let Some(body) = line.strip_prefix("ERROR: ").or_else(|| line.strip_prefix("INTERNAL ERROR: "))
        else {
            continue;
        };
        let entry = entry(body);
        let closing = entry.message.contains("compilation errors. No code generated")
            || (entry.message.starts_with("compilation terminated") && !entries.is_empty());
        if !closing && !entries.contains(&entry) && entries.len() < DIAGNOSTICS_MAX {
            entries.push(entry);
        }
    }
    entries
}

fn entry(body: &str) -> Entry {
    let (at, rest) = match position(body) {
        Some((at, rest)) => (Some(at), rest),
        None => (None, body),
    };
    let quoted = rest.strip_prefix('\'').and_then(|rest| rest.split_once("' : "));
    let (token, message) = match quoted {
        Some((token, message)) => (Some(token), message),
        None => (None, rest),
    };
    let token = token.filter(|token| !token.is_empty()).map(shown);
    Entry { at, token, message: tidy(message) }
}

/// `0:6: rest` as string, line and rest.
fn position(body: &str) -> Option<((u32, u32), &str)> {
    let (string, rest) = body.split_once(':')?;
    let (line, rest) = rest.split_once(':')?;
    Some(((string.parse().ok()?, line.parse().ok()?), rest.trim_start()))
}

fn tidy(message: &str) -> String {
    let mut message = shown(&message.split_whitespace().collect::<Vec<_>>().join(" "));
    // A type is written with a blank in front of it, and every value that is no variable is `temp`.
    message = message.replace("from ' ", "from '").replace("to ' ", "to '").replace("'temp ", "'");
    if message.len() > MESSAGE_BYTES_MAX {
        let end = (0..=MESSAGE_BYTES_MAX).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0);
        message.truncate(end);
    }
    message
}

/// One stage as errors need it.
pub struct Place<'s> {
    pub stage: Stage,
    pub source: &'s Source,
    /// By physical lines.
    pub places: Places,
}

impl Place<'_> {
    /// An error on a physical line. `reported` is the line by the user's own `#line`, where one holds there.
    pub fn error(
        &self,
        rule: Rule,
        physical: Option<u32>,
        reported: Option<u32>,
        entry: Entry,
    ) -> Diagnostic {
        let own =
            physical.and_then(|line| line.checked_sub(self.source.line_offset)).filter(|line| *line > 0);
        let line = match (physical, reported) {
            (Some(physical), Some(reported)) if physical != reported => Some(reported),
            (None, reported) => reported,
            _ => own,
        };
        let mut message = entry.message;
        if let (Some(physical), None) = (physical, line) {
            message += &format!(" (line {physical} of what stands before the file)");
        }
        Diagnostic {
            rule,
            stage: Some(self.stage),
            file: self.source.file.clone(),
            line,
            token: entry.token,
            message,
            function: physical.and_then(|line| self.places.function(line)).map(str::to_owned),
        }
    }

    /// The errors of this stage's own log. `physical` has the same errors by physical lines.
    pub fn compile_errors(&self, entries: Vec<Entry>, physical: &[Entry]) -> Vec<Diagnostic> {
        let paired = entries.len() == physical.len();
        entries
            .into_iter()
            .enumerate()
            .map(|(at, entry)| {
                let line = |entry: &Entry| entry.at.map(|(_, line)| line).filter(|line| *line > 0);
                let known = if paired { line(&physical[at]) } else { None };
                self.error(Rule::Compile, known, line(&entry), entry)
            })
            .collect()
    }

    /// What was found before any compiler ran.
    pub fn fault(&self, fault: &Fault) -> Diagnostic {
        let entry = Entry::new(&fault.token, fault.message.to_owned());
        self.error(Rule::Compile, Some(fault.line), None, entry)
    }

    /// An error about a global name, at its declaration.
    pub fn about(&self, rule: Rule, name: &str, message: String) -> Diagnostic {
        let entry = Entry::new(name, message);
        self.error(rule, self.places.declared(name), None, entry)
    }
}

/// The linker's errors, each with the lines behind it that say more.
pub fn link_errors(log: &str, vertex: &Place<'_>, fragment: &Place<'_>) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = Vec::new();
    for (head, details) in groups(log) {
        let error = link_error(head, &details, vertex, fragment);
        if !out.contains(&error) && out.len() < DIAGNOSTICS_MAX {
            out.push(error);
        }
    }
    out
}

/// Whether a link log holds nothing that is an error to WebGL2.
pub fn is_no_link_error(log: &str) -> bool {
    groups(log).is_empty()
}

/// The errors of a link log, each with the lines behind it.
fn groups(log: &str) -> Vec<(&str, Vec<&str>)> {
    let mut groups: Vec<(Option<&str>, Vec<&str>)> = Vec::new();
    for line in log.lines() {
        if line.starts_with("ERROR: ") || line.starts_with("WARNING: ") {
            groups.push((line.strip_prefix("ERROR: "), Vec::new()));
        } else if let Some((_, details)) = groups.last_mut()
            && !line.trim().is_empty()
        {
            details.push(line.trim());
        }
    }
    // Several errors of one variable share the lines behind the last of them.
    for at in (1..groups.len()).rev() {
        if groups[at - 1].1.is_empty() && groups[at - 1].0.is_some() {
            groups[at - 1].1 = groups[at].1.clone();
        }
    }
    let errors = groups.into_iter().filter_map(|(head, details)| Some((head?, details)));
    errors.filter(|(head, details)| !is_no_error(head, details)).collect()
}

/// What glslang's linker objects to though WebGL2 does not.
fn is_no_error(head: &str, details: &[&str]) -> bool {
    // Offsets cannot be written in GLSL ES 3.00: glslang compares one that it has computed with one that it has not.
    let offset = head.contains("offset qualifier must match");
    // WebGL2 leaves the precision of a block's members out of the comparison.
    let member = head.contains("Precision qualifiers must match")
        && details.iter().any(|detail| detail.contains("Block:"));
    offset || member
}

fn link_error(head: &str, details: &[&str], vertex: &Place<'_>, fragment: &Place<'_>) -> Diagnostic {
    let head = position(head).map_or(head, |(_, rest)| rest);
    let (where_, what) = match head.strip_prefix("Linking ").and_then(|head| head.split_once(": ")) {
        Some((where_, what)) => (where_, what.trim_end_matches(':').trim_end()),
        None => ("", head),
    };
    let mut message = what.to_owned();
    for detail in details {
        message += if message.ends_with("stage:") { " " } else { "; " };
        message += &detail.replace('"', "");
    }
    let message = tidy(&message);
    let names = details.iter().rev().flat_map(|detail| {
        detail.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').rev().filter(|word| !word.is_empty())
    });
    let only_vertex = where_.starts_with("vertex stage");
    let order = if only_vertex { [vertex, fragment] } else { [fragment, vertex] };
    for name in names {
        for place in order {
            let shown = shown(name);
            if place.places.declared(name).is_some() {
                let mut error = place.about(Rule::Link, name, message);
                error.token = Some(shown);
                return error;
            }
        }
    }
    let place = order[0];
    if what.contains("all must have location qualifiers")
        && let Some(name) = place.places.output_without_location()
    {
        return place.about(Rule::Compile, name, message);
    }
    place.error(Rule::Link, None, None, Entry { at: None, token: None, message })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_log() {
        let check = |line: &str, at, token: Option<&str>, message: &str| {
            let expected = Entry { at, token: token.map(str::to_owned), message: message.to_owned() };
            assert_eq!(errors(line), [expected], "{line}");
        };
        check("ERROR: 0:6: 'y' : undeclared identifier ", Some((0, 6)), Some("y"), "undeclared identifier");
        check(
            "ERROR: 2:6: '' :  syntax error, unexpected X",
            Some((2, 6)),
            None,
            "syntax error, unexpected X",
        );
        check("ERROR: 0:1: ':' : a ' : b", Some((0, 1)), Some(":"), "a ' : b");
        check("ERROR: Linking: x", None, None, "Linking: x");
        check("INTERNAL ERROR: x", None, None, "x");
        assert_eq!(errors("WARNING: 0:1: 'a' : b\nERROR: 2 compilation errors.  No code generated.\n"), []);
    }
}
