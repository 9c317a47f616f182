//! Karma's `progress` and `dots` reporters (1 to 6: `lib/reporters` in <https://github.com/karma-runner/karma>), with
//! any test framework in the browser.
//!
//! A section opens when a browser connects or says how far it is. `BROWSER suite test FAILED` stands above a failure,
//! `BROWSER ERROR` above what went wrong outside of all tests. A browser has closed once it executed all
//! (`BROWSER: Executed 5 of 6 (4 FAILED) (skipped 1) (0.1 secs / 0.1 secs)`), or says that it broke; such lines come
//! again and again, and the last one counts.

mod failure;

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use crate::values::milliseconds;
use bv_schemas::{Counts, Failure, Kind, Reason};
use failure::{Block, Head};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "karma",
    commands: &["karma"],
    needles: &[": Executed ", " Connected on socket "],
    new: || Box::<Karma>::default(),
};

/// Browsers that are told apart.
const BROWSERS_MAX: usize = 100;

/// One run at a time; the next one in the stream is a new section.
#[derive(Default)]
struct Karma {
    open: bool,
    closed: bool,
    browsers: Vec<(String, Option<Executed>)>,
    block: Option<Block>,
    held: Held,
}

/// How far a browser is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Executed {
    /// Tests that ran.
    ran: u64,
    of: u64,
    failed: u64,
    skipped: u64,
    /// It broke, or went away.
    broken: bool,
    duration_ms: Option<u64>,
}

impl Machine for Karma {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if self.block.as_mut().is_some_and(|block| block.line(line)) {
            return;
        }
        self.end_block();
        if let Some((name, rest)) = text.split_once(": Executed ")
            && let Some(executed) = Executed::read(rest)
            && is_browser(name)
        {
            self.executed(name, executed, out);
        } else if let Some(name) = connected(text) {
            if self.closed {
                *self = Karma::default();
            }
            self.begin(out);
            self.browser(name);
        } else if self.open
            && let Some(head) = Head::read(text)
            && self.browsers.iter().any(|(name, _)| name == head.browser)
        {
            self.go_on(out);
            self.block = Some(Block::new(&head, line.span));
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.end_block();
        if self.open && !self.closed {
            self.held.say(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some()
    }
}

impl Karma {
    fn begin(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.open, true) {
            out.open();
        }
    }

    /// More comes behind a line that said all.
    fn go_on(&mut self, out: &mut Out) {
        if std::mem::take(&mut self.closed) {
            out.reopen();
        }
    }

    fn browser(&mut self, name: &str) -> Option<&mut Option<Executed>> {
        let at = self.browsers.iter().position(|(known, _)| known == name).or_else(|| {
            (self.browsers.len() < BROWSERS_MAX).then(|| {
                self.browsers.push((name.to_owned(), None));
                self.browsers.len() - 1
            })
        })?;
        Some(&mut self.browsers[at].1)
    }

    fn end_block(&mut self) {
        let Some(block) = self.block.take() else { return };
        let failure = block.failure();
        // A suite's error may be told of in every browser; a test is told of once in each.
        self.held.push(failure);
    }

    fn executed(&mut self, name: &str, executed: Executed, out: &mut Out) {
        self.begin(out);
        self.go_on(out);
        if let Some(known) = self.browser(name) {
            *known = Some(executed);
        }
        let all: Option<Vec<Executed>> = self.browsers.iter().map(|(_, executed)| *executed).collect();
        if let Some(all) = all.filter(|all| all.iter().all(Executed::is_over)) {
            self.close(&all, out);
        }
    }

    fn close(&mut self, all: &[Executed], out: &mut Out) {
        let sum = |of: fn(&Executed) -> u64| all.iter().map(of).fold(0_u64, u64::saturating_add);
        let (failed, ran) = (sum(|e| e.failed), sum(|e| e.ran));
        let broken = all.iter().any(|executed| executed.broken);
        let unloaded = broken && ran == 0 && !self.held.is_empty();
        let says = match (failed > 0 || broken || !self.held.is_empty(), ran) {
            (true, _) if unloaded => Says::Refused(Reason::CollectionError),
            (true, _) => Says::Red,
            (false, 0) => Says::NoTests,
            (false, _) => Says::Green,
        };
        let tests = self.held.iter_mut().filter(|failure| failure.id.is_some()).count() as u64;
        for failure in self.held.iter_mut() {
            let mut failure = failure.clone();
            if unloaded && failure.id.is_none() {
                failure.kind = Kind::CollectionError;
            }
            out.failure(failure);
        }
        out.unnamed(failed.saturating_sub(tests));
        if broken && self.held.is_empty() && failed == 0 {
            let message = Some("the browser broke or went away".to_owned());
            out.failure(Failure { kind: Kind::Crash, message, ..Failure::default() });
        }
        let counts = Counts {
            passed: Some(ran.saturating_sub(failed)),
            failed: Some(failed),
            errored: None,
            skipped: Some(sum(|e| e.skipped)),
        };
        let duration_ms = all.iter().filter_map(|executed| executed.duration_ms).max();
        out.close(Closing { says, counts, duration_ms, message: None });
        self.closed = true;
    }
}

impl Executed {
    /// `5 of 6 (4 FAILED) (skipped 1) ERROR (0.1 secs / 0.1 secs)`, behind `Executed `.
    fn read(text: &str) -> Option<Executed> {
        let (ran, rest) = text.split_once(" of ")?;
        let (of, mut rest) = rest.split_once(' ')?;
        let mut executed = Executed { ran: ran.parse().ok()?, of: of.parse().ok()?, ..Executed::default() };
        while !rest.is_empty() {
            rest = rest.trim_start();
            if let Some(inside) = rest.strip_prefix('(') {
                let (inside, behind) = inside.split_once(')')?;
                if let Some(failed) = inside.strip_suffix(" FAILED") {
                    executed.failed = failed.parse().ok()?;
                } else if let Some(skipped) = inside.strip_prefix("skipped ") {
                    executed.skipped = skipped.parse().ok()?;
                } else {
                    executed.duration_ms = seconds(inside.split(" / ").next()?);
                }
                rest = behind;
                continue;
            }
            let (word, behind) = rest.split_once(' ').unwrap_or((rest, ""));
            match word {
                "ERROR" | "DISCONNECTED" => executed.broken = true,
                "SUCCESS" | "" => {}
                // All failed.
                "FAILED" => executed.failed = executed.failed.max(executed.ran),
                _ => return None,
            }
            rest = behind;
        }
        Some(executed)
    }

    /// Whether nothing of it is to come.
    fn is_over(&self) -> bool {
        self.broken || self.ran.saturating_add(self.skipped) >= self.of
    }
}

/// `0.144 secs`, `1 min 2.3 secs`
fn seconds(text: &str) -> Option<u64> {
    let (minutes, secs) = match text.split_once(" min ").or(text.split_once(" mins ")) {
        Some((minutes, secs)) => (minutes.parse::<f64>().ok()?, secs),
        None => (0.0, text),
    };
    let secs = secs.strip_suffix(" secs").or(secs.strip_suffix(" sec"))?;
    milliseconds(minutes * 60.0 + secs.parse::<f64>().ok()?)
}

/// `Chrome Headless 156.0.0.0 (Linux 0.0.0)`
fn is_browser(text: &str) -> bool {
    text.ends_with(')') && text.contains(" (") && text.len() < 200
}

/// The browser that connected: `…:INFO [BROWSER]: Connected on socket …`
fn connected(text: &str) -> Option<&str> {
    let (head, _) = text.split_once("]: Connected on socket ")?;
    head.rsplit_once('[').map(|(_, name)| name).filter(|name| is_browser(name))
}

#[cfg(test)]
mod tests;
