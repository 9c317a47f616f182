//! What a command line says of itself: the programs that it runs, and the folders that it goes to.
//!
//! In: a line for a POSIX shell, as a model wrote it. Out: its simple commands, quotes taken off. Expansions,
//! redirections and here-documents are left as words; two readings of one line always agree, and that is all
//! that is asked of them here.

/// A program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simple {
    /// Program and arguments; assignments and wrappers (`sudo`, `timeout 60`) in front are taken off, and the
    /// program's folder.
    words: Vec<String>,
    /// Whether it reads what the command before it writes.
    piped: bool,
}

/// Commands looked at in one line; a script that is longer says enough by then.
const COMMANDS_MAX: usize = 256;
/// `sh -c "sh -c '…'"`: deeper is nobody's command line.
const DEPTH_MAX: usize = 4;

/// The simple commands of a line, those of `sh -c '…'` in it included, in the order in which they are written.
pub fn commands(line: &str) -> Vec<Simple> {
    let mut found = Vec::new();
    collect(line, DEPTH_MAX, &mut found);
    found
}

/// Whether the line runs something, and does not only print what an earlier run left behind: what comes out of
/// `cat ci.log` is no run, however much it looks like one.
pub fn runs(commands: &[Simple]) -> bool {
    commands.iter().any(|command| match command.program() {
        // Logs of containers are of another time.
        "docker" | "podman" | "kubectl" => !command.words.iter().any(|word| word == "logs"),
        program => !PRINT.contains(&program) && !QUIET.contains(&program),
    })
}

/// Whether the line prints, beside what it runs, what does not come from there: `git diff; pytest`.
pub fn also_prints(commands: &[Simple]) -> bool {
    let written: Vec<&str> = commands.iter().flat_map(Simple::written).collect();
    commands.iter().any(|command| {
        let prints = match command.program() {
            "git" => {
                let what = command.words.get(1).map(String::as_str);
                matches!(what, Some("blame" | "diff" | "grep" | "log" | "ls-files" | "show" | "status"))
            }
            program => PRINT.contains(&program),
        };
        let reads_what_was_run = command.words.iter().any(|word| written.contains(&word.as_str()));
        prints && !command.piped && !reads_what_was_run
    })
}

/// Where the line goes (`cd a`) and where it sends its programs (`make -C a`), in order.
pub fn folders(commands: &[Simple]) -> Vec<&str> {
    let mut folders = Vec::new();
    for command in commands {
        let arguments = command.words.get(1..).unwrap_or_default();
        if command.moves() {
            folders.extend(arguments.iter().find(|word| !word.starts_with('-')).map(String::as_str));
        }
        folders.extend(sent(arguments));
    }
    folders
}

/// Programs that print what is there already.
const PRINT: &[&str] = &[
    "ag",
    "awk",
    "base64",
    "bat",
    "bv-memory",
    "bv-minimize",
    "bv-parse",
    "bv-receipt",
    "bzcat",
    "cat",
    "cmp",
    "column",
    "comm",
    "curl",
    "cut",
    "diff",
    "du",
    "egrep",
    "fd",
    "fgrep",
    "file",
    "find",
    "fold",
    "gawk",
    "gh",
    "git",
    "glab",
    "grep",
    "gunzip",
    "head",
    "hexdump",
    "jq",
    "less",
    "ls",
    "more",
    "nl",
    "od",
    "paste",
    "ps",
    "rg",
    "sed",
    "sort",
    "stat",
    "strings",
    "tac",
    "tail",
    "tee",
    "tr",
    "tree",
    "uniq",
    "wc",
    "wget",
    "xxd",
    "xzcat",
    "yq",
    "zcat",
    "zstdcat",
];

/// Programs that print nothing worth keeping and run nothing.
const QUIET: &[&str] = &[
    "", ".", "[", "basename", "cd", "chmod", "clear", "cp", "date", "dirname", "dirs", "echo", "export",
    "false", "fi", "done", "gzip", "ln", "mkdir", "mv", "popd", "printf", "pushd", "pwd", "readlink",
    "realpath", "rm", "set", "sleep", "source", "test", "touch", "true", "type", "ulimit", "umask", "unset",
    "wait", "which",
];

impl Simple {
    fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// Whether it moves the shell itself.
    pub fn moves(&self) -> bool {
        matches!(self.program(), "cd" | "pushd" | "popd")
    }

    /// The files that it writes: `> out.txt`, `2>err.txt`, `tee out.txt`.
    fn written(&self) -> impl Iterator<Item = &str> {
        let tees = self.program() == "tee";
        self.words.iter().enumerate().filter_map(move |(nth, word)| match word.rsplit_once('>') {
            Some((_, "")) => self.words.get(nth + 1).map(String::as_str),
            Some((_, file)) => Some(file),
            None => (tees && nth > 0).then_some(word),
        })
    }
}

/// Options that name the folder or the project in which a program works.
const SENT: &[&str] = &[
    "-C",
    "--chdir",
    "--cwd",
    "--dir",
    "--directory",
    "--manifest-path",
    "--prefix",
    "--project",
    "--project-dir",
    "--root",
    "--rootDir",
    "--rootdir",
];

fn sent(words: &[String]) -> impl Iterator<Item = &str> {
    words.iter().enumerate().filter_map(|(nth, word)| {
        if SENT.contains(&word.as_str()) {
            return words.get(nth + 1).map(String::as_str);
        }
        let (option, value) = word.split_once('=')?;
        SENT.contains(&option).then_some(value)
    })
}

fn collect(line: &str, depth: usize, found: &mut Vec<Simple>) {
    for simple in split(line) {
        if found.len() == COMMANDS_MAX {
            return;
        }
        let simple = Simple { words: unwrapped(simple.words), ..simple };
        match script(&simple.words) {
            Some(script) if depth > 0 => collect(script, depth - 1, found),
            _ if simple.words.is_empty() => {}
            _ => found.push(simple),
        }
    }
}

/// The script of `bash -lc '…'`.
fn script(words: &[String]) -> Option<&str> {
    let shell = matches!(words.first()?.as_str(), "sh" | "bash" | "dash" | "zsh" | "ksh");
    let takes_script =
        |word: &String| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
    let at = words.iter().position(takes_script)?;
    words.get(at + 1).filter(|_| shell).map(String::as_str)
}

/// The words without what stands before the program, and the program without its folder.
fn unwrapped(words: Vec<String>) -> Vec<String> {
    const WRAPPERS: &[&str] = &[
        "!", "command", "do", "else", "env", "exec", "if", "nice", "nohup", "stdbuf", "sudo", "then", "time",
        "until", "while", "{",
    ];
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.peek() {
        let assigns = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        });
        let name = word.rsplit('/').next().unwrap_or(word);
        if name == "timeout" {
            words.next();
            let told = |word: &String| word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
            while words.next_if(told).is_some() {}
        } else if WRAPPERS.contains(&name) {
            words.next();
            while words.next_if(|word| word.starts_with('-')).is_some() {}
        } else if assigns {
            words.next();
        } else {
            break;
        }
    }
    let mut words: Vec<String> = words.collect();
    if let Some(program) = words.first_mut()
        && let Some((_, name)) = program.rsplit_once('/')
    {
        *program = name.to_owned();
    }
    words
}

/// Words by simple command: split at blanks and at `;`, `|`, `&`, newlines and brackets outside of quotes.
fn split(line: &str) -> Vec<Simple> {
    let (mut all, mut words, mut word, mut piped) = (Vec::new(), Vec::new(), None::<String>, false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let word = word.get_or_insert_default();
                word.extend(chars.by_ref().take_while(|&c| c != '\''));
            }
            '"' => {
                let word = word.get_or_insert_default();
                while let Some(c) = chars.next().filter(|&c| c != '"') {
                    word.push(match (c, chars.peek()) {
                        ('\\', Some('"' | '\\' | '$' | '`')) => chars.next().unwrap_or(c),
                        _ => c,
                    });
                }
            }
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(c) => word.get_or_insert_default().push(c),
            },
            // `2>&1` and `&>` are redirections, no ends.
            '&' if word.as_ref().is_some_and(|word| word.ends_with('>')) || chars.peek() == Some(&'>') => {
                word.get_or_insert_default().push(c);
            }
            ';' | '|' | '&' | '\n' | '(' | ')' => {
                words.extend(word.take());
                if !words.is_empty() {
                    all.push(Simple { words: std::mem::take(&mut words), piped });
                    piped = false;
                }
                // `||` and `|&` are read as two marks, of which the first decides.
                piped |= c == '|' && chars.peek() != Some(&'|');
                if c == '|' {
                    chars.next_if(|&c| c == '|' || c == '&');
                }
            }
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    if !words.is_empty() {
        all.push(Simple { words, piped });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(commands: &[Simple]) -> Vec<String> {
        commands.iter().map(|command| command.words.join(" ")).collect()
    }

    fn check(line: &str, is_run: bool, also: bool) {
        let found = commands(line);
        assert_eq!((runs(&found), also_prints(&found)), (is_run, also), "{line}: {found:?}");
    }

    #[test]
    fn a_line_that_only_prints_runs_nothing() {
        check("pytest -q", true, false);
        check("cd /app && pytest 2>&1 | tail -3", true, false);
        check("bv-run -- pytest | bv-memory tee | bv-parse --all", true, false);
        check("docker compose run web pytest", true, false);
        check("cat ci.log", false, true);
        check("cd /app && tail -n 50 out.log | grep FAILED", false, true);
        check("bv-memory show 3f2a9c", false, true);
        check("docker compose logs web", false, false);
        check("echo done; sleep 3", false, false);
        check("", false, false);
    }

    #[test]
    fn a_line_that_prints_beside_what_it_runs_is_told_apart() {
        check("git diff && pytest", true, true);
        check("git stash && pytest", true, false);
        check("pytest; cat src/a.py", true, true);
        check("pytest > out.log 2>&1; tail -5 out.log", true, false);
        check("pytest | tee out.log; cat out.log", true, false);
        check("pytest >out.log || head out.log", true, false);
        check("pytest || cat notes", true, true);
    }

    #[test]
    fn what_stands_before_the_program_is_taken_off() {
        for (line, expected) in [
            ("CI=1 RUST_LOG= timeout -k 5 60 /usr/bin/env -i cargo test", &["cargo test"][..]),
            ("bash -lc 'cd web && npm test'", &["cd web", "npm test"]),
            ("(cd a; ./run.sh \"x y\\\"\" 'z;') &> o", &["cd a", "run.sh x y\" z;", "&> o"]),
            ("if true; then pytest; fi", &["true", "pytest", "fi"]),
            ("a 2>&1 | b || c & d |& e", &["a 2>&1", "b", "c", "d", "e"]),
        ] {
            assert_eq!(joined(&commands(line)), expected, "{line}");
        }
    }

    #[test]
    fn folders_are_where_it_goes_and_where_it_sends() {
        for (line, expected) in [
            ("cd a && pytest", &["a"][..]),
            ("cd -P /srv/a; make -C b test", &["/srv/a", "b"]),
            ("cargo test --manifest-path=x/Cargo.toml", &["x/Cargo.toml"]),
            ("pytest tests", &[]),
        ] {
            assert_eq!(folders(&commands(line)), expected, "{line}");
        }
    }
}
