//! Diagnostics of rustc (and clippy) in their text form.
//!
//! In come lines, out comes each diagnostic when its last line was seen: level, code, message, the
//! primary place, and the two types of a mismatch. Notes, helps and the summary lines of rustc and
//! cargo (`aborting due to`, `could not compile`) are no diagnostics of their own.

use crate::machine::Line;
use crate::rust_panic::position;
use bv_schemas::{Failure, Kind, Place};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The code was refused.
    Error,
    /// It was not.
    Warning,
}

/// One diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub level: Level,
    /// `E0308`; lints name themselves in a note instead, see `lint`.
    pub code: Option<String>,
    /// The lint that spoke, from `#[warn(…)]`, `#[deny(…)]` or `-D …` in a note.
    pub lint: Option<String>,
    /// The head line behind the level, and its further lines, joined by a space.
    pub message: String,
    /// Where, from the `-->` line.
    pub place: Option<Place>,
    /// Where in the line, from 1.
    pub column: Option<u64>,
    /// The type that was wanted, of `expected A, found B`.
    pub expected: Option<String>,
    /// The type that was there.
    pub observed: Option<String>,
    /// The diagnostic's bytes in the raw stream.
    pub span: [u64; 2],
}

impl Diagnostic {
    /// As a finding: of the lint that spoke, else as code that does not compile.
    pub fn into_finding(mut self) -> Failure {
        match self.lint.take() {
            Some(lint) => Failure {
                kind: Kind::Lint,
                message: Some(self.message),
                fault: self.place,
                rule: Some(lint),
                span: Some(self.span),
                ..Failure::default()
            },
            None => self.into_failure(),
        }
    }

    /// As the record of code that does not compile.
    pub fn into_failure(self) -> Failure {
        Failure {
            kind: Kind::CompileError,
            message: Some(self.message),
            exception_type: self.code,
            expected: self.expected,
            observed: self.observed,
            test: self.place,
            span: Some(self.span),
            ..Failure::default()
        }
    }
}

/// A message is cut here, in bytes.
const MESSAGE_BYTES_MAX: usize = 2_000;

/// Takes lines one at a time.
#[derive(Debug, Default)]
pub struct Reader {
    open: Option<Diagnostic>,
    defined: Defined,
    /// What the attribute that set the lint's level names.
    attribute: Option<String>,
}

/// The picture of the attribute that set a lint's level, where no note names the lint.
#[derive(Debug, Default)]
enum Defined {
    /// None is being read.
    #[default]
    No,
    /// `note: the lint level is defined here` was seen.
    Announced,
    /// The attribute's line; the marks under the lint's name come next.
    Shown(String),
}

impl Defined {
    /// Takes a line below the place; returns the lint that the marks point out.
    fn line(&mut self, text: &str) -> Option<String> {
        match std::mem::take(self) {
            Defined::No if text.trim_start() == "note: the lint level is defined here" => {
                *self = Defined::Announced;
            }
            Defined::Announced if text.contains("| ") && text.contains("#") => {
                *self = Defined::Shown(text.to_owned());
            }
            Defined::Announced => *self = Defined::Announced,
            Defined::Shown(picture) => {
                let (from, to) = (text.find('^')?, text.rfind('^')? + 1);
                // The marks' line holds no character before them that is longer than a byte; the picture may.
                let name: String = picture.chars().skip(from).take(to - from).collect();
                return Some(name);
            }
            Defined::No => {}
        }
        None
    }
}

impl Reader {
    /// Takes the next line; returns the diagnostic that it ends.
    pub fn line(&mut self, line: &Line<'_>) -> Option<Diagnostic> {
        if let Some((level, code, message)) = head(line.text) {
            let done = self.end();
            self.open = Some(Diagnostic {
                level,
                code: code.map(str::to_owned),
                lint: None,
                message: cut(message).to_owned(),
                place: None,
                column: None,
                expected: None,
                observed: None,
                span: line.span,
            });
            return done;
        }
        let open = self.open.as_mut()?;
        if line.text.trim().is_empty() {
            return self.end();
        }
        open.span[1] = line.span[1];
        if let Some(lint) = self.defined.line(line.text) {
            self.attribute = Some(lint);
        }
        body(open, line.text);
        None
    }

    /// Whether a diagnostic is being read.
    pub fn busy(&self) -> bool {
        self.open.is_some()
    }

    /// The text ended; returns the diagnostic that was being read.
    pub fn end(&mut self) -> Option<Diagnostic> {
        self.defined = Defined::No;
        let attribute = self.attribute.take();
        let mut done = self.open.take()?;
        // The attribute may name a group (`warnings`, `unused`); then a note names the lint.
        done.lint = done.lint.or(attribute);
        Some(done)
    }
}

/// `error[E0308]: mismatched types` to level, code and message; summaries are not heads.
pub fn head(text: &str) -> Option<(Level, Option<&str>, &str)> {
    let (level, rest) = if let Some(rest) = text.strip_prefix("error") {
        (Level::Error, rest)
    } else if let Some(rest) = text.strip_prefix("warning") {
        (Level::Warning, rest)
    } else {
        return None;
    };
    let (code, rest) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map(|(code, rest)| (Some(code), rest))?,
        None => (None, rest),
    };
    Some((level, code, rest.strip_prefix(": ")?))
}

/// Whether a message only sums up what was said before.
pub fn is_summary(message: &str) -> bool {
    message.starts_with("aborting due to ")
        || message.starts_with("could not compile `")
        || message.starts_with("build failed, waiting for other jobs")
        || message.contains(" generated ") && message.contains(" warning")
        || message.ends_with(" warning emitted")
        || message.ends_with(" warnings emitted")
}

fn body(open: &mut Diagnostic, text: &str) {
    let inner = text.trim_start();
    if let Some(shown) = inner.strip_prefix("--> ") {
        if open.place.is_none() {
            open.column = shown.rsplit_once(':').and_then(|(_, column)| column.parse().ok());
            open.place = position(shown).map(|(file, line)| Place {
                file: Some(file.to_owned()),
                line: Some(line),
                function: None,
            });
        }
        return;
    }
    if open.place.is_none() && !gutter(inner) {
        if open.message.len() + inner.len() < MESSAGE_BYTES_MAX {
            open.message.push(' ');
            open.message.push_str(inner);
        }
        return;
    }
    if open.observed.is_none() && open.code.as_deref() == Some("E0308") {
        types(open, inner);
    }
    if open.lint.is_none() {
        open.lint = lint(inner);
    }
}

/// A line of the source picture or of a note below it: `|`, `12 | code`, `= note: …`, `help: …`.
fn gutter(inner: &str) -> bool {
    let rest = inner.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    rest.starts_with('|')
        || rest.starts_with("= ")
        || inner.starts_with("...")
        || inner.starts_with("note: ")
        || inner.starts_with("help: ")
        || inner.starts_with("::: ")
}

/// The label of a mismatch, `expected A, found B`, else the note's two lines.
fn types(open: &mut Diagnostic, inner: &str) {
    if let Some(label) = inner.strip_prefix('|')
        && let Some((_, pair)) = label.split_once("expected ")
        && let Some((expected, observed)) = pair.split_once(", found ")
    {
        open.expected = Some(named(expected).to_owned());
        open.observed = Some(named(observed).to_owned());
    } else if let Some(expected) = inner.strip_prefix("= note: expected ") {
        open.expected = Some(named(expected).to_owned());
    } else if let Some(observed) = inner.strip_prefix("found ")
        && open.expected.is_some()
    {
        open.observed = Some(named(observed).to_owned());
    }
}

/// `struct \`Foo\`` to `Foo`; words without a quoted type as they are.
fn named(text: &str) -> &str {
    let text = text.trim();
    let quoted = text.split_once('`').and_then(|(_, rest)| rest.rsplit_once('`'));
    quoted.map_or(text, |(inner, _)| inner)
}

/// The lint's name in `= note: \`#[warn(unused_variables)]\` … on by default` and its like, or in the
/// address of clippy's page on it.
fn lint(inner: &str) -> Option<String> {
    if let Some((_, page)) = inner.strip_prefix("= help: ").and_then(|help| help.split_once("/rust-clippy/"))
    {
        let (_, name) = page.rsplit_once('#')?;
        return Some(format!("clippy::{name}"));
    }
    let note = inner.strip_prefix("= note: ")?;
    if let Some((_, rest)) = note.split_once("`#[") {
        let (_, rest) = rest.split_once('(')?;
        return rest.split_once(')').map(|(name, _)| name.to_owned());
    }
    let flag = note.strip_prefix("requested on the command line with `-").or(note.strip_prefix("`-"))?;
    // A flag may be written with hyphens; the lint's name has none.
    let name = flag.split_once(' ').and_then(|(_, name)| name.split('`').next())?;
    Some(name.replace('-', "_"))
}

/// What cargo is at, from its progress lines: building for a run or tests, or only checking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// `   Compiling …` was seen.
    pub compiling: bool,
    /// `    Checking …` was seen: cargo check or clippy.
    pub checking: bool,
    /// The code that was checked is not right; another build may follow.
    failed: bool,
}

impl Progress {
    /// Takes a line.
    pub fn line(&mut self, text: &str) {
        if let Some(inner) = text.strip_prefix("   ") {
            if inner.starts_with("Compiling ") {
                // Checking compiles what it needs at build time, so that one does not end the other.
                self.checking &= !std::mem::take(&mut self.failed);
                self.compiling = true;
            } else if inner.starts_with(" Checking ") {
                self.checking = true;
            } else if inner.starts_with(" Finished ") {
                *self = Progress::default();
            }
        } else if self.checking && text.starts_with("error: could not compile `") {
            self.failed = true;
        }
    }
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(MESSAGE_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Diagnostic> {
        let mut reader = Reader::default();
        let mut at = 0;
        let mut found = Vec::new();
        for text in text.lines() {
            let span = [at, at + text.len() as u64 + 1];
            at = span[1];
            found.extend(reader.line(&Line { text, span, overwritten: false }));
        }
        found.extend(reader.end());
        found
    }

    #[test]
    fn a_mismatch_gives_both_types_and_ends_at_the_blank_line() {
        let text = "error[E0308]: mismatched types\n --> a/b.rs:5:23\n  |\n5 |   let x: u32 = y;\n  |          ---   ^ expected `u32`, found `Vec<u8>`\n  |          |\n  |          expected due to this\n\nnote: more\n";
        let place = Place { file: Some("a/b.rs".into()), line: Some(5), function: None };
        let expected = Diagnostic {
            level: Level::Error,
            code: Some("E0308".into()),
            lint: None,
            message: "mismatched types".into(),
            place: Some(place),
            column: Some(23),
            expected: Some("u32".into()),
            observed: Some("Vec<u8>".into()),
            span: [0, text.find("\n\n").map_or(0, |at| at as u64 + 1)],
        };
        assert_eq!(read(text), [expected]);
    }

    #[test]
    fn heads_levels_lints_and_notes() {
        type Read<'a> = (Level, &'a str, Option<&'a str>, Option<&'a str>, Option<&'a str>);
        let check = |text, expected: &[Read<'_>]| {
            let found = read(text);
            let found: Vec<_> = found
                .iter()
                .map(|d| {
                    (d.level, &*d.message, d.lint.as_deref(), d.expected.as_deref(), d.observed.as_deref())
                })
                .collect();
            assert_eq!(found, expected, "{text}");
        };
        let lint = "warning: unused variable: `w`\n --> a.rs:1:2\n  |\n1 | x\n  = note: `#[warn(unused_variables)]` (part of `#[warn(unused)]`) on by default\n";
        check(lint, &[(Level::Warning, "unused variable: `w`", Some("unused_variables"), None, None)]);
        let implied = "error: unneeded `return`\n --> a.rs:1:2\n  |\n  = note: `-D clippy::needless-return` implied by `-D warnings`\n";
        check(implied, &[(Level::Error, "unneeded `return`", Some("clippy::needless_return"), None, None)]);
        let page = "error: again\n --> a.rs:1:2\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#ptr_arg\n";
        check(page, &[(Level::Error, "again", Some("clippy::ptr_arg"), None, None)]);
        let group = "error: unused variable: `w`\n --> a.rs:3:9\n  |\nnote: the lint level is defined here\n --> a.rs:1:9\n  |\n1 | #![deny(warnings)]\n  |         ^^^^^^^^\n  = note: `#[deny(unused_variables)]` implied by `#[deny(warnings)]`\n";
        check(group, &[(Level::Error, "unused variable: `w`", Some("unused_variables"), None, None)]);
        let attribute = "error: unused variable: `w`\n --> a.rs:3:9\n  |\nnote: the lint level is defined here\n --> a.rs:1:9\n  |\n1 | #![deny(dead_code, unused_variables)]\n  |                    ^^^^^^^^^^^^^^^^\n";
        check(attribute, &[(Level::Error, "unused variable: `w`", Some("unused_variables"), None, None)]);
        let note = "error[E0308]: mismatched types\n --> a.rs:1:2\n  |\n  = note: expected struct `A<u8>`\n             found enum `B`\n";
        check(note, &[(Level::Error, "mismatched types", None, Some("A<u8>"), Some("B"))]);
        let words = "error[E0308]: mismatched types\n --> a.rs:1:2\n  |\n1 | x\n  | ^ expected `f64`, found integer\n";
        check(words, &[(Level::Error, "mismatched types", None, Some("f64"), Some("integer"))]);
        let long = "error: linking with `cc` failed: exit status: 1\n  |\n  = note: undefined\nerror: two\nlines\n --> a.rs:1:2\n";
        check(
            long,
            &[
                (Level::Error, "linking with `cc` failed: exit status: 1", None, None, None),
                (Level::Error, "two lines", None, None, None),
            ],
        );
        check("errors: none\nerror[E1 x\nerror:\n", &[]);
    }

    #[test]
    fn summaries_are_told() {
        let check = |text, expected| assert_eq!(is_summary(text), expected, "{text}");
        check("aborting due to 1 previous error", true);
        check("could not compile `phys` (lib) due to 1 previous error", true);
        check("`phys` (lib test) generated 1 warning (1 duplicate)", true);
        check("3 warnings emitted", true);
        check("mismatched types", false);
    }
}
