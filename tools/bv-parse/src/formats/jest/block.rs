//! A block of details under `  ● name`: all lines that are blank or indented by four.

use crate::javascript::{Names, Naming, error, unloadable};
use crate::machine::Line;
use bv_schemas::{Failure, Kind, Place};

/// Text kept of one block.
const BLOCK_BYTES_MAX: usize = 256 << 10;

/// What a block is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Title {
    /// A failing test, by its full name.
    Test(String),
    /// The file could not be loaded, or its process died.
    Suite,
    /// A test called `process.exit`; the words say with what.
    Exit,
    /// What the tests of the file printed.
    Console,
    /// Another complaint.
    Notice,
}

/// A block that is being read.
#[derive(Debug)]
pub struct Block {
    /// What it is about.
    pub title: Title,
    words: String,
    text: String,
    span: [u64; 2],
}

impl Block {
    /// Begins with a line that starts with `  ● `.
    pub fn new(line: &Line<'_>) -> Block {
        let words = line.text.trim_start().trim_start_matches('●').strip_prefix(' ').unwrap_or_default();
        let title = match words.trim_end() {
            "Console" => Title::Console,
            "Test suite failed to run" => Title::Suite,
            // Complaints of Jest's own have a second blank.
            text if text.starts_with(" process.exit called with ") => Title::Exit,
            text if text.starts_with(' ') || text.is_empty() => Title::Notice,
            text => Title::Test(text.to_owned()),
        };
        Block { title, words: words.trim().to_owned(), text: String::new(), span: line.span }
    }

    /// Whether a line still belongs to it.
    pub fn goes_on(&self, text: &str) -> bool {
        text.starts_with("    ") || text.trim_ascii().is_empty()
    }

    /// Takes a line of it.
    pub fn push(&mut self, line: &Line<'_>) {
        if matches!(self.title, Title::Console | Title::Notice) || line.overwritten {
            return;
        }
        let text = line.text.get(4..).unwrap_or_default();
        if self.text.len() + text.len() < BLOCK_BYTES_MAX {
            self.text.push_str(text);
            self.text.push('\n');
            if !text.is_empty() {
                self.span[1] = line.span[1];
            }
        }
    }

    /// What it says of a failure, in the file at `path`, of which tests were `listed` or not.
    pub fn failure(self, path: &str, listed: bool) -> Option<Failure> {
        let lines: Vec<&str> = self.text.lines().collect();
        let mut failure = match self.title {
            Title::Suite => unloadable(&lines),
            _ => error(&lines, Naming::Surely, Names::Mapped),
        };
        failure.span = Some(self.span);
        match self.title {
            Title::Console | Title::Notice => return None,
            Title::Test(name) => failure.id = Some(name),
            Title::Exit => {
                failure.kind = Kind::Crash;
                failure.message = Some(self.words);
            }
            Title::Suite => {
                let died = failure.message.as_deref().is_some_and(is_death);
                failure.kind = match (died, listed) {
                    (true, _) => Kind::Crash,
                    // Tests ran: it was a hook around them.
                    (false, true) => Kind::SetupError,
                    (false, false) => Kind::CollectionError,
                };
                failure.id = Some(path.to_owned()).filter(|path| !path.is_empty());
                if failure.test.is_none() {
                    failure.test =
                        failure.id.clone().map(|file| Place { file: Some(file), ..Place::default() });
                }
            }
        }
        Some(failure)
    }
}

/// The worker of a test file died.
fn is_death(message: &str) -> bool {
    message.starts_with("A jest worker process ") || message.starts_with("Jest worker encountered ")
}
