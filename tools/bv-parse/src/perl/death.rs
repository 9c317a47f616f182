//! How a Perl program says why it dies: `negative value -3 at lib/Stats.pm line 4.`, a compiler's errors.

use bv_schemas::{Failure, Kind, Place};

/// Lines kept since the last program ended.
const LINES_MAX: usize = 50;

/// One line with a place at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    /// What stands before the place.
    pub words: String,
    /// Where.
    pub place: Place,
}

/// The lines of one program that may be its last words.
#[derive(Clone, Debug, Default)]
pub struct Deaths {
    lines: Vec<Death>,
    /// `Bailout called.`, which ends the whole run.
    bailout: Option<String>,
}

impl Deaths {
    /// Takes a line that is no diagnostic and no test's result.
    pub fn line(&mut self, text: &str) {
        if let Some(reason) = text.strip_prefix("Bailout called.  Further testing stopped:") {
            self.bailout = Some(reason.trim().to_owned());
        } else if let Some((words, place)) = place_behind(text) {
            if self.lines.len() == LINES_MAX {
                // The first errors of a compiler say most, and the last line of a program.
                self.lines.pop();
            }
            self.lines.push(Death { words: words.to_owned(), place });
        }
    }

    /// What the program `file` died of.
    pub fn failure(&self, file: &str) -> Option<Failure> {
        if let Some(reason) = &self.bailout {
            let message = Some(format!("Bailout called.  Further testing stopped:  {reason}"));
            return Some(failure(file, Kind::SetupError, message, None));
        }
        let aborted = self.lines.iter().rfind(|line| {
            ["BEGIN failed", "Compilation failed"].iter().any(|words| line.words.starts_with(words))
        });
        let compiles = |line: &&Death| line.words.contains("syntax error");
        if let Some(aborted) = aborted {
            let missing = self.lines.iter().find(|line| line.words.starts_with("Can't locate "));
            let own = |line: &&Death| {
                line.words != aborted.words
                    && !line.words.starts_with("BEGIN failed")
                    && !line.words.starts_with("Compilation failed")
            };
            let cause = missing
                .or_else(|| self.lines.iter().find(compiles))
                .or_else(|| self.lines.iter().find(own))?;
            let kind = if missing.is_some() { Kind::CollectionError } else { Kind::CompileError };
            let mut failure = failure(file, kind, Some(cause.words.clone()), Some(cause.place.clone()));
            // Where the test asks for what does not compile.
            failure.test = self
                .lines
                .iter()
                .rfind(|line| line.place.file.as_deref() == Some(file))
                .map(|line| line.place.clone())
                .or(failure.test);
            return Some(failure);
        }
        if let Some(cause) = self.lines.iter().find(compiles) {
            return Some(failure(
                file,
                Kind::CompileError,
                Some(cause.words.clone()),
                Some(cause.place.clone()),
            ));
        }
        let last = self.lines.last()?;
        Some(failure(file, Kind::Exception, Some(last.words.clone()), Some(last.place.clone())))
    }
}

fn failure(file: &str, kind: Kind, message: Option<String>, place: Option<Place>) -> Failure {
    let own = |place: &Place| place.file.as_deref() == Some(file);
    let test = match &place {
        Some(place) if own(place) => place.clone(),
        _ => Place { file: Some(file.to_owned()), ..Place::default() },
    };
    let fault = place.filter(|place| !own(place) && place.file.as_deref().is_some_and(is_user_file));
    Failure { id: Some(file.to_owned()), kind, message, test: Some(test), fault, ..Failure::default() }
}

/// `words at FILE line 4.`, behind which a compiler says `near "…"` and a reading program `<STDIN> line 3.`
pub fn place_behind(text: &str) -> Option<(&str, Place)> {
    let mut from = text.len();
    loop {
        let at = text[..from].rfind(" line ")?;
        let digits = text[at + 6..].bytes().take_while(u8::is_ascii_digit).count();
        let rest = &text[at + 6 + digits..];
        let ends = rest.is_empty() || rest == "." || rest.starts_with(", ");
        if digits > 0
            && ends
            && let Some((words, file)) = text[..at].rsplit_once(" at ")
            && !file.contains(char::is_whitespace)
        {
            let line = text[at + 6..at + 6 + digits].parse().ok();
            return Some((words, Place { file: Some(file.to_owned()), line, function: None }));
        }
        from = at;
    }
}

/// Whether the file holds the user's own code: no installed module.
fn is_user_file(path: &str) -> bool {
    const INSTALLED: &[&str] =
        &["/usr/share/perl", "/usr/lib/", "/usr/local/lib/", "/site_perl/", "/vendor_perl/"];
    !(INSTALLED.iter().any(|text| path.contains(text)) || path.starts_with('('))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_says_why_it_dies() {
        let check =
            |lines: &[&str], kind: Kind, message: &str, fault: Option<(&str, u64)>, test: Option<u64>| {
                let mut deaths = Deaths::default();
                lines.iter().for_each(|line| deaths.line(line));
                let failure = deaths.failure("t/a.t").unwrap();
                assert_eq!((failure.kind, failure.message.as_deref()), (kind, Some(message)), "{lines:?}");
                let at = failure.fault.as_ref().and_then(|at| Some((at.file.as_deref()?, at.line?)));
                assert_eq!((at, failure.test.and_then(|at| at.line)), (fault, test), "{lines:?}");
            };
        check(
            &["negative value -3 at lib/S.pm line 4."],
            Kind::Exception,
            "negative value -3",
            Some(("lib/S.pm", 4)),
            None,
        );
        check(&["x at y at t/a.t line 4, <STDIN> line 9."], Kind::Exception, "x at y", None, Some(4));
        check(
            &[
                "syntax error at lib/S.pm line 8, near \"$sum \"",
                "Global symbol \"$sum\" requires explicit package name at lib/S.pm line 9.",
                "Compilation failed in require at t/a.t line 3.",
                "BEGIN failed--compilation aborted at t/a.t line 3.",
            ],
            Kind::CompileError,
            "syntax error",
            Some(("lib/S.pm", 8)),
            Some(3),
        );
        check(
            &[
                "Can't locate No/Such.pm in @INC (x) at t/a.t line 1.",
                "BEGIN failed--compilation aborted at t/a.t line 1.",
            ],
            Kind::CollectionError,
            "Can't locate No/Such.pm in @INC (x)",
            None,
            Some(1),
        );
        check(
            &["Bailout called.  Further testing stopped:  disk full"],
            Kind::SetupError,
            "Bailout called.  Further testing stopped:  disk full",
            None,
            None,
        );
    }
}
