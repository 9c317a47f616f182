//! Compilers: `file:line:column: error: message` (gcc, clang, javac, kotlinc, swiftc), `file(line,column): error
//! CODE: message` (tsc, MSVC, C#), and a linker's undefined reference or `error LNK2019`.
//!
//! MSBuild puts its node before a line, `1>`, and the project behind it, `[C:\w\a.vcxproj]`
//! (<https://learn.microsoft.com/en-us/visualstudio/msbuild/msbuild-diagnostic-format-for-tasks>).

use super::Said;
use crate::jvm;
use crate::machine::Line;
use bv_schemas::{Failure, Kind, Place};
use regex::Regex;
use std::sync::LazyLock;

/// Files of languages that are compiled; the same form in a script's name is a checker's finding.
const SOURCES: &[&str] = &[
    "c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "inl", "m", "mm", "cu", "cuh", "java", "swift",
    "ts", "tsx", "mts", "cts", "cs", "vb", "fs", "f", "f90", "F90", "adb", "ads", "d", "zig", "S", "s",
    "proto", "y", "l", "kt", "kts", "scala", "groovy",
];

static COLON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?P<file>(?:[A-Za-z]:)?[^\s:()]+\.(?P<ext>[\w+]+)):(?P<line>\d+)(?::\d+)?: (?:fatal )?error: (?P<message>\S.*)$",
    ).expect("a constant pattern, run by the tests")
});

static PAREN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?P<file>(?:[A-Za-z]:\\[^()]+?|[^\s()]+)\.(?P<ext>[\w+]+))\((?P<line>\d+)(?:,\d+)?\) ?: (?:fatal )?error (?P<rule>[A-Z]+\d+): (?P<message>\S.*)$",
    ).expect("a constant pattern, run by the tests")
});

/// `main.obj : error LNK2019: …`, `LINK : fatal error LNK1120: …`, `cl : Command line error D8021 : …`
static OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\S+ : (?:(?:fatal |Command line )?error) (?P<rule>[A-Z]+\d{4}) ?: (?P<message>\S.*)$")
        .expect("a constant pattern, run by the tests")
});

/// The compiler, where the language has but one.
pub fn name(failure: &Failure) -> Option<&'static str> {
    if is_msvc(failure.rule.as_deref().unwrap_or_default()) {
        return Some("msvc");
    }
    let file = failure.fault.as_ref()?.file.as_deref()?;
    const COMPILERS: &[(&str, &str)] = &[
        (".java", "javac"),
        (".kt", "kotlinc"),
        (".kts", "kotlinc"),
        (".scala", "scalac"),
        (".groovy", "groovyc"),
    ];
    COMPILERS.iter().find(|(end, _)| file.ends_with(end)).map(|(_, name)| *name)
}

/// `C2065`, `LNK2019`, `D8021`: cl's, the linker's and their driver's.
fn is_msvc(rule: &str) -> bool {
    let digits = rule.trim_start_matches(|c: char| c.is_ascii_uppercase());
    digits.len() == 4
        && digits.bytes().all(|b| b.is_ascii_digit())
        && ["C", "LNK", "D"].contains(&&rule[..rule.len() - digits.len()])
}

/// A compiler's error, whole in one line.
pub fn begins(line: &Line<'_>) -> Option<Said> {
    let text = line.text;
    if let Some(at) = text.find("undefined reference to ") {
        let failure = Failure {
            kind: Kind::CompileError,
            message: Some(text[at..].to_owned()),
            span: Some(line.span),
            ..Failure::default()
        };
        return linker(&text[..at]).then_some(Said::Failure(failure));
    }
    if text.starts_with("e: ") {
        // Kotlin's compiler, as Gradle and its daemon print it.
        let mut failure = jvm::compile_error(text, line.span)?;
        failure.fault = failure.test.take();
        return Some(Said::Failure(failure));
    }
    if !text.contains("error") {
        return None;
    }
    let text = unbuilt(text);
    if let Some(found) = OBJECT.captures(text).filter(|found| is_msvc(&found["rule"])) {
        return Some(Said::Failure(Failure {
            kind: Kind::CompileError,
            message: Some(found["message"].to_owned()),
            rule: Some(found["rule"].to_owned()),
            span: Some(line.span),
            ..Failure::default()
        }));
    }
    let found = COLON.captures(text).or_else(|| PAREN.captures(text))?;
    if !SOURCES.contains(&&found["ext"]) || is_check(&found["message"]) {
        return None;
    }
    let (message, warning) = flagged(&found["message"]);
    let rule = found.name("rule").map(|rule| rule.as_str()).or(warning);
    Some(Said::Failure(Failure {
        kind: Kind::CompileError,
        message: Some(message.to_owned()),
        rule: rule.map(str::to_owned),
        fault: Some(Place {
            file: Some(found["file"].to_owned()),
            line: found["line"].parse().ok(),
            function: None,
        }),
        span: Some(line.span),
        ..Failure::default()
    }))
}

/// The line without what MSBuild puts around it.
fn unbuilt(text: &str) -> &str {
    let text = text.trim_start();
    let node = text.bytes().take_while(u8::is_ascii_digit).count();
    let text = if node > 0 { text[node..].strip_prefix('>').unwrap_or(text) } else { text };
    match text.strip_suffix("proj]").and_then(|head| head.rsplit_once(" [")) {
        Some((text, _)) => text,
        None => text,
    }
}

/// A test framework's failed check in a compiler's form: XCTest's and CppUTest's.
fn is_check(message: &str) -> bool {
    message.starts_with("-[") || message.contains(" : XCTAssert") || message.starts_with("Failure in TEST(")
}

/// `/usr/bin/ld: a.o: `, `a.c:(.text+0x5): `, `a.c:12: `.
fn linker(before: &str) -> bool {
    before.is_empty() || before.ends_with(": ")
}

/// A warning made an error names its flag at the end: `[-Werror=unused-variable]`.
fn flagged(message: &str) -> (&str, Option<&str>) {
    let flag = message.strip_suffix(']').and_then(|rest| rest.rsplit_once(" [-W"));
    match flag {
        Some((words, flag)) => (words, message.get(words.len() + 2..words.len() + 4 + flag.len())),
        None => (message, None),
    }
}
