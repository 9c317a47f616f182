//! The head above a test case's failed checks: a rule, its place, its suite, its name, its subcases, a blank
//! line. It is printed again for each path through the subcases.

use crate::cpp;

/// The rule above a head, and above the totals.
pub const RULE: &str = "===============================================================================";

/// Lines of one head.
const LINES_MAX: usize = 100;

/// The head that is being read, or that was read last.
#[derive(Debug, Default)]
pub struct Head {
    part: Part,
    lines: usize,
    place: Option<(String, u64)>,
    names: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Outside,
    Place,
    Names,
}

/// Whether it is a rule.
pub fn is_rule(text: &str) -> bool {
    text == RULE
}

impl Head {
    /// A rule was printed.
    pub fn begins(&mut self) {
        (self.part, self.lines) = (Part::Place, 0);
    }

    /// Whether the line is part of a head.
    pub fn line(&mut self, text: &str) -> bool {
        self.lines += 1;
        match self.part {
            Part::Outside => return false,
            Part::Place => {
                self.part = Part::Outside;
                let Some((file, line)) = text.strip_suffix(':').and_then(cpp::place) else { return false };
                self.place = Some((file.to_owned(), line));
                self.names.clear();
                self.part = Part::Names;
            }
            Part::Names if text.is_empty() || self.lines > LINES_MAX => self.part = Part::Outside,
            Part::Names => self.name(text),
        }
        true
    }

    fn name(&mut self, text: &str) {
        if let Some(name) = text.strip_prefix("TEST CASE:") {
            self.names = vec![name.trim().to_owned()];
        } else if text.starts_with("  Scenario:") || text.starts_with("  ") && !self.names.is_empty() {
            self.names.push(text.trim().to_owned());
        }
    }

    /// The test case and its subcases, joined by ` > `.
    pub fn id(&self) -> Option<String> {
        (!self.names.is_empty()).then(|| self.names.join(" > "))
    }

    /// The test case alone.
    pub fn case(&self) -> Option<&str> {
        self.names.first().map(String::as_str)
    }

    /// Where the test case begins.
    pub fn place(&self) -> Option<(&str, u64)> {
        self.place.as_ref().map(|(file, line)| (file.as_str(), *line))
    }
}
