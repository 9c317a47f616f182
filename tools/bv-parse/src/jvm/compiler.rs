//! Errors of the compilers of the JVM's languages: javac, kotlinc, scalac and groovyc, on their own and as
//! Gradle and Maven pass them on.

use crate::finding::position;
use bv_schemas::{Failure, Kind, Place};

/// Files of these languages.
const SOURCES: &[&str] = &[".java", ".kt", ".kts", ".scala", ".groovy"];

/// The error that one line tells of:
///
/// - `/p/Cart.java:16: error: cannot find symbol`, `Cart.kt:3:5: error: unresolved reference: totl`
/// - `e: file:///p/Cart.kt:3:5 Unresolved reference 'totl'.`, up to Kotlin 1.8 `e: /p/Cart.kt: (3, 5): …`
/// - `[Error] /p/Cart.scala:3:5: not found: value totl`
/// - `/p/Cart.groovy: 3: unable to resolve class Pen @ line 3, column 5.`
pub fn compile_error(text: &str, span: [u64; 2]) -> Option<Failure> {
    let (file, line, message) = kotlin(text).or_else(|| labelled(text)).or_else(|| groovy(text))?;
    let file = file.strip_prefix("file://").unwrap_or(file);
    let source = SOURCES.iter().any(|end| file.ends_with(end));
    (source && !message.is_empty()).then(|| Failure {
        kind: Kind::CompileError,
        message: Some(message.to_owned()),
        test: Some(Place { file: Some(file.to_owned()), line: Some(line), function: None }),
        span: Some(span),
        ..Failure::default()
    })
}

fn kotlin(text: &str) -> Option<(&str, u64, &str)> {
    let rest = text.strip_prefix("e: ")?;
    if let Some((file, rest)) = rest.split_once(": (") {
        let (place, message) = rest.split_once("): ")?;
        return Some((file, place.split(',').next()?.parse().ok()?, message));
    }
    let (place, message) = rest.split_once(' ')?;
    let (file, line) = position(place)?;
    Some((file, line, message))
}

fn labelled(text: &str) -> Option<(&str, u64, &str)> {
    let (place, message) = match text.strip_prefix("[Error] ") {
        Some(rest) => rest.split_once(": ")?,
        None => text.split_once(": error: ")?,
    };
    let (file, line) = position(place)?;
    (!file.contains(": ")).then_some((file, line, message))
}

fn groovy(text: &str) -> Option<(&str, u64, &str)> {
    let (file, rest) = text.split_once(".groovy: ")?;
    let (line, message) = rest.split_once(": ")?;
    let (message, _) = message.split_once(" @ line ")?;
    Some((&text[..file.len() + ".groovy".len()], line.parse().ok()?, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors() {
        let check = |text: &str, want: Option<(&str, u64, &str)>| {
            let got = compile_error(text, [0, 1]);
            let got = got.as_ref().and_then(|failure| {
                let at = failure.test.as_ref()?;
                Some((at.file.as_deref()?, at.line?, failure.message.as_deref()?))
            });
            assert_eq!(got, want, "{text}");
        };
        check("/p/Cart.java:16: error: cannot find symbol", Some(("/p/Cart.java", 16, "cannot find symbol")));
        check("Cart.kt:3:5: error: unresolved reference: m", Some(("Cart.kt", 3, "unresolved reference: m")));
        check(
            "e: file:///p/Cart.kt:3:5 Unresolved reference 'm'.",
            Some(("/p/Cart.kt", 3, "Unresolved reference 'm'.")),
        );
        check(
            "e: /p/Cart.kt: (3, 5): Unresolved reference: m",
            Some(("/p/Cart.kt", 3, "Unresolved reference: m")),
        );
        check(
            "[Error] /p/Cart.scala:3:5: not found: value m",
            Some(("/p/Cart.scala", 3, "not found: value m")),
        );
        check(
            "/p/Cart.groovy: 3: unable to resolve class Pen @ line 3, column 5.",
            Some(("/p/Cart.groovy", 3, "unable to resolve class Pen")),
        );
        check("/p/Cart.java:16: warning: deprecated", None);
        check("w: file:///p/Cart.kt:3:5 unused", None);
        check("cart.c:3:5: error: x", None);
    }
}
