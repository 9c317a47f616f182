//! Lines of an Elixir stack trace: `(bank 0.1.0) lib/bank.ex:6: Bank.fee/1`, `test/bank_test.exs:7: (test)`.

use bv_schemas::Place;

/// One line of a stack trace that has a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Where; the function is absent where the line has none of its own (the test, a module's body).
    pub place: Place,
    /// The function as printed.
    pub label: String,
    /// It is the test itself.
    pub is_test: bool,
    /// It lies in the user's own code, as far as its application tells.
    pub is_own: bool,
}

/// Reads a line; a call without a place (`:erlang.div(40, 0)`) is no frame.
pub fn frame(line: &str) -> Option<Frame> {
    let text = line.trim();
    let (app, text) = match text.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
        Some((app, rest)) => (app.split(' ').next().unwrap_or(app), rest),
        None => ("", text),
    };
    let (file, number, label) = placed(text)?;
    Some(Frame {
        place: Place { file: Some(file.to_owned()), line: Some(number), function: function(label) },
        is_test: label == "(test)",
        // `use ExUnit.Case` makes a function that calls the setups.
        is_own: !FOREIGN.contains(&app) && !file.starts_with("deps/") && !label.contains(".__ex_unit__/"),
        label: label.to_owned(),
    })
}

/// `lib/bank.ex:6: Bank.fee/1`, `lib/bank.ex:6:3: Bank.fee/1`; the label may be absent.
pub fn placed(text: &str) -> Option<(&str, u64, &str)> {
    let (at, end) = [".exs:", ".ex:", ".eex:", ".heex:", ".leex:", ".erl:", ".xrl:", ".yrl:"]
        .iter()
        .filter_map(|end| Some((text.find(end)?, end)))
        .min()?;
    let (file, rest) = text.split_at(at + end.len() - 1);
    if file.contains(": ") {
        return None;
    }
    let rest = &rest[1..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    let rest = &rest[digits..];
    let columns =
        rest.strip_prefix(':').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    let rest = if columns > 0 { &rest[columns + 1..] } else { rest };
    match rest.strip_prefix(": ") {
        Some(label) => Some((file, number, label)),
        None => (rest.is_empty() || rest == ":").then_some((file, number, "")),
    }
}

/// Applications that come with Erlang and Elixir, and libraries that most projects' traces pass through: the
/// trace does not say which application is the user's.
const FOREIGN: &[&str] = &[
    "elixir",
    "ex_unit",
    "mix",
    "iex",
    "eex",
    "logger",
    "stdlib",
    "kernel",
    "erts",
    "compiler",
    "crypto",
    "ssl",
    "inets",
    "public_key",
    "ecto",
    "ecto_sql",
    "postgrex",
    "myxql",
    "db_connection",
    "phoenix",
    "phoenix_html",
    "phoenix_live_view",
    "phoenix_pubsub",
    "phoenix_ecto",
    "plug",
    "plug_cowboy",
    "cowboy",
    "ranch",
    "bandit",
    "thousand_island",
    "jason",
    "poison",
    "decimal",
    "telemetry",
    "absinthe",
    "dataloader",
    "mox",
    "hammox",
    "bypass",
    "mimic",
    "tesla",
    "finch",
    "mint",
    "req",
    "hackney",
    "httpoison",
    "oban",
    "swoosh",
    "bamboo",
    "stream_data",
    "ex_machina",
    "wallaby",
    "floki",
    "gettext",
    "nimble_options",
    "nimble_pool",
    "gen_stage",
    "broadway",
    "flow",
    "ash",
    "spark",
    "timex",
    "meck",
    "assertions",
    "propcheck",
    "proper",
];

/// `Bank.fee/1` is `fee`; a block inside a function belongs to it. A test, a setup and a module's body are none.
fn function(label: &str) -> Option<String> {
    let label = label
        .strip_prefix("anonymous fn/")
        .and_then(|rest| rest.split_once(" in "))
        .map_or(label, |(_, f)| f);
    if label.is_empty() || label.starts_with('(') || label.ends_with(')') {
        return None;
    }
    let (name, _) = label.rsplit_once('/')?;
    let name = name.rsplit_once('.').map_or(name, |(_, name)| name);
    let plain =
        name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'?' | b'!') || b >= 0x80);
    (plain && !name.starts_with("__") && !name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames() {
        let check = |line: &str, want: Option<(&str, u64, Option<&str>, bool, bool)>| {
            let got = frame(line);
            let got = got.as_ref().map(|frame| {
                let place = &frame.place;
                let function = place.function.as_deref();
                (place.file.as_deref().unwrap(), place.line.unwrap(), function, frame.is_test, frame.is_own)
            });
            assert_eq!(got, want, "{line}");
        };
        check("  test/bank_test.exs:7: (test)", Some(("test/bank_test.exs", 7, None, true, true)));
        check("(bank 0.1.0) lib/bank.ex:6: Bank.fee/1", Some(("lib/bank.ex", 6, Some("fee"), false, true)));
        check(
            "(elixir 1.14.0) lib/process.ex:250: Process.sleep/1",
            Some(("lib/process.ex", 250, Some("sleep"), false, false)),
        );
        check(
            "test/a_test.exs:75: anonymous fn/0 in ATest.\"test raises: x.y/1\"/1",
            Some(("test/a_test.exs", 75, None, false, true)),
        );
        check("lib/a.ex:3: anonymous fn/1 in A.B.run!/2", Some(("lib/a.ex", 3, Some("run!"), false, true)));
        check("(for doctest at) lib/a.ex:8: (test)", Some(("lib/a.ex", 8, None, true, true)));
        check("lib/a.ex:5: A (module)", Some(("lib/a.ex", 5, None, false, true)));
        check(
            "test/a_test.exs:7: ATest.__ex_unit_setup_0/1",
            Some(("test/a_test.exs", 7, None, false, true)),
        );
        check(":erlang.div(40, 0)", None);
        check("Nope.run(1)", None);
    }
}
