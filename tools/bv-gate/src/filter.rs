//! jq filters, by the jaq crates.
//!
//! In: a filter's text, and the values that it runs over. Out: what it yields, as [`Yield`]. Filters see
//! neither clock nor environment, read no input of their own and end no process: what they say depends on the
//! vector and the answer alone.

use jaq_core::data::JustLut;
use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Vars};
use jaq_json::{Map, Val, read};

/// Deepest nesting of a value; more is refused before it is parsed, since parsing recurses.
pub const DEPTH_MAX: usize = 128;
/// So many digits can be a double still.
const DIGITS_MAX: usize = 300;
/// Values that a filter may yield; one that goes on is no predicate.
const YIELDS_MAX: usize = 10_000;
/// What would make a verdict depend on more than the vector and the answer.
const LEFT_OUT: &[&str] = &["env", "now", "halt", "localtime", "strflocaltime"];

type Program = jaq_core::Filter<JustLut<Val>>;

/// A compiled filter and the text that it came from.
pub struct Filter {
    text: String,
    program: Program,
}

/// What a filter said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Yield {
    /// `true`, once or more, and nothing else.
    True,
    /// `false` or `null` (which is the text) at least once.
    False(&'static str),
    /// No value at all.
    Nothing,
    /// The filter ended with this error.
    Error(String),
    /// A value that is no answer to a yes-or-no question.
    Other(String),
}

impl Filter {
    /// Compiles `text`.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn compile(text: &str) -> Result<Filter, String> {
        let defs = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
        let defs = defs.filter(|def| !LEFT_OUT.iter().any(|name| def.name.starts_with(name)));
        let funs = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
        let funs = funs.filter(|(name, ..)| !LEFT_OUT.contains(name));
        let arena = Arena::default();
        let modules = Loader::new(defs)
            .load(&arena, File { code: text, path: () })
            .map_err(|errors| unloadable(text, &errors))?;
        let program =
            Compiler::default().with_funs(funs).compile(modules).map_err(|errors| undefined(&errors))?;
        Ok(Filter { text: text.to_owned(), program })
    }

    /// The filter as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Runs it over `value`.
    pub fn run(&self, value: Val) -> Yield {
        let context = Ctx::<JustLut<Val>>::new(&self.program.lut, Vars::new([]));
        let mut said = Yield::Nothing;
        for (nth, one) in self.program.id.run((context, value)).enumerate() {
            match one {
                _ if nth == YIELDS_MAX => return Yield::Error(format!("over {YIELDS_MAX} values")),
                Ok(Val::Bool(true)) if said == Yield::Nothing => said = Yield::True,
                Ok(Val::Bool(true)) => {}
                Ok(Val::Bool(false)) => said = Yield::False("false"),
                Ok(Val::Null) => said = Yield::False("null"),
                Ok(other) => return Yield::Other(other.to_string()),
                Err(exception) => {
                    let error = exception.get_err();
                    return Yield::Error(error.map_or_else(|_| "it halts".into(), |error| error.to_string()));
                }
            }
        }
        said
    }
}

/// A JSON text as a value that filters run over.
///
/// # Errors
/// Where it is not JSON, or nested deeper than [`DEPTH_MAX`].
pub fn value(text: &str) -> Result<Val, String> {
    if depth(text) > DEPTH_MAX {
        return Err(format!("nested deeper than {DEPTH_MAX}"));
    }
    // jaq reads more than JSON: comments, NaN, bytes. Ours is JSON alone, and no number beyond a double, since
    // not every reader of a record could take it.
    let may_be_huge = text.len() > DIGITS_MAX || text.contains(['e', 'E']);
    let checked = match may_be_huge {
        true => serde_json::from_str::<serde_json::Value>(text).map(drop),
        false => serde_json::from_str::<&serde_json::value::RawValue>(text).map(drop),
    };
    checked.map_err(|wrong| in_words(&wrong))?;
    read::parse_single(text.as_bytes()).map_err(|wrong| wrong.to_string())
}

/// What is wrong with a JSON text, without the place in it: that would be taken for one in its file.
pub fn in_words(wrong: &serde_json::Error) -> String {
    let words = wrong.to_string();
    words.rsplit_once(" at line ").map_or(words.clone(), |(what, _)| what.to_owned())
}

/// `{name: value, …}`.
pub fn object<const N: usize>(members: [(&'static str, Val); N]) -> Val {
    let members = members.into_iter().map(|(name, value)| (Val::utf8_str(name), value));
    Val::obj(members.collect::<Map>())
}

/// How deep arrays and objects nest; braces in strings are text.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                while let Some(byte) = bytes.next() {
                    match byte {
                        b'"' => break,
                        b'\\' => drop(bytes.next()),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    deepest
}

type LoadErrors<'a> = jaq_core::load::Errors<&'a str, ()>;

fn unloadable(text: &str, errors: &LoadErrors<'_>) -> String {
    use jaq_core::load::Error;
    let at = |rest: &str| {
        let before = text.len().saturating_sub(rest.len());
        if rest.is_empty() { "at its end".to_owned() } else { format!("at byte {before}") }
    };
    match errors.first().map(|(_, error)| error) {
        Some(Error::Lex(errors)) => match errors.first() {
            Some((expected, rest)) => format!("expected {} {}", expected.as_str(), at(rest)),
            None => "it cannot be read".into(),
        },
        Some(Error::Parse(errors)) => match errors.first() {
            Some((expected, found)) => {
                let found = if found.is_empty() { "its end" } else { found };
                format!("expected {}, found {found}", expected.as_str())
            }
            None => "it cannot be read".into(),
        },
        Some(Error::Io(_)) => "it reads other files".into(),
        None => "it cannot be read".into(),
    }
}

fn undefined(errors: &jaq_core::compile::Errors<&str, ()>) -> String {
    match errors.iter().flat_map(|(_, errors)| errors).next() {
        Some((name, undefined)) => format!("undefined {}: {name}", undefined.as_str()),
        None => "it cannot be compiled".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(filter: &str, expected: Yield) {
        let input = value(r#"{"a": 1, "big": 12345678901234567890123, "list": [1, 2], "none": []}"#);
        let filter = Filter::compile(filter).expect("it compiles");
        assert_eq!(filter.run(input.expect("JSON")), expected, "{}", filter.text());
    }

    #[test]
    fn only_true_is_a_yes() {
        check(".a == 1", Yield::True);
        check(".a == 1, .a < 2", Yield::True);
        check(".list[] | . > 0", Yield::True);
        check(".a == 1, .a == 2", Yield::False("false"));
        check(".b", Yield::False("null"));
        check(".none[] | . > 0", Yield::Nothing);
        check(".a", Yield::Other("1".into()));
        check("select(.a == 1) | .list", Yield::Other("[1,2]".into()));
        check("repeat(true)", Yield::Error("over 10000 values".into()));
        check(r#"error("no")"#, Yield::Error("\"no\"".into()));
    }

    #[test]
    fn whole_numbers_keep_all_their_digits() {
        check(".big == 12345678901234567890123", Yield::True);
        check(".big == 12345678901234567890124", Yield::False("false"));
        check(".big + 1 == 12345678901234567890124", Yield::True);
    }

    #[test]
    fn an_error_says_what_is_wrong() {
        check(".a.b", Yield::Error("cannot index 1 with \"b\"".into()));
    }

    fn refused(filter: &str, expected: &str) {
        assert_eq!(Filter::compile(filter).err().as_deref(), Some(expected), "{filter}");
    }

    #[test]
    fn what_is_no_filter_is_refused() {
        refused("", "expected term, found its end");
        refused(".a ==", "expected term, found its end");
        refused(".a = (", "expected closing parenthesis at its end");
        refused("\"open", "expected closing quote at its end");
        refused("nosuch(.a)", "undefined filter: nosuch");
    }

    #[test]
    fn what_depends_on_more_than_the_values_is_not_known() {
        for name in ["env", "now", "halt", "input", "halt_error", "localtime"] {
            refused(name, &format!("undefined filter: {name}"));
        }
        refused("$ENV", "undefined variable: $ENV");
    }

    #[test]
    fn values_are_json_and_not_too_deep() {
        for text in
            ["NaN", "[1,]", "+1", "# comment\n1", "b\"x\"", "1 2", "", "{1:2}", "1e400", &"9".repeat(400)]
        {
            assert!(value(text).is_err(), "{text}");
        }
        let deep = |n| "[".repeat(n) + &"]".repeat(n);
        assert!(value(&deep(DEPTH_MAX)).is_ok());
        assert!(value(&deep(DEPTH_MAX + 1)).is_err());
        assert!(value(&deep(1_000_000)).is_err());
        assert!(value(&format!("\"{}\"", "[".repeat(1000))).is_ok());
    }
}
