//! Makes a plain function a candidate of bv-gate: `mod candidate;` beside the function, and in `main`
//!
//! ```ignore
//! candidate::serve(|Division { a, b }| Ok::<_, Infallible>(a % b))
//! ```
//!
//! In: one input a line, read by serde. Out: what the function gives, one line each; an error by its type and its
//! `Display`, a panic with its message, its file and its line, and its function where the binary has debug
//! information. serde_json writes a NaN as `null`: let a rule's `schema` ask for a number where that matters.

use serde_json::{Value, json};
use std::backtrace::Backtrace;
use std::io::{self, BufRead, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};

/// Answers every input of stdin with what `function` makes of it.
///
/// # Errors
/// Those of stdin and stdout.
pub fn serve<I, O, E>(function: impl Fn(I) -> Result<O, E>) -> io::Result<()>
where
    I: serde::de::DeserializeOwned,
    O: serde::Serialize,
    E: std::fmt::Display,
{
    let raised = Arc::new(Mutex::new(Value::Null));
    let told = Arc::clone(&raised);
    panic::set_hook(Box::new(move |info| {
        *told.lock().unwrap_or_else(PoisonError::into_inner) = panicked(info)
    }));
    for line in io::stdin().lock().lines() {
        let input: I = serde_json::from_str(&line?)?;
        let answer = match panic::catch_unwind(AssertUnwindSafe(|| function(input))) {
            Ok(Ok(output)) => json!({ "output": serde_json::to_value(output)? }),
            Ok(Err(error)) => json!({
                "exception_type": std::any::type_name::<E>().rsplit("::").next(),
                "exception_msg": error.to_string(),
            }),
            Err(_) => raised.lock().unwrap_or_else(PoisonError::into_inner).take(),
        };
        writeln!(io::stdout().lock(), "{answer}")?;
    }
    Ok(())
}

fn panicked(info: &panic::PanicHookInfo<'_>) -> Value {
    let place = info.location().map(|at| (at.file(), at.line()));
    let trace = Backtrace::force_capture().to_string();
    let payload = info.payload();
    let words = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref().map(String::as_str));
    json!({
        "exception_type": "panic",
        "exception_msg": words.unwrap_or("no message"),
        "file": place.map(|(file, _)| file),
        "line": place.map(|(_, line)| line),
        "function": place.and_then(|(file, line)| function_at(&trace, file, line)),
    })
}

/// A frame is two lines: `  12: krate::function` and `     at ./src/file.rs:3:5`.
fn function_at<'a>(trace: &'a str, file: &str, line: u32) -> Option<&'a str> {
    // The trace has the path in other words than the panic has it.
    let name = file.rsplit(['/', '\\']).next()?;
    let place = format!("{name}:{line}:");
    let lines: Vec<&str> = trace.lines().collect();
    let frame = lines.windows(2).find(|pair| pair[1].contains(&place))?;
    frame[0].split_once(": ").map(|(_, function)| function.trim())
}
