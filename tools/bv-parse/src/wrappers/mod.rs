//! Prefixes that a CI system or a multiplexer puts before every line, taken off before a format sees it.
//!
//! They stack in any order, so each is tried until none fits. A prefix that names a source (`web_1  | `,
//! `@scope/ui:test: `) gives that source a lane of its own, so that interleaved streams are read apart.
//! Only what is certain is taken off, since a wrong cut would hide a line: a prefix of a shape that
//! nothing else has; a name that the wrapper itself announced; or a clock that the first line of text has,
//! too. Folds of Travis and sections of GitLab are ended by `CR ESC[0K`, so that cleaning has taken them
//! off before.

mod launch;
mod sources;
mod times;

use crate::outer;
use launch::Launch;
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
    /// Of the lanes whose source is a folder: which.
    folders: HashMap<usize, String>,
    sources: Sources,
    launch: Launch,
    /// Azure Pipelines: what a task writes to stderr stands behind `##[error]`.
    azure: bool,
    teamcity: bool,
    /// The clock of the first line of text, which is then taken off every line that has it.
    clock: Option<Option<Clock>>,
}

impl Wrappers {
    /// The lane of a clean line, and the line without its prefixes.
    pub fn unwrap<'a>(&mut self, text: &'a str) -> (usize, &'a str) {
        let mut rest = text;
        let mut source: Option<String> = None;
        for _ in 0..DEPTH_MAX {
            if let Some(after) =
                times::certain(rest).or_else(|| self.clocked(rest)).or_else(|| self.stderr(rest))
            {
                rest = after;
            } else if let Some((name, after)) = self.named(rest, source.is_none()) {
                source = Some(source.map_or_else(|| name.to_owned(), |outer| outer + "\t" + name));
                rest = after;
            } else if let Some(after) = times::teamcity(rest) {
                self.teamcity = true;
                rest = after;
            } else {
                break;
            }
        }
        self.listen(rest);
        (source.map_or(MAIN_LANE, |source| self.lane(source)), rest)
    }

    /// The folder that the lane's source is, where its prefix is one: the paths in its lines begin there.
    pub fn folder(&self, lane: usize) -> Option<&str> {
        self.folders.get(&lane).map(String::as_str)
    }

    /// The lane whose command ended, by a line that says so of it: `app-1 exited with code 1` of docker compose,
    /// or, on a lane of concurrently's, its last one. On TeamCity the step's own is the build's.
    pub fn ended(&self, lane: usize, name: &str) -> Option<usize> {
        if self.teamcity && name == "Process" || lane != MAIN_LANE && self.launch.labels() {
            return Some(lane);
        }
        self.lanes.get(name).copied()
    }

    fn named<'a>(&mut self, text: &'a str, outermost: bool) -> Option<(&'a str, &'a str)> {
        // What a command prints in brackets behind its own label is its text.
        let launched = if outermost { self.launch.named(text) } else { None };
        launched.or_else(|| self.sources.named(text))
    }

    /// Behind `##[error]` stands what a task wrote to stderr, or Azure's own word on the task.
    fn stderr<'a>(&self, text: &'a str) -> Option<&'a str> {
        let rest = text.strip_prefix("##[error]").filter(|_| self.azure)?;
        outer::failed(text).is_none().then_some(rest)
    }

    fn listen(&mut self, text: &str) {
        match text.as_bytes().first() {
            Some(b'#') => self.azure = self.azure || text.starts_with("##[section]Starting: "),
            Some(b'>' | b'$' | b'b') => self.launch.listen(text),
            _ => {}
        }
        self.sources.listen(text);
    }

    /// Takes the clock off that the first line of text has.
    fn clocked<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        if self.clock.is_none() && !text.trim_ascii().is_empty() && !text.starts_with("bv-run: ") {
            // A journal's lines have such a clock and name their source behind it.
            self.clock = Some(if launch::is_journal(text) { None } else { times::clock(text) });
        }
        let clock = self.clock??;
        clock.strip(text).or_else(|| {
            // Two blanks behind the first clock were one and the line's own.
            let rest = (clock == Clock::Jenkins).then(|| Clock::Elapsed.strip(text)).flatten()?;
            self.clock = Some(Some(Clock::Elapsed));
            Some(rest)
        })
    }

    fn lane(&mut self, source: String) -> usize {
        if let Some(&lane) = self.lanes.get(&source) {
            return lane;
        }
        let lane = (self.lanes.len() + 1).min(LANES_MAX - 1);
        if self.lanes.len() < LANES_MAX {
            // Later sources share the last lane: what is a folder to one is none to the next.
            if lane < LANES_MAX - 1
                && let Some(folder) = sources::folder(&source)
            {
                self.folders.insert(lane, folder.to_owned());
            }
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
        match times::certain(rest).or_else(|| sources::columns(rest)).or_else(|| times::teamcity(rest)) {
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
            &[(0, "bv-run: [\"ts\"]"), (0, "one"), (0, "two")],
        );
    }

    #[test]
    fn the_first_line_may_be_indented_behind_its_clock() {
        check(
            &["16:00:01   Determining", "16:00:02 two", "16:00:02", "16:00:03   three"],
            &[(0, " Determining"), (0, "two"), (0, ""), (0, "  three")],
        );
    }

    #[test]
    fn azure_marks_stderr() {
        check(
            &[
                "##[error]before",
                "2026-11-30T16:00:00.1234567Z ##[section]Starting: Test",
                "2026-11-30T16:00:01.1234567Z ##[error]FAILED (failures=1)",
                "2026-11-30T16:00:01.1234567Z ##[error]",
                "2026-11-30T16:00:02.1234567Z ##[error]Bash exited with code '1'.",
            ],
            &[
                (0, "##[error]before"),
                (0, "##[section]Starting: Test"),
                (0, "FAILED (failures=1)"),
                (0, ""),
                (0, "##[error]Bash exited with code '1'."),
            ],
        );
    }

    #[test]
    fn a_journal_has_lanes() {
        check(
            &[
                "Nov 30 16:00:01 ci1 bash[812]: start",
                "Nov 30 16:00:02 ci1 systemd[1]: x",
                "Nov 30 16:00:02 three",
            ],
            &[(1, "start"), (2, "x"), (0, "Nov 30 16:00:02 three")],
        );
    }

    #[test]
    fn a_label_is_the_outermost() {
        check(
            &["[0] [1] a", "[1] 2026-11-30T16:00:00.1234567Z b", "[16:00:01] :\t [Step 1/1] [0] c"],
            &[(1, "[1] a"), (2, "b"), (1, "c")],
        );
    }

    #[test]
    fn a_source_that_is_a_folder() {
        let mut wrappers = Wrappers::default();
        for line in [
            "packages/core test$ jest",
            "packages/core test: x",
            "@a/b:test: cache miss, executing 01",
            "@a/b:test: x",
        ] {
            wrappers.unwrap(line);
        }
        assert_eq!([1, 2].map(|lane| wrappers.folder(lane)), [Some("packages/core"), None]);
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
