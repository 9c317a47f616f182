//! What a test that never ended printed last: a failed `assert`, an uncaught exception, a sanitizer.

use bv_schemas::{Failure, Place};
use regex::Regex;
use std::sync::LazyLock;

/// The first words that tell of the death.
#[derive(Debug, Default)]
pub struct Words {
    line: Option<String>,
    what: Option<String>,
}

/// Words of a process that dies.
pub const DEATHS: &[&str] = &[
    "Assertion ",
    "terminate called ",
    "terminating due to uncaught ",
    "libc++abi",
    "Sanitizer: ",
    ": runtime error: ",
    "egmentation fault",
    "stack smashing detected",
    "free(): ",
    "double free",
    "malloc(): ",
    "corrupted ",
    "Check failed",
    "SIGSEGV",
    "SIGABRT",
    "Aborted",
    "breakpoint trap",
    "core dumped",
    "pure virtual method called",
];

/// glibc: `t: spring.cpp:12: double f(int): Assertion `k > 0' failed.`; macOS: `Assertion failed: (k > 0),
/// function f, file spring.cpp, line 12.`
static ASSERT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:[^:]+: )?(?P<file>[^:\s]+):(?P<line>\d+): (?P<function>[^:].*): (?P<message>Assertion [`'].*failed\.)$",
    )
    .ok()
});
static MACOS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?P<message>Assertion failed: .+), function (?P<function>[^,]+), file (?P<file>[^,]+), line (?P<line>\d+)\.?$",
    )
    .ok()
});

impl Words {
    /// Takes a line of the test's output.
    pub fn line(&mut self, text: &str) {
        if let Some(what) = text.trim_start().strip_prefix("what():") {
            self.what.get_or_insert_with(|| what.trim().to_owned());
        } else if self.line.is_none() && Words::are_in(text) {
            self.line = Some(text.trim().to_owned());
        }
    }

    /// Whether a line has such words.
    pub fn are_in(text: &str) -> bool {
        DEATHS.iter().any(|words| text.contains(words))
    }

    /// Whether there were any.
    pub fn any(&self) -> bool {
        self.line.is_some()
    }

    /// Writes what they say into the failure.
    pub fn tell(&self, failure: &mut Failure) {
        let Some(line) = &self.line else { return };
        failure.message = Some(line.clone());
        let found = ASSERT.as_ref().and_then(|r| r.captures(line)).or_else(|| MACOS.as_ref()?.captures(line));
        if let Some(found) = found {
            failure.message = Some(found["message"].to_owned());
            failure.fault = Some(Place {
                file: Some(found["file"].to_owned()),
                line: found["line"].parse().ok(),
                function: Some(name(&found["function"]).to_owned()),
            });
        } else if let Some(kind) =
            line.split("an instance of '").nth(1).and_then(|rest| rest.split('\'').next())
        {
            failure.exception_type = Some(kind.to_owned());
            failure.message = self.what.clone().or_else(|| Some(line.clone()));
        }
    }
}

/// `double ns::f(int) const` is `ns::f`.
fn name(signature: &str) -> &str {
    let head = signature.split('(').next().unwrap_or(signature);
    head.rsplit([' ', '*', '&']).next().filter(|name| !name.is_empty()).unwrap_or(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for (text, message, kind, place) in [
            (
                "t: spring.cpp:12: double phys::f(int): Assertion `k > 0' failed.",
                "Assertion `k > 0' failed.",
                None,
                Some(("spring.cpp", 12, "phys::f")),
            ),
            (
                "terminate called after throwing an instance of 'std::runtime_error'\n  what():  no spring",
                "no spring",
                Some("std::runtime_error"),
                None,
            ),
        ] {
            let (mut words, mut failure) = (Words::default(), Failure::default());
            text.lines().for_each(|line| words.line(line));
            words.tell(&mut failure);
            let got = failure
                .fault
                .as_ref()
                .map(|f| (f.file.as_deref().unwrap(), f.line.unwrap(), f.function.as_deref().unwrap()));
            assert_eq!(
                (failure.message.as_deref(), failure.exception_type.as_deref(), got),
                (Some(message), kind, place)
            );
        }
    }
}
