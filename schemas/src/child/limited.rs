//! A command with a limit to its memory.
//!
//! The limit must stand before the command runs: set from outside on a child that is already running, it
//! comes too late for what that child has started by then. Between fork and exec only unsafe code could set
//! it. So a shell sets it and becomes the command: its text is fixed, the command stays an argv.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const SET_AND_BECOME: &str = r#"ulimit -v "$1" || exit 126; shift; exec "$@""#;

/// The command of `argv`, in which no process may map more than `memory_bytes_max` (where the system keeps
/// such a limit: Linux does, macOS does not).
///
/// # Errors
/// `InvalidInput` for an empty `argv`; with a limit also `NotFound` for a program that is not there, because
/// the shell's own answer could not be told from the command's.
pub fn command(argv: &[OsString], memory_bytes_max: Option<u64>) -> io::Result<Command> {
    let [program, arguments @ ..] = argv else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no command"));
    };
    let Some(bytes) = memory_bytes_max else {
        let mut plain = Command::new(program);
        plain.args(arguments);
        return Ok(plain);
    };
    let program = found(program).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
    let mut limited = Command::new("/bin/sh");
    limited.args(["-c", SET_AND_BECOME, "sh"]).arg((bytes / 1024).to_string());
    limited.arg(program).args(arguments);
    Ok(limited)
}

/// The program as the system would find it: by its path, or on `PATH`.
fn found(program: &OsStr) -> Option<PathBuf> {
    let plain = Path::new(program);
    if plain.components().count() != 1 || program.to_string_lossy().contains('/') {
        return plain.exists().then(|| plain.to_owned());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| executable(file))
}

fn executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}
