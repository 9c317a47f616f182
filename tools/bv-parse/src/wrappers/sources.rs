//! Prefixes that name the source of a line: a container, a package's script, a job.
//!
//! A name counts when its shape is nobody else's (`web_1  | `, GitHub's job and step columns), or when the
//! wrapper itself announced it before.

use super::{LANES_MAX, times};
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// Made once: to make it costs more than to search a line.
static CACHE_WORDS: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(": cache "));

/// Bytes of a prefix at most.
const PREFIX_BYTES_MAX: usize = 200;
/// Names kept of each wrapper.
const NAMES_MAX: usize = 8 * LANES_MAX;

/// The names that were announced.
#[derive(Debug, Default)]
pub struct Sources {
    /// docker compose: `Attaching to db, app-1`.
    services: Vec<String>,
    /// turbo and nx: packages; pnpm: `packages/core test`. Each with what follows it on a line.
    prefixes: Vec<String>,
    /// nx lists its projects below its heading.
    listing: bool,
    /// lerna runs, and begins lines with a package's name.
    lerna: bool,
}

impl Sources {
    /// The source that the line names, and the line without it.
    pub fn named<'a>(&self, text: &'a str) -> Option<(&'a str, &'a str)> {
        let head = &text.as_bytes()[..text.len().min(PREFIX_BYTES_MAX)];
        let separated = match memchr::memchr2(b'|', b'\t', head) {
            Some(at) if head[at] == b'|' => self.service(text, at),
            Some(at) => job(text, at),
            None => None,
        };
        separated.or_else(|| self.announced(text))
    }

    /// docker compose: `web_1  | text` (v1), `web-1  | text` (v2), or a name that it announced.
    fn service<'a>(&self, text: &'a str, bar: usize) -> Option<(&'a str, &'a str)> {
        let name = text.get(..bar)?.strip_suffix(' ')?.trim_end();
        let rest = &text[bar + 1..];
        let rest = if rest.is_empty() { rest } else { rest.strip_prefix(' ')? };
        let known = self.services.iter().any(|service| service == name) || is_container(name);
        known.then_some((name, rest))
    }

    fn announced<'a>(&self, text: &'a str) -> Option<(&'a str, &'a str)> {
        if self.prefixes.is_empty() {
            return None;
        }
        let prefix = self.prefixes.iter().find(|prefix| text.starts_with(prefix.as_str()))?;
        let (name, rest) = text.split_at(prefix.len());
        if rest.is_empty() { Some((name, rest)) } else { Some((name, rest.strip_prefix(' ')?)) }
    }

    /// Takes the names that a line announces.
    pub fn listen(&mut self, text: &str) {
        match text.as_bytes().first() {
            Some(b'A') => {
                if let Some(services) = text.strip_prefix("Attaching to ") {
                    self.services =
                        services.split(", ").take(NAMES_MAX).map(|s| s.trim().to_owned()).collect();
                }
            }
            Some(b'[') => self.bracketed(text),
            Some(b' ' | b'-' | b'N' | b'>') => self.nx(text),
            Some(_) => self.script(text),
            None => {}
        }
    }

    /// Jenkins announces a branch with `[Pipeline] { (Branch: unit)`, and begins its lines with `[unit]`. Yarn's
    /// `workspaces foreach` says `[@scope/ui]: Process started`, and begins the lines so.
    fn bracketed(&mut self, text: &str) {
        let branch = text.strip_prefix("[Pipeline] { (Branch: ").and_then(|rest| rest.strip_suffix(')'));
        if let Some(branch) = branch {
            self.add(format!("[{branch}]"));
        } else if let Some(name) =
            text.strip_prefix('[').and_then(|rest| rest.strip_suffix("]: Process started"))
            && is_path(name)
        {
            self.add(format!("[{name}]:"));
        }
    }

    /// nx, and lerna on it: `NX   Running target test for 2 projects:`, then `- core`; with
    /// `--output-style=stream` each line begins with `core:`.
    fn nx(&mut self, text: &str) {
        let text = text.trim_start_matches(['>', ' ']);
        if let Some(rest) = text.strip_prefix("NX ").or_else(|| text.strip_prefix("Lerna (powered by Nx) ")) {
            self.listing = rest.trim_start().starts_with("Running target");
        } else if self.listing
            && let Some(project) = text.strip_prefix("- ")
        {
            self.add(format!("{}:", project.trim()));
        }
    }

    /// pnpm: `packages/core test$ vitest run`, then `packages/core test: text`. turbo: `web:test: cache miss,
    /// executing 0123456789abcdef`, and each line of the task has the same prefix. lerna's first line of a package
    /// is npm's own, `core: > core@1.0.0 test`, or yarn's, `core: $ vitest run`.
    fn script(&mut self, text: &str) {
        const CACHE: [&str; 4] =
            [": cache miss, executing ", ": cache hit, ", ": cache bypass, ", ": cache disabled"];
        let head = &text.as_bytes()[..text.len().min(PREFIX_BYTES_MAX)];
        if let Some(at) = memchr::memchr2(b'$', b'>', head) {
            let (before, rest) = text.split_at(at);
            if let Some(package) = before.strip_suffix(": ")
                && is_path(package)
                && self.begins_package(package, rest)
            {
                return self.add(format!("{package}:"));
            }
            if let Some((package, script)) = before.split_once(' ')
                && rest.starts_with("$ ")
                && is_path(package)
                && is_script(script)
            {
                return self.add(format!("{package} {script}:"));
            }
        }
        self.lerna = self.lerna || text.starts_with("lerna info Executing command in ");
        if CACHE_WORDS.find(head).is_some()
            && let Some(at) = CACHE.iter().find_map(|words| text.find(words))
            && let Some((package, task)) = text[..at].split_once(':')
            && is_path(package)
            && is_script(task)
        {
            self.add(format!("{}:", &text[..at]));
        }
    }

    fn begins_package(&self, package: &str, rest: &str) -> bool {
        match rest.strip_prefix("> ") {
            Some(header) => header.strip_prefix(package).is_some_and(|rest| rest.starts_with('@')),
            None => self.lerna && rest.starts_with("$ "),
        }
    }

    fn add(&mut self, prefix: String) {
        if self.prefixes.len() < NAMES_MAX && !self.prefixes.contains(&prefix) {
            self.prefixes.push(prefix);
        }
    }
}

/// The folder that a lane's name names: pnpm's `packages/core test:`, the last of those that stack.
pub fn folder(source: &str) -> Option<&str> {
    let own = source.rsplit('\t').next().unwrap_or(source);
    let (folder, script) = own.split_once(' ')?;
    let script = script.strip_suffix(':')?;
    (is_path(folder) && is_script(script) && !folder.starts_with(['/', '@'])).then_some(folder)
}

/// The line without GitHub's job and step columns.
pub fn columns(text: &str) -> Option<&str> {
    let tab = memchr::memchr(b'\t', &text.as_bytes()[..text.len().min(PREFIX_BYTES_MAX)])?;
    job(text, tab).map(|(_, rest)| rest)
}

/// `gh run view --log`: job, step, clock and text in columns. The clock makes it certain; the job names the
/// source, since its steps come one after the other.
fn job(text: &str, tab: usize) -> Option<(&str, &str)> {
    let (_, rest) = text[tab + 1..].split_once('\t')?;
    times::certain(rest)?;
    Some((&text[..tab], rest))
}

/// `project_service_1`, `service-1`: what compose calls a container.
fn is_container(name: &str) -> bool {
    let Some((service, number)) = name.rsplit_once(['_', '-']) else { return false };
    !number.is_empty()
        && number.len() <= 4
        && number.bytes().all(|b| b.is_ascii_digit())
        && is_word(service, b"_-.")
}

/// A package's name or its folder.
fn is_path(text: &str) -> bool {
    is_word(text, b"@/._-")
}

fn is_script(text: &str) -> bool {
    is_word(text, b":._-")
}

fn is_word(text: &str, more: &[u8]) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || more.contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(announced: &[&str], line: &str, want: Option<(&str, &str)>) {
        let mut sources = Sources::default();
        announced.iter().for_each(|line| sources.listen(line));
        assert_eq!(sources.named(line), want, "{line}");
    }

    #[test]
    fn compose_services() {
        let attaching = &["Attaching to db, app-1"];
        check(attaching, "db    | ready", Some(("db", "ready")));
        check(attaching, "db    | | table |", Some(("db", "| table |")));
        check(&[], "web_1  | ", Some(("web_1", "")));
        check(&[], "web_1  |", Some(("web_1", "")));
        check(&[], "db    | ready", None);
        check(attaching, "3 |     let spare = 2;", None);
        check(attaching, "    | code", None);
        check(attaching, "other | text", None);
    }

    #[test]
    fn jobs_of_github_actions() {
        check(
            &[],
            "test\tRun x\t2026-11-30T16:00:00.1234567Z a\tb",
            Some(("test", "2026-11-30T16:00:00.1234567Z a\tb")),
        );
        check(&[], "a\tb\tc", None);
        check(&[], "FAIL\texample.com/pkg [build failed]", None);
    }

    #[test]
    fn scripts_of_packages() {
        let pnpm = &["Scope: 2 of 3 workspace projects", "packages/core test$ vitest run"];
        check(
            pnpm,
            "packages/core test:  FAIL  a.test.ts",
            Some(("packages/core test:", " FAIL  a.test.ts")),
        );
        check(pnpm, "packages/core test:", Some(("packages/core test:", "")));
        check(pnpm, "packages/other test: x", None);
        let turbo = &["@scope/ui:test: cache miss, executing 0123456789abcdef"];
        check(turbo, "@scope/ui:test: 2 passed", Some(("@scope/ui:test:", "2 passed")));
        check(turbo, "src/a.c:12: error", None);
        let nx = &["", " NX   Running target test for 2 projects:", "", "- core", "- ui"];
        check(nx, "core: 2 passed", Some(("core:", "2 passed")));
        check(nx, "corelib: x", None);
        check(&["- core"], "core: 2 passed", None);
        let lerna = &["@scope/core: > @scope/core@1.0.0 test"];
        check(lerna, "@scope/core: 2 passed", Some(("@scope/core:", "2 passed")));
        check(&["core: > other@1.0.0 test"], "core: x", None);
        check(
            &["lerna info Executing command in 2 packages: \"yarn run test\"", "core: $ jest"],
            "core: x",
            Some(("core:", "x")),
        );
        check(&["core: $ jest"], "core: x", None);
        let lerna = &[" >  Lerna (powered by Nx)   Running target test for 2 projects:", "", "    - core"];
        check(lerna, "core: 2 passed", Some(("core:", "2 passed")));
        check(&["[@scope/ui]: Process started"], "[@scope/ui]: 2 passed", Some(("[@scope/ui]:", "2 passed")));
        check(&["[Pipeline] { (Branch: unit)"], "[unit] 2 passed", Some(("[unit]", "2 passed")));
        check(&["echo $ x", "it costs 3$ today"], "echo: x", None);
    }
}
