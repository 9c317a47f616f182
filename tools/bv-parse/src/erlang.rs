//! What Erlang prints, whatever runner stands around it: terms, and the frames of a stack trace.

mod term;

pub use term::{element, pairs};

use crate::values::Sides;
use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Kind, Place};
use regex::Regex;
use std::sync::LazyLock;

/// A frame, with the module it lies in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The module.
    pub module: String,
    /// Where it is.
    pub place: Place,
}

/// `in function bank:fee/1 (bank.erl, line 6)`, `in call from …`; a function without a place is no frame.
pub fn frame(line: &str) -> Option<Frame> {
    let line = line.trim_start_matches('*');
    let rest = line.strip_prefix("in function ").or_else(|| line.strip_prefix("in call from "))?;
    let (function, place) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let (file, number) = place.rsplit_once(", line ")?;
    let (module, function) = function.split_once(':')?;
    Some(at(module, function, file, number))
}

/// The frames of a printed stack trace, `[{bank,fee,1,[{file,"bank.erl"},{line,6}]},…]`.
pub fn frames_in(term: &str) -> Vec<Frame> {
    static FRAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r#"\{([a-z][\w@]*|'[^']*'),([a-z][\w@]*|'[^']*'),(?:\d+|\[[^\[\]]*\]),\[\{file,"([^"]*)"\},\{line,(\d+)\}"#,
        )
        .expect("a constant pattern, run by the tests")
    });
    let frames = FRAME.captures_iter(term).map(|found| at(&found[1], &found[2], &found[3], &found[4]));
    frames.take(FRAMES_MAX * 4).collect()
}

fn at(module: &str, function: &str, file: &str, line: &str) -> Frame {
    let place = Place {
        file: Some(file.to_owned()),
        line: line.parse().ok(),
        function: Some(bare(function).to_owned()),
    };
    Frame { module: module.to_owned(), place }
}

/// `'-gen_test_/0-fun-6-'/0` and `gen_test_/0` are `gen_test_`.
pub fn bare(function: &str) -> &str {
    let name = function.trim_start_matches('\'');
    let name = name.strip_prefix('-').unwrap_or(name);
    name.split('/').next().unwrap_or(name).trim_end_matches('\'')
}

/// Whether the frame lies in the user's own code: no module of Erlang's libraries or of a runner.
pub fn is_own(frame: &Frame) -> bool {
    const MODULES: &[&str] = &[
        "lists",
        "maps",
        "string",
        "binary",
        "dict",
        "orddict",
        "ets",
        "dets",
        "sets",
        "ordsets",
        "queue",
        "re",
        "io",
        "io_lib",
        "file",
        "filename",
        "filelib",
        "timer",
        "calendar",
        "unicode",
        "proplists",
        "array",
        "gb_sets",
        "gb_trees",
        "gen",
        "gen_server",
        "gen_statem",
        "gen_event",
        "gen_fsm",
        "supervisor",
        "proc_lib",
        "sys",
        "rpc",
        "erpc",
        "application",
        "application_controller",
        "code",
        "error_handler",
        "erl_eval",
        "init",
        "logger",
        "test_server",
        "test_server_ctrl",
        "meck",
        "meck_proc",
        "proper",
        "triq",
        "escript",
        "ssl",
        "crypto",
        "json",
    ];
    let runner =
        ["eunit", "ct_", "rebar", "cth_", "proper_"].iter().any(|head| frame.module.starts_with(head));
    !runner && !MODULES.contains(&&*frame.module)
}

/// Lines of a printed term as one: Erlang breaks them between two parts and indents the next.
pub fn joined<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    lines.into_iter().map(str::trim).collect()
}

/// What a term that was thrown says; `class` is `error`, `exit` or `throw` where it is printed.
pub fn thrown(class: Option<&str>, term: &str) -> Failure {
    if let Some(name) = term.strip_prefix('{').and_then(|rest| rest.split(',').next())
        && name.starts_with("assert")
    {
        let mut failure =
            Failure { kind: Kind::Assertion, message: Some(name.to_owned()), ..Failure::default() };
        let pairs = pairs(&term[name.len() + 1..]);
        sides(name, &pairs).fill(&mut failure);
        if let Some((_, line)) = pairs.iter().find(|(key, _)| *key == "line") {
            failure.test = Some(Place { line: line.parse().ok(), ..Place::default() });
        }
        return failure;
    }
    Failure {
        kind: Kind::Exception,
        message: Some(term.to_owned()).filter(|term| !term.is_empty()),
        exception_type: class.map(str::to_owned),
        ..Failure::default()
    }
}

fn sides(name: &str, pairs: &[(&str, &str)]) -> Sides {
    let value = |keys: &[&str]| {
        pairs.iter().find(|(key, _)| keys.contains(key)).map(|(_, value)| (*value).to_owned())
    };
    let not = if name.starts_with("assertNot") { "not " } else { "" };
    let expected = value(&["expected", "pattern", "expected_status", "expected_output"]);
    Sides {
        expected: expected.map(|expected| {
            if expected.starts_with(['{', '[']) || not.is_empty() {
                [not, &expected].concat()
            } else {
                expected
            }
        }),
        observed: value(&["value", "unexpected_success", "unexpected_exception", "status", "output"]),
    }
}

/// Puts the places into the failure: of the test, which is the function of this module with this name where a
/// frame names it, and of the fault. What the runner says of the test without a place is kept: a module `m` is
/// compiled from `m.erl`, which the compiler sees to.
pub fn place(failure: &mut Failure, frames: &[Frame], module: &str, function: &str, line: Option<u64>) {
    let own: Vec<&Frame> = frames.iter().filter(|frame| is_own(frame)).collect();
    let is_test =
        |frame: &&&Frame| frame.module == module && frame.place.function.as_deref() == Some(function);
    let said = failure.test.take().and_then(|place| place.line).or(line);
    let test = own.iter().find(is_test).map(|frame| frame.place.clone());
    failure.test = test.or_else(|| {
        (!module.is_empty()).then(|| Place {
            file: Some(format!("{module}.erl")),
            line: said,
            function: Some(function.to_owned()).filter(|name| !name.is_empty()),
        })
    });
    failure.fault =
        own.first().map(|frame| frame.place.clone()).filter(|place| Some(place) != failure.test.as_ref());
    failure.frames = own.iter().take(FRAMES_MAX).map(|frame| frame.place.clone()).collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames() {
        let check = |line: &str, want: Option<(&str, &str, u64, &str)>| {
            let got = frame(line);
            let got = got.as_ref().map(|frame| {
                let place = &frame.place;
                let function = place.function.as_deref().unwrap();
                (&*frame.module, place.file.as_deref().unwrap(), place.line.unwrap(), function)
            });
            assert_eq!(got, want, "{line}");
        };
        check("in call from bank:fee/1 (bank.erl, line 6)", Some(("bank", "bank.erl", 6, "fee")));
        check(
            "**in function b:'-setup_test_/0-fun-3-'/0 (/w/b.erl, line 7)",
            Some(("b", "/w/b.erl", 7, "setup_test_")),
        );
        check("in function erlang:'div'/2", None);
        let term = r#"{error,{overdrawn,10},[{ledger,withdraw,2,[{file,"src/ledger.erl"},{line,8}]},{t,'-a_test_/0-fun-1-',[1,2],[{file,"t.erl"},{line,9}]}]}"#;
        let got: Vec<_> = frames_in(term).into_iter().map(|frame| (frame.module, frame.place.line)).collect();
        assert_eq!(got, [("ledger".to_owned(), Some(8)), ("t".to_owned(), Some(9))]);
    }

    #[test]
    fn assertions_name_two_sides() {
        let one = |expected: Option<&str>, observed: Option<&str>| Sides {
            expected: expected.map(str::to_owned),
            observed: observed.map(str::to_owned),
        };
        for (term, sides) in [
            (
                r#"{assertEqual,[{module,b},{line,5},{expression,"f ( {"},{expected,[1,{a}]},{value,"x,}"}]}"#,
                one(Some("[1,{a}]"), Some("\"x,}\"")),
            ),
            (
                r#"{assertNotMatch,[{module,b},{line,1},{expression,"{ ok , 1 }"},{pattern,"{ ok , _ }"},{value,{ok,1}}]}"#,
                one(Some("not { ok , _ }"), Some("{ok,1}")),
            ),
            (
                "{assertCmd_failed,[{module,b},{line,1},{command,\"x\"},{expected_status,0},{status,127}]}",
                one(Some("0"), Some("127")),
            ),
        ] {
            let failure = thrown(Some("error"), term);
            assert_eq!(failure.kind, Kind::Assertion, "{term}");
            assert_eq!(Sides { expected: failure.expected, observed: failure.observed }, sides, "{term}");
        }
        let failure = thrown(Some("error"), "{badmatch,9}");
        assert_eq!(
            (failure.message.as_deref(), failure.exception_type.as_deref()),
            (Some("{badmatch,9}"), Some("error"))
        );
    }
}
