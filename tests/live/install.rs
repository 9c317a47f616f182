//! Runners that are installed for the occasion, below `target/live`, once for all tests of this binary.

use super::target;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// How a runner comes to be there.
#[derive(Clone, Copy, Debug)]
pub enum Install {
    /// It is on PATH or it is not.
    Nothing,
    /// pytest and its reporters, in a virtual environment.
    Pytest,
    /// Jest, Vitest, Mocha and their reporters, by npm.
    Npm,
}

const PYTEST: &[&str] = &["pytest", "pytest-json-report", "pytest-json-ctrf"];
const NPM: &[&str] = &["jest", "vitest", "mocha", "jest-junit", "jest-ctrf-json-reporter"];

/// The folders to put on PATH; or why there are none, in words.
pub fn run(install: Install) -> Result<Vec<PathBuf>, String> {
    static VENV: OnceLock<Result<(), String>> = OnceLock::new();
    static MODULES: OnceLock<Result<(), String>> = OnceLock::new();
    match install {
        Install::Nothing => Ok(Vec::new()),
        Install::Pytest => VENV.get_or_init(pytest).clone().map(|()| vec![target().join("venv/bin")]),
        Install::Npm => MODULES.get_or_init(npm).clone().map(|()| vec![target().join("node_modules/.bin")]),
    }
}

fn pytest() -> Result<(), String> {
    let python = target().join("venv/bin/python");
    let there = || target().join("venv/bin/pytest").is_file();
    if there() {
        return Ok(());
    }
    done(Command::new("python3").args(["-m", "venv"]).arg(target().join("venv")), "python3 -m venv")?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"];
    done(Command::new(python).args(pip).args(PYTEST), "pip install pytest")
}

/// Modules are looked for in the folders above a project, so that one installation serves all copies.
fn npm() -> Result<(), String> {
    if NPM.iter().all(|name| target().join("node_modules").join(name).is_dir()) {
        return Ok(());
    }
    let install = [
        "install",
        "--no-audit",
        "--no-fund",
        "--no-save",
        "--fetch-retries=1",
        "--fetch-timeout=20000",
        "--loglevel=error",
    ];
    let mut npm = Command::new("npm");
    npm.args(install).arg("--prefix").arg(target()).args(NPM).env("npm_config_cache", target().join("npm"));
    done(&mut npm, "npm install")
}

fn done(command: &mut Command, words: &str) -> Result<(), String> {
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).trim().lines().last().map(str::to_owned);
            Err(format!("{words} fails: {}", said.unwrap_or_default()))
        }
        Err(wrong) => Err(format!("{words}: {wrong}")),
    }
}
