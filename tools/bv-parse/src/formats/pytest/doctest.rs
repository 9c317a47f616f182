//! A doctest that failed under pytest: the numbered example, what was expected, what came.

use bv_schemas::{Failure, Kind, Place};

/// Lines of one side that are kept.
const SIDE_LINES_MAX: usize = 50;

/// Reads `Expected:` and `Got:`, and the place in the last line.
#[derive(Debug, Default)]
pub struct Doctest {
    expected: Option<Vec<String>>,
    observed: Option<Vec<String>>,
    side: Side,
    place: Option<Place>,
    unexpected: bool,
}

#[derive(Debug, Default)]
enum Side {
    #[default]
    None,
    Expected,
    Observed,
}

impl Doctest {
    /// Takes a line; whether it belongs to the doctest's own text.
    pub fn line(&mut self, text: &str) -> bool {
        for (end, unexpected) in [(": DocTestFailure", false), (": UnexpectedException", true)] {
            if let Some(place) = text.strip_suffix(end).and_then(place) {
                self.place = Some(place);
                self.unexpected = unexpected;
                return true;
            }
        }
        match text {
            "Expected:" => (self.expected, self.side) = (Some(Vec::new()), Side::Expected),
            "Got:" => (self.observed, self.side) = (Some(Vec::new()), Side::Observed),
            "Expected nothing" => self.expected = Some(vec!["nothing".to_owned()]),
            "Got nothing" => self.observed = Some(vec!["nothing".to_owned()]),
            _ => return self.side_line(text),
        }
        true
    }

    fn side_line(&mut self, text: &str) -> bool {
        let side = match self.side {
            Side::None => return false,
            Side::Expected => &mut self.expected,
            Side::Observed => &mut self.observed,
        };
        let Some(line) = text.strip_prefix("    ") else {
            self.side = Side::None;
            return false;
        };
        if let Some(side) = side.as_mut().filter(|side| side.len() < SIDE_LINES_MAX) {
            side.push(line.to_owned());
        }
        true
    }

    /// Puts what was read into the failure; a block that is no doctest's is left as it is. The
    /// doctest bears the name of the object in whose docstring it stands.
    pub fn fill(self, failure: &mut Failure, function: Option<&str>) {
        let Some(mut place) = self.place else { return };
        place.function = function.map(str::to_owned);
        if !self.unexpected {
            failure.kind = Kind::Assertion;
            failure.message = None;
            failure.expected = self.expected.map(|lines| lines.join("\n"));
            failure.observed = self.observed.map(|lines| lines.join("\n"));
        }
        if failure.test.as_ref() != Some(&place) {
            failure.fault = failure.fault.take().or(failure.test.take());
            failure.test = Some(place);
        }
    }
}

fn place(text: &str) -> Option<Place> {
    let (file, line) = text.rsplit_once(':')?;
    Some(Place { file: Some(file.to_owned()), line: Some(line.parse().ok()?), function: None })
}
