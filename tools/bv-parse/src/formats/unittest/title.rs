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
    /// A parametrised test of nose2: `test_rest:2`.
    numbered: bool,
    /// Its arguments stand in the next line.
    arguments_due: bool,
    /// It stands for a module that could not be loaded.
    load_error: bool,
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
        // Else it is a docstring, which the reporter of nose2's layers puts there.
        let tail = without_sentinel(tail).trim();
        let tail = if tail.starts_with(['[', '(']) { tail } else { "" };
        let id = if tail.is_empty() { test.clone() } else { format!("{test} {tail}") };
        let (function, params) = (Some(name.to_owned()), params(tail));
        Title { id, test, function, params, full, ..Title::default() }
    }

    /// Reads the title of a failure block, where functions may stand, too, and nose's own names.
    pub fn of_block(text: &str) -> Title {
        let mut title = Title::read(text);
        if title.function.is_some() {
            return title;
        }
        let text = text.trim();
        title.load_error = text.starts_with("Failure: ");
        title.hook = text.starts_with("test suite for <") || text == "_ErrorHolder";
        let (head, rest) = text.split_once(' ').unwrap_or((text, ""));
        if let Some(head) = Title::numbered(head) {
            return if rest.is_empty() { head } else { head.continued(rest).unwrap_or(head) };
        }
        // `tests.test_sum.check(3, 4)`: a test that a generator made.
        let (name, arguments) = match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
            Some((name, arguments)) => (name, Some(arguments)),
            None => (text, None),
        };
        if name.contains('.') && is_dotted(name) {
            title.function = last_part(name);
            title.params = arguments.filter(|text| !text.is_empty()).map(python::named_values);
        }
        title
    }

    /// `tests.test_sum.test_add` and `tests.test_sum.test_add(3, 4)`: a function that nose or nose2 runs.
    pub fn function(text: &str) -> Option<Title> {
        let title = Title::of_block(text);
        (!title.numbered && title.is_test()).then_some(title)
    }

    /// `test_rest:2`, the first line of a parametrised test's title in nose2.
    pub fn numbered(text: &str) -> Option<Title> {
        let (name, number) = text.rsplit_once(':')?;
        let is_head = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) && is_dotted(name);
        is_head.then(|| Title {
            id: text.to_owned(),
            test: text.to_owned(),
            function: last_part(name),
            numbered: true,
            arguments_due: true,
            ..Title::default()
        })
    }

    /// The second line of such a title: `10, 4, 3 (test_crate.T.test_rest:2`, before Python 3.11
    /// `10, 4, 3 (test_crate.T)`, and `10, 4, 3` alone below a function. The layers' reporter writes both, and
    /// the docstring, in one line.
    pub fn continued(&self, text: &str) -> Option<Title> {
        if !self.arguments_due {
            return None;
        }
        let of_class = |(arguments, class): (&str, &str)| {
            let full = class.split_once(self.id.as_str()).and_then(|(class, _)| class.strip_suffix('.'));
            let class = full.or_else(|| class.strip_suffix(')')).filter(|class| is_dotted(class))?;
            Some((arguments.to_owned(), format!("{class}.{}", self.id)))
        };
        let (arguments, id) =
            text.rsplit_once(" (").and_then(of_class).unwrap_or_else(|| (text.to_owned(), self.id.clone()));
        let params = Some(python::named_values(&arguments)).filter(|params| !params.is_empty());
        Some(Title { test: id.clone(), id, params, arguments_due: false, ..self.clone() })
    }

    /// The runner that names tests so, where only one does.
    pub fn runner(&self) -> Option<&'static str> {
        if self.numbered || self.test.starts_with("nose2.") {
            return Some(super::NOSE2.name);
        }
        self.load_error.then_some(super::NOSE.name)
    }

    /// Whether it is surely a test's, not other text of that shape.
    pub fn is_test(&self) -> bool {
        let named = |name: &String| name.starts_with("test") || name == "runTest";
        self.full || self.hook || self.function.as_ref().is_some_and(named)
    }

    /// The module could not be loaded; unittest makes a test of that.
    pub fn is_load_error(&self) -> bool {
        const LOADERS: &[&str] = &[
            "unittest.loader._FailedTest.",
            "unittest.loader.ModuleImportFailure.",
            "unittest2.loader._FailedTest.",
            "nose2.loader.ModuleImportFailure.",
            "nose2.loader.LoadTestsFailure.",
        ];
        self.load_error || LOADERS.iter().any(|loader| self.test.starts_with(loader))
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

/// What stands behind the name, without the object that means `no message`: once a subtest came out of
/// another process (Django's `--parallel`), Python takes it for a message.
fn without_sentinel(tail: &str) -> &str {
    let rest = tail.strip_prefix(" [<object object at 0x").and_then(|rest| rest.split_once(">]"));
    rest.map_or(tail, |(_, rest)| rest)
}

fn last_part(dotted: &str) -> Option<String> {
    dotted.rsplit('.').next().map(str::to_owned)
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
