//! How unittest names a test: `test_roll (test_drum.DrumTest.test_roll) [msg] (n=4)`.

use crate::python;
use serde_json::{Map, Value};

/// Fixtures of a class or module, which stand where a test's name would.
const HOOKS: &[&str] = &["setUpClass", "tearDownClass", "setUpModule", "tearDownModule"];

/// A test's title, taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Title {
    /// What to run again: `test_drum.DrumTest.test_roll`, a subtest's words behind it; as printed where
    /// it has no such form.
    pub id: String,
    /// The test without its subtest's words.
    pub test: String,
    /// The method.
    pub function: Option<String>,
    /// The parameters of a subtest.
    pub params: Option<Map<String, Value>>,
    /// It stands for a class' or module's fixture.
    pub hook: bool,
    /// The name is the method's in the form of Python 3.11 and newer.
    full: bool,
}

impl Title {
    /// Reads a title. Before Python 3.11 the parentheses hold the class alone.
    pub fn read(text: &str) -> Title {
        let text = text.trim();
        let plain = || Title { id: text.to_owned(), test: text.to_owned(), ..Title::default() };
        let Some((name, rest)) = text.split_once(" (") else { return plain() };
        let Some((class, tail)) = rest.split_once(')') else { return plain() };
        if !is_dotted(class) {
            return plain();
        }
        if HOOKS.contains(&name) {
            return Title { hook: true, function: Some(name.to_owned()), ..plain() };
        }
        if name.contains('.') || !is_dotted(name) {
            return plain();
        }
        let full = class.strip_suffix(name).is_some_and(|class| class.ends_with('.'));
        let test = if full { class.to_owned() } else { format!("{class}.{name}") };
        let id = if tail.trim().is_empty() { test.clone() } else { format!("{test} {}", tail.trim()) };
        Title { id, test, function: Some(name.to_owned()), params: params(tail), hook: false, full }
    }

    /// Whether it is surely a test's, not other text of that shape.
    pub fn is_test(&self) -> bool {
        let named = |name: &String| name.starts_with("test") || name == "runTest";
        self.full || self.hook || self.function.as_ref().is_some_and(named)
    }

    /// The module could not be loaded; unittest makes a test of that.
    pub fn is_load_error(&self) -> bool {
        self.test.starts_with("unittest.loader._FailedTest.")
            || self.test.starts_with("unittest.loader.ModuleImportFailure.")
    }
}

/// `(n=4, want='IV')` at the end of a subtest's title.
fn params(tail: &str) -> Option<Map<String, Value>> {
    let inside = tail.trim().strip_suffix(')')?;
    let at = inside.find('(')?;
    // A message in brackets may hold a parenthesis.
    let at = inside.rfind("] (").map_or(at, |end| end + 2);
    let inside = &inside[at + 1..];
    inside.contains('=').then(|| python::named_values(inside))
}

/// Dotted Python names; a local class has `<locals>` between.
fn is_dotted(text: &str) -> bool {
    let name = |part: &str| {
        part == "<locals>"
            || part.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    text.split('.').all(name)
}

#[cfg(test)]
mod tests {
    use super::Title;

    #[test]
    fn titles_of_all_versions_name_the_same_test() {
        for (text, id, function, test) in [
            ("test_roll (test_drum.DrumTest.test_roll)", "test_drum.DrumTest.test_roll", "test_roll", true),
            ("test_roll (test_drum.DrumTest)", "test_drum.DrumTest.test_roll", "test_roll", true),
            ("test_t (m.T.test_t) [a (b)] (n=4, s='x')", "m.T.test_t [a (b)] (n=4, s='x')", "test_t", true),
            ("test_t (m.T.test_t) (<subtest>)", "m.T.test_t (<subtest>)", "test_t", true),
            ("setUpClass (m.T)", "setUpClass (m.T)", "setUpClass", true),
            ("check (m.f.<locals>.T.check)", "m.f.<locals>.T.check", "check", true),
            ("check (m.T)", "m.T.check", "check", false),
            ("unittest.case.FunctionTestCase (f)", "unittest.case.FunctionTestCase (f)", "", false),
            ("Installing it (now)", "Installing it (now)", "", false),
            ("mod.Class.test_x", "mod.Class.test_x", "", false),
        ] {
            let title = Title::read(text);
            let got = (title.id.as_str(), title.function.as_deref().unwrap_or_default(), title.is_test());
            assert_eq!(got, (id, function, test), "{text}");
        }
    }

    #[test]
    fn a_subtest_has_its_parameters() {
        let title = Title::read("test_t (m.T.test_t) [a (b)] (n=4, s='x')");
        let want = serde_json::json!({"n": 4, "s": "'x'"});
        assert_eq!(title.params.map(serde_json::Value::Object), Some(want));
    }
}
