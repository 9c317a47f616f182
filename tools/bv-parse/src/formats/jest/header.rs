//! The line above the results of one test file: `FAIL test/cart.test.js (5.1 s)`.

/// One test file's header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// `PASS`.
    pub passed: bool,
    /// The project's display name; empty where there is none.
    pub project: String,
    /// As printed.
    pub path: String,
}

/// Reads a header. Coloured, the words have a blank around them: ` FAIL  web  test/a.js`.
pub fn header(text: &str) -> Option<Header> {
    let text = text.strip_prefix(' ').unwrap_or(text);
    let (passed, rest) = match text.get(..5)? {
        "PASS " => (true, &text[5..]),
        "FAIL " => (false, &text[5..]),
        _ => return None,
    };
    let rest = without_time(rest.trim());
    let (project, path) = rest.rsplit_once("  ").or_else(|| named(rest)).unwrap_or(("", rest));
    let (project, path) = (project.trim(), path.trim());
    is_script(path).then(|| Header { passed, project: project.to_owned(), path: path.to_owned() })
}

/// `web test/a.test.js`: without colours a single blank stands behind the project's name.
fn named(text: &str) -> Option<(&str, &str)> {
    let (project, path) = text.split_once(' ')?;
    (!project.contains(['/', '\\']) && !is_script(project) && is_script(path)).then_some((project, path))
}

/// `test/a.js (5.1 s, 80 MB heap size)` without what stands in parentheses.
fn without_time(text: &str) -> &str {
    let Some((path, inside)) = text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) else {
        return text;
    };
    if inside.starts_with(|c: char| c.is_ascii_digit()) { path } else { text }
}

fn is_script(path: &str) -> bool {
    const EXTENSIONS: &[&str] = &["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"];
    path.rsplit_once('.').is_some_and(|(stem, extension)| !stem.is_empty() && EXTENSIONS.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: Option<(bool, &str, &str)>) {
        let got = header(text).map(|h| (h.passed, h.project, h.path));
        assert_eq!(got, want.map(|(passed, project, path)| (passed, project.into(), path.into())), "{text}");
    }

    #[test]
    fn headers() {
        check("PASS test/a.test.js", Some((true, "", "test/a.test.js")));
        check(" FAIL  test/a.test.js", Some((false, "", "test/a.test.js")));
        check("FAIL test/a (b).test.ts (5.123 s, 80 MB heap size)", Some((false, "", "test/a (b).test.ts")));
        check("PASS  web  test/a.test.js", Some((true, "web", "test/a.test.js")));
        check(" PASS   my app  test/a b.test.js (12 s)", Some((true, "my app", "test/a b.test.js")));
        check("FAIL node test/a.test.js", Some((false, "node", "test/a.test.js")));
        check("FAIL test/my dir/a.test.js", Some((false, "", "test/my dir/a.test.js")));
        check("PASS: test_a", None);
        check("FAIL", None);
        check("FAIL example.com/pkg 0.3s", None);
        check("é", None);
    }
}
