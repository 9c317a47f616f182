//! tox, of the versions 2 to 4: environments, in each of which it runs commands.
//!
//! tox is a runner of runners: what pytest or unittest say in an environment stands, and tox only adds which
//! environments failed, and what kept one from running at all. A section opens at the first command and closes
//! at the words below the list of environments (`congratulations :)`, `evaluation failed :(`); tox 3 has none
//! below a list with an error in it. What tox calls green is green where a runner inside says so, too. A list
//! that a test printed is known by tox' own line on that test's environment below it.
//! Sources: `tox/session/cmd/run/common.py` (4), `tox/session/__init__.py` (3).

mod lines;

use crate::held::Held;
use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Reason};
use lines::{Env, Said, Word};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "tox",
    commands: &["tox"],
    needles: &[
        "commands[",
        " create: ",
        ": install_deps> ",
        ": failed with ",
        ": skipped because ",
        " \u{2716} in ",
        ": OK (",
        ": SKIP (",
        ": FAIL code ",
        ": commands succeeded",
        ": commands failed",
        ": InterpreterNotFound: ",
        "ROOT: HandledError| ",
    ],
    new: || Box::<Tox>::default(),
};

/// Environments of one run that are kept.
const ENVS_MAX: usize = 10_000;

#[derive(Default)]
struct Tox {
    open: bool,
    /// A command was seen to run.
    commands: bool,
    /// The environment whose command runs.
    running: String,
    /// The environment that is set up now, and what went wrong in it: an installer's last `ERROR: …`.
    setup: Option<String>,
    error: Option<String>,
    held: Held,
    /// The list of environments, as far as it came.
    list: Vec<Listed>,
    /// The list is tox 3's, below its `summary` rule.
    ruled: bool,
    /// The closing words came, and whether they are green: said once no test can have printed them.
    closing: Option<bool>,
}

/// An environment's line in the list.
struct Listed {
    name: String,
    env: Env,
    span: [u64; 2],
}

impl Machine for Tox {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        if line.overwritten || text.is_empty() {
            return;
        }
        if self.ruled {
            if let Some((name, env)) = lines::listed_by_3(text) {
                return self.listed(name, env, line.span);
            }
            if text == "  congratulations :)" {
                return self.closed(true);
            }
            // A list with an error in it ends without a word.
            self.end_of_list();
        }
        if let Some((name, env)) = lines::listed(text) {
            self.settle(out);
            return self.listed(name, env, line.span);
        }
        if let Some(green) = lines::closing(text) {
            if !self.list.is_empty() {
                self.closed(green);
            }
            return;
        }
        if self.closing.is_none() {
            self.list.clear();
        }
        if lines::is_summary_rule(text) {
            self.ruled = self.open || self.setup.is_some();
        } else if let Some(words) = text.strip_prefix("ROOT: HandledError| ") {
            self.refuse(words, out);
        } else if let Some((name, said)) = lines::said(text) {
            self.said(name, said, line.span, out);
        } else if let Some(words) = lines::missing(text).filter(|_| self.commands) {
            let name = self.running.clone();
            self.setup_error(&name, words, line.span);
        } else if self.setup.is_some()
            && let Some(error) = text.strip_prefix("ERROR: ")
        {
            self.error = Some(error.to_owned());
        }
    }

    fn end(&mut self, out: &mut Out) {
        if self.ruled {
            self.end_of_list();
        }
        self.settle(out);
        self.held.say(out);
    }
}

impl Tox {
    fn open(&mut self, out: &mut Out) {
        if !self.open {
            self.open = true;
            out.open_around();
        }
    }

    /// tox's own line on one environment.
    fn said(&mut self, name: &str, said: Said<'_>, span: [u64; 2], out: &mut Out) {
        let goes_on = match said {
            Said::Command { first } => !first,
            Said::Ended | Said::Exit(_) => true,
            Said::Setup | Said::Wrong(_) => false,
        };
        if goes_on && self.commands && name == self.running {
            // The environment had not ended: what looked like the closing list was a test's output.
            self.closing = None;
            self.list.clear();
        }
        self.settle(out);
        match said {
            Said::Command { .. } => {
                self.open(out);
                (self.commands, self.setup, self.error) = (true, None, None);
                self.running = name.to_owned();
            }
            Said::Setup => (self.setup, self.error) = (Some(name.to_owned()), None),
            Said::Ended => self.open(out),
            Said::Exit(words) => {
                self.open(out);
                if self.setup.take().is_some_and(|of| of == name) {
                    let words = self.error.take().unwrap_or_else(|| words.to_owned());
                    self.setup_error(name, &words, span);
                }
            }
            Said::Wrong(words) => {
                self.open(out);
                self.setup_error(name, words, span);
            }
        }
    }

    /// What kept an environment's commands from running: no runner inside can tell of it.
    fn setup_error(&mut self, name: &str, words: &str, span: [u64; 2]) {
        if self.held.find(name).is_none() {
            self.held.push(Failure {
                id: Some(name.to_owned()),
                kind: Kind::SetupError,
                message: Some(words.to_owned()),
                span: Some(span),
                ..Failure::default()
            });
        }
    }

    fn listed(&mut self, name: &str, env: Env, span: [u64; 2]) {
        if self.list.len() < ENVS_MAX {
            self.list.push(Listed { name: name.to_owned(), env, span });
        }
    }

    fn closed(&mut self, green: bool) {
        self.ruled = false;
        self.closing = Some(green);
    }

    fn end_of_list(&mut self) {
        self.ruled = false;
        if self.list.iter().any(|listed| listed.env.word.is_red()) {
            self.closed(false);
        }
    }

    /// The closing words that came were tox' own.
    fn settle(&mut self, out: &mut Out) {
        if let Some(green) = self.closing.take() {
            self.close(green, out);
        }
    }

    fn refuse(&mut self, words: &str, out: &mut Out) {
        if !self.open {
            let message = Some(words.to_owned());
            let says = Says::Refused(Reason::NotRunnable);
            out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
        }
    }

    /// The list is whole. Its environments' failures are their runners' to name; tox counts no tests.
    fn close(&mut self, green: bool, out: &mut Out) {
        self.open(out);
        let mut run = std::mem::take(self);
        let list = std::mem::take(&mut run.list);
        for listed in &list {
            if let Word::Wrong(words) = &listed.env.word {
                run.setup_error(&listed.name, words, listed.span);
            }
        }
        let ran = run.commands || list.iter().any(|listed| listed.env.commands);
        let (says, message) = if list.iter().all(|listed| listed.env.word == Word::Skipped) {
            (Says::NoTests, None)
        } else if green {
            // What an environment may fail in peace is no failure.
            let ignored = |id: &str| list.iter().any(|listed| listed.name == id && !listed.env.word.is_red());
            run.held.forget(|failure| failure.id.as_deref().is_some_and(ignored));
            (Says::GreenInside { commands: ran }, None)
        } else if !ran && !run.held.is_empty() {
            let words = run.held.iter_mut().next().and_then(|failure| failure.message.clone());
            (Says::Refused(Reason::NotRunnable), words)
        } else {
            (Says::Red, None)
        };
        run.held.say(out);
        out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
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
    fn tox_4_closes_below_its_list() {
        check(
            "a: commands[0]> pytest\na: OK ✔ in 1.0 seconds\n  a: OK (1.00=setup[0.50]+cmd[0.50] seconds)\n  congratulations :) (1.10 seconds)\n",
            &["open around", "greeninside { commands: true } -/-/-"],
        );
        check(
            "a: exit 1 (0.06 seconds) /tmp> pytest pid=7\n  a: FAIL code 1 (0.07 seconds)\n  evaluation failed :( (0.20 seconds)\n",
            &["open around", "red -/-/-"],
        );
        // --notest.
        check(
            "  a: OK (0.05 seconds)\n  congratulations :) (0.11 seconds)\n",
            &["open around", "greeninside { commands: false } -/-/-"],
        );
        check(
            "py27: skipped because could not find python interpreter\n  py27: SKIP (0.01 seconds)\n  evaluation failed :( (0.11 seconds)\n",
            &["open around", "notests -/-/-"],
        );
        check("a: commands[0]> pytest\n  a: OK (1.00 seconds)\n", &["open around"]);
        // A test printed the first list.
        check(
            "a: commands[0]> pytest\n  a: FAIL code 1 (0.07 seconds)\n  evaluation failed :( (0.20 seconds)\na: OK ✔ in 1.0 seconds\n  a: OK (1.00=setup[0.50]+cmd[0.50] seconds)\n  congratulations :) (1.10 seconds)\n",
            &["open around", "greeninside { commands: true } -/-/-"],
        );
        // Two runs.
        check(
            "a: commands[0]> pytest\n  a: FAIL code 1 (0.07 seconds)\n  evaluation failed :( (0.20 seconds)\na: commands[0]> pytest\n  a: OK (1.00 seconds)\n  congratulations :) (1.10 seconds)\n",
            &["open around", "red -/-/-", "open around", "greeninside { commands: true } -/-/-"],
        );
        check("  congratulations :) (0.11 seconds)\n", &[]);
    }

    #[test]
    fn what_keeps_an_environment_from_running_is_its_failure() {
        check(
            "a: commands[0]> pytest\npy27: failed with could not find python interpreter py27\n  a: OK (1.00 seconds)\n  py27: FAIL code 1 (1.05 seconds)\n  evaluation failed :( (1.30 seconds)\n",
            &["open around", "setuperror py27: could not find python interpreter py27", "red -/-/-"],
        );
        check(
            "dep: install_deps> python -I -m pip install x\nERROR: No matching distribution found for x\ndep: exit 1 (1.43 seconds) /tmp> python -I -m pip install x pid=7\n  dep: FAIL code 1 (1.52 seconds)\n  evaluation failed :( (3.57 seconds)\n",
            &[
                "open around",
                "setuperror dep: No matching distribution found for x",
                "refused(notrunnable) -/-/-",
            ],
        );
        check(
            "c: commands[0]> nosuch\nc: Exception running subprocess [Errno 2] No such file\nc: exit 2 (0.00 seconds) /tmp> nosuch\n  c: IGNORED FAIL code 2 (0.10 seconds)\n  congratulations :) (1.10 seconds)\n",
            &["open around", "greeninside { commands: true } -/-/-"],
        );
    }

    #[test]
    fn tox_3_ends_its_list_without_a_word_when_something_failed() {
        const RULE: &str = "___________________________________ summary ____________________________________";
        check(
            &format!(
                "a create: /x\na run-test: commands[0] | pytest\n{RULE}\n  a: commands succeeded\n  congratulations :)\n"
            ),
            &["open around", "greeninside { commands: true } -/-/-"],
        );
        check(
            &format!(
                "a run-test: commands[0] | pytest\n{RULE}\n  a: commands succeeded\nERROR:   b: commands failed\nERROR:  py27: InterpreterNotFound: python2.7\n"
            ),
            &["open around", "setuperror py27: InterpreterNotFound: python2.7", "red -/-/-"],
        );
        check(
            &format!("a create: /x\n{RULE}\n  a: skipped tests\n  congratulations :)\n"),
            &["open around", "notests -/-/-"],
        );
        check(&format!("{RULE}\n  a: commands succeeded\n  congratulations :)\n"), &[]);
    }
}
