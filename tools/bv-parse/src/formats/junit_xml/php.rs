//! PHPUnit's JUnit XML (`--log-junit`): the test's title, then the terminal's text.

use super::{Case, Dialect, Fault, Tag, dialect};
use crate::php;
use bv_schemas::{Failure, Kind};

/// A suite names its file, or counts what only PHPUnit counts.
pub const PHPUNIT: Dialect = dialect(
    "phpunit",
    |head| {
        let counts = || head.attribute("assertions").is_some() && head.attribute("warnings").is_some();
        head.attribute("file").is_some_and(|file| file.ends_with(".php")) || counts()
    },
    phpunit,
);

fn phpunit(case: &Case, fault: &Fault) -> Failure {
    let test = format!("{}::{}", case.classname, case.name);
    let lines: Vec<&str> = fault.text.lines().collect();
    let titled = lines.first().is_some_and(|line| line.contains("::"));
    let detail = php::detail(&lines[usize::from(titled)..]);
    let kind = match fault.tag {
        _ if detail.in_hook => Kind::SetupError,
        Tag::Failure => Kind::Assertion,
        Tag::Error => Kind::Exception,
    };
    let mut failure = Failure { kind, ..Failure::default() };
    php::place(&mut failure, &detail.frames, (kind != Kind::SetupError).then_some(test.as_str()));
    failure.id = Some(case.dotted());
    detail.fill(&mut failure);
    if !fault.kind.is_empty() {
        failure.exception_type = Some(fault.kind.clone());
    }
    failure
}
