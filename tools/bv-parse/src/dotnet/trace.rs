//! One frame of a .NET stack, in the forms that runtimes and runners give it.
//!
//! `   at Shop.Cart.Total(Int32 a) in /w/Cart.cs:line 6` (.NET; its words are translated: `en …:línea 6`),
//! `  at Shop.Cart.Total (System.Int32 a) [0x00001] in /w/Cart.cs:6` (Mono), `/w/Cart.cs(6,0): at
//! Shop.Cart.Total(Int32 a)` (xUnit.net's console), `at Shop.Cart.Total(Int32 a) in /w/Cart.cs:6`
//! (Microsoft.Testing.Platform).

use bv_schemas::Place;

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Type and method, without arguments and the compiler's own names around them.
    pub function: String,
    /// As printed.
    pub file: Option<String>,
    /// 1-based.
    pub line: Option<u64>,
}

impl Frame {
    /// Whether the frame is the user's: it has a file that was built here, and is no library's.
    pub fn is_user(&self) -> bool {
        let built_elsewhere = |file: &String| file.starts_with("/_/") || file.starts_with('<');
        self.file.as_ref().is_some_and(|file| !built_elsewhere(file)) && !is_library(&self.function)
    }

    /// Whether it is the method of the test of this name, or one of its class.
    pub fn belongs_to(&self, test: &str) -> bool {
        let bare = test.split('(').next().unwrap_or(test);
        let class = |name: &'_ str| name.rsplit_once('.').map(|(class, _)| class.to_owned());
        self.function == bare || class(bare).is_some_and(|own| class(&self.function) == Some(own))
    }

    /// Whether its form is .NET's alone: a JVM's frame has its place in the brackets.
    pub fn is_dotnet(&self) -> bool {
        self.line.is_some() && self.file.is_some()
    }

    /// As a place.
    pub fn place(&self) -> Place {
        Place { file: self.file.clone(), line: self.line, function: Some(self.function.clone()) }
    }
}

/// Whether a function is the runtime's, a runner's or an assertion library's.
pub fn is_library(function: &str) -> bool {
    const ROOTS: &[&str] = &[
        "System.",
        "Microsoft.",
        "Xunit.",
        "NUnit.",
        "FluentAssertions.",
        "AwesomeAssertions.",
        "Shouldly.",
        "TUnit.",
        "Moq.",
        "NSubstitute.",
        "Castle.",
        "FsCheck.",
        "FSharp.",
        "InvokeStub_",
        "InvokeStub_.",
    ];
    ROOTS.iter().any(|root| function.starts_with(root))
}

/// Reads a line.
pub fn frame(text: &str) -> Option<Frame> {
    let text = text.trim();
    if let Some((place, rest)) = text.split_once("): at ") {
        let (file, position) = place.rsplit_once('(')?;
        let line = position.split(',').next()?.parse().ok()?;
        return Some(Frame { function: function(rest)?, file: Some(file.to_owned()), line: Some(line) });
    }
    let (word, rest) = text.split_once(' ')?;
    if !matches!(word, "at" | "en" | "à" | "bei" | "в" | "em" | "w" | "v" | "in" | "vid" | "于") {
        return None;
    }
    let (head, file, line) = placed(rest).unwrap_or((rest, None, None));
    Some(Frame { function: function(head)?, file, line })
}

/// What stands before the place, the file, the line.
fn placed(text: &str) -> Option<(&str, Option<String>, Option<u64>)> {
    let (before, last) = text.rsplit_once(':')?;
    let line: u64 = last.trim_start_matches(|c: char| !c.is_ascii_digit()).trim_end().parse().ok()?;
    let word = last.trim_end().trim_end_matches(|c: char| c.is_ascii_digit());
    // `:line 6`, `:línea 6`, `:6`.
    if !word.is_empty() && (!word.ends_with(' ') || word.contains(['/', '\\'])) {
        return None;
    }
    let at = [") in ", ") en ", ") dans ", ") w ", ") в ", ") em ", "] in "]
        .iter()
        .find_map(|word| before.find(word).map(|at| (at + 1, at + word.len())))?;
    Some((&before[..at.0], Some(before[at.1..].to_owned()), Some(line).filter(|&line| line > 0)))
}

/// `Shop.Tests.CartTests.<Slow>d__5.MoveNext()` is `Shop.Tests.CartTests.Slow`.
fn function(text: &str) -> Option<String> {
    let head = text.split(" [0x").next().unwrap_or(text);
    let open = head.find('(')?;
    let name = head[..open].trim_end();
    // Generic arguments of the method: `Throws[T]`.
    let name = name.split('[').next().unwrap_or(name);
    if name.is_empty() || name.contains(' ') || !name.contains('.') {
        return None;
    }
    let Some(angle) = name.find('<') else { return Some(unsized_arity(name)) };
    let class = name[..angle].trim_end_matches(['.', '+', '/']);
    // The last `<Method>` names it: `<>c__DisplayClass3_0.<Method>b__0`, `<Method>g__Local|2_0`.
    let method =
        name.split('<').skip(1).filter_map(|part| part.split_once('>')).filter(|(name, _)| !name.is_empty());
    let (method, after) = method.last()?;
    let local = after.strip_prefix("g__").and_then(|rest| rest.split('|').next());
    Some(unsized_arity(&format!("{class}.{}", local.unwrap_or(method))))
}

/// ``List`1.Add`` is `List.Add`.
fn unsized_arity(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut digits = false;
    for c in name.chars() {
        match c {
            '`' => digits = true,
            c if digits && c.is_ascii_digit() => {}
            c => {
                digits = false;
                out.push(if c == '+' || c == '/' { '.' } else { c });
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames() {
        for (text, want) in [
            ("   at A.B.C(Int32 a) in /w/x y/F.cs:line 6", Some(("A.B.C", Some("/w/x y/F.cs"), Some(6)))),
            (
                "   en A.B.C(Int32 a) en C:\\w\\F.cs:línea 244",
                Some(("A.B.C", Some("C:\\w\\F.cs"), Some(244))),
            ),
            (
                "  at A.B.C (System.Int32 a) [0x00001] in /w/F.cs:6 ",
                Some(("A.B.C", Some("/w/F.cs"), Some(6))),
            ),
            ("  at A.B.C () [0x00000] in <a1b2>:0 ", Some(("A.B.C", Some("<a1b2>"), None))),
            ("F.cs(14,0): at A.B.C()", Some(("A.B.C", Some("F.cs"), Some(14)))),
            ("at A.B.C() in /w/F.cs:915", Some(("A.B.C", Some("/w/F.cs"), Some(915)))),
            ("   at A.B.C(Func`1 f)", Some(("A.B.C", None, None))),
            ("   at A.B.<C>d__5.MoveNext() in /w/F.cs:line 6", Some(("A.B.C", Some("/w/F.cs"), Some(6)))),
            (
                "   at A.B.<>c__DisplayClass1_0.<C>b__0() in /w/F.cs:line 6",
                Some(("A.B.C", Some("/w/F.cs"), Some(6))),
            ),
            ("   at A.B.<C>g__Local|0_0() in /w/F.cs:line 6", Some(("A.B.Local", Some("/w/F.cs"), Some(6)))),
            ("   at A.B`1.C[T](T a) in /w/F.cs:line 6", Some(("A.B.C", Some("/w/F.cs"), Some(6)))),
            ("--- End of stack trace from previous location ---", None),
            ("at least one (of them)", None),
            ("not at A.B()", None),
        ] {
            let got = frame(text);
            let got = got.as_ref().map(|f| (f.function.as_str(), f.file.as_deref(), f.line));
            assert_eq!(got, want, "{text}");
        }
    }
}
