//! The lines of ShellCheck's outputs.

use crate::finding::position;

/// `a.sh:2:10: error: Iterating over ls output is fragile. [SC2045]`
pub struct Row<'a> {
    /// Its file.
    pub file: &'a str,
    /// Its line.
    pub line: u64,
    /// `SC2045`
    pub rule: &'a str,
    /// What is wrong.
    pub message: &'a str,
}

impl<'a> Row<'a> {
    /// A row of the output `gcc`.
    pub fn gcc(text: &'a str) -> Option<Row<'a>> {
        let (rest, rule) = text.strip_suffix(']')?.rsplit_once(" [")?;
        let (at, message) =
            [": error: ", ": warning: ", ": note: "].iter().find_map(|label| rest.split_once(label))?;
        let (file, line) = position(at)?;
        is_rule(rule).then_some(Row { file, line, rule, message })
    }
}

fn is_rule(text: &str) -> bool {
    text.strip_prefix("SC").is_some_and(|code| code.len() == 4 && code.bytes().all(|b| b.is_ascii_digit()))
}

/// Where the findings below stand: `In deploy.sh line 2:`, `<file name='deploy.sh' >`.
pub fn heading(text: &str) -> Option<(&str, Option<u64>)> {
    if let Some(rest) = text.strip_prefix("<file name='") {
        return Some((rest.rsplit_once('\'')?.0, None));
    }
    let (file, line) = text.strip_prefix("In ")?.trim_end().strip_suffix(':')?.rsplit_once(" line ")?;
    Some((file, Some(line.parse().ok()?)))
}

/// `   ^---------^ SC2045 (error): Iterating …`: the rule and the message. Versions below 0.7.1 name no level.
pub fn marked(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim_start_matches(' ').strip_prefix('^')?;
    let rest = rest.trim_start_matches('-');
    let rest = rest.strip_prefix('^').unwrap_or(rest).strip_prefix(' ')?;
    let (rule, message) = rest.split_once(": ")?;
    let rule = rule.split_once(" (").map_or(rule, |(rule, _)| rule);
    is_rule(rule).then_some((rule, message.trim_end()))
}

/// A finding of the output `checkstyle`: its line, rule and message.
pub fn element(text: &str) -> Option<(Option<u64>, String, String)> {
    let rest = text.trim_start().strip_prefix("<error line='")?;
    let (line, rest) = rest.split_once('\'')?;
    let (_, rest) = rest.split_once(" message='")?;
    let (message, rest) = rest.split_once('\'')?;
    let (_, rest) = rest.split_once(" source='ShellCheck.")?;
    let (rule, _) = rest.split_once('\'')?;
    // All but letters, digits, blanks and full stops is written as `&#39;`.
    let message = quick_xml::escape::unescape(message).ok()?;
    Some((line.parse().ok(), rule.to_owned(), message.into_owned()))
}

/// Whether the findings above were all.
pub fn ends(text: &str) -> bool {
    text == "For more information:" || text == "</checkstyle>"
}

/// `no.sh: no.sh: openBinaryFile: does not exist (No such file or directory)`
pub fn unread(text: &str) -> Option<&str> {
    let (files, reason) = text.split_once(": openBinaryFile: ")?;
    let (file, again) = files.split_once(": ")?;
    (file == again && reason.starts_with("does not exist")).then_some(file)
}

/// Whether a report begins: an array of findings, or one in an object.
pub fn is_json(text: &str) -> bool {
    let array = text.strip_prefix("{\"comments\":").unwrap_or(text);
    array.starts_with("[{\"file\":\"") && array.contains("\"level\":\"") && array.contains("\"fix\"")
}
