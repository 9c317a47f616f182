//! PHPUnit's `--testdox` mode:
//!
//! ```text
//! Invoice
//!  ✘ Average of nothing
//!    │
//!    │ DivisionByZeroError: Division by zero
//!    │
//!    │ /tmp/ws/proj/src/Invoice.php:29
//! ```

use crate::machine::Line;
use crate::php;
use bv_schemas::{Failure, Kind};

/// Lines kept of one test.
const LINES_MAX: usize = 2000;

/// Which class the tests belong to, and the test that is being read.
#[derive(Debug, Default)]
pub struct Testdox {
    class: String,
    /// The last line, where it may name a class: one below a blank line, and a test must follow it.
    heading: Option<String>,
    blank: bool,
    test: Option<Test>,
}

#[derive(Debug)]
struct Test {
    title: String,
    lines: Vec<String>,
    span: [u64; 2],
}

impl Testdox {
    /// Takes a line; gives the failure that ended before it.
    pub fn line(&mut self, line: &Line<'_>) -> Option<Failure> {
        let text = line.text.trim_end();
        let heading = self.heading.take();
        let below_blank = std::mem::replace(&mut self.blank, text.is_empty());
        if let Some(said) = detail_line(text) {
            if let Some(test) = self.test.as_mut().filter(|test| test.lines.len() < LINES_MAX) {
                test.lines.push(said.to_owned());
                test.span[1] = line.span[1];
            }
            return None;
        }
        let mut marks = text.strip_prefix(' ').unwrap_or("").chars();
        let mark = marks.next();
        if matches!(mark, Some('✘' | '✔' | '↩' | '∅' | '☢' | '⚠'))
            && let Some(heading) = heading
        {
            self.class = heading;
        }
        match mark {
            Some('✘') => {
                let done = self.finish();
                let title = without_time(marks.as_str().trim_start()).to_owned();
                self.test = Some(Test { title, lines: Vec::new(), span: line.span });
                done
            }
            Some('✔' | '↩' | '∅' | '☢' | '⚠') => self.finish(),
            _ if text.starts_with(' ') => None,
            _ => {
                self.heading = (below_blank && !text.is_empty()).then(|| text.to_owned());
                self.finish()
            }
        }
    }

    /// Gives the failure that is being read.
    pub fn finish(&mut self) -> Option<Failure> {
        let test = self.test.take()?;
        let lines: Vec<&str> = test.lines.iter().map(String::as_str).collect();
        let detail = php::detail(&lines);
        let kind = if detail.asserts { Kind::Assertion } else { detail.kind() };
        let mut failure = Failure { kind, span: Some(test.span), ..Failure::default() };
        php::place(&mut failure, &detail.frames, None);
        failure.id = Some(format!("{} > {}", self.class, test.title));
        detail.fill(&mut failure);
        Some(failure)
    }
}

/// What stands behind the line that is drawn beside a failure.
fn detail_line(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("   ")?;
    let mut chars = rest.chars();
    matches!(chars.next()?, '│' | '┐' | '├' | '┊' | '╵' | '┴').then_some(())?;
    let rest = chars.as_str();
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

/// `Total [1.24 ms]`, with colours.
fn without_time(title: &str) -> &str {
    let Some((name, time)) = title.rsplit_once(" [") else { return title };
    let time = time.strip_suffix(" ms]").or_else(|| time.strip_suffix(" s]"));
    if time.is_some_and(|time| time.parse::<f64>().is_ok()) { name.trim_end() } else { title }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_read_to_its_end() {
        let mut testdox = Testdox::default();
        let lines = [
            "",
            "Invoice (App\\Invoice)",
            " ✔ Empty [0.10 ms]",
            " ✘ Total [1.24 ms]",
            "   ┐",
            "   ├ E: no",
            "   │",
            "   ╵ /p/a.php:3",
            "",
            " ✘ Next",
        ];
        let got: Vec<_> = lines
            .iter()
            .filter_map(|text| testdox.line(&Line { text, span: [0, 1], overwritten: false }))
            .collect();
        assert_eq!(got.len(), 1);
        assert_eq!(got[0].id.as_deref(), Some("Invoice (App\\Invoice) > Total"));
        assert_eq!(got[0].test.as_ref().and_then(|at| at.line), Some(3));
        assert_eq!(
            testdox.finish().and_then(|failure| failure.id).as_deref(),
            Some("Invoice (App\\Invoice) > Next")
        );
    }
}
