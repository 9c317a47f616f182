//! One failure as EUnit prints it:
//!
//! ```text
//! bank_tests: deposit_test...*failed*
//! in function bank_tests:deposit_test/0 (bank_tests.erl, line 5)
//! in call from eunit_test:run_testfun/1 (eunit_test.erl, line 71)
//! **error:{assertEqual,[{module,bank_tests},
//!               {line,5},
//!               {expression,"bank : deposit ( 250 , 50 )"},
//!               {expected,301},
//!               {value,300}]}
//!   output:<<"">>
//! ```
//!
//! and what keeps a group of tests from running, `*** context setup failed ***`.

use crate::erlang::{self, Frame};
use crate::machine::Line;
use bv_schemas::{Failure, Kind};

/// Lines kept of a printed term, and frames.
const LINES_MAX: usize = 2000;
/// Lines after which a block that did not end is given up, so that other runners are heard again.
const BLOCK_LINES_MAX: usize = 100_000;

/// `bank_tests: deposit_test`, `bank_tests:24: -gen_test_/0-fun-6- (named one)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// As printed.
    pub id: String,
    module: String,
    line: Option<u64>,
    function: String,
}

impl Head {
    /// The head in the text before `...`.
    pub fn read(text: &str) -> Option<Head> {
        let id = text.trim_start();
        let (module, rest) = id.split_once(':')?;
        let (line, name) = match rest.split_once(": ") {
            Some((line, name)) => (Some(line.parse().ok()?), name),
            None => (None, rest.strip_prefix(' ')?),
        };
        let plain = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'@'))
        };
        let function = erlang::bare(name.split(' ').next()?);
        (plain(module) && plain(function)).then(|| Head {
            id: id.to_owned(),
            module: module.to_owned(),
            line,
            function: function.to_owned(),
        })
    }
}

/// A failure that is being read.
#[derive(Debug)]
pub struct Block {
    id: Option<String>,
    head: Option<Head>,
    what: What,
    /// The words between the stars.
    title: String,
    frames: Vec<Frame>,
    class: Option<String>,
    term: Vec<String>,
    at: At,
    seen: usize,
    span: [u64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Failed,
    TimedOut,
    /// A reason follows in one line, `::killed`.
    Reason(Kind),
    /// A group's setup or what makes its tests.
    Group(Kind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Stack,
    Term,
    Output,
    /// The output's last line, if an empty one follows.
    OutputEnd,
    Over,
}

impl Block {
    /// What this line begins; `before` is the line above, `last` the last test that began or was skipped.
    pub fn begins(text: &str, before: &str, last: Option<&Head>, span: [u64; 2]) -> Option<Block> {
        let inner = text.trim_start();
        let new = |head: Option<Head>, what, title: &str| {
            let id = head.as_ref().map(|head| head.id.clone());
            Block {
                id,
                head,
                what,
                title: title.to_owned(),
                frames: Vec::new(),
                class: None,
                term: Vec::new(),
                at: At::Stack,
                seen: 0,
                span,
            }
        };
        // What a test prints at once stands between its name and the verdict.
        let head = |mark: &str| {
            let before = text.strip_suffix(mark)?;
            match before.split_once("...") {
                Some((head, _)) => Head::read(head),
                None => last.cloned(),
            }
        };
        if let Some(head) = head("*failed*") {
            return Some(new(Some(head), What::Failed, "failed"));
        }
        if let Some(head) = head("*timed out*") {
            return Some(new(Some(head), What::TimedOut, "timed out"));
        }
        if let Some(head) = head("*did not run*") {
            return Some(new(Some(head), What::Reason(Kind::CollectionError), "did not run"));
        }
        for title in ["unexpected termination of test process", "could not start test process"] {
            if inner.trim_matches('*') == title {
                return Some(new(last.cloned(), What::Reason(Kind::Crash), title));
            }
        }
        let title = inner.strip_prefix("*** ")?.strip_suffix(" ***")?;
        let kind = match title {
            "context setup failed" | "context cleanup failed" | "instantiation of subtests failed" => {
                Kind::SetupError
            }
            "test module not found"
            | "application not found"
            | "error reading file"
            | "bad test descriptor" => Kind::CollectionError,
            _ if title.starts_with("test generator ") && title.ends_with(" failed")
                || title.ends_with(" is not a test")
                || title.starts_with("no such function: ") =>
            {
                Kind::CollectionError
            }
            _ => return None,
        };
        let mut block = new(None, What::Group(kind), title);
        let named = title.split(' ').find(|word| word.contains(':') && word.contains('/'));
        block.id =
            named.or((before != "undefined" && !before.is_empty()).then_some(before)).map(str::to_owned);
        Some(block)
    }

    /// Takes the line, unless the block ended before it.
    pub fn take(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        self.seen += 1;
        let takes = match self.what {
            _ if self.seen > BLOCK_LINES_MAX => false,
            What::Reason(_) => match text.strip_prefix("::").filter(|_| self.seen == 1) {
                Some(reason) => {
                    self.term.push(reason.to_owned());
                    true
                }
                None => false,
            },
            What::TimedOut => self.stack(text),
            What::Failed | What::Group(_) => self.part(text),
        };
        if takes {
            self.span[1] = line.span[1];
        }
        takes
    }

    fn stack(&mut self, text: &str) -> bool {
        let is_frame = text.starts_with("in function ") || text.starts_with("in call from ");
        if is_frame && self.frames.len() < LINES_MAX {
            self.frames.extend(erlang::frame(text));
        }
        is_frame || text.starts_with("  called as ")
    }

    fn part(&mut self, text: &str) -> bool {
        match self.at {
            At::Over => return false,
            At::Stack => {
                let text =
                    text.strip_prefix("**").filter(|rest| rest.starts_with("in function ")).unwrap_or(text);
                if self.stack(text) {
                    return true;
                }
                self.at = At::Term;
                let (class, term) = match text.strip_prefix("**").and_then(|text| text.split_once(':')) {
                    Some((class, term)) if matches!(class, "error" | "exit" | "throw") => (Some(class), term),
                    _ => (None, text.trim_start_matches('*')),
                };
                // The arguments of a call may be of several lines.
                if class.is_none() && !self.frames.is_empty() && !text.is_empty() {
                    self.at = At::Stack;
                    return true;
                }
                self.class = class.map(str::to_owned);
                self.term.push(term.to_owned());
            }
            At::Term if text.starts_with("  output:<<\"") => self.output(text),
            At::Term if text.is_empty() => self.at = At::Over,
            At::Term => {
                if self.term.len() < LINES_MAX {
                    self.term.push(text.to_owned());
                }
            }
            At::OutputEnd if text.is_empty() => self.at = At::Over,
            At::Output | At::OutputEnd => self.output(text),
        }
        true
    }

    fn output(&mut self, text: &str) {
        let ends = text.ends_with("\">>") || text.ends_with("\">>...");
        self.at = if ends { At::OutputEnd } else { At::Output };
    }

    /// The failure that it tells of.
    pub fn failure(self) -> Failure {
        let term = erlang::joined(self.term.iter().map(String::as_str));
        let mut failure = match self.what {
            What::Failed => erlang::thrown(self.class.as_deref(), &term),
            What::TimedOut => {
                Failure { kind: Kind::Timeout, message: Some(self.title.clone()), ..Failure::default() }
            }
            What::Reason(kind) => {
                let message = if term.is_empty() { self.title.clone() } else { term };
                Failure { kind, message: Some(message), ..Failure::default() }
            }
            What::Group(kind) => match self.class.as_deref() {
                Some(class) => Failure { kind, ..erlang::thrown(Some(class), &term) },
                None => Failure { kind, message: Some(self.title.clone()), ..Failure::default() },
            },
        };
        match &self.head {
            Some(head) => erlang::place(&mut failure, &self.frames, &head.module, &head.function, head.line),
            None => {
                let own = self.frames.iter().rfind(|frame| erlang::is_own(frame));
                let (module, function) = own.map_or(("", ""), |frame| {
                    (&*frame.module, frame.place.function.as_deref().unwrap_or_default())
                });
                erlang::place(&mut failure, &self.frames, module, function, None);
            }
        }
        failure.id = self.id;
        failure.span = Some(self.span);
        failure
    }
}
