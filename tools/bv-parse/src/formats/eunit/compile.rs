//! Errors of erlc: `bank_tests.erl:5:6: undefined macro 'assertEqual/2'`, and as rebar3 draws them since 3.20.

use bv_schemas::{Failure, Kind, Place};

/// Reads both forms.
#[derive(Debug, Default)]
pub struct Compiler {
    /// The file of the drawing that is being read.
    file: Option<String>,
    /// The line that its last source line has.
    line: Option<u64>,
}

impl Compiler {
    /// An error, if this line holds one.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> Option<Failure> {
        if text.starts_with([' ', '\t']) {
            return self.drawn(text, span);
        }
        self.file = None;
        let (at, end) =
            [".erl:", ".hrl:", ".yrl:", ".xrl:"].iter().find_map(|end| Some((text.find(end)?, end)))?;
        let (file, rest) = (&text[..at + end.len() - 1], &text[at + end.len()..]);
        let (line, rest) = rest.split_once(':')?;
        let line = line.parse().ok()?;
        // Since OTP 24 the column follows.
        let message = match rest.strip_prefix(' ') {
            Some(message) => message,
            None => {
                let (column, message) = rest.split_once(": ")?;
                column.parse::<u64>().ok()?;
                message
            }
        };
        let plain = !file.contains([' ', '(', '"', '<', '[', '{']);
        (plain && !message.to_ascii_lowercase().starts_with("warning: ") && !message.is_empty())
            .then(|| error(file, Some(line), message, span))
    }

    /// `   ┌─ src/a.erl:`, ` 4 │  f() -> .`, `   │         ╰── syntax error before: '.'`
    fn drawn(&mut self, text: &str, span: [u64; 2]) -> Option<Failure> {
        let inner = text.trim_start();
        if let Some(file) = inner.strip_prefix("┌─ ") {
            self.file = file.strip_suffix(':').map(str::to_owned);
            self.line = None;
            return None;
        }
        let file = self.file.as_deref()?;
        let (number, source) = inner.split_once('│')?;
        if let Ok(number) = number.trim().parse() {
            self.line = Some(number);
            return None;
        }
        let message = source.trim_start().strip_prefix("╰── ")?;
        (!message.to_ascii_lowercase().starts_with("warning: "))
            .then(|| error(file, self.line, message, span))
    }
}

fn error(file: &str, line: Option<u64>, message: &str, span: [u64; 2]) -> Failure {
    Failure {
        kind: Kind::CompileError,
        message: Some(message.to_owned()),
        fault: Some(Place { file: Some(file.to_owned()), line, function: None }),
        span: Some(span),
        ..Failure::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors() {
        let check = |text: &str, want: &[(&str, u64, &str)]| {
            let mut compiler = Compiler::default();
            let got: Vec<Failure> = text.lines().filter_map(|line| compiler.line(line, [0, 1])).collect();
            let got: Vec<_> = got
                .iter()
                .map(|failure| {
                    let place = failure.fault.as_ref().unwrap();
                    let message = failure.message.as_deref().unwrap();
                    (place.file.as_deref().unwrap(), place.line.unwrap(), message)
                })
                .collect();
            assert_eq!(got, want, "{text}");
        };
        check("src/a.erl:5:6: undefined macro 'x/2'", &[("src/a.erl", 5, "undefined macro 'x/2'")]);
        check("a.erl:5: syntax error before: '->'", &[("a.erl", 5, "syntax error before: '->'")]);
        check("a.erl:5:6: Warning: function f/0 is unused\na.erl:5:<0.83.0>: printed\nsee (a.erl:5: x", &[]);
        check(
            "   ┌─ src/a.erl:\n   │\n 4 │  f() -> .\n   │         ╰── syntax error before: '.'\n",
            &[("src/a.erl", 4, "syntax error before: '.'")],
        );
    }
}
