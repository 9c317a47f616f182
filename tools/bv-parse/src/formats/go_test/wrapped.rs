//! gotestsum's part of the machine: its summary and its closing line, around what go test printed.

use super::gotestsum::{self, Done};
use super::{GOTESTSUM, GoTest, reason, refusal};
use crate::machine::{Closing, Out, Says};
use bv_schemas::{Failure, Reason};
use std::collections::HashSet;

impl GoTest {
    /// A line of gotestsum's summary; `=== RUN` and its like are go test's.
    pub(super) fn gotestsum(&mut self, text: &str, span: [u64; 2], out: &mut Out) -> bool {
        if self.package.any_running() && !self.summary.reading() && !self.is_over(text) {
            return false;
        }
        if self.summary.reading()
            && let Some(done) = gotestsum::done(text)
        {
            self.done(&done, out);
            return true;
        }
        if !self.summary.line(text, span) {
            return false;
        }
        self.waiting = None;
        self.open_summary(out);
        true
    }

    /// In gotestsum's formats a test's end may lack; the summary's head stands between blank lines.
    fn is_over(&self, text: &str) -> bool {
        matches!(text, "=== Failed" | "=== Skipped" | "=== Errors")
    }

    fn open_summary(&mut self, out: &mut Out) {
        if let Some(closed) = self.doubtful.take() {
            self.close(&closed, out);
        }
        self.open(out);
        self.name_gotestsum(out);
    }

    pub(super) fn name_gotestsum(&mut self, out: &mut Out) {
        if !std::mem::replace(&mut self.named, true) {
            out.runner(GOTESTSUM.name);
        }
    }

    /// `DONE …`: the end, unless failures stand that it did not list; then it may run them again.
    pub(super) fn done(&mut self, done: &Done, out: &mut Out) {
        self.open_summary(out);
        if done.failures > 0 && !self.summary.listed {
            self.waiting = Some(*done);
            return;
        }
        self.finish(done, out);
    }

    pub(super) fn finish(&mut self, done: &Done, out: &mut Out) {
        let summary = std::mem::take(&mut self.summary);
        let package = std::mem::take(&mut self.package);
        let listed = summary.listed;
        let failed_last = if listed { summary.failed_last(done) } else { done.failures };
        let error = summary.error();
        let ids = summary.ids();
        let mut failures = summary.failures(done, &mut self.builds);
        if !listed && done.failures > 0 {
            failures.extend(package.failures(None, false).0);
        }
        let red = done.errors > 0 || if done.runs > 1 { failed_last > 0 } else { done.failures > 0 };
        let ran = done.tests > done.skipped;
        let says = match (red, ran) {
            (true, false) if done.failures == 0 => Says::Refused(match failures.is_empty() {
                true => error.as_deref().and_then(refusal::reason).unwrap_or(Reason::CollectionError),
                false => reason(&failures),
            }),
            (true, _) => Says::Red,
            (false, true) => Says::Green,
            (false, false) => Says::NoTests,
        };
        self.restate(&mut failures, listed.then_some(&ids), out);
        failures.into_iter().for_each(|failure| out.failure(failure));
        let message = if matches!(says, Says::Refused(_)) { error } else { None };
        out.close(Closing {
            says,
            counts: gotestsum::counts(done, failed_last),
            duration_ms: Some(done.duration_ms),
            message,
        });
        self.opened = false;
        self.waiting = None;
    }

    /// In its `standard` formats gotestsum printed go test's lines on the packages, too: its summary says
    /// all of that again, unless it lacks one of those failures; then a plain `go test` ran before it.
    fn restate(&mut self, failures: &mut Vec<Failure>, listed: Option<&HashSet<String>>, out: &mut Out) {
        let said = std::mem::take(&mut self.said);
        let more = std::mem::take(&mut self.said_more);
        if !std::mem::take(&mut self.closed_any) {
            return;
        }
        let again = |listed: &HashSet<String>, id: &String| {
            listed.contains(id) || listed.iter().any(|other| id.ends_with(&["/", other].concat()))
        };
        if let Some(listed) = listed
            && !more
            && said.iter().all(|id| again(listed, id))
        {
            out.restate();
            return;
        }
        failures.retain(|failure| {
            failure.id.as_ref().is_none_or(|id| {
                !said.iter().any(|other| other == id || other.ends_with(&["/", id].concat()))
            })
        });
    }
}
