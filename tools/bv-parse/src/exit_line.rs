//! The two lines around a command's output: `bv-run: ["pytest","-q"]` and `bv-exit: 1`.

use bv_schemas::ExitStatus;

/// How the command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(u8),
    /// A signal of this name ended it.
    Signal(String),
    /// The time limit ended it.
    Timeout(String),
    /// It could not be started.
    CannotRun(String),
}

/// Reads `bv-exit: CODE`, `bv-exit: signal SIGSEGV`, `bv-exit: timeout 30s`, `bv-exit: cannot run: …`; with
/// the form that goes to the stream.
pub fn exit(line: &str) -> Option<(Exit, ExitStatus)> {
    let words = line.strip_prefix("bv-exit: ")?.trim_end();
    if let Ok(code) = words.parse::<u8>() {
        // A shell reports a signal n as 128 + n.
        let exit = code
            .checked_sub(128)
            .and_then(signal_name)
            .map_or(Exit::Code(code), |name| Exit::Signal(name.into()));
        return Some((exit, ExitStatus::Code(code)));
    }
    let exit = if let Some(signal) = words.strip_prefix("signal ") {
        Exit::Signal(signal.into())
    } else if let Some(limit) = words.strip_prefix("timeout ") {
        Exit::Timeout(limit.into())
    } else {
        Exit::CannotRun(words.strip_prefix("cannot run: ")?.into())
    };
    Some((exit, ExitStatus::Words(words.into())))
}

/// Reads `bv-run: ["pytest","-q"]`.
pub fn command(line: &str) -> Option<Vec<String>> {
    let command: Vec<String> = serde_json::from_str(line.strip_prefix("bv-run: ")?).ok()?;
    (!command.is_empty()).then_some(command)
}

/// Signals that end a process, with the numbers that Linux and macOS share, or Linux's where they differ.
fn signal_name(number: u8) -> Option<&'static str> {
    Some(match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        10 => "SIGUSR1",
        11 => "SIGSEGV",
        12 => "SIGUSR2",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_lines() {
        let code = |n| ExitStatus::Code(n);
        let words = |w: &str| ExitStatus::Words(w.into());
        for (line, want) in [
            ("bv-exit: 0", Some((Exit::Code(0), code(0)))),
            ("bv-exit: 101 ", Some((Exit::Code(101), code(101)))),
            ("bv-exit: 139", Some((Exit::Signal("SIGSEGV".into()), code(139)))),
            ("bv-exit: 255", Some((Exit::Code(255), code(255)))),
            ("bv-exit: signal SIGKILL", Some((Exit::Signal("SIGKILL".into()), words("signal SIGKILL")))),
            ("bv-exit: timeout 30s", Some((Exit::Timeout("30s".into()), words("timeout 30s")))),
            (
                "bv-exit: cannot run: no such file",
                Some((Exit::CannotRun("no such file".into()), words("cannot run: no such file"))),
            ),
            ("bv-exit: 256", None),
            ("bv-exit: -1", None),
            ("bv-exit: maybe", None),
            (" bv-exit: 0", None),
            ("bv-exit:0", None),
        ] {
            assert_eq!(exit(line), want, "{line}");
        }
    }

    #[test]
    fn run_lines() {
        assert_eq!(command(r#"bv-run: ["pytest","-q"]"#), Some(vec!["pytest".into(), "-q".into()]));
        for line in ["bv-run: []", "bv-run: pytest", "bv-run: [1]", "run: [\"a\"]"] {
            assert_eq!(command(line), None, "{line}");
        }
    }
}
