//! Prefixes that a CI system or a multiplexer puts before every line, taken off before a format sees it.
//!
//! They stack in any order, so each is tried until none fits. A prefix that names a source (`web_1  | `,
//! `@scope/ui:test: `) gives that source a lane of its own, so that interleaved streams are read apart.
//! Only what is certain is taken off, since a wrong cut would hide a line: a prefix of a shape that
//! nothing else has; a name that the wrapper itself announced; or a clock that the first line of text has,
//! too. Folds of Travis and sections of GitLab are ended by `CR ESC[0K`, so that cleaning has taken them
//! off before.

mod sources;
mod times;

use sources::Sources;
use std::collections::HashMap;
use times::Clock;

/// Sources told apart; later ones share the last lane.
pub const LANES_MAX: usize = 32;
/// The lane of lines that no source is named for.
pub const MAIN_LANE: usize = 0;
/// Prefixes taken off one line.
const DEPTH_MAX: usize = 6;

/// What is known of the prefixes so far.
#[derive(Debug, Default)]
pub struct Wrappers {
    lanes: HashMap<String, usize>,
    sources: Sources,
    /// The clock of the first line of text, which is then taken off every line that has it.
    clock: Option<Option<Clock>>,
}

impl Wrappers {
    /// The lane of a clean line, and the line without its prefixes.
    pub fn unwrap<'a>(&mut self, text: &'a str) -> (usize, &'a str) {
        let mut rest = text;
        let mut source: Option<String> = None;
        for _ in 0..DEPTH_MAX {
            if let Some(after) = times::certain(rest).or_else(|| self.clocked(rest)) {
                rest = after;
            } else if let Some((name, after)) = self.sources.named(rest) {
                source = Some(source.map_or_else(|| name.to_owned(), |outer| outer + "\t" + name));
                rest = after;
            } else {
                break;
            }
        }
        self.sources.listen(rest);
        (source.map_or(MAIN_LANE, |source| self.lane(source)), rest)
    }

    /// Takes the clock off that the first line of text has.
    fn clocked<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        if self.clock.is_none() && !text.trim_ascii().is_empty() && !text.starts_with("bv-run: ") {
            self.clock = Some(times::clock(text));
        }
        self.clock??.strip(text)
    }

    fn lane(&mut self, source: String) -> usize {
        if let Some(&lane) = self.lanes.get(&source) {
            return lane;
        }
        let lane = (self.lanes.len() + 1).min(LANES_MAX - 1);
        if self.lanes.len() < LANES_MAX {
            self.lanes.insert(source, lane);
        }
        lane
    }
}

/// Bytes of the prefixes that are certain wherever they stand: a carriage return behind them was printed by
/// what they wrap, and does not reach over them.
pub fn certain_prefix(text: &str) -> usize {
    let mut rest = text;
    for _ in 0..DEPTH_MAX {
        match times::certain(rest).or_else(|| sources::columns(rest)) {
            Some(after) => rest = after,
            None => break,
        }
    }
    text.len() - rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], want: &[(usize, &str)]) {
        let mut wrappers = Wrappers::default();
        let got: Vec<_> = lines.iter().map(|line| wrappers.unwrap(line)).collect();
        assert_eq!(got, want);
    }

    #[test]
    fn wrappers_stack() {
        check(
            &[
                "test\tRun tests\t2026-11-30T16:00:00.1234567Z Attaching to db-1, app-1",
                "test\tRun tests\t2026-11-30T16:00:01.1234567Z app-1  | 2 passed",
                "lint\tRun lint\t2026-11-30T16:00:02.1234567Z 1 error",
                "plain",
            ],
            &[(1, "Attaching to db-1, app-1"), (2, "2 passed"), (3, "1 error"), (0, "plain")],
        );
        check(
            &["[task 2026-11-30T16:00:00.123Z] 16:00:00     INFO - web_1  | 2026-11-30T16:00:00.123Z x"],
            &[(1, "x")],
        );
    }

    #[test]
    fn a_clock_that_may_be_text_must_be_on_the_first_line() {
        check(
            &["", "Nov 30 16:00:01 start", "Nov 30 16:00:02   two", "16:00:02  three", "Nov 30 four"],
            &[(0, ""), (0, "start"), (0, "  two"), (0, "16:00:02  three"), (0, "Nov 30 four")],
        );
        check(&["start", "Nov 30 16:00:02 two"], &[(0, "start"), (0, "Nov 30 16:00:02 two")]);
        check(
            &["bv-run: [\"ts\"]", "16:00:01  one", "16:00:02 two"],
            &[(0, "bv-run: [\"ts\"]"), (0, "one"), (0, "16:00:02 two")],
        );
    }

    #[test]
    fn lanes_are_bounded() {
        let mut wrappers = Wrappers::default();
        for n in 0..1000 {
            assert!(wrappers.unwrap(&format!("s{n}_1 | x")).0 < LANES_MAX);
        }
        assert!(wrappers.lanes.len() <= LANES_MAX);
    }
}
