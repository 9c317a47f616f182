//! The law of the verdict: sections seen x the runners' own statements x the exit status.
//!
//! Pure. `passed` needs positive evidence: every section that began also closed, each runner says itself
//! that at least one test ran and none failed, no failure stands, and the exit status is 0 where it is
//! known. Whatever is unknown is `refused`, never green.

use crate::exit_line::Exit;
use crate::machine::{Closing, Says};
use bv_schemas::{Outcome, Reason};

/// One section of one runner, as far as the verdict asks: nested and superseded ones are left out.
#[derive(Clone, Debug)]
pub struct Section<'f> {
    /// The runner's name.
    pub runner: &'f str,
    /// Its closing statement; `None` while it is open.
    pub closing: Option<Closing>,
    /// Failures seen in it, named or only counted.
    pub failures: u64,
}

/// What else was seen.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// Findings of the fallback that no section covers.
    pub findings: Findings,
    /// Findings of the fallback inside a section that never closed.
    pub findings_in_open: Findings,
    /// Why nothing could run, in a shell's or tool's words.
    pub refusal: Option<Reason>,
    /// How the command ended, where the stream says so.
    pub exit: Option<Exit>,
    /// Whether any text came in at all.
    pub any_text: bool,
    /// A CI system's own line says that the command failed.
    pub outer_failed: bool,
    /// The command is a checker that is silent when all is well.
    pub silent_checker: bool,
}

/// What the fallback found, by weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// All of them.
    pub all: u64,
    /// Those that prove that the process did not end well.
    pub fatal: u64,
    /// Those that are a compiler's errors.
    pub compile: u64,
    /// Those that are a runner's about tests that it could not load.
    pub collection: u64,
}

/// What is to be said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The outcome.
    pub outcome: Outcome,
    /// Why, when refused.
    pub reason: Option<Reason>,
    /// Index of the section whose runner decides; `None` where no runner does.
    pub decided_by: Option<usize>,
    /// Which of the fallback's findings become records.
    pub findings: Use,
    /// A `crash` record for the signal is due: nothing else tells of it.
    pub crash: bool,
}

/// Which of the fallback's findings become records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// None.
    Nothing,
    /// Those outside all sections that prove that the process did not end well.
    Fatal,
    /// Those outside all sections.
    Outside,
    /// Those outside, and those in sections that never closed.
    All,
}

/// Decides.
pub fn decide(sections: &[Section<'_>], beside: &Beside) -> Verdict {
    if sections.is_empty() {
        return without_runner(beside);
    }
    let inside = sections.iter().any(is_green);
    let sections: Vec<Section<'_>> =
        sections.iter().map(|section| settled(section, beside, inside)).collect();
    with_runners(&sections, beside)
}

/// What a section says once the exit status, and what is green `inside` it, are asked: without them, a green
/// word that waits for them is none.
fn settled<'f>(section: &Section<'f>, beside: &Beside, inside: bool) -> Section<'f> {
    let mut section = section.clone();
    match section.closing.as_mut().map(|closing| (closing.says, closing)) {
        Some((Says::GreenAtExit0, closing)) => match beside.exit {
            Some(_) => closing.says = Says::Green,
            None => section.closing = None,
        },
        Some((Says::GreenInside { commands }, closing)) => {
            let green = inside || commands && beside.exit.is_some();
            closing.says = if green { Says::Green } else { Says::NoTests };
        }
        _ => {}
    }
    section
}

fn with_runners(sections: &[Section<'_>], beside: &Beside) -> Verdict {
    let find = |wanted: &dyn Fn(&Section<'_>) -> bool| sections.iter().position(wanted);
    let open = find(&|s| s.closing.is_none());
    // Nothing ran anywhere: then a compile or collection error refuses the run, although it left records.
    if let Some(at) = find(&|s| refused(s).is_some())
        && open.is_none()
        && !sections.iter().any(ran)
    {
        return Verdict { reason: refused(&sections[at]), ..verdict(Outcome::Refused, Some(at)) };
    }
    if let Some(at) = find(&|s| is_red(s)) {
        let named = sections.iter().any(|s| s.failures > 0);
        let counted = sections.iter().filter_map(|s| s.closing.as_ref()).any(|c| c.counts.red() > 0);
        let findings = match (named, open) {
            (false, Some(_)) => Use::All,
            // The runner only says that a command failed; what stands outside of all runners may tell why.
            (false, None) if !counted => Use::Outside,
            _ => Use::Nothing,
        };
        return Verdict { findings, ..verdict(Outcome::Failed, Some(at)) };
    }
    if let Some(at) = open {
        if beside.findings.all + beside.findings_in_open.all > 0 {
            return Verdict { findings: Use::All, ..verdict(Outcome::Failed, Some(at)) };
        }
        let reason = match beside.exit {
            Some(Exit::Timeout(_)) => Reason::Timeout,
            _ => Reason::Truncated,
        };
        return Verdict { reason: Some(reason), ..verdict(Outcome::Refused, Some(at)) };
    }
    if let Some(at) = find(&|s| refused(s).is_some()) {
        // Some tests ran and others could not: the run is not whole, and not green.
        return verdict(Outcome::Failed, Some(at));
    }
    if let Some(at) = find(&|s| !sections.iter().any(|other| other.runner == s.runner && is_green(other))) {
        return Verdict { reason: Some(Reason::NoTests), ..verdict(Outcome::Refused, Some(at)) };
    }
    all_green(beside)
}

/// Every runner says green; what else was seen may still speak against it.
fn all_green(beside: &Beside) -> Verdict {
    let contradicts = |findings| Verdict { findings, ..verdict(Outcome::Failed, Some(0)) };
    match &beside.exit {
        None | Some(Exit::Code(0)) if beside.findings.fatal > 0 => contradicts(Use::Fatal),
        None | Some(Exit::Code(0)) if beside.outer_failed => {
            Verdict { reason: Some(Reason::ExitContradicts), ..verdict(Outcome::Refused, Some(0)) }
        }
        None | Some(Exit::Code(0)) => verdict(Outcome::Passed, Some(0)),
        Some(_) if beside.findings.all > 0 => contradicts(Use::Outside),
        Some(Exit::Timeout(_)) => {
            Verdict { reason: Some(Reason::Timeout), ..verdict(Outcome::Refused, Some(0)) }
        }
        Some(_) => Verdict { reason: Some(Reason::ExitContradicts), ..verdict(Outcome::Refused, Some(0)) },
    }
}

fn without_runner(beside: &Beside) -> Verdict {
    let refused = |reason| Verdict { reason: Some(reason), ..verdict(Outcome::Refused, None) };
    let found = beside.findings;
    if found.all > 0 && found.all == found.compile + found.collection {
        let reason = if found.compile > 0 { Reason::CompileError } else { Reason::CollectionError };
        return Verdict { findings: Use::Outside, ..refused(reason) };
    }
    match &beside.exit {
        Some(Exit::CannotRun(_)) => refused(Reason::NotRunnable),
        // The one pass without a word: the checker's own exit status is its word. What it may print beside it
        // (a compiler's warnings, a launcher's notes) does not speak against it; any finding does.
        Some(Exit::Code(0)) if beside.silent_checker && found.all == 0 && beside.refusal.is_none() => {
            verdict(Outcome::Passed, None)
        }
        // A program that says 0 survived what it printed.
        Some(Exit::Code(0)) if found.fatal == 0 => match beside.any_text {
            true => refused(Reason::UnrecognisedOutput),
            false => refused(Reason::NoInput),
        },
        _ if found.all > 0 => Verdict { findings: Use::Outside, ..verdict(Outcome::Failed, None) },
        Some(Exit::Timeout(_)) => refused(Reason::Timeout),
        Some(Exit::Signal(_)) => Verdict { crash: true, ..verdict(Outcome::Failed, None) },
        _ => match beside.refusal {
            Some(reason) => refused(reason),
            None if beside.any_text || beside.exit.is_some() => refused(Reason::UnrecognisedOutput),
            None => refused(Reason::NoInput),
        },
    }
}

fn verdict(outcome: Outcome, decided_by: Option<usize>) -> Verdict {
    Verdict { outcome, reason: None, decided_by, findings: Use::Nothing, crash: false }
}

/// The section itself says, or shows, that something failed; a refusal's records are its reason, not that.
fn is_red(section: &Section<'_>) -> bool {
    match &section.closing {
        None => section.failures > 0,
        Some(closing) => match closing.says {
            Says::Red => true,
            Says::Refused(_) => false,
            Says::Green | Says::GreenAtExit0 | Says::GreenInside { .. } | Says::NoTests => {
                section.failures > 0 || closing.counts.red() > 0
            }
        },
    }
}

fn is_green(section: &Section<'_>) -> bool {
    section.failures == 0
        && section.closing.as_ref().is_some_and(|c| c.says == Says::Green && c.counts.red() == 0)
}

fn refused(section: &Section<'_>) -> Option<Reason> {
    match section.closing.as_ref()?.says {
        Says::Refused(reason) => Some(reason),
        _ => None,
    }
}

/// Whether any test ran in it.
fn ran(section: &Section<'_>) -> bool {
    is_green(section) || is_red(section)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bv_schemas::Counts;

    fn closed(runner: &'static str, says: Says, counts: [u64; 3], failures: u64) -> Section<'static> {
        let [passed, failed, skipped] = counts.map(Some);
        let counts = Counts { passed, failed, errored: None, skipped };
        Section {
            runner,
            closing: Some(Closing { says, counts, duration_ms: None, message: None }),
            failures,
        }
    }

    fn open(failures: u64) -> Section<'static> {
        Section { runner: "a", closing: None, failures }
    }

    fn green() -> Section<'static> {
        closed("a", Says::Green, [3, 0, 0], 0)
    }

    fn red() -> Section<'static> {
        closed("a", Says::Red, [2, 1, 0], 1)
    }

    fn warned() -> Section<'static> {
        closed("a", Says::GreenAtExit0, [0, 0, 0], 0)
    }

    fn outer(commands: bool) -> Section<'static> {
        let counts = Counts::default();
        let says = Says::GreenInside { commands };
        Section {
            runner: "o",
            closing: Some(Closing { says, counts, duration_ms: None, message: None }),
            failures: 0,
        }
    }

    fn none() -> Section<'static> {
        closed("a", Says::NoTests, [0, 0, 0], 0)
    }

    fn uncompiled() -> Section<'static> {
        closed("a", Says::Refused(Reason::CompileError), [0, 0, 0], 2)
    }

    fn exit(code: u8) -> Beside {
        Beside { exit: Some(Exit::Code(code)), any_text: true, ..Beside::default() }
    }

    fn exited(exit: Exit) -> Beside {
        Beside { exit: Some(exit), any_text: true, ..Beside::default() }
    }

    fn text() -> Beside {
        Beside { any_text: true, ..Beside::default() }
    }

    fn found(all: u64, fatal: u64, compile: u64) -> Findings {
        Findings { all, fatal, compile, collection: 0 }
    }

    fn silent(beside: Beside) -> Beside {
        Beside { silent_checker: true, ..beside }
    }

    const P: (Outcome, Option<Reason>) = (Outcome::Passed, None);
    const F: (Outcome, Option<Reason>) = (Outcome::Failed, None);
    fn r(reason: Reason) -> (Outcome, Option<Reason>) {
        (Outcome::Refused, Some(reason))
    }

    type Row = (&'static str, Vec<Section<'static>>, Beside, (Outcome, Option<Reason>));

    #[test]
    fn the_law() {
        let signal = || Exit::Signal("SIGSEGV".into());
        let timeout = || Exit::Timeout("30s".into());
        let elsewhere = || closed("b", Says::Green, [1, 0, 0], 0);
        let table: Vec<Row> = vec![
            // 1. Positive evidence.
            ("green", vec![green()], text(), P),
            ("green, exit 0", vec![green()], exit(0), P),
            ("green twice", vec![green(), green()], exit(0), P),
            ("green beside an empty section", vec![none(), green(), none()], text(), P),
            ("two green runners", vec![green(), elsewhere()], text(), P),
            // 2. Failure beats a closing line.
            ("red", vec![red()], text(), F),
            ("red, exit 0", vec![red()], exit(0), F),
            ("red, then green", vec![red(), green()], exit(0), F),
            ("green words over a failure", vec![closed("a", Says::Green, [3, 0, 0], 1)], exit(0), F),
            ("green words over a count", vec![closed("a", Says::Green, [3, 1, 0], 0)], exit(0), F),
            ("no tests, yet a failure", vec![closed("a", Says::NoTests, [0, 0, 0], 1)], text(), F),
            ("green, then a sanitizer", vec![green()], Beside { findings: found(1, 1, 0), ..text() }, F),
            (
                "green, then a logged traceback",
                vec![green()],
                Beside { findings: found(1, 0, 0), ..text() },
                P,
            ),
            ("the same with exit 0", vec![green()], Beside { findings: found(1, 0, 0), ..exit(0) }, P),
            ("the same with exit 1", vec![green()], Beside { findings: found(1, 0, 0), ..exit(1) }, F),
            // A runner of runners.
            ("commands passed, a runner in them", vec![outer(false), elsewhere()], text(), P),
            ("commands passed, nothing said what", vec![outer(true)], text(), r(Reason::NoTests)),
            ("the same, exit 0", vec![outer(true)], exit(0), P),
            ("the same, exit 1", vec![outer(true)], exit(1), r(Reason::ExitContradicts)),
            ("none was seen, exit 0", vec![outer(false)], exit(0), r(Reason::NoTests)),
            ("commands passed, no test in them", vec![outer(true), none()], exit(0), r(Reason::NoTests)),
            // 3. Nothing ran; unfinished sections.
            ("no tests", vec![none()], text(), r(Reason::NoTests)),
            ("no tests, exit 0", vec![none()], exit(0), r(Reason::NoTests)),
            ("one runner of two ran nothing", vec![none(), elsewhere()], exit(0), r(Reason::NoTests)),
            ("unclosed", vec![open(0)], text(), r(Reason::Truncated)),
            ("unclosed, exit 0", vec![open(0)], exit(0), r(Reason::Truncated)),
            ("green, then unclosed", vec![green(), open(0)], text(), r(Reason::Truncated)),
            ("unclosed with a failure", vec![open(1)], text(), F),
            (
                "unclosed with a traceback in it",
                vec![open(0)],
                Beside { findings_in_open: found(1, 0, 0), ..text() },
                F,
            ),
            ("unclosed, signal", vec![open(0)], exited(signal()), r(Reason::Truncated)),
            ("did not compile", vec![uncompiled()], exit(101), r(Reason::CompileError)),
            (
                "did not compile, said nothing else",
                vec![uncompiled(), none()],
                text(),
                r(Reason::CompileError),
            ),
            ("one did not compile, one is green", vec![uncompiled(), green()], text(), F),
            ("one did not compile, one is red", vec![uncompiled(), red()], text(), F),
            ("quiet, no exit", vec![warned()], text(), r(Reason::Truncated)),
            ("quiet, exit 0", vec![warned()], exit(0), P),
            ("quiet, exit 1", vec![warned()], exit(1), r(Reason::ExitContradicts)),
            ("quiet with a failure, exit 0", vec![closed("a", Says::GreenAtExit0, [1, 0, 0], 1)], exit(0), F),
            // 4. The exit status contradicts.
            ("green, exit 1", vec![green()], exit(1), r(Reason::ExitContradicts)),
            ("green, signal", vec![green()], exited(signal()), r(Reason::ExitContradicts)),
            ("counted, not named", vec![closed("a", Says::Red, [1, 2, 0], 0)], exit(1), F),
            (
                "green, the CI system says failed",
                vec![green()],
                Beside { outer_failed: true, ..text() },
                r(Reason::ExitContradicts),
            ),
            ("red, the CI system says failed", vec![red()], Beside { outer_failed: true, ..text() }, F),
            // 5. No runner; time-outs and signals.
            ("timeout, unclosed", vec![open(0)], exited(timeout()), r(Reason::Timeout)),
            ("timeout with a failure", vec![open(1)], exited(timeout()), F),
            ("timeout after green", vec![green()], exited(timeout()), r(Reason::Timeout)),
            ("timeout, no runner", vec![], exited(timeout()), r(Reason::Timeout)),
            ("signal, no runner", vec![], exited(signal()), F),
            ("code, no runner", vec![], exit(1), r(Reason::UnrecognisedOutput)),
            ("exit 0, no runner", vec![], exit(0), r(Reason::UnrecognisedOutput)),
            ("text alone", vec![], text(), r(Reason::UnrecognisedOutput)),
            ("nothing", vec![], Beside::default(), r(Reason::NoInput)),
            ("nothing, exit 0", vec![], Beside { any_text: false, ..exit(0) }, r(Reason::NoInput)),
            ("traceback", vec![], Beside { findings: found(1, 0, 0), ..text() }, F),
            ("traceback, exit 1", vec![], Beside { findings: found(1, 0, 0), ..exit(1) }, F),
            (
                "traceback, exit 0",
                vec![],
                Beside { findings: found(1, 0, 0), ..exit(0) },
                r(Reason::UnrecognisedOutput),
            ),
            ("sanitizer, exit 0", vec![], Beside { findings: found(1, 1, 0), ..exit(0) }, F),
            (
                "compiler errors",
                vec![],
                Beside { findings: found(2, 0, 2), ..exit(1) },
                r(Reason::CompileError),
            ),
            ("compiler errors and a traceback", vec![], Beside { findings: found(2, 0, 1), ..exit(1) }, F),
            (
                "command not found",
                vec![],
                Beside { refusal: Some(Reason::NotRunnable), ..exit(127) },
                r(Reason::NotRunnable),
            ),
            ("warnings alone", vec![warned()], text(), r(Reason::Truncated)),
            ("warnings alone, exit 0", vec![warned()], exit(0), P),
            ("warnings alone, exit 1", vec![warned()], exit(1), r(Reason::ExitContradicts)),
            // 6. A checker that is silent when all is well.
            ("checker, nothing, exit 0", vec![], silent(Beside { any_text: false, ..exit(0) }), P),
            ("checker, warnings, exit 0", vec![], silent(exit(0)), P),
            ("checker, nothing, no exit", vec![], silent(Beside::default()), r(Reason::NoInput)),
            ("checker, text, no exit", vec![], silent(text()), r(Reason::UnrecognisedOutput)),
            ("checker, exit 2", vec![], silent(exit(2)), r(Reason::UnrecognisedOutput)),
            ("checker, signal", vec![], silent(exited(signal())), F),
            ("checker, timeout", vec![], silent(exited(timeout())), r(Reason::Timeout)),
            ("checker, a finding, exit 0", vec![red()], silent(exit(0)), F),
            ("checker, nothing to check, exit 0", vec![none()], silent(exit(0)), r(Reason::NoTests)),
            ("checker, unclosed, exit 0", vec![open(0)], silent(exit(0)), r(Reason::Truncated)),
            (
                "checker, traceback, exit 0",
                vec![],
                silent(Beside { findings: found(1, 0, 0), ..exit(0) }),
                r(Reason::UnrecognisedOutput),
            ),
            (
                "checker, errors, exit 0",
                vec![],
                silent(Beside { findings: found(1, 0, 1), ..exit(0) }),
                r(Reason::CompileError),
            ),
            (
                "checker, command not found, exit 0",
                vec![],
                silent(Beside { refusal: Some(Reason::NotRunnable), ..exit(0) }),
                r(Reason::UnrecognisedOutput),
            ),
            ("cannot run", vec![], exited(Exit::CannotRun("x".into())), r(Reason::NotRunnable)),
        ];
        for (name, sections, beside, want) in table {
            let got = decide(&sections, &beside);
            assert_eq!((got.outcome, got.reason), want, "{name}");
        }
    }

    #[test]
    fn a_signal_without_words_is_one_crash() {
        assert!(decide(&[], &exited(Exit::Signal("SIGKILL".into()))).crash);
        let told = Beside { findings: found(1, 1, 0), ..exited(Exit::Signal("SIGSEGV".into())) };
        let got = decide(&[], &told);
        assert_eq!((got.crash, got.findings), (false, Use::Outside));
    }

    #[test]
    fn the_first_red_section_decides() {
        let sections = [green(), closed("b", Says::Red, [0, 1, 0], 1), red()];
        assert_eq!(decide(&sections, &text()).decided_by, Some(1));
    }
}
