//! Text of no known runner: what it surely says, as failures, or as the reason of a refusal.
//!
//! The engine uses what is found here only where no runner's section covers it; it never makes a pass.

use crate::machine::Line;
use bv_schemas::{Failure, Reason};

/// Texts of which one must stand in a line before [`Fallback::line`] gets it.
pub const NEEDLES: &[&str] = &[];

/// One thing that the text surely says went wrong.
#[derive(Debug)]
pub struct Finding {
    /// What goes to the stream.
    pub failure: Failure,
    /// The process cannot have ended well: a signal, a sanitizer's report. Such a finding speaks
    /// even against a green runner whose exit status is not known.
    pub fatal: bool,
    /// It stands inside a runner's open section.
    pub in_section: bool,
}

/// Why nothing could be run, in the words of a shell or a tool.
#[derive(Debug)]
pub struct Refusal {
    /// The reason.
    pub reason: Reason,
    /// The words, one line.
    pub message: String,
    /// The command that the words name, when they do.
    pub command: Option<String>,
}

/// Reads what no runner's machine takes.
#[derive(Debug, Default)]
pub struct Fallback {
    findings: Vec<Finding>,
    refusal: Option<Refusal>,
}

impl Fallback {
    /// Takes a line that holds a needle, or any line while [`Fallback::busy`].
    pub fn line(&mut self, _line: &Line<'_>, _in_section: bool) {}

    /// Whether a block (a traceback, a report) is being read, so that the next line is wanted too.
    pub fn busy(&self) -> bool {
        false
    }

    /// The stream ended.
    pub fn end(self) -> (Vec<Finding>, Option<Refusal>) {
        (self.findings, self.refusal)
    }
}
