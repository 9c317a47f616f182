//! The scenarios of a run as they are printed, and what failed in them.

use super::bare;
use super::detail::{self, Detail};
use super::hooks::HookError;
use crate::machine::{Closing, HELD_MAX, Line, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Place, Reason};
use std::collections::HashMap;

/// What is known of the scenarios so far.
#[derive(Default)]
pub struct Scenarios {
    now: Option<Scenario>,
    /// A hook that failed before the scenario that comes.
    before: Option<HookError>,
    /// Those that something is known of, by place or by name.
    told: Vec<Scenario>,
    by_key: HashMap<String, usize>,
    seen: u64,
    /// Captured output is being read.
    in_output: bool,
    /// A line that announces it stands above.
    ruled: bool,
}

/// One scenario.
#[derive(Clone, Default)]
struct Scenario {
    name: String,
    place: Option<Place>,
    /// The definition of the step printed last.
    step: Option<Place>,
    /// The first step without a definition.
    undefined: Option<String>,
    detail: Option<Detail>,
    hook: Option<HookError>,
    /// Its detail ended.
    ended: bool,
    /// The plain formatter's title, which stands above the hooks.
    plain: bool,
    /// A step of it ran.
    ran: bool,
}

impl Scenarios {
    /// How many were printed with their places.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Whether captured output is being read.
    pub fn in_output(&self) -> bool {
        self.in_output
    }

    /// Takes the next line; a hook's error around no scenario is a failure of its own.
    pub fn line(&mut self, line: &Line<'_>) -> Option<Failure> {
        let text = line.text.trim_end();
        let ruled = std::mem::replace(&mut self.ruled, text == "----");
        if let Some(error) = HookError::read(text, line.span) {
            return self.hook(error);
        }
        if self.in_output {
            self.in_output = text != "----" && !text.starts_with("---- CAPTURED_");
            return None;
        }
        if ruled && text.starts_with("CAPTURED ") || text.starts_with("Captured ") && text.ends_with(':') {
            self.end_detail();
            self.in_output = ruled;
            return None;
        }
        if let Some(now) = &mut self.now
            && !now.ended
            && let Some(detail) = &mut now.detail
        {
            if !ends_detail(text) && detail.line(line.text, line.span) {
                return None;
            }
            now.ended = true;
        }
        self.other(text, line)
    }

    fn other(&mut self, text: &str, line: &Line<'_>) -> Option<Failure> {
        match detail::location(text) {
            Some((title, place)) if place.file.as_deref().is_some_and(|file| file.ends_with(".feature")) => {
                // A feature, a rule and a background have a place, too, but no scenario's keyword.
                if let Some((keyword, name)) = title.split_once(": ")
                    && !matches!(keyword.trim_start(), "Feature" | "Background" | "Rule")
                {
                    self.begin(name, Some(place));
                    self.seen += 1;
                }
            }
            Some((_, place)) => {
                if let Some(now) = &mut self.now {
                    now.step = Some(place);
                }
            }
            None => self.unplaced(text, line),
        }
        None
    }

    /// A line without a place: of a step, or of the other formatters.
    fn unplaced(&mut self, text: &str, line: &Line<'_>) {
        let bare = text.trim_start();
        // Each formatter has one form of title.
        let placed = self.seen > 0;
        if !placed
            && let Some(name) = bare.strip_prefix("Scenario: ").or(bare.strip_prefix("Scenario Outline: "))
        {
            self.begin(name, None);
            self.now.iter_mut().for_each(|now| now.plain = true);
            return;
        }
        if !placed && let Some(name) = marked(text) {
            return self.begin(name, None);
        }
        let Some(now) = &mut self.now else { return };
        let timed = text.rsplit_once(" ... ").filter(|(_, verdict)| now.plain && verdict.ends_with('s'));
        now.ran = now.ran || timed.is_some();
        let undefined = timed.filter(|(_, verdict)| verdict.starts_with("undefined in "));
        if let Some(step) = undefined.map(|(step, _)| step).or(text.strip_suffix("# None")) {
            if now.undefined.is_none() && now.detail.is_none() {
                now.undefined = Some(step.trim().to_owned());
            }
        } else if now.detail.is_none()
            && let Some(detail) = Detail::begins(line.text, line.span)
        {
            now.detail = Some(detail);
        }
    }

    fn begin(&mut self, name: &str, place: Option<Place>) {
        self.keep();
        let name = name.trim().to_owned();
        // Only the pretty formatter, which prints the place, prints hooks above the title.
        let hook = self.before.take().filter(|_| place.is_some());
        self.now = Some(Scenario { name, place, hook, ..Scenario::default() });
    }

    fn end_detail(&mut self) {
        if let Some(now) = &mut self.now {
            now.ended = now.detail.is_some();
        }
    }

    fn hook(&mut self, error: HookError) -> Option<Failure> {
        if error.is_outer() {
            return Some(error.own());
        }
        let before = error.is_before() && error.hook != "before_step";
        match &mut self.now {
            Some(now) if now.plain && before != now.ran => _ = now.hook.get_or_insert(error),
            Some(now) if now.place.is_some() && !before => _ = now.hook.get_or_insert(error),
            _ if before => _ = self.before.get_or_insert(error),
            _ => {}
        }
        None
    }

    /// Keeps what is known of the scenario that ends.
    fn keep(&mut self) {
        let Some(now) = self.now.take() else { return };
        let told = now.detail.is_some() || now.hook.is_some() || now.undefined.is_some();
        if told && self.told.len() < HELD_MAX {
            self.by_key.entry(now.key()).or_insert(self.told.len());
            self.told.push(now);
        }
    }

    /// The failure of a scenario that the list names.
    pub fn failure(&mut self, id: String, place: Place, name: &str, kind: Kind) -> Failure {
        self.keep();
        let known = self.by_key.get(&key(&place)).or_else(|| self.by_key.get(name));
        let known = known.map(|&at| &self.told[at]);
        let mut failure = bare(Some(id), Some(place), kind);
        match known {
            Some(scenario) => scenario.fill(&mut failure),
            // It has an error, but none of a step's: a step is missing, or a hook failed.
            None if kind == Kind::Exception => failure.kind = Kind::SetupError,
            None => {}
        }
        failure
    }

    /// The scenarios that failed for sure, where the list never came.
    pub fn failed(&mut self) -> Vec<Failure> {
        self.keep();
        let failed = std::mem::take(&mut self.told).into_iter().filter(|scenario| scenario.detail.is_some());
        let failure = |scenario: Scenario| {
            let id = match &scenario.place {
                Some(place) => format!("{}  {}", key(place), scenario.name),
                None => scenario.name.clone(),
            };
            let mut failure = bare(Some(id), scenario.place.clone(), Kind::Assertion);
            scenario.fill(&mut failure);
            failure
        };
        failed.map(failure).collect()
    }
}

impl Scenario {
    fn key(&self) -> String {
        self.place.as_ref().map_or_else(|| self.name.clone(), key)
    }

    fn fill(&self, failure: &mut Failure) {
        if let Some(detail) = &self.detail {
            detail.fill(failure);
            if failure.kind == Kind::Assertion {
                failure.fault = self.step.clone();
            }
        } else if let Some(hook) = &self.hook {
            hook.fill(failure);
        } else if let Some(step) = &self.undefined {
            failure.kind = Kind::SetupError;
            failure.message = Some(step.clone());
        }
    }
}

fn key(place: &Place) -> String {
    format!("{}:{}", place.file.as_deref().unwrap_or_default(), place.line.unwrap_or_default())
}

/// progress3's `  plain assert  .F`.
fn marked(text: &str) -> Option<&str> {
    let (name, marks) = text.strip_prefix("  ")?.rsplit_once("  ")?;
    let is_mark =
        |b: u8| matches!(b, b'.' | b'F' | b'E' | b'H' | b'C' | b'U' | b'P' | b'S' | b's' | b'-' | b'_');
    (!marks.is_empty() && marks.bytes().all(is_mark)).then_some(name)
}

/// Lines that end a detail that is not indented.
fn ends_detail(text: &str) -> bool {
    let rule = text.len() >= 20 && text.bytes().all(|b| b == b'-');
    let step = || text.starts_with("FAILURE in step '") || text.starts_with("ERROR in step '");
    let titled = || {
        text.starts_with(' ')
            && ["Scenario: ", "Scenario Outline: "].iter().any(|title| text.trim_start().starts_with(title))
    };
    rule || text == "----"
        || step()
        || titled()
        || text.starts_with("exception:")
        || detail::location(text).is_some()
}

/// The run says that it came to no verdict.
pub fn refuse(reason: Reason, message: Option<String>, out: &mut Out) {
    out.close(Closing { says: Says::Refused(reason), counts: Counts::default(), duration_ms: None, message });
}
