//! Which checker a command line runs, and whether its silence and exit 0 say that all is well.
//!
//! Pure: a command line in, a name out. Only a command that is the checker itself counts, started by
//! itself or by a launcher that runs a program by name; a shell, make or a package's script may do anything
//! before and after it.

/// A checker that is silent when all is well.
#[derive(Debug)]
struct Checker {
    /// Its name as a runner.
    name: &'static str,
    /// Its programs.
    programs: &'static [&'static str],
    /// Words of which one must be there for it to check at all; empty where it always does.
    needs: &'static [&'static str],
    /// Arguments with which it checks nothing, or exits 0 whatever it finds. One that ends in `*` stands for
    /// all that begin so.
    not_with: &'static [&'static str],
}

/// All of them. Cargo's commands stand apart, see [`of_cargo`].
const CHECKERS: &[Checker] = &[
    Checker {
        name: "tsc",
        programs: &["tsc", "vue-tsc"],
        needs: &[],
        not_with: &[
            "-v",
            "-h",
            "--all",
            "--init",
            "--showConfig",
            "--listFilesOnly",
            "--clean",
            "--dry",
            "--noCheck",
        ],
    },
    Checker {
        name: "eslint",
        programs: &["eslint", "eslint.js"],
        needs: &[],
        not_with: &[
            "-v",
            "-h",
            "--init",
            "--env-info",
            "--print-config",
            "--inspect-config",
            "--pass-on-no-patterns",
            "--no-error-on-unmatched-pattern",
        ],
    },
    Checker {
        name: "ruff",
        programs: &["ruff"],
        needs: &["check", "--check", "--diff"],
        not_with: &[
            "-e",
            "--exit-zero",
            "-h",
            "--show-files",
            "--show-settings",
            "--add-noqa*",
            "-w",
            "--watch",
        ],
    },
    Checker {
        name: "flake8",
        programs: &["flake8"],
        needs: &[],
        not_with: &["--exit-zero", "-h", "--bug-report"],
    },
    Checker { name: "mypy", programs: &["mypy", "dmypy"], needs: &[], not_with: &["-h", "-V"] },
    Checker {
        name: "shellcheck",
        programs: &["shellcheck"],
        needs: &[],
        not_with: &["-V", "--list-optional"],
    },
    Checker {
        name: "rustfmt",
        programs: &["rustfmt"],
        needs: &["--check"],
        not_with: &["-h", "-V", "--print-config*"],
    },
    Checker {
        name: "rustc",
        programs: &["rustc"],
        needs: &[],
        not_with: &["-h", "-V", "-vV", "--print*", "--explain"],
    },
    Checker {
        name: "gcc",
        programs: &["gcc", "g++", "cc", "c++"],
        needs: &[],
        not_with: &["-E", "-M", "-MM", "-###", "-dump*", "-print*", "--print*", "--target-help"],
    },
    Checker {
        name: "clang",
        programs: &["clang", "clang++"],
        needs: &[],
        not_with: &["-E", "-M", "-MM", "-###", "-dump*", "-print*", "--print*"],
    },
    Checker {
        name: "clang-tidy",
        programs: &["clang-tidy"],
        needs: &[],
        not_with: &[
            "-list-checks",
            "--list-checks",
            "-dump-config",
            "--dump-config",
            "-explain-config",
            "--explain-config",
            "-verify-config",
            "--verify-config",
        ],
    },
    Checker {
        name: "javac",
        programs: &["javac"],
        needs: &[],
        not_with: &["-version", "-help", "-X", "--help-extra"],
    },
];

/// What every program takes as a question about itself.
const QUESTIONS: &[&str] = &["--version", "--help"];

/// What a command line runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The checker's name as a runner.
    pub name: &'static str,
    /// Whether silence and exit 0 of this very command mean that something was checked and is well.
    pub silent: bool,
}

/// The checker that a command line runs.
pub fn named(command: &[String]) -> Option<Named> {
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let command = launched(&command);
    let (program, arguments) = command.split_first()?;
    let program = base(program);
    if program == "cargo" {
        return of_cargo(arguments);
    }
    let checker =
        CHECKERS.iter().find(|checker| checker.programs.iter().any(|name| is_program(program, name)))?;
    let needed = checker.needs.is_empty() || checker.needs.iter().any(|need| arguments.contains(need));
    Some(Named { name: checker.name, silent: needed && !has_any(arguments, checker.not_with) })
}

/// The silent checker of this name.
pub fn of_name(name: &str) -> Option<&'static str> {
    let known = CHECKERS.iter().map(|checker| checker.name).chain(["clippy"]);
    known.into_iter().find(|known| *known == name)
}

/// `gcc-13` and `x86_64-linux-gnu-gcc` are gcc; other programs have no such names.
fn is_program(program: &str, name: &str) -> bool {
    const VERSIONED: &[&str] = &["gcc", "g++", "clang", "clang++", "clang-tidy"];
    if program == name {
        return true;
    }
    if !VERSIONED.contains(&name) {
        return false;
    }
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches('-');
    bare == name
        || bare.strip_suffix(name).is_some_and(|triple| triple.ends_with('-') && triple.contains("-linux-"))
}

/// `cargo [+toolchain] fmt --check`, `clippy`, `check`, `build`.
fn of_cargo(arguments: &[&str]) -> Option<Named> {
    let arguments = match arguments.split_first() {
        Some((first, rest)) if first.starts_with('+') => rest,
        _ => arguments,
    };
    let subcommand = arguments.iter().find(|argument| !argument.starts_with('-'))?;
    let (name, silent) = match *subcommand {
        "fmt" => ("rustfmt", arguments.contains(&"--check")),
        "clippy" => ("clippy", true),
        "check" | "c" | "build" | "b" | "rustc" => ("rustc", true),
        _ => return None,
    };
    Some(Named { name, silent: silent && !has_any(arguments, &["-h", "-V", "--explain", "--build-plan"]) })
}

fn has_any(arguments: &[&str], wanted: &[&str]) -> bool {
    wanted.iter().chain(QUESTIONS).any(|wanted| match wanted.strip_suffix('*') {
        Some(start) => arguments.iter().any(|argument| argument.starts_with(start)),
        None => arguments.contains(wanted),
    })
}

/// Programs that run another by name, and the words that must follow them.
const LAUNCHERS: &[(&str, &[&str])] = &[
    ("npx", &[]),
    ("bunx", &[]),
    ("uvx", &[]),
    ("npm", &["exec"]),
    ("pnpm", &["exec"]),
    ("pnpm", &["dlx"]),
    ("yarn", &["exec"]),
    ("yarn", &["dlx"]),
    ("bun", &["x"]),
    ("uv", &["run"]),
    ("poetry", &["run"]),
    ("pipenv", &["run"]),
    ("pdm", &["run"]),
    ("pipx", &["run"]),
    ("node", &[]),
];

/// Options of launchers that take no value and change nothing.
const LAUNCHER_OPTIONS: &[&str] = &[
    "--",
    "-y",
    "--yes",
    "--no",
    "--no-install",
    "-q",
    "--quiet",
    "--silent",
    "--bun",
    "--frozen",
    "--locked",
];

/// The command without what launches it: `npx -y tsc`, `python3 -m ruff`, `uv run mypy`.
fn launched<'a>(command: &'a [&'a str]) -> &'a [&'a str] {
    let mut command = command;
    // A launcher may start another (`uv run python -m mypy`); more than a few are none.
    for _ in 0..4 {
        let Some((program, rest)) = command.split_first() else { return command };
        let program = base(program);
        let python = program
            .strip_prefix("python")
            .is_some_and(|version| version.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
        if python {
            // Without `-m` it is a script of this name.
            match rest {
                ["-m", rest @ ..] => command = rest,
                _ => return &[],
            }
            continue;
        }
        let launcher = LAUNCHERS.iter().find(|(name, words)| *name == program && rest.starts_with(words));
        let Some((_, words)) = launcher else { return command };
        let rest = &rest[words.len()..];
        let options = rest.iter().take_while(|argument| LAUNCHER_OPTIONS.contains(argument)).count();
        command = &rest[options..];
    }
    command
}

fn base(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    [".exe", ".cmd"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands() {
        for (command, want) in [
            ("tsc", Some(("tsc", true))),
            ("tsc -p . --noEmit", Some(("tsc", true))),
            ("npx tsc", Some(("tsc", true))),
            ("npx --no-install tsc -b", Some(("tsc", true))),
            ("npm exec -- tsc", Some(("tsc", true))),
            ("node_modules/.bin/eslint .", Some(("eslint", true))),
            ("node node_modules/eslint/bin/eslint.js .", Some(("eslint", true))),
            ("C:\\w\\node_modules\\.bin\\tsc.cmd", Some(("tsc", true))),
            ("python3.11 -m ruff check .", Some(("ruff", true))),
            ("uv run python -m mypy src", Some(("mypy", true))),
            ("poetry run flake8", Some(("flake8", true))),
            ("ruff format --check .", Some(("ruff", true))),
            ("cargo fmt --all --check", Some(("rustfmt", true))),
            ("cargo +nightly fmt -- --check", Some(("rustfmt", true))),
            ("cargo clippy --quiet -- -D warnings", Some(("clippy", true))),
            ("cargo build --release", Some(("rustc", true))),
            ("rustfmt --check src/lib.rs", Some(("rustfmt", true))),
            ("gcc -c a.c", Some(("gcc", true))),
            ("/usr/bin/x86_64-linux-gnu-gcc-13 a.c", Some(("gcc", true))),
            ("clang++-17 -fsyntax-only a.cc", Some(("clang", true))),
            ("clang-tidy-17 -p build a.cpp", Some(("clang-tidy", true))),
            ("shellcheck a.sh", Some(("shellcheck", true))),
            // It checks nothing, or says 0 whatever it finds.
            ("tsc --version", Some(("tsc", false))),
            ("tsc --init", Some(("tsc", false))),
            ("eslint --print-config a.js", Some(("eslint", false))),
            ("ruff check --exit-zero .", Some(("ruff", false))),
            ("ruff format .", Some(("ruff", false))),
            ("ruff rule F401", Some(("ruff", false))),
            ("cargo fmt", Some(("rustfmt", false))),
            ("rustfmt src/lib.rs", Some(("rustfmt", false))),
            ("gcc --version", Some(("gcc", false))),
            ("gcc -dumpversion", Some(("gcc", false))),
            ("flake8 --exit-zero", Some(("flake8", false))),
            // Somebody else.
            ("sh -c tsc", None),
            ("npm run lint", None),
            ("npx", None),
            ("npx -p typescript tsc", None),
            ("python eslint", None),
            ("cargo test", None),
            ("cargo", None),
            ("my-tsc", None),
            ("agcc a.c", None),
            ("tsc-watch", None),
            ("make", None),
        ] {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            let got = named(&words).map(|named| (named.name, named.silent));
            assert_eq!(got, want, "{command}");
        }
    }
}
