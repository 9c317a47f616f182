//! One check after the other: read, compiled, drawn, judged, told.

mod drawn;
mod program;
mod told;

use crate::check::{Check, RuleKind};
use crate::front::{Rejection, Rule};
use crate::report::Report;
use crate::session::Session;
use crate::wire::Interface;
use bv_schemas::Reason;
pub use program::Program;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
pub use told::{compile_failure, died};

/// A check file as it came in.
#[derive(Debug)]
pub struct CheckFile {
    /// As the user names it; absent for stdin.
    pub path: Option<PathBuf>,
    /// Its bytes.
    pub text: Vec<u8>,
}

impl CheckFile {
    /// As records name it.
    pub fn name(&self) -> String {
        self.path.as_ref().map_or_else(|| "stdin".into(), |path| path.display().to_string())
    }

    /// What its own names are relative to.
    pub fn folder(&self) -> &Path {
        self.path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""))
    }

    /// 1-based line of the rule's `id`.
    fn line_of(&self, id: &str) -> Option<u64> {
        let text = String::from_utf8_lossy(&self.text);
        let value = serde_json::to_string(id).ok()?;
        let is_id = |at: usize| {
            let before = text[..at].trim_end().strip_suffix(':')?.trim_end();
            before.ends_with("\"id\"").then_some(at)
        };
        let at = text.match_indices(&value).find_map(|(at, _)| is_id(at))?;
        Some(text[..at].matches('\n').count() as u64 + 1)
    }
}

/// Why a check ends before all of its rules are held.
pub(crate) enum Stop {
    /// The run says so and goes on with the next check.
    Refused(Reason, String),
    /// It is told already.
    Told,
    /// Ours.
    Io(io::Error),
}

impl From<io::Error> for Stop {
    fn from(wrong: io::Error) -> Stop {
        Stop::Io(wrong)
    }
}

impl From<(Reason, String)> for Stop {
    fn from((reason, why): (Reason, String)) -> Stop {
        Stop::Refused(reason, why)
    }
}

/// What is wrong with the check itself.
pub(crate) fn bad(wrong: String) -> Stop {
    Stop::Refused(Reason::BadInput, wrong)
}

/// Runs one check and tells what it finds.
///
/// # Errors
/// Those of the output and of the worker's pipes.
pub fn check(
    file: &CheckFile,
    check: &Check,
    session: &mut Session,
    bless: bool,
    report: &mut Report<impl Write>,
) -> io::Result<()> {
    let mut left = check.rules.len() as u64;
    let stop = rules(&Case { file, check, bless }, session, report, &mut left);
    report.skipped(left);
    match stop {
        Ok(()) | Err(Stop::Told) => Ok(()),
        Err(Stop::Refused(reason, why)) => {
            report.refuse(reason, format!("{}: {why}", file.name()));
            Ok(())
        }
        Err(Stop::Io(wrong)) => Err(wrong),
    }
}

/// What is checked.
pub(crate) struct Case<'c> {
    pub(crate) file: &'c CheckFile,
    pub(crate) check: &'c Check,
    pub(crate) bless: bool,
}

/// Holds all rules; `left` counts those of which nothing is known yet.
fn rules(
    case: &Case<'_>,
    session: &mut Session,
    report: &mut Report<impl Write>,
    left: &mut u64,
) -> Result<(), Stop> {
    if case.check.rules.is_empty() {
        return Err(Stop::Refused(Reason::NoTests, "there are no rules".into()));
    }
    let program = Program::load(&case.check.program, case.file.folder())?;
    session.compile(program.language, program.vertex.clone(), program.fragment.clone())?;
    let front: Vec<Rule> = front_rules(case.check).collect();
    if front.is_empty() {
        // Before the compiler has answered: without a driver nothing that it says is of use.
        drawn::adapter(session)?;
    }
    let interface = compiled(case, session, report, &front, left)?;
    if !case.check.draws() {
        return Ok(());
    }
    let adapter = drawn::adapter(session)?;
    drawn::rules(case, &program, &interface, adapter, session, report, left)
}

fn front_rules(check: &Check) -> impl Iterator<Item = Rule> {
    check.rules.iter().filter_map(|rule| match rule.kind() {
        Ok(RuleKind::Front(front)) => Some(front),
        _ => None,
    })
}

/// The program's interface; the rules `compile`, `link` and `limits` are held on the way.
fn compiled(
    case: &Case<'_>,
    session: &mut Session,
    report: &mut Report<impl Write>,
    front: &[Rule],
    left: &mut u64,
) -> Result<Interface, Stop> {
    let wrong = match session.compiled()? {
        Ok(Ok(interface)) => {
            *left -= front.len() as u64;
            report.passed(front.len() as u64);
            return Ok(interface);
        }
        Ok(Err(Rejection::Unsupported(feature))) => {
            return Err(Stop::Refused(Reason::UnsupportedFeature, feature));
        }
        Ok(Err(Rejection::Errors(wrong))) => wrong,
        Err(death) => {
            report.failure(died(case.file, &death, "compiling"), 1)?;
            return Err(Stop::Told);
        }
    };
    // A rule is held before the next one: what does not compile is not linked, what is not linked not counted.
    let broken = wrong.iter().map(|diagnostic| diagnostic.rule).min().unwrap_or(Rule::Compile);
    let held = front.iter().filter(|rule| **rule < broken).count() as u64;
    report.passed(held);
    *left -= front.iter().filter(|rule| **rule <= broken).count() as u64;
    for diagnostic in &wrong {
        report.failure(compile_failure(case.file, diagnostic), 1)?;
    }
    Err(Stop::Told)
}
