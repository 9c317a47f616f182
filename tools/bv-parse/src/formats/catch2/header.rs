//! The head above a test's failed checks: its name and its sections between two lines of `-`, its place,
//! a line of `.`.

/// Columns of the reporter's rules (`CATCH_CONFIG_CONSOLE_WIDTH` less one).
const COLUMNS: usize = 79;
/// Lines of one head.
const LINES_MAX: usize = 100;

/// Where in a head the lines are, and the last one that was whole.
#[derive(Debug, Default)]
pub struct Header {
    part: Part,
    lines: Vec<String>,
    id: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Outside,
    Names,
    Place,
}

impl Header {
    /// Whether the line is part of a head.
    pub fn line(&mut self, text: &str) -> bool {
        match self.part {
            Part::Outside if is_rule(text, b'-') => {
                self.part = Part::Names;
                self.lines = Vec::new();
            }
            Part::Outside => return false,
            Part::Names if is_rule(text, b'-') => {
                self.part = Part::Place;
                self.id = joined(&self.lines);
            }
            Part::Names if self.lines.len() < LINES_MAX => self.lines.push(text.to_owned()),
            Part::Names => self.part = Part::Outside,
            Part::Place => {
                if is_rule(text, b'.') || text.is_empty() {
                    self.part = Part::Outside;
                }
            }
        }
        true
    }

    /// The test that the checks below it belong to.
    pub fn id(&self) -> Option<String> {
        self.id.clone()
    }
}

/// A line of one sign over the whole width.
pub fn is_rule(text: &str, sign: u8) -> bool {
    text.len() >= COLUMNS - 1 && text.bytes().all(|byte| byte == sign)
}

/// The names, joined. A name too long for the width goes on in the next line: there, the first word would
/// not have fitted into the line before.
fn joined(lines: &[String]) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    let mut before = 0;
    for line in lines {
        let name = line.trim();
        let word = name.split(' ').next().unwrap_or_default().chars().count();
        match names.last_mut() {
            Some(last) if before + 1 + word > COLUMNS => {
                last.push(' ');
                last.push_str(name);
            }
            _ => names.push(name.to_owned()),
        }
        before = line.chars().count();
    }
    (!names.is_empty()).then(|| names.join(" > "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined() {
        let long = "a test case with a name that is so long that the reporter puts it on two or";
        for (lines, want) in [
            (&["energy", "  stretched"][..], "energy > stretched"),
            (&["Scenario: period", "      Given: a spring"], "Scenario: period > Given: a spring"),
            (
                &[long, "even more lines of the text", "  section"],
                &format!("{long} even more lines of the text > section"),
            ),
        ] {
            let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            assert_eq!(joined(&lines).as_deref(), Some(want));
        }
    }
}
