//! tox' own lines, of the versions 2 to 4.

/// What a line says of the environment that it begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said<'a> {
    /// One of its commands runs.
    Command {
        /// No other of this environment ran before.
        first: bool,
    },
    /// It is set up: created, or filled with what it needs.
    Setup,
    /// It ended, with its commands or without.
    Ended,
    /// A command's exit status and the command.
    Exit(&'a str),
    /// Why it cannot run.
    Wrong(&'a str),
}

/// One environment in the closing list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Env {
    /// How it ended.
    pub word: Word,
    /// Commands were timed, so that they ran.
    pub commands: bool,
}

/// How an environment ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// `OK`, `commands succeeded`.
    Passed,
    /// It did not run, or its commands did not.
    Skipped,
    /// It failed and may.
    Ignored,
    /// A command failed.
    Failed,
    /// tox 3's words on what kept it from running.
    Wrong(String),
}

impl Word {
    /// Whether the run failed by it.
    pub fn is_red(&self) -> bool {
        matches!(self, Word::Failed | Word::Wrong(_))
    }
}

/// What tox says while it runs: `unit: commands[0]> pytest`, and `unit run-test: commands[0] | pytest` in tox 3.
pub fn said(text: &str) -> Option<(&str, Said<'_>)> {
    let (head, rest) = text.split_once(": ")?;
    let (name, step) = head.split_once(' ').unwrap_or((head, ""));
    if !is_name(name) {
        return None;
    }
    let said = match step {
        "" => said_by_4(rest)?,
        "run-test" | "runtests" if rest.starts_with("commands[") => {
            Said::Command { first: rest.starts_with("commands[0]") }
        }
        "create" | "installdeps" | "inst" | "inst-nodeps" | "develop-inst" | "recreate" => Said::Setup,
        _ => return None,
    };
    Some((name, said))
}

fn said_by_4(rest: &str) -> Option<Said<'_>> {
    if rest.starts_with("commands") {
        let step = rest.split_once('[')?.0;
        let is_step = matches!(step, "commands" | "commands_pre" | "commands_post") && rest.contains("]> ");
        // Whether another ran before `commands[0]` is not known: it may be a new run's.
        let first = rest.starts_with("commands[0]") || rest.starts_with("commands_pre[0]");
        return is_step.then_some(Said::Command { first });
    }
    if let Some((step, _)) = rest.split_once("> ")
        && (step.starts_with("install_") || step.starts_with("freeze") || step == "_optional_hooks")
    {
        return Some(Said::Setup);
    }
    if rest.starts_with("OK \u{2714} in ") || rest.starts_with("FAIL \u{2716} in ") {
        return Some(Said::Ended);
    }
    if let Some(exit) = rest.strip_prefix("exit ") {
        let (code, exit) = exit.split_once(" (")?;
        let is_exit = code.parse::<i64>().is_ok() && exit.contains(" seconds) ");
        return is_exit.then_some(Said::Exit(rest));
    }
    if rest.starts_with("skipped because ") {
        return Some(Said::Ended);
    }
    if rest.starts_with("packaging backend failed") {
        return Some(Said::Wrong(rest));
    }
    let wrong = rest.strip_prefix("failed with ").or(rest.strip_prefix("Exception running subprocess "))?;
    Some(Said::Wrong(wrong))
}

/// tox 3's words on a command that does not exist, which name no environment.
pub fn missing(text: &str) -> Option<&str> {
    let words = text.strip_prefix("ERROR: InvocationError")?;
    words.find("could not find executable ").map(|at| &words[at..])
}

/// `  unit: OK (0.66=setup[0.04]+cmd[0.62] seconds)`, in tox 4.
pub fn listed(text: &str) -> Option<(&str, Env)> {
    let (name, rest) = text.strip_prefix("  ")?.split_once(": ")?;
    let (word, time) = rest.split_once(" (")?;
    if !is_name(name) || !time.ends_with(" seconds)") {
        return None;
    }
    let word = match word {
        "OK" => Word::Passed,
        "SKIP" | "NOT AVAILABLE" => Word::Skipped,
        _ if word.starts_with("IGNORED FAIL code ") => Word::Ignored,
        _ if word.starts_with("FAIL code ") => Word::Failed,
        _ => return None,
    };
    Some((name, Env { word, commands: time.contains("+cmd[") }))
}

/// `  congratulations :) (0.92 seconds)` or `  evaluation failed :( (1.31 seconds)`: whether all is well.
pub fn closing(text: &str) -> Option<bool> {
    let words = text.strip_prefix("  ")?.strip_suffix(" seconds)")?;
    let (words, _) = words.rsplit_once(" (")?;
    match words {
        "congratulations :)" => Some(true),
        "evaluation failed :(" => Some(false),
        _ => None,
    }
}

/// `_____ summary _____`, above tox 3's list.
pub fn is_summary_rule(text: &str) -> bool {
    text.starts_with("____") && text.trim_matches('_') == " summary "
}

/// `  py36: commands succeeded`, `ERROR:   py37: commands failed`, `SKIPPED:  py27: InterpreterNotFound: …`.
pub fn listed_by_3(text: &str) -> Option<(&str, Env)> {
    let (level, rest) = match text.split_once(":  ") {
        Some((level @ ("ERROR" | "SKIPPED"), rest)) => (level, rest),
        _ => ("", text.strip_prefix("  ")?),
    };
    let (name, words) = rest.trim_start().split_once(": ")?;
    if !is_name(name) {
        return None;
    }
    let word = match (level, words) {
        ("SKIPPED", _) | ("", "skipped tests") => Word::Skipped,
        ("ERROR", "commands failed") => Word::Failed,
        ("ERROR", _) if words.starts_with("parallel child exit code ") => Word::Failed,
        ("ERROR", _) => Word::Wrong(words.to_owned()),
        (_, "commands succeeded") => Word::Passed,
        (_, "ignored failed command") => Word::Ignored,
        _ => return None,
    };
    Some((name, Env { word, commands: false }))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-+".contains(&b))
}
