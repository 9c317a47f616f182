//! C and C++ compilers and their linkers: GCC's and Clang's text, GCC's `-fdiagnostics-format=json`, and
//! clang-tidy, whose findings have Clang's form.
//!
//! Each error is a section of its own that closes at once, for a compiler says nothing when it has done, and
//! what follows may be another tool's. Warnings and notes are no failures. Which of the two compilers it was
//! is told by what stands around an error: GCC says in which function it is, Clang quotes otherwise.

mod json;
mod linker;
mod text;

use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use bv_schemas::{Counts, Failure, Kind, Reason};
use std::collections::HashSet;
use text::Said;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "gcc",
    commands: &["gcc", "g++", "cc", "c++"],
    needles: &[
        ": error: ",
        ": fatal error: ",
        ": In function ",
        ": In member function ",
        ": In constructor ",
        ": At global scope:",
        ": in function `",
        ": undefined reference to `",
        "\"column-origin\": ",
        ": multiple definition of `",
        ": cannot find -l",
        "Undefined symbols for architecture ",
        "duplicate symbol '",
        "ld: library ",
        "ld: framework ",
        "mold: fatal: ",
        "[clang-diagnostic-error]",
        " treated as errors",
    ],
    new: || Box::<Compiler>::default(),
};

/// Clang is read by the same machine, for its text has the same form.
pub const CLANG: Format = Format {
    name: "clang",
    commands: &["clang", "clang++"],
    needles: &[],
    new: || Box::<Compiler>::default(),
};

/// clang-tidy: what it is told to treat as an error is a finding, its other warnings are none.
pub const CLANG_TIDY: Format = Format {
    name: "clang-tidy",
    commands: &["clang-tidy", "run-clang-tidy"],
    needles: &[],
    new: || Box::<Compiler>::default(),
};

/// Errors of one linker's run that are held.
const LINKED_MAX: usize = 1000;
/// Errors remembered, so that none is said twice.
const KNOWN_MAX: usize = 10_000;

/// See the head of this file.
#[derive(Default)]
struct Compiler {
    /// The file and the function of GCC's last `In function …`.
    context: Option<(String, Option<String>)>,
    /// The linker's last `in function …`.
    linked_in: Option<String>,
    /// Apple's linker lists what it did not find, for this architecture.
    undefined: Option<String>,
    /// clang-tidy's findings since it last counted them.
    tidied: u64,
    /// The linker's errors, until the compiler that called it speaks.
    linked: Vec<Failure>,
    /// An error whose compiler the next line tells.
    pending: Option<Failure>,
    /// Which one it is, once that is certain.
    named: Option<&'static str>,
    known: HashSet<String>,
}

impl Machine for Compiler {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        if line.overwritten {
            return;
        }
        self.settle(Some(text), out);
        if let Some(last) = self.linked.last_mut()
            && (text.is_empty() || linker::goes_on(text, last))
        {
            return;
        }
        if self.apple(text, line.span) {
            return;
        }
        if !text::may_speak(text) {
            return self.say_linked(self.named.unwrap_or(FORMAT.name), out);
        }
        if text.starts_with("[{\"kind\":") || text.starts_with("[{\"") && text.contains("\"column-origin\": ")
        {
            let errors = json::errors(text);
            for failure in errors {
                self.say(Failure { span: Some(line.span), ..failure }, FORMAT.name, out);
            }
            return;
        }
        if let Some(function) = linker::context(text) {
            self.linked_in = Some(function.to_owned());
            return;
        }
        if let Some(failure) = linker::error(text, self.linked_in.as_deref()) {
            if self.linked.len() < LINKED_MAX {
                self.linked.push(Failure { span: Some(line.span), ..failure });
            }
            return;
        }
        let said = text::said(text);
        if !self.linked.is_empty() {
            let compiler = match said {
                Some(Said::Driver(name, _)) => text::compiler(name),
                _ => self.named.unwrap_or(FORMAT.name),
            };
            self.say_linked(compiler, out);
        }
        match said {
            Some(Said::Context(file, function)) => {
                self.named = Some(FORMAT.name);
                self.context = Some((file.to_owned(), function.map(str::to_owned)));
            }
            Some(Said::Tidy(mut failure)) => {
                failure.span = Some(line.span);
                self.tidied += 1;
                self.say(*failure, CLANG_TIDY.name, out);
            }
            Some(Said::Tidied(count)) => {
                let unnamed = count.saturating_sub(std::mem::take(&mut self.tidied));
                if unnamed > 0 {
                    out.runner(CLANG_TIDY.name);
                    out.unnamed(unnamed);
                    out.close(Closing {
                        says: Says::Red,
                        counts: Counts::default(),
                        duration_ms: None,
                        message: None,
                    });
                }
            }
            Some(Said::Driver(name, message)) => self.driver(name, message, line.span, out),
            Some(Said::Error(mut failure)) => {
                failure.span = Some(line.span);
                if let (Some((file, function)), Some(place)) = (&self.context, &mut failure.fault)
                    && place.file.as_deref() == Some(file)
                {
                    place.function = function.clone();
                }
                self.pending = Some(*failure);
            }
            Some(Said::Clang) => self.named = Some(CLANG.name),
            None => {}
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.settle(None, out);
        self.say_linked(self.named.unwrap_or(FORMAT.name), out);
    }
}

impl Compiler {
    /// The line below an error shows the source, each compiler in its way.
    fn settle(&mut self, next: Option<&str>, out: &mut Out) {
        let Some(failure) = self.pending.take() else { return };
        let message = failure.message.as_deref().unwrap_or_default();
        let numbered = next.is_some_and(text::is_numbered);
        let compiler = if message.contains('‘') {
            self.named = Some(FORMAT.name);
            FORMAT.name
        } else if let Some(named) = self.named {
            named
        } else if message.contains('\'') || next.is_some_and(|next| !next.is_empty()) && !numbered {
            CLANG.name
        } else {
            FORMAT.name
        };
        self.say(failure, compiler, out);
    }

    /// Apple's linker: `Undefined symbols for architecture arm64:`, and each of them below.
    fn apple(&mut self, text: &str, span: [u64; 2]) -> bool {
        if let Some(head) = text.strip_suffix(':').filter(|text| text.starts_with("Undefined symbols for ")) {
            self.undefined = Some(head.to_owned());
            return true;
        }
        let Some(head) = self.undefined.take() else { return false };
        let Some(symbol) = text.strip_suffix(", referenced from:").filter(|text| text.starts_with("  \""))
        else {
            return false;
        };
        if self.linked.len() < LINKED_MAX {
            let message = format!("{head}: {}", symbol.trim_start());
            self.linked.push(Failure { span: Some(span), ..text::error(None, &message) });
        }
        self.undefined = Some(head);
        true
    }

    /// The compiler's own program speaks. That the linker failed is only news when it said nothing itself.
    fn driver(&mut self, name: &str, message: &str, span: [u64; 2], out: &mut Out) {
        let compiler = text::compiler(name);
        self.named = Some(compiler);
        let follows = message.starts_with("ld returned ") || message.starts_with("linker command failed ");
        if !follows || self.known.is_empty() {
            let failure = text::error(None, message);
            self.say(Failure { span: Some(span), ..failure }, compiler, out);
        }
    }

    fn say_linked(&mut self, compiler: &'static str, out: &mut Out) {
        for failure in std::mem::take(&mut self.linked) {
            self.say(failure, compiler, out);
        }
    }

    fn say(&mut self, failure: Failure, compiler: &'static str, out: &mut Out) {
        let place = failure.fault.as_ref().map(|place| (place.file.as_deref(), place.line));
        let key = format!("{place:?} {:?}", failure.message);
        if self.known.contains(&key) {
            // A header's error comes again with every file that includes it.
            return;
        }
        if self.known.len() < KNOWN_MAX {
            self.known.insert(key);
        }
        let message = failure.message.clone();
        let says = match failure.kind {
            Kind::Lint => Says::Red,
            _ => Says::Refused(Reason::CompileError),
        };
        out.runner(compiler);
        out.failure(failure);
        out.close(Closing { says, counts: Counts::default(), duration_ms: None, message });
    }
}

#[cfg(test)]
mod tests;
