//! What Node writes to stderr when an error that nobody caught ends a process: the place, the source line and a
//! pointer, the error with its stack, and the version (`Node.js v20.20.2`).

use super::error::uncaught;
use super::stack::place;
use bv_schemas::{Failure, Kind};

/// Text kept of one such print.
const TEXT_BYTES_MAX: usize = 64 << 10;

/// Reads such prints between the lines of a runner.
#[derive(Debug, Default)]
pub struct Dying {
    text: String,
    whole: Option<String>,
}

impl Dying {
    /// Whether a line begins or continues a print.
    pub fn wants(&self, text: &str) -> bool {
        !self.text.is_empty() || begins(text)
    }

    /// Takes a line that is not the runner's.
    pub fn line(&mut self, text: &str) {
        if text.starts_with("Node.js v") {
            self.whole = Some(std::mem::take(&mut self.text)).filter(|text| !text.is_empty());
        } else if self.wants(text) {
            if self.text.len() + text.len() > TEXT_BYTES_MAX {
                self.text.clear();
            }
            self.text.push_str(text);
            self.text.push('\n');
        }
    }

    /// The last whole print, once.
    pub fn take(&mut self) -> Option<String> {
        self.whole.take()
    }
}

/// `/w/a.js:3`, `file:///w/a.mjs:3`, `node:internal/…:1210`.
fn begins(text: &str) -> bool {
    text.starts_with(['/', 'n', 'f']) && !text.contains(' ') && place(text).is_some()
}

/// What is known of the test file `name` whose process died: the error that it wrote, where that names the file, or
/// nothing.
pub fn died(name: &str, stderr: Option<&str>) -> Failure {
    let Some(text) = stderr.filter(|text| text.contains(name)) else {
        return Failure { kind: Kind::Crash, ..Failure::default() };
    };
    let lines: Vec<&str> = text.lines().collect();
    Failure { kind: Kind::CollectionError, ..uncaught(&lines) }
}
