//! Entries of several lines: a message, and labelled values below it (`got:` and `want:`, quicktest's
//! and Gomega's blocks).

use super::entry::Checked;

const SEEN: &[&str] = &["got", "actual", "have", "was", "received", "obtained"];
const WANTED: &[&str] = &["want", "wanted", "expected", "expect"];

/// The message and the labelled values.
pub fn checked(lines: &[&str]) -> Checked {
    let mut checked = Checked::default();
    if let Some((observed, expected)) = gomega(lines) {
        checked.observed = Some(observed);
        checked.expected = expected;
    } else {
        for (at, line) in lines.iter().enumerate() {
            let Some((seen, value)) = labelled(line) else { continue };
            let value = if value.is_empty() { below(line, &lines[at + 1..]) } else { value.to_owned() };
            let side = if seen { &mut checked.observed } else { &mut checked.expected };
            if !value.is_empty() && side.is_none() {
                *side = Some(value);
            }
        }
        // One label alone may be any word of a sentence.
        if checked.expected.is_none() || checked.observed.is_none() {
            (checked.expected, checked.observed) = (None, None);
        }
    }
    checked.message = message(lines);
    checked
}

/// `got: 33`, `  want:`, with nothing else before the label; true where it is what was seen.
fn labelled(line: &str) -> Option<(bool, &str)> {
    let text = line.trim();
    let (label, value) = text.split_once([':', '='])?;
    let label = label.trim_end().to_ascii_lowercase();
    let seen = SEEN.contains(&label.as_str());
    // Two labels in one line are `sides`' matter.
    let second = SEEN.iter().chain(WANTED).any(|word| {
        let lower = value.to_ascii_lowercase();
        [", ", "; ", " but "].iter().any(|by| lower.contains(&[*by, *word].concat()))
    });
    ((seen || WANTED.contains(&label.as_str())) && !second).then(|| (seen, value.trim()))
}

/// The lines that are indented deeper than their label, joined.
fn below(label: &str, lines: &[&str]) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let deeper = lines.iter().take_while(|line| !line.trim().is_empty() && indent(line) > indent(label));
    deeper.map(|line| line.trim()).collect::<Vec<_>>().join("\n")
}

/// Gomega: `Expected`, a typed value, `to equal`, a typed value. Matchers without a second value have one.
fn gomega(lines: &[&str]) -> Option<(String, Option<String>)> {
    let at = lines.iter().position(|line| line.trim() == "Expected")?;
    let rest = &lines[at + 1..];
    let typed = |line: &&&str| line.starts_with("    ");
    let observed: Vec<&str> = rest.iter().take_while(typed).map(|line| line.trim()).collect();
    let matcher = rest.get(observed.len())?;
    if observed.is_empty() || !(matcher.starts_with("to ") || matcher.starts_with("not to ")) {
        return None;
    }
    let expected: Vec<&str> =
        rest[observed.len() + 1..].iter().take_while(typed).map(|line| line.trim()).collect();
    Some((observed.join("\n"), (!expected.is_empty()).then(|| expected.join("\n"))))
}

/// The first line that says something; a line that ends in a colon goes on in the next.
fn message(lines: &[&str]) -> Option<String> {
    let mut said = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty() && *line != "error:");
    let first = said.next()?;
    let marked = first.contains("-want") || first.contains("+want") || first.contains("-got");
    match said.next() {
        Some(next) if first.ends_with(':') && !marked && labelled(next).is_none() => {
            Some([first, " ", next].concat())
        }
        _ => Some(first.to_owned()),
    }
}
