//! Exceptions as Ruby's and the JVM's Cucumber print them: below the step, or in a list of their own.
//!
//! ```text
//!       expected 3, got 2 (RuntimeError)
//!       ./features/step_definitions/s.rb:5:in `/^total is (\d+)$/'
//!       features/a.feature:9:in `Then total is 3'
//! ```

use crate::held::ALSO_MAX;
use crate::jvm;
use crate::machine::HELD_MAX;
use crate::ruby::{self, Exception};
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Kind, Place};

/// Lines of one exception that are kept.
const LINES_MAX: usize = 400;

/// Collects exceptions.
#[derive(Debug, Default)]
pub struct Troubles {
    /// The scenario whose title was printed last.
    scenario: Option<Place>,
    lines: Vec<String>,
    /// The last line was a frame.
    framed: bool,
    span: [u64; 2],
    told: Vec<Trouble>,
}

/// One exception.
#[derive(Debug)]
pub struct Trouble {
    scenario: Option<Place>,
    /// Places in features that its trace goes through.
    features: Vec<Place>,
    /// What it says.
    pub failure: Failure,
}

impl Troubles {
    /// Takes the next line.
    pub fn line(&mut self, text: &str, span: [u64; 2]) {
        let bare = text.trim();
        if is_frame(bare) {
            self.framed = true;
        } else if self.framed && (bare.starts_with("Caused by: ") || bare.starts_with("... ")) {
            // The cause is below the exception that surfaced.
        } else if self.framed {
            self.finish();
        }
        if let Some((title, place)) = placed(bare) {
            self.lines.clear();
            if let Some(place) = place.filter(|_| is_title(title)) {
                // An outline's rows have places of their own.
                self.scenario = Some(place).filter(|_| !title.contains(" Outline: "));
            }
        } else if bare.starts_with("(::)") {
            self.lines.clear();
            self.scenario = None;
        } else if bare.starts_with('|') || bare == "\"\"\"" {
            // A step's table or text, or an outline's examples.
            self.lines.clear();
        } else if !(self.lines.is_empty() && bare.is_empty()) {
            if self.lines.is_empty() {
                self.span[0] = span[0];
            }
            self.span[1] = span[1];
            if self.lines.len() == LINES_MAX {
                self.lines.remove(0);
            }
            self.lines.push(bare.to_owned());
        }
    }

    /// No scenario's title above counts any more.
    pub fn leave_scenario(&mut self) {
        self.finish();
        self.scenario = None;
        self.lines.clear();
    }

    /// All that were read.
    pub fn take(&mut self) -> Vec<Trouble> {
        self.finish();
        std::mem::take(&mut self.told)
    }

    fn finish(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        if std::mem::take(&mut self.framed) && self.told.len() < HELD_MAX {
            let span = self.span;
            let scenario = self.scenario.clone();
            self.told.extend(read(&lines).map(|(failure, features)| {
                let failure = Failure { span: Some(span), ..failure };
                Trouble { scenario, features, failure }
            }));
        }
    }
}

impl Trouble {
    /// Whether it is this scenario's, of all that failed: its title stands above, or the trace goes through it.
    pub fn belongs(&self, scenario: &Place, failed: &[Place]) -> bool {
        if let Some(own) = &self.scenario {
            return own.line == scenario.line && same_file(own, scenario);
        }
        // A step lies in the last scenario that begins above it, and only failed ones have a trace.
        self.features.iter().take(1).any(|step| {
            let begins_above = |place: &&Place| place.line <= step.line && same_file(place, step);
            let owner = failed.iter().filter(begins_above).max_by_key(|place| place.line);
            owner.is_some_and(|owner| owner == scenario)
        })
    }

    /// Whether nothing tells whose it is.
    pub fn is_unplaced(&self) -> bool {
        self.scenario.is_none() && self.features.is_empty()
    }
}

fn is_frame(text: &str) -> bool {
    jvm::frame(text).is_some()
        || (text.contains(":in `") || text.contains(":in '")) && ruby::frame(text).is_some()
}

fn read(lines: &[String]) -> Option<(Failure, Vec<Place>)> {
    let at = lines.iter().position(|line| is_frame(line))?;
    if jvm::frame(&lines[at]).is_some() {
        let head = lines[..at].iter().rposition(|line| jvm::class_of(line).is_some())?;
        let exception = jvm::Exception::read(lines[head..].iter().map(String::as_str));
        return Some((exception.failure(None, None), Vec::new()));
    }
    let (message, frames) = lines.split_at(at);
    let (last, class) = message.last()?.strip_suffix(')')?.rsplit_once('(')?;
    let words: Vec<&str> =
        message[..message.len() - 1].iter().map(String::as_str).chain([last.trim_end()]).collect();
    let class = Some(class).filter(|class| class.starts_with(char::is_uppercase) && !class.contains(' '))?;
    if class == "Cucumber::Pending" {
        return None;
    }
    let said = Exception::of(Some(class), &words.join("\n"));
    let asserted = ["ExpectationNotMetError", "Assertion", "AssertionFailedError"]
        .iter()
        .any(|end| class.rsplit("::").next() == Some(end));
    let mut failure = Failure {
        kind: if asserted { Kind::Assertion } else { Kind::Exception },
        message: said.message,
        exception_type: Some(class.to_owned()),
        expected: said.sides.expected,
        observed: said.sides.observed,
        ..Failure::default()
    };
    let frames: Vec<Place> = frames.iter().filter_map(|line| ruby::frame(line)).take(ALSO_MAX).collect();
    let in_feature = |place: &Place| place.file.as_deref().is_some_and(|file| file.ends_with(".feature"));
    let (features, code): (Vec<Place>, Vec<Place>) = frames.into_iter().partition(in_feature);
    let mut code: Vec<Place> = code
        .into_iter()
        .filter(|place| place.file.as_deref().is_some_and(ruby::is_user_file))
        // A step's frame bears its pattern.
        .map(|place| Place { function: place.function.filter(|name| !name.starts_with('/')), ..place })
        .collect();
    failure.test = code.last().cloned();
    failure.fault = code.first().filter(|&first| Some(first) != failure.test.as_ref()).cloned();
    code.truncate(FRAMES_MAX);
    failure.frames = code;
    Some((failure, features))
}

/// A line with ` # ` and a place behind it: of a feature, or any other.
fn placed(text: &str) -> Option<(&str, Option<Place>)> {
    let (title, at) = text.rsplit_once("# ")?;
    if at.contains(' ') || at.is_empty() {
        return None;
    }
    let (file, line) = at.rsplit_once(':').unwrap_or((at, ""));
    let place = line.parse().ok().filter(|_| file.ends_with(".feature"));
    let place = place.map(|line| Place { file: Some(file.to_owned()), line: Some(line), function: None });
    let step = file.ends_with(".rb") || at.ends_with(')');
    (place.is_some() || step).then_some((title.trim_end(), place))
}

/// `Scenario: name`, in whatever language: no step's first words end with a colon.
fn is_title(text: &str) -> bool {
    let keyword = text.split(':').next().filter(|keyword| keyword.len() < text.len());
    keyword.is_some_and(|keyword| keyword.split(' ').count() <= 3 && !keyword.contains(['"', '\'', '(']))
}

fn same_file(a: &Place, b: &Place) -> bool {
    let (Some(a), Some(b)) = (a.file.as_deref(), b.file.as_deref()) else { return false };
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|before| before.is_empty() || before.ends_with(['/', ':']))
    };
    ends(a, b) || ends(b, a)
}
