//! uvu's command (0.5: `src/index.js` in <https://github.com/lukeed/uvu>).
//!
//! A section opens with the first `FAIL` or the closing statement, and closes with its last line:
//! `Total:`, `Passed:`, `Skipped:` and `Duration:`, one below another.

use crate::held::Held;
use crate::javascript::{Names, Naming, error, frame};
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Kind};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "uvu",
    commands: &["uvu"],
    needles: &["   FAIL  ", "  Total:     "],
    new: || Box::<Uvu>::default(),
};

/// Text kept of one failure.
const BLOCK_BYTES_MAX: usize = 64 << 10;

/// One run at a time; the next one in the stream is a new section.
#[derive(Default)]
struct Uvu {
    open: bool,
    block: Option<Block>,
    held: Held,
    /// The closing statement, as far as it has come.
    numbers: Vec<u64>,
}

/// A failure that is being read.
struct Block {
    id: String,
    text: String,
    blanks: usize,
    span: [u64; 2],
}

impl Machine for Uvu {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if let Some(id) = failed(text) {
            self.end_block();
            self.block = Some(Block { id, text: String::new(), blanks: 0, span: line.span });
            return;
        }
        if self.counted(text, out) {
            return;
        }
        if self.block.as_mut().is_some_and(|block| !block.line(line)) {
            self.end_block();
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.end_block();
        if !self.held.is_empty() {
            self.open(out);
        }
        self.held.say(out);
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some()
    }
}

impl Uvu {
    fn open(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.open, true) {
            out.open();
        }
    }

    fn end_block(&mut self) {
        if let Some(block) = self.block.take() {
            self.held.push(block.failure());
        }
    }

    /// A line of the closing statement; whether it is one.
    fn counted(&mut self, text: &str, out: &mut Out) -> bool {
        const LABELS: [&str; 4] = ["  Total:     ", "  Passed:    ", "  Skipped:   ", "  Duration:  "];
        let Some(rest) = text.strip_prefix(LABELS[self.numbers.len()]) else {
            self.numbers.clear();
            return false;
        };
        self.end_block();
        if let [total, passed, skipped] = self.numbers[..] {
            self.close([total, passed, skipped], duration_ms(rest), out);
            return true;
        }
        match rest.parse() {
            Ok(number) => self.numbers.push(number),
            Err(_) => self.numbers.clear(),
        }
        !self.numbers.is_empty()
    }

    fn close(&mut self, [total, passed, skipped]: [u64; 3], duration_ms: Option<u64>, out: &mut Out) {
        self.open(out);
        let failed = total.saturating_sub(passed);
        let says = Says::of(failed, passed);
        if failed > 0 {
            let unnamed = failed.saturating_sub(self.held.len());
            self.held.say(out);
            out.unnamed(unnamed);
        }
        let counts =
            Counts { passed: Some(passed), failed: Some(failed), errored: None, skipped: Some(skipped) };
        out.close(Closing { says, counts, duration_ms, message: None });
        *self = Uvu::default();
    }
}

impl Block {
    fn line(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        self.blanks = if text.is_empty() { self.blanks + 1 } else { 0 };
        // Two blank lines end it.
        if self.blanks == 2 || !text.is_empty() && !text.starts_with("    ") {
            return false;
        }
        if self.text.len() + text.len() < BLOCK_BYTES_MAX {
            self.text.push_str(text.strip_prefix("    ").unwrap_or(text));
            self.text.push('\n');
        }
        if !text.is_empty() {
            self.span[1] = line.span[1];
        }
        true
    }

    fn failure(self) -> Failure {
        let lines: Vec<&str> = self.text.lines().collect();
        // The check's name stands behind the message: `three pins  (is)`.
        let first = lines.first().copied().unwrap_or_default();
        let checked = first.strip_suffix(')').and_then(|text| text.rsplit_once("  ("));
        let message = checked.map_or(first, |(message, _)| message);
        let stack: Vec<&str> = lines.iter().copied().filter(|line| frame(line).is_some()).collect();
        let mut failure = error(&stack, Naming::Always, Names::Own);
        // A test's body lies in uvu's `handler`, and has no name of its own.
        for place in failure.test.iter_mut().chain(&mut failure.fault).chain(&mut failure.frames) {
            place.function = place.function.take().filter(|name| name != "Object.handler");
        }
        failure.kind = match checked {
            Some((_, "snapshot" | "fixture")) => Kind::Snapshot,
            Some(_) => Kind::Assertion,
            None => Kind::Exception,
        };
        let side = |sign: &str, label: &str| {
            let lines: Vec<&str> = lines
                .iter()
                .filter_map(|line| line.trim_start().strip_prefix(sign))
                .map(|line| line.strip_suffix(label).unwrap_or(line).trim())
                .map(|line| line.trim_start_matches('·'))
                .collect();
            Some(lines.join("\n")).filter(|text| !text.is_empty())
        };
        failure.expected = side("++", "(Expected)");
        failure.observed = side("--", "(Actual)");
        failure.message = Some(message.to_owned()).filter(|message| !message.is_empty());
        failure.id = Some(self.id);
        failure.span = Some(self.span);
        failure
    }
}

/// `   FAIL  cart  "rounds"`, and `   FAIL  "top"` of a test without a suite: the name as printed.
fn failed(text: &str) -> Option<String> {
    let rest = text.strip_prefix("   FAIL ")?.trim_start();
    let name = rest.strip_suffix('"')?;
    let (suite, test) = name.split_once('"')?;
    Some([suite.trim(), test].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" > "))
}

/// `3.16ms`, `1.20s`
fn duration_ms(text: &str) -> Option<u64> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| *number >= 0.0);
    match text.strip_suffix("ms") {
        Some(text) => Some(number(text)?.round() as u64),
        None => Some((number(text.strip_suffix('s')?)? * 1000.0).round() as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::FORMAT;
    use crate::said::said;

    fn check(text: &str, want: &[&str]) {
        assert_eq!(said(&FORMAT, text), want, "{text}");
    }

    #[test]
    fn failures_and_counts() {
        let fail = "   FAIL  cart  \"rounds\"\n    three pins  (is)\n\n        ++1.19    (Expected)\n        --1.18    (Actual)\n\n    at assert (file:///w/node_modules/uvu/assert/index.mjs:33:8)\n    at Object.handler (file:///w/a.mjs:5:28)\n\n\n";
        let end = "  Total:     2\n  Passed:    1\n  Skipped:   1\n  Duration:  3.16ms\n";
        check(&[fail, end].concat(), &["open", "assertion cart > rounds: three pins", "red 1/1/1"]);
        check(end, &["open", "unnamed 1", "red 1/1/1"]);
        check(
            "  Total:     1\n  Passed:    1\n  Skipped:   0\n  Duration:  0.72ms\n",
            &["open", "green 1/0/0"],
        );
        check(
            "  Total:     0\n  Passed:    0\n  Skipped:   0\n  Duration:  0.72ms\n",
            &["open", "notests 0/0/0"],
        );
        check(fail, &["open", "assertion cart > rounds: three pins"]);
        check("  Total:     1\n  Passed:    1\nprinted\n", &[]);
    }
}
