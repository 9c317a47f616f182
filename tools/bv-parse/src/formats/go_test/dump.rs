//! What a Go program prints when it dies, and the race detector's reports: the lines from the first word
//! on, and the failure that they tell of.

use crate::go::{Frame, Stack, function_of, is_user, stacks};
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Kind, Place};

/// Lines kept of one dump; a time-out dumps every goroutine.
const LINES_MAX: usize = 4000;
/// Bytes kept of one dump.
const BYTES_MAX: usize = 512 << 10;
/// Lines kept of a race's first access.
const RACE_LINES_MAX: usize = 200;

/// A panic, a fatal error of the runtime or a time-out.
#[derive(Debug)]
pub struct Dump {
    lines: Vec<String>,
    bytes: usize,
    /// The test that ran, or failed last, when it began.
    at_hand: Option<String>,
    /// Whose output it is, where the runner says so: parallel tests' lines come between its own.
    of: Option<String>,
    span: [u64; 2],
    headed: bool,
}

impl Dump {
    /// Whether a dump begins in this line.
    pub fn begins(line: &str) -> bool {
        const STARTS: &[&str] = &[
            "panic: ",
            "fatal error: ",
            "runtime: goroutine stack exceeds ",
            "unexpected fault address ",
            "SIGQUIT: quit",
            "SIGSEGV: ",
            "SIGABRT: ",
        ];
        STARTS.iter().any(|start| line.starts_with(start))
    }

    /// It begins.
    pub fn new(line: &str, span: [u64; 2], at_hand: Option<String>, of: Option<&str>) -> Dump {
        let of = of.map(str::to_owned);
        let mut dump = Dump { lines: Vec::new(), bytes: 0, at_hand, of, span, headed: false };
        dump.push(line, span);
        dump
    }

    /// Whether a goroutine's stack has come.
    pub fn is_headed(&self) -> bool {
        self.headed
    }

    /// Whether a line of this test's output belongs to it.
    pub fn is_of(&self, test: Option<&str>) -> bool {
        self.of.as_deref() == test
    }

    /// Takes the next line.
    pub fn push(&mut self, line: &str, span: [u64; 2]) {
        self.headed |= line.starts_with("goroutine ");
        if self.lines.len() < LINES_MAX && self.bytes + line.len() <= BYTES_MAX {
            self.bytes += line.len();
            self.lines.push(line.to_owned());
            self.span[1] = span[1];
        }
    }

    /// The failure and its test, one of `names` (those that run, then those that failed, in order) where one
    /// of them fits; `None` when it is no dump of a Go program after all.
    pub fn failure(&self, names: &[&str]) -> Option<(Option<String>, Failure)> {
        let head = self.lines.iter().position(|line| line.starts_with("goroutine "));
        let (words, rest) = self.lines.split_at(head?);
        let (kind, message, recovered) = what(words);
        let stacks = stacks(rest.iter().map(String::as_str));
        let timed_out = kind == Kind::Timeout;
        let waiting = timed_out.then(|| running_tests(words)).flatten();
        let stack =
            if timed_out { stacks.iter().find(|stack| test_in(stack).is_some()) } else { stacks.first() };
        let named = stack.and_then(test_in).or_else(|| stacks.iter().find_map(test_in));
        let inner = |name: &str| {
            let inside = [name, "/"].concat();
            names.iter().rev().find(|other| other.starts_with(&inside)).copied()
        };
        // Events give a subtest's panic to its parent.
        let at_hand = self.at_hand.as_deref().filter(|name| names.contains(name));
        let at_hand = at_hand.and_then(inner).or(at_hand);
        let in_root = |name: &str, root: &str| name == root || name.starts_with(&[root, "/"].concat());
        // A test that re-panics was just reported as failed; a goroutine's panic names its test in the stack.
        let test = match (&waiting, named) {
            (Some(test), _) => Some(test.clone()),
            (None, Some(root)) => {
                let fits = at_hand.filter(|name| in_root(name, root));
                let last = || names.iter().rev().find(|name| in_root(name, root)).copied();
                Some(fits.or_else(last).unwrap_or(root).to_owned())
            }
            (None, None) if recovered => at_hand.map(str::to_owned),
            (None, None) => at_hand.filter(|_| !self.in_init(stack)).map(str::to_owned),
        };
        let mut failure =
            Failure { id: test.clone(), kind, message, span: Some(self.span), ..Failure::default() };
        place(stack, test.as_deref(), &mut failure);
        Some((test, failure))
    }

    /// A package variable's panic comes before any test.
    fn in_init(&self, stack: Option<&Stack>) -> bool {
        stack.is_some_and(|stack| {
            stack.frames.iter().any(|frame| function_of(&frame.function).starts_with("init"))
        })
    }
}

/// The kind and the message; whether the testing package recovered the panic first, so that the test's
/// end is printed before it.
fn what(words: &[String]) -> (Kind, Option<String>, bool) {
    let fatal = words.iter().find_map(|line| line.strip_prefix("fatal error: "));
    if let Some(message) = fatal {
        return (Kind::Crash, Some(message.to_owned()), false);
    }
    // Go prints a chain of panics oldest first; the last one surfaced.
    let Some(at) = words.iter().rposition(|line| line.trim_start_matches('\t').starts_with("panic: ")) else {
        return (Kind::Crash, words.first().cloned(), false);
    };
    let recovered = words.iter().any(|line| line.contains(" [recovered"));
    let message = words[at].trim_start_matches('\t').trim_start_matches("panic: ");
    let message = message.split(" [recovered").next().unwrap_or(message);
    if message.starts_with("test timed out after ") {
        return (Kind::Timeout, Some(message.to_owned()), false);
    }
    (Kind::Exception, Some(message.to_owned()), recovered)
}

/// Since Go 1.20: `running tests:` and `\tTestX (2s)`; the longest waits first.
fn running_tests(words: &[String]) -> Option<String> {
    let at = words.iter().position(|line| line.trim() == "running tests:")?;
    let name = words.get(at + 1)?.trim().rsplit_once(" (")?.0;
    Some(name.to_owned())
}

/// The test function that a goroutine runs: the outermost function named like one.
fn test_in(stack: &Stack) -> Option<&str> {
    let by = stack.created_by.iter();
    by.chain(stack.frames.iter().rev())
        .filter(|frame| is_user(frame))
        .map(|frame| function_of(&frame.function))
        .find(|name| {
            ["Test", "Fuzz", "Benchmark", "Example"].iter().any(|start| {
                name.strip_prefix(start).is_some_and(|rest| !rest.starts_with(|c: char| c.is_lowercase()))
            }) && *name != "TestMain"
        })
}

/// The user's frames of a stack: the innermost is the fault, the innermost in the test's own function
/// is the test's.
fn place(stack: Option<&Stack>, test: Option<&str>, failure: &mut Failure) {
    let Some(stack) = stack else { return };
    let own: Vec<&Frame> = stack.frames.iter().filter(|frame| is_user(frame)).collect();
    let root = test.map(|name| name.split('/').next().unwrap_or(name));
    let in_test = own.iter().find(|frame| root.is_some_and(|root| frame.is_in(root)));
    failure.test = in_test.map(|frame| frame.place());
    if failure.test.is_none() {
        failure.test = root.map(|root| Place { function: Some(root.to_owned()), ..Place::default() });
    }
    let deepest = own.first().map(|frame| frame.place());
    failure.fault = deepest.filter(|place| Some(place) != failure.test.as_ref());
    failure.frames = own.iter().map(|frame| frame.place()).take(FRAMES_MAX).collect();
}

/// One report of the race detector: the stack of the access that it was found at.
#[derive(Debug, Default)]
pub struct Race {
    lines: Vec<String>,
    /// The first stack is over.
    over: bool,
    /// The test that ran when it was printed, where that is known.
    at_hand: Option<String>,
}

impl Race {
    /// `WARNING: DATA RACE` came.
    pub fn new(at_hand: Option<String>) -> Race {
        Race { at_hand, ..Race::default() }
    }

    /// Takes the next line; false when the report is over.
    pub fn line(&mut self, line: &str) -> bool {
        if line.starts_with("==================") {
            return false;
        }
        self.over |= line.is_empty();
        if !self.over && self.lines.len() < RACE_LINES_MAX {
            self.lines.push(line.to_owned());
        }
        true
    }

    /// The test whose function stands in the stack, else the one that ran.
    pub fn test(&self) -> Option<String> {
        let stacks = self.stacks();
        stacks.first().and_then(test_in).map(str::to_owned).or_else(|| self.at_hand.clone())
    }

    /// Writes what it knows into the failure.
    pub fn tell(&self, failure: &mut Failure) {
        let id = failure.id.clone().or_else(|| self.test());
        failure.kind = Kind::Crash;
        failure.exception_type = Some("DATA RACE".into());
        place(self.stacks().first(), id.as_deref(), failure);
    }

    fn stacks(&self) -> Vec<Stack> {
        stacks(self.lines.iter().map(String::as_str))
    }
}
