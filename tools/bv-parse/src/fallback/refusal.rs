//! Why nothing could be run: a shell that does not find the command, an interpreter that does not find
//! the script or the module, a build tool that does not know the target.

use super::{Refusal, Said};
use crate::machine::Line;
use bv_schemas::Reason;
use regex::Regex;
use std::sync::LazyLock;

/// A form of words; the group `command`, where it has one, names the command.
const FORMS: &[&str] = &[
    // bash, ksh; with a script's name and line, or the shell's own.
    r"^\S+: (?:line \d+: )?(?P<command>[^\s:]+): (?:command not found|No such file or directory|Permission denied|cannot execute: .+)$",
    r"^\S+: \d+: (?P<command>[^\s:]+): (?:not found|Permission denied)$",
    r"^(?:zsh: )?command not found: (?P<command>\S+)$",
    r"^fish: Unknown command: (?P<command>\S+)$",
    r"^(?:/usr/bin/)?env: ['‘](?P<command>[^'’]+)['’]: No such file or directory$",
    r"^(?:timeout|nohup|xargs|time|nice): (?:failed to run command |cannot run )?['‘]?(?P<command>[^'’\s]+)['’]?: (?:No such file or directory|Permission denied)$",
    r"^'(?P<command>[^']+)' is not recognized as an internal or external command",
    r"^(?:\S*[/\\])?python[\d.]*(?:\.exe)?: can't open file .+$",
    r"^(?:\S*[/\\])?python[\d.]*(?:\.exe)?: No module named (?P<command>[\w.]+)",
    r#"^npm (?:ERR!|error) [Mm]issing script: "?(?P<command>[^"\s]+)"?$"#,
    r"(?:^|\s)ERR_PNPM_NO_SCRIPT\S*\s+Missing script: .+$",
    r"^g?make(?:\[\d+\])?: \*\*\* No rule to make target .+$",
    r"^g?make(?:\[\d+\])?: \*\*\* No targets specified and no makefile found\.",
    r"^error: no such command: `(?P<command>[^`]+)`$",
    r"^error: could not find `Cargo\.toml` in .+$",
];

static REGEXES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    FORMS.iter().map(|form| Regex::new(form).expect("a constant pattern, run by the tests")).collect()
});

/// Words by one of the known forms.
pub fn begins(line: &Line<'_>) -> Option<Said> {
    const ENDINGS: &[&str] = &[
        "not found",
        "No such file",
        "Permission denied",
        "can't open file",
        "No module named ",
        "issing script",
        "No rule to make",
        "no makefile",
        "no such command",
        "could not find",
        "not recognized",
        "Unknown command",
        "cannot execute",
    ];
    let text = line.text.trim_end();
    if !ENDINGS.iter().any(|words| text.contains(words)) {
        return None;
    }
    let found = REGEXES.iter().find_map(|regex| regex.captures(text))?;
    let command = found.name("command").map(|command| command.as_str());
    let begun = found.get(0)?.as_str();
    // A program that lacks an input file of its own speaks alike: only a shell's words are meant.
    let shell = begun.split(':').next().unwrap_or_default();
    let file_form = begun.ends_with("No such file or directory") || begun.ends_with("Permission denied");
    if file_form && !is_shell(shell) {
        return None;
    }
    Some(not_runnable(text, command))
}

/// The tool or program could not be run.
pub fn not_runnable(message: &str, command: Option<&str>) -> Said {
    let command = command.map(|path| path.rsplit('/').next().unwrap_or(path).to_owned());
    Said::Refusal(Refusal { reason: Reason::NotRunnable, message: message.trim().to_owned(), command })
}

/// A shell, a script of one, an interpreter, or a tool that starts others.
fn is_shell(name: &str) -> bool {
    const STARTERS: &[&str] = &["env", "timeout", "nohup", "xargs", "time", "nice", "make", "gmake"];
    let name = name.rsplit('/').next().unwrap_or(name);
    let python = name.starts_with("python");
    python || name.ends_with("sh") || STARTERS.contains(&name) || name.starts_with("make[")
}
