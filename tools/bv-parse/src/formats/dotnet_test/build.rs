//! Errors of MSBuild and the compilers that it starts: `/w/Cart.cs(12,5): error CS0103: words [/w/Shop.csproj]`.

use crate::compile_errors::CompileErrors;
use bv_schemas::{Failure, Kind, Place};

/// One error.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    /// As printed; absent where the tool itself speaks.
    pub file: Option<String>,
    /// 1-based.
    pub line: Option<u64>,
    /// `CS0103`
    pub code: String,
    /// Without the project behind it.
    pub message: String,
}

/// Errors by place and words: a summary and each target framework repeat them.
pub type Errors = CompileErrors<(Option<String>, Option<u64>, String)>;

impl Errors {
    /// Takes a line of any kind.
    pub fn line(&mut self, text: &str, span: [u64; 2]) {
        if !text.contains("error ") {
            return;
        }
        let Some(found) = error(text) else { return };
        if found.code == "TESTERROR" {
            return;
        }
        let fault = found.file.map(|file| Place { file: Some(file), line: found.line, function: None });
        self.take(Failure {
            kind: Kind::CompileError,
            message: Some(found.message),
            rule: Some(found.code),
            fault,
            span: Some(span),
            ..Failure::default()
        });
    }

    /// One more, unless it was seen.
    pub fn take(&mut self, failure: Failure) {
        let place = failure.fault.as_ref();
        let words = format!("{:?} {:?}", failure.rule, failure.message);
        let key = (place.and_then(|place| place.file.clone()), place.and_then(|place| place.line), words);
        self.push(key, failure);
    }
}

/// Reads a line: the place, ` : ` or `: `, `error CODE: `, the message, the project.
pub fn error(text: &str) -> Option<Found> {
    let text = text.trim_start();
    let at = text.find("error ")?;
    let (before, rest) = (&text[..at], &text[at + "error ".len()..]);
    let (code, message) = rest.split_once(':')?;
    if !is_code(code) {
        return None;
    }
    let (file, line) = match before.trim_end().strip_suffix(':').map(str::trim_end) {
        None if before.is_empty() => (None, None),
        None => return None,
        Some(place) => self::place(place),
    };
    // TypeScript's compiler writes alike; its errors are another tool's.
    if file.as_deref().is_some_and(|file| file.contains(' ') && !file.contains(['/', '\\'])) {
        return None;
    }
    let message = message.trim();
    let words = match message.strip_suffix(']').and_then(|rest| rest.rsplit_once(" [")) {
        Some((words, project))
            if project.contains("proj") || project.ends_with(".sln") || project.ends_with(".slnx") =>
        {
            words
        }
        _ => message,
    };
    Some(Found { file, line, code: code.to_owned(), message: words.trim_end().to_owned() })
}

/// `/w/Cart.cs(12,5)`, `/w/Cart.cs(14)`, `/w/Shop.csproj`; a tool's name is no file.
pub fn place(text: &str) -> (Option<String>, Option<u64>) {
    let text = text.trim();
    if let Some((file, position)) = text.strip_suffix(')').and_then(|text| text.rsplit_once('(')) {
        let digits = position.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        if let Ok(line) = digits.parse() {
            return (Some(file.to_owned()), Some(line));
        }
    }
    (text.contains('.').then(|| text.to_owned()), None)
}

/// Compilers', NuGet's, MSBuild's, the SDK's and analyzers' codes.
fn is_code(code: &str) -> bool {
    let letters = code.bytes().take_while(u8::is_ascii_alphabetic).count();
    let digits = code.len() - letters;
    let numbered = (1..=10).contains(&letters)
        && (2..=6).contains(&digits)
        && code.bytes().skip(letters).all(|b| b.is_ascii_digit());
    code.starts_with("TESTRUN")
        || code == "TESTERROR"
        || numbered && !(code.starts_with("TS") && letters == 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors() {
        for (text, want) in [
            (
                "/w/Cart.cs(12,5): error CS0103: The name 'x' does not exist [/w/Shop.csproj]",
                Some((Some("/w/Cart.cs"), Some(12), "CS0103", "The name 'x' does not exist")),
            ),
            (
                "/w/Cart.cs(12,5): error CS0103: x [/w/Shop.csproj::TargetFramework=net8.0]",
                Some((Some("/w/Cart.cs"), Some(12), "CS0103", "x")),
            ),
            ("CSC : error CS5001: no Main [/w/Shop.csproj]", Some((None, None, "CS5001", "no Main"))),
            (
                "MSBUILD : error MSB1003: Specify a project",
                Some((None, None, "MSB1003", "Specify a project")),
            ),
            (
                "/w/Shop.csproj : error NU1101: Unable to find package X.",
                Some((Some("/w/Shop.csproj"), None, "NU1101", "Unable to find package X.")),
            ),
            ("src/a.ts(4,21): error TS2322: no", None),
            ("there was an error CS1: no", None),
            ("/w/Cart.cs(12,5): warning CS0168: an error CS1: no", None),
            ("error: no", None),
        ] {
            let got = error(text);
            let got = got.as_ref().map(|e| (e.file.as_deref(), e.line, e.code.as_str(), e.message.as_str()));
            assert_eq!(got, want, "{text}");
        }
    }
}
