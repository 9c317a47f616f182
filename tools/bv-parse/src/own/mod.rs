//! Formats that a user brings, so that a runner of their own is read without a build of bv-parse.
//!
//! In come the texts of files, read by `main.rs`: TOML in our own words ([`words`]) or problem matchers of
//! VS Code and GitHub in JSON ([`matcher`]). Out come formats that the engine asks like those of its table, or
//! one line that says what is wrong. Nothing in them can turn a failure green: a failure that one of their
//! lines says is a failure, what other formats see stands beside it (`ledger::Standing`), and a summary counts
//! as any runner's closing statement does.

mod draft;
pub mod example;
mod js_regex;
mod jsonc;
mod literals;
mod matcher;
mod pattern;
mod reader;
mod rules;
#[cfg(test)]
mod tests;
mod words;

use crate::ledger::Standing;
use crate::machine::Machine;

/// Bytes of one file at most.
pub const FILE_BYTES_MAX: usize = 256 << 10;
/// Formats of all files at most.
pub const FORMATS_MAX: usize = 32;

/// A file of formats that the command line names.
#[derive(Clone, Debug)]
pub struct FormatFile {
    /// As the command line says it, for what is said about it.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// One format that the user brought.
#[derive(Debug)]
pub struct Own {
    /// The runner's name.
    pub name: String,
    /// The runner's commands.
    pub commands: Vec<String>,
    /// Texts of which one stands in each line that begins something; none where every line must be looked at.
    pub needles: Vec<String>,
    /// The file that it stands in.
    pub file: String,
    reads: Reads,
}

#[derive(Debug)]
enum Reads {
    Rules(rules::Rules),
    Matchers(Vec<matcher::Matcher>),
}

impl Own {
    /// A fresh machine.
    pub fn machine(&self) -> Box<dyn Machine + '_> {
        match &self.reads {
            Reads::Rules(rules) => Box::new(reader::Reader::new(rules)),
            Reads::Matchers(matchers) => Box::new(matcher::Found::new(matchers)),
        }
    }

    /// How its sections stand to those of others.
    pub fn standing(&self) -> Standing {
        match self.reads {
            Reads::Rules(_) => Standing::Own,
            Reads::Matchers(_) => Standing::Matcher,
        }
    }
}

/// The formats of all files, in their order.
///
/// # Errors
/// `what went wrong: where; what to do`, of the first thing that is wrong.
pub fn load(files: &[FormatFile]) -> Result<Vec<Own>, String> {
    let mut own: Vec<Own> = Vec::new();
    for file in files {
        if file.text.len() > FILE_BYTES_MAX {
            let limit = FILE_BYTES_MAX >> 10;
            return Err(format!("over {limit} KiB of formats: {}; take a smaller file", file.path));
        }
        let found = if is_json(&file.text) { matcher::formats(file)? } else { rules::formats(file)? };
        for format in found {
            if let Some(other) = own.iter().find(|other| other.name == format.name) {
                let (name, files) = (&format.name, [&*other.file, &*format.file]);
                return Err(format!("two formats named {name}: {}; rename one", files.join(" and ")));
            }
            own.push(format);
        }
    }
    if own.len() > FORMATS_MAX {
        return Err(format!("over {FORMATS_MAX} formats: {}; name fewer files", own[FORMATS_MAX].file));
    }
    Ok(own)
}

/// JSON begins with a brace or bracket, a remark before it aside; TOML of ours has a table's name in brackets.
fn is_json(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with(['{', '/'])
        || text.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{'))
}

/// A name that stands in records and in messages.
fn is_name(name: &str) -> bool {
    const NAME_BYTES_MAX: usize = 64;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '@' | '+');
    (1..=NAME_BYTES_MAX).contains(&name.len()) && name.chars().all(plain)
}
