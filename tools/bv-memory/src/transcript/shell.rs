//! What a command line says of itself: the programs that it runs, and the folders that it goes to.
//!
//! In: a line for a POSIX shell, as a model wrote it. Out: its simple commands, quotes taken off. Expansions,
//! redirections and here-documents are left as words; two readings of one line always agree, and that is all
//! that is asked of them here.

/// A program and its arguments, assignments and wrappers (`sudo`, `timeout 60`) in front of it taken off.
pub type Simple = Vec<String>;

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

/// Programs that print what is there already: what comes out of them alone is no run of anything, however
/// much it looks like one.
const PRINT: &[&str] = &[
    ".", "[", "ag", "awk", "base64", "basename", "bat", "bv-memory", "bv-minimize", "bv-parse", "bv-receipt",
    "bzcat", "cat", "cd", "chmod", "clear", "cmp", "column", "comm", "cp", "curl", "cut", "date", "diff", "dirname",
    "dirs", "du", "echo", "egrep", "export", "false", "fd", "fgrep", "file", "find", "fold", "gawk", "gh", "git",
    "glab", "grep", "gunzip", "gzip", "head", "hexdump", "jq", "less", "ln", "ls", "mkdir", "more", "mv", "nl", "od",
    "paste", "popd", "printf", "ps", "pushd", "pwd", "readlink", "realpath", "rg", "rm", "sed", "set", "sleep",
    "sort", "source", "stat", "strings", "tac", "tail", "tee", "test", "touch", "tr", "tree", "true", "type",
    "ulimit", "umask", "uniq", "unset", "wait", "wc", "wget", "which", "xxd", "xzcat", "yq", "zcat", "zstdcat",
];

/// Whether the line runs something, and does not only print what an earlier run left behind.
pub fn runs(commands: &[Simple]) -> bool {
    commands.iter().any(|command| match command.first() {
        None => false,
        // Logs of containers are of another time.
        Some(program) if matches!(program.as_str(), "docker" | "podman" | "kubectl") => {
            !command.iter().any(|word| word == "logs")
        }
        Some(program) => !PRINT.contains(&program.as_str()),
    })
}

/// Where the line goes (`cd a`) and where it sends its programs (`make -C a`), in order.
pub fn folders(commands: &[Simple]) -> Vec<&str> {
    let mut folders = Vec::new();
    for command in commands {
        let Some((program, words)) = command.split_first() else { continue };
        if is_move(program) {
            folders.extend(words.iter().find(|word| !word.starts_with('-')).map(String::as_str));
        }
        folders.extend(sent(words));
    }
    folders
}

/// Whether the program moves the shell itself.
pub fn is_move(program: &str) -> bool {
    matches!(program, "cd" | "pushd" | "popd")
}

/// Options that name the folder or the project in which a program works.
const SENT: &[&str] = &[
    "-C", "--chdir", "--cwd", "--dir", "--directory", "--manifest-path", "--prefix", "--project", "--project-dir",
    "--root", "--rootDir", "--rootdir",
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
    for words in split(line) {
        if found.len() == COMMANDS_MAX {
            return;
        }
        let words = unwrapped(words);
        match script(&words) {
            Some(script) if depth > 0 => collect(&script.to_owned(), depth - 1, found),
            _ if words.is_empty() => {}
            _ => found.push(words),
        }
    }
}

/// The script of `bash -lc '…'`.
fn script(words: &[String]) -> Option<&str> {
    let shell = matches!(words.first()?.as_str(), "sh" | "bash" | "dash" | "zsh" | "ksh");
    let at = words.iter().position(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'))?;
    words.get(at + 1).filter(|_| shell).map(String::as_str)
}

/// The words without what stands before the program, and the program without its folder.
fn unwrapped(words: Vec<String>) -> Simple {
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.peek() {
        let assigns = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        });
        let wraps = matches!(
            word.as_str(),
            "sudo" | "env" | "time" | "nice" | "nohup" | "exec" | "command" | "stdbuf" | "if" | "then" | "do" | "!"
                | "{" | "while" | "until" | "else" | "&"
        );
        if word == "timeout" {
            words.next();
            let told = |word: &String| word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
            while words.next_if(told).is_some() {}
        } else if assigns || wraps {
            words.next();
            while wraps && words.next_if(|word| word.starts_with('-')).is_some() {}
        } else {
            break;
        }
    }
    let mut simple: Simple = words.collect();
    if let Some(program) = simple.first_mut()
        && let Some((_, name)) = program.rsplit_once('/')
    {
        *program = name.to_owned();
    }
    simple
}

/// Words by simple command: split at blanks and at `;`, `|`, `&`, newlines and brackets outside of quotes.
fn split(line: &str) -> Vec<Vec<String>> {
    let (mut all, mut words, mut word) = (Vec::new(), Vec::new(), None::<String>);
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
                all.push(std::mem::take(&mut words));
            }
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    all.push(words);
    all.retain(|words| !words.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &[&str], is_run: bool) {
        let found = commands(line);
        let joined: Vec<String> = found.iter().map(|words| words.join(" ")).collect();
        assert_eq!(joined, expected, "{line}");
        assert_eq!(runs(&found), is_run, "{line}");
    }

    #[test]
    fn a_line_that_only_prints_runs_nothing() {
        check("pytest -q", &["pytest -q"], true);
        check("cat ci.log", &["cat ci.log"], false);
        check("cd /app && tail -n 50 out.log | grep FAILED", &["cd /app", "tail -n 50 out.log", "grep FAILED"], false);
        check("cd /app && pytest 2>&1 | tail -3", &["cd /app", "pytest 2>&1", "tail -3"], true);
        check("bv-memory show 3f2a9c", &["bv-memory show 3f2a9c"], false);
        check(
            "bv-run -- pytest | bv-memory tee | bv-parse --all",
            &["bv-run -- pytest", "bv-memory tee", "bv-parse --all"],
            true,
        );
        check("docker compose logs web", &["docker compose logs web"], false);
        check("docker compose run web pytest", &["docker compose run web pytest"], true);
        check("", &[], false);
        check("''", &[""], true);
    }

    #[test]
    fn what_stands_before_the_program_is_taken_off() {
        check("CI=1 RUST_LOG= timeout -k 5 60 /usr/bin/env -i cargo test", &["cargo test"], true);
        check("bash -lc 'cd web && npm test'", &["cd web", "npm test"], true);
        check("(cd a; ./run.sh \"x y\\\"\" 'z;') &> o", &["cd a", "run.sh x y\" z;", ">& o"], true);
        check("if true; then pytest; fi", &["true", "pytest", "fi"], true);
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
