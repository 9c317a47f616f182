//! What Python prints, whatever runner stands around it: tracebacks, the words of a failed
//! assertion, Hypothesis' counterexamples.
//!
//! Lines and texts come in, typed parts go out. Which runner speaks, and where its blocks begin and
//! end, is the format's business.

pub mod doctest;
mod example;
mod faulthandler;
mod scan;
mod sides;
mod traceback;

pub use example::{counterexample, named_values};
pub use faulthandler::Fatal;
pub use sides::{asserted, said, without_words};
pub use traceback::{Exception, Traceback, chained, exception, frame, header};

/// Whether the file holds the user's own code: no installed package, no standard library, no code
/// without a file (`<string>`, `<frozen importlib._bootstrap>`).
pub fn is_user_file(path: &str) -> bool {
    const INSTALLED: &[&str] = &["site-packages", "dist-packages", ".egg/", "/_pytest/", "/pluggy/"];
    // Hypothesis raises the user's error through its own frames; `pip install --target` puts it
    // anywhere, so its own file names are looked for. A user's folder may be named after it.
    const HYPOTHESIS: &[&str] = &["/hypothesis/core.py", "/hypothesis/stateful.py", "/hypothesis/internal/"];
    let any = |texts: &[&str]| texts.iter().any(|text| path.contains(text));
    !(path.is_empty()
        || path.starts_with('<')
        || any(INSTALLED)
        || any(HYPOTHESIS)
        || is_standard_library(path))
}

/// `…/lib/python3.11/…`, `…/lib64/pypy3.10/…` and Windows' `…\Python311\Lib\…`.
fn is_standard_library(path: &str) -> bool {
    let unix = ["/lib/python", "/lib64/python", "/lib/pypy", "/lib64/pypy"].iter().any(|dir| {
        path.find(dir).is_some_and(|at| {
            let version = path[at + dir.len()..].split('/').next().unwrap_or_default();
            version.starts_with(|c: char| c.is_ascii_digit())
        })
    });
    let lower = || path.to_ascii_lowercase();
    unix || (path.contains('\\') && lower().contains("\\lib\\") && lower().contains("python3"))
}

/// `Ran 8 tests in 0.021s`, unittest's and Trial's count: how many, and how long in milliseconds.
pub fn ran(text: &str) -> Option<(u64, u64)> {
    let rest = text.strip_prefix("Ran ")?;
    let (number, rest) = rest.split_once(' ')?;
    let seconds = rest.strip_prefix("tests in ").or_else(|| rest.strip_prefix("test in "))?;
    let seconds: f64 = seconds.trim_end().strip_suffix('s')?.parse().ok()?;
    Some((number.parse().ok()?, crate::values::milliseconds(seconds)?))
}

#[cfg(test)]
mod tests {
    use super::is_user_file;

    #[test]
    fn the_users_own_files_are_told_from_installed_ones() {
        for (path, own) in [
            ("/tmp/app/test_a.py", true),
            ("tests/test_a.py", true),
            ("tests/hypothesis/test_core.py", true),
            ("/home/u/lib/python/mine.py", true),
            ("<string>", false),
            ("<frozen importlib._bootstrap>", false),
            ("/opt/python3.11/lib/python3.11/unittest/case.py", false),
            ("/usr/lib64/python3.9/json/decoder.py", false),
            ("/v/lib/python3.11/site-packages/hypothesis/core.py", false),
            ("/usr/lib/python3/dist-packages/yaml.py", false),
            ("/x/target/hypothesis/core.py", false),
            ("C:\\Python311\\Lib\\unittest\\case.py", false),
            ("C:\\work\\lib\\mine.py", true),
        ] {
            assert_eq!(is_user_file(path), own, "{path}");
        }
    }
}
