//! What bats says below a failed test, without the `# ` of TAP or the indentation of the pretty formatter:
//!
//! ```text
//! (from function `total' in file cart.sh, line 4,
//!  in test file cart.bats, line 19)
//!   `total 4' failed with status 4
//! count missing
//! ```
//!
//! What the test printed follows; bats-assert's blocks in it (`-- output differs --`) hold the two sides.

use crate::values::is_number;
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Kind, Place};

/// Whether bats begins a failure's details so.
pub fn begins(line: &str) -> bool {
    line.starts_with("(in test file ") || line.starts_with("(from function `")
}

/// So begins its last word where the plan was not kept.
pub const WARNING: &str = "bats warning: Executed ";

/// The failure of a test.
pub fn failure(id: String, lines: &[&str], span: [u64; 2]) -> Failure {
    let mut failure = Failure { span: Some(span), ..Failure::default() };
    let stack: Vec<Place> = lines.iter().map_while(|line| frame(line)).collect();
    let rest = &lines[stack.len()..];
    let said = rest.first().map(|line| line.trim());
    let command = said.filter(|said| said.starts_with('`') && !stack.is_empty());
    match command {
        Some(said) => {
            failure.message = Some(said.to_owned());
            failure.kind = kind(said);
        }
        None => unread(rest, &mut failure),
    }
    place(stack, &mut failure);
    sides(rest, &mut failure);
    let setup = ["setup_file failed", "teardown_file failed", "setup_suite failed", "teardown_suite failed"];
    if failure.kind == Kind::Assertion && setup.contains(&id.as_str()) {
        failure.kind = Kind::SetupError;
    }
    failure.id = Some(id).filter(|id| !id.is_empty());
    failure
}

/// ` in test file cart.bats, line 19)`, the function of the frame before it.
fn frame(line: &str) -> Option<Place> {
    let text = line.strip_prefix(['(', ' '])?;
    let text = text.strip_suffix([',', ')'])?;
    let (function, text) = match text.strip_prefix("from function `") {
        Some(text) => text.split_once("' ").map(|(name, text)| (Some(name.to_owned()), text))?,
        None => (None, text),
    };
    let text = text.strip_prefix("in test file ").or_else(|| text.strip_prefix("in file "))?;
    let (file, line) = text.rsplit_once(", line ")?;
    Some(Place { file: Some(file.to_owned()), line: line.parse().ok(), function })
}

fn kind(said: &str) -> Kind {
    if said.ends_with("' failed due to timeout") {
        Kind::Timeout
    } else if said.ends_with("' failed with status 126") || said.ends_with("' failed with status 127") {
        // Bash did not find the command.
        Kind::Exception
    } else {
        Kind::Assertion
    }
}

/// No stack: bash could not read the file (`/w/a.bats: line 3: syntax error near unexpected token`).
fn unread(lines: &[&str], failure: &mut Failure) {
    let read = lines.iter().find_map(|text| {
        let (file, rest) = text.split_once(": line ")?;
        let (line, message) = rest.split_once(": ")?;
        Some((file, line.parse::<u64>().ok()?, message))
    });
    if let Some((file, line, message)) = read {
        failure.message = Some(message.to_owned());
        failure.test = Some(Place { file: Some(file.to_owned()), line: Some(line), function: None });
        if message.starts_with("syntax error") || message.starts_with("unexpected EOF") {
            failure.kind = Kind::CollectionError;
        }
    } else {
        failure.message =
            lines.iter().map(|line| line.trim()).find(|line| !line.is_empty()).map(str::to_owned);
    }
}

/// The last frame is the test's, or that of a function that bats calls around it; the first that is no
/// library's is the fault's.
fn place(stack: Vec<Place>, failure: &mut Failure) {
    let Some(test) = stack.last().cloned() else { return };
    let hooks = ["setup", "teardown", "setup_file", "teardown_file", "setup_suite", "teardown_suite"];
    if test.function.as_deref().is_some_and(|name| hooks.contains(&name)) && failure.kind == Kind::Assertion {
        failure.kind = Kind::SetupError;
    }
    let mut frames: Vec<Place> = stack.into_iter().filter(|place| !is_library(place)).collect();
    failure.fault = frames.first().filter(|fault| **fault != test).cloned();
    failure.test = Some(test);
    if frames.len() > 1 {
        frames.truncate(FRAMES_MAX);
        failure.frames = frames;
    }
}

fn is_library(place: &Place) -> bool {
    const NAMES: &[&str] =
        &["bats-assert", "bats-support", "bats-file", "bats-mock", "bats-core", "bats-detik"];
    place.file.as_deref().is_some_and(|file| file.split('/').any(|part| NAMES.contains(&part)))
}

/// The sides in the first block of bats-assert's.
fn sides(lines: &[&str], failure: &mut Failure) {
    let Some(title) = lines.iter().position(|line| line.starts_with("-- ") && line.ends_with(" --")) else {
        return;
    };
    let block = &lines[title + 1..];
    let block = &block[..block.iter().position(|line| *line == "--").unwrap_or(block.len())];
    // What must not be there is no expectation.
    let wanted =
        !lines[title].contains(" should not ") && !lines[title].contains(", but it was expected to ");
    if wanted {
        failure.expected =
            ["expected", "substring", "regexp", "line"].iter().find_map(|key| value(block, key));
    }
    failure.observed =
        value(block, "actual").or_else(|| value(block, "output").filter(|_| failure.expected.is_some()));
}

/// The value of `expected : 12`, or of `expected (2 lines):` and the indented lines below it.
fn value(block: &[&str], key: &str) -> Option<String> {
    block.iter().enumerate().find_map(|(at, line)| {
        let rest = line.strip_prefix(key)?;
        if let Some(value) = rest.trim_start_matches(' ').strip_prefix(": ") {
            return Some(value.to_owned());
        }
        rest.strip_prefix(" (")?.strip_suffix(" lines):")?;
        let text: Vec<&str> = block[at + 1..].iter().map_while(|line| line.strip_prefix("  ")).collect();
        Some(text.join("\n"))
    })
}

/// Whether results carry the time that they took (`bats -T`), as the first of them says: a name may end so too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing(Option<bool>);

impl Timing {
    /// The name without the time that `cut` takes off.
    pub fn without<'a>(&mut self, name: &'a str, cut: fn(&str) -> Option<&str>) -> &'a str {
        let short = cut(name);
        let timed = *self.0.get_or_insert(short.is_some());
        short.filter(|_| timed).unwrap_or(name)
    }
}

/// `slow [1028 (timeout: 1s)]`
pub fn in_brackets(name: &str) -> Option<&str> {
    let (short, time) = name.strip_suffix(']')?.rsplit_once(" [")?;
    let time = time.split_once(" (timeout: ").map_or(time, |(time, _)| time);
    (time.starts_with("timeout: ") || is_number(time)).then_some(short)
}

/// `slow in 1040ms`
pub fn in_words(name: &str) -> Option<&str> {
    let (short, time) = name.rsplit_once(" in ")?;
    time.strip_suffix("ms").or_else(|| time.strip_suffix("sec")).filter(|time| is_number(time)).map(|_| short)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: Failure) {
        let lines: Vec<&str> = text.lines().collect();
        let want = Failure { id: Some("t".into()), span: Some([0, 1]), ..want };
        assert_eq!(failure("t".into(), &lines, [0, 1]), want, "{text}");
    }

    fn at(file: &str, line: u64, function: Option<&str>) -> Option<Place> {
        Some(Place { file: Some(file.into()), line: Some(line), function: function.map(str::to_owned) })
    }

    #[test]
    fn stacks() {
        check(
            "(from function `assert_output' in file /usr/lib/bats/bats-assert/src/assert_output.bash, line 186,\n \
             in test file cart.bats, line 9)\n  `assert_output \"12\"' failed\n\n-- output differs --\n\
             expected : 12\nactual   : 13\n--\n",
            Failure {
                message: Some("`assert_output \"12\"' failed".into()),
                test: at("cart.bats", 9, None),
                expected: Some("12".into()),
                observed: Some("13".into()),
                ..Failure::default()
            },
        );
        check(
            "(from function `setup' in test file hook.bats, line 1)\n  `false' failed",
            Failure {
                kind: Kind::SetupError,
                message: Some("`false' failed".into()),
                test: at("hook.bats", 1, Some("setup")),
                ..Failure::default()
            },
        );
    }

    #[test]
    fn blocks_of_bats_assert() {
        let said = |text: &str| {
            let lines: Vec<&str> = text.lines().collect();
            let failure = failure("t".into(), &lines, [0, 1]);
            (failure.expected, failure.observed)
        };
        let some = |text: &str| Some(text.to_owned());
        let head = "(in test file a.bats, line 1)\n  `x' failed\n\n";
        for (text, want) in [
            (
                "-- values do not equal --\nexpected (2 lines):\n  a\n  c\nactual (2 lines):\n  a\n  b\n--",
                (some("a\nc"), some("a\nb")),
            ),
            (
                "-- output does not contain substring --\nsubstring : hell\noutput    : hallo\n--",
                (some("hell"), some("hallo")),
            ),
            (
                "-- output should not contain substring --\nsubstring : hell\noutput    : hello\n--",
                (None, None),
            ),
            ("-- command failed --\nstatus : 4\noutput : count missing\n--", (None, None)),
            ("expected : 1", (None, None)),
        ] {
            assert_eq!(said(&format!("{head}{text}")), want, "{text}");
        }
    }

    #[test]
    fn times() {
        let mut timing = Timing::default();
        assert_eq!(timing.without("fast in 2ms", in_words), "fast");
        assert_eq!(timing.without("slow in 1040ms", in_words), "slow");
        let mut timing = Timing::default();
        assert_eq!(timing.without("fast", in_words), "fast");
        assert_eq!(timing.without("ends in 5ms", in_words), "ends in 5ms");
        assert_eq!(in_brackets("slow [timeout: 1s]"), Some("slow"));
        assert_eq!(in_brackets("slow [a]"), None);
    }
}
