//! What the compiler, vet and the package loader say: `# package`, then `file.go:12:3: message`.
//!
//! They say it before any test runs; the go command's `FAIL package [build failed]` may come much later.

use bv_schemas::{Failure, Kind, Place};

/// Diagnostics kept.
const DIAGNOSTICS_MAX: usize = 1000;

/// What was said and not yet claimed by a package's line.
#[derive(Debug, Default)]
pub struct Builds {
    said: Vec<Said>,
    /// The package of the last `# ` line.
    header: Option<String>,
    /// Whether the lines of that header still come.
    reading: bool,
}

#[derive(Debug)]
struct Said {
    package: Option<String>,
    failure: Failure,
}

impl Builds {
    /// Takes a line; false when it is none of a build's.
    pub fn line(&mut self, line: &str, span: [u64; 2]) -> bool {
        if let Some(package) = header(line) {
            self.header = Some(package.to_owned());
            self.reading = true;
            return true;
        }
        if line == "too many errors" {
            return self.reading;
        }
        if self.reading && line.starts_with('\t') {
            self.detail(line.trim());
            return true;
        }
        if let Some(failure) = diagnostic(line, span) {
            if !self.reading && failure.kind != Kind::CollectionError {
                return false;
            }
            let package = self.header.clone().filter(|_| self.reading);
            self.push(Said { package, failure });
            return true;
        }
        self.reading = self.reading && self.linker(line, span);
        self.reading
    }

    /// `\thave (number)`, `\twant (int, int)`, and what else explains the line above.
    fn detail(&mut self, text: &str) {
        let Some(said) = self.said.last_mut() else { return };
        if let Some(have) = text.strip_prefix("have ") {
            said.failure.observed.get_or_insert(have.trim().to_owned());
        } else if let Some(want) = text.strip_prefix("want ") {
            said.failure.expected.get_or_insert(want.trim().to_owned());
        }
    }

    /// The linker names no place: its first line below the header stands for all.
    fn linker(&mut self, line: &str, span: [u64; 2]) -> bool {
        let speaks = line.contains("/link: ")
            || line.contains("relocation target ")
            || line.contains("undefined reference to ");
        if speaks {
            let message = Some(line.trim().to_owned());
            let failure =
                Failure { kind: Kind::CompileError, message, span: Some(span), ..Failure::default() };
            let known =
                self.said.iter().any(|said| said.package == self.header && said.failure.test.is_none());
            if !known {
                self.push(Said { package: self.header.clone(), failure });
            }
        }
        speaks
    }

    fn push(&mut self, said: Said) {
        let same = |known: &Said| {
            known.failure.test == said.failure.test && known.failure.message == said.failure.message
        };
        if self.said.len() < DIAGNOSTICS_MAX && !self.said.iter().any(same) {
            self.said.push(said);
        }
    }

    /// What was said of this package; of any, when nothing was of this one: a package that it imports.
    pub fn take(&mut self, package: &str) -> Vec<Failure> {
        let own = |said: &Said| said.package.as_deref() == Some(package);
        self.reading = false;
        let any = !self.said.iter().any(own);
        let (taken, left) = std::mem::take(&mut self.said).into_iter().partition(|said| any || own(said));
        self.said = left;
        let taken: Vec<Said> = taken;
        taken.into_iter().map(|said| said.failure).collect()
    }

    /// All that was said.
    pub fn take_all(&mut self) -> Vec<Failure> {
        self.reading = false;
        std::mem::take(&mut self.said).into_iter().map(|said| said.failure).collect()
    }
}

/// `# example.com/m`, `# example.com/m [example.com/m.test]`, vet's `# [example.com/m]`.
fn header(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("# ")?;
    let rest = match rest.strip_prefix('[') {
        Some(inside) => inside.strip_suffix(']')?,
        None => match rest.split_once(" [") {
            Some((package, test)) => test.ends_with(']').then_some(package)?,
            None => rest,
        },
    };
    (!rest.is_empty() && !rest.contains([' ', '\t'])).then_some(rest)
}

/// `./x.go:12:3: message`, with vet's `vet: ` before it.
pub fn diagnostic(line: &str, span: [u64; 2]) -> Option<Failure> {
    const LOADING: &[&str] = &[
        "no required module provides package ",
        " is not in GOROOT",
        " is not in std",
        "cannot find package ",
        "cannot find module providing package ",
        "import cycle not allowed",
        "use of internal package ",
        "is a program, not an importable package",
        "missing go.sum entry",
        "module lookup disabled",
        "found packages ",
    ];
    let text = line.strip_prefix("vet: ").unwrap_or(line);
    if text.starts_with([' ', '\t']) {
        return None;
    }
    let (file, rest) = text.split_once(".go:")?;
    let (number, rest) = rest.split_once(':')?;
    let (column, message) = rest.split_once(": ")?;
    if !column.bytes().all(|b| b.is_ascii_digit()) || column.is_empty() || file.contains(' ') {
        return None;
    }
    let loading = LOADING.iter().any(|words| message.contains(words)) || message.starts_with("module ");
    let place =
        Place { file: Some([file, ".go"].concat()), line: Some(number.parse().ok()?), function: None };
    Some(Failure {
        kind: if loading { Kind::CollectionError } else { Kind::CompileError },
        message: Some(message.trim_end_matches("; to add it:").to_owned()),
        test: Some(place),
        span: Some(span),
        ..Failure::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str, line: u64) -> Option<Place> {
        Some(Place { file: Some(file.into()), line: Some(line), function: None })
    }

    #[test]
    fn diagnostics_wait_for_their_package() {
        let mut builds = Builds::default();
        for line in [
            "# a.example/m [a.example/m.test]",
            "./m.go:61:9: not enough arguments in call to f",
            "\thave (number)",
            "\twant (int, int)",
            "# a.example/n",
            "# [a.example/n]",
            "vet: n/n.go:6:40: x",
        ] {
            assert!(builds.line(line, [0, 1]), "{line}");
        }
        assert!(!builds.line("--- FAIL: TestX (0.00s)", [0, 1]));
        assert!(!builds.line("log.go:3:4: any tool's finding", [0, 1]));
        let n = builds.take("a.example/n");
        assert_eq!((n.len(), &n[0].test), (1, &place("n/n.go", 6)));
        let m = builds.take("a.example/imports-m");
        assert_eq!((m.len(), &m[0].test), (1, &place("./m.go", 61)));
        assert_eq!(
            (m[0].expected.as_deref(), m[0].observed.as_deref()),
            (Some("(int, int)"), Some("(number)"))
        );
        assert!(builds.take_all().is_empty());
    }

    #[test]
    fn a_package_that_cannot_be_loaded_needs_no_header() {
        let mut builds = Builds::default();
        assert!(builds.line(
            "setup/s.go:2:8: no required module provides package nosuch.example/x; to add it:",
            [0, 1]
        ));
        let failure = &builds.take_all()[0];
        assert_eq!(failure.kind, Kind::CollectionError);
        assert_eq!(failure.message.as_deref(), Some("no required module provides package nosuch.example/x"));
    }
}
