//! JUnit XML of what runs on the JVM: Surefire's and Gradle's reports, and any other whose texts hold the
//! JVM's stacks.

use super::{Case, Dialect, Fault, Tag, dialect};
use crate::jvm::{self, Exception};
use bv_schemas::{Failure, Kind};

/// Surefire and Failsafe name their schema.
pub const SUREFIRE: Dialect = dialect(
    "maven-surefire",
    |head| head.attribute("xsi:noNamespaceSchemaLocation").is_some_and(|schema| schema.contains("surefire")),
    read,
);

/// A report of another runner, where the text or the type shows the JVM.
pub fn other(case: &Case, fault: &Fault) -> Option<Failure> {
    let traced = || fault.text.lines().any(|line| line.starts_with("\tat ") && jvm::frame(line).is_some());
    let typed = || fault.kind.contains('.') && jvm::class_of(&fault.kind).is_some();
    (traced() || typed()).then(|| read(case, fault))
}

fn read(case: &Case, fault: &Fault) -> Failure {
    // Gradle writes `aTotal()`, a parameterized test has its parameters behind the name.
    let method = case.name.split(['(', '{', '[']).next().map(str::trim);
    // A class' own fixture has the class' name, or none.
    let method = method.filter(|name| !name.is_empty() && *name != case.classname);
    let class = Some(case.classname.as_str()).filter(|class| !class.is_empty());
    let mut exception = Exception::read(fault.text.lines());
    if exception.class.is_none() && !fault.kind.is_empty() {
        exception.class = Some(fault.kind.clone());
        if exception.frames.is_empty() && !fault.message.is_empty() {
            exception.message = fault.message.lines().map(str::to_owned).collect();
        }
    }
    let mut failure = exception.failure(class, method);
    failure.kind = match (failure.kind, fault.tag) {
        (Kind::Timeout, _) => Kind::Timeout,
        _ if method.is_none() || case.name == "initializationError" => Kind::SetupError,
        (_, Tag::Error) => Kind::Exception,
        // Gradle writes every exception as a failure.
        (kind, Tag::Failure) => kind,
    };
    failure.id = Some(if method.is_some() { case.dotted() } else { case.classname.clone() });
    failure
}
