//! Holds a stream and its receipt to what a person wrote down of the run (`expect.json`).
//!
//! The words of `expect.json`: `outcome`, `counts` (null where the runner prints none), `failures` with
//! `test_id`, `kind`, `test_location`, `fault_location`, `message`, `exception_type`, `expected`,
//! `observed`, `counterexample`, `rule`, each null where the output does not say; `X_any` lists what is also
//! right; `also`, further failed checks of the same test; `aggregate`, `consequence` or `optional`, a
//! failure that may be left out; `pair_order: "author"`, the sides may be swapped.

use crate::case::Case;
use regex::Regex;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// One thing that is not as it should be: what is measured, and the two sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// What is measured.
    pub metric: &'static str,
    /// Which failure, what was wanted, what came.
    pub detail: String,
}

/// The outcomes that are right for this case, with or without its exit line.
pub fn right_outcomes(case: &Case, with_exit: bool) -> Vec<String> {
    let expect = &case.expect;
    let (main, any) = match expect.get("outcome_with_exit").filter(|_| with_exit) {
        Some(outcome) => (outcome, &expect["outcome_with_exit_any"]),
        None => (&expect["outcome"], &expect["outcome_any"]),
    };
    std::iter::once(main).chain(any.as_array().into_iter().flatten()).filter_map(text).collect()
}

/// What the stream says that is not so, or leaves out.
pub fn misses(case: &Case, raw: &[u8], records: &[Value], with_exit: bool) -> Vec<Miss> {
    let mut checker = Checker { case, log: String::from_utf8_lossy(raw).into_owned(), misses: Vec::new() };
    checker.stream(records, with_exit);
    checker.misses
}

/// What the receipt says that is not so.
pub fn receipt_misses(case: &Case, receipt: &Value, code: u8, with_exit: bool) -> Vec<Miss> {
    let mut misses = Vec::new();
    let right = right_outcomes(case, with_exit);
    let outcome = match receipt["status"].as_str() {
        Some("passed") => "passed",
        Some("refused_precondition") => "refused",
        _ => "failed",
    };
    if !right.iter().any(|r| r == outcome) {
        misses.push(Miss { metric: "receipt status", detail: format!("want {right:?} got {receipt}") });
    }
    let want_code = match outcome {
        "passed" => 0,
        "failed" => 1,
        _ => 3,
    };
    if code != want_code {
        misses.push(Miss { metric: "receipt exit", detail: format!("want {want_code} got {code}") });
    }
    if outcome == "failed" && right.iter().any(|r| r == "failed") {
        misses.extend(receipt_place(case, receipt));
    }
    misses
}

/// The receipt's place is that of a true failure; where it is inferred, the printed one beside it is.
fn receipt_place(case: &Case, receipt: &Value) -> Option<Miss> {
    let asserted_at = receipt["asserted_at"].as_str().and_then(|at| at.rsplit_once(':'));
    let printed = asserted_at.map(|(file, line)| json!({"file": file, "line": line.parse::<u64>().ok()}));
    let is_inferred = receipt["ast_location"]["inferred"] == true;
    let location = &printed.filter(|_| is_inferred).unwrap_or_else(|| receipt["ast_location"].clone());
    let places: Vec<&Value> =
        failures(&case.expect)
            .map(|f| {
                if f["fault_location"]["file"].is_string() {
                    &f["fault_location"]
                } else {
                    &f["test_location"]
                }
            })
            .collect();
    if places.is_empty() || places.iter().any(|place| place["file"].is_null()) && location.is_null() {
        return None;
    }
    let holds = places.iter().any(|place| {
        same_file(&place["file"], &location["file"], "")
            && (place["line"].is_null() || location["line"].is_null() || place["line"] == location["line"])
    });
    (!holds).then(|| Miss { metric: "receipt location", detail: format!("got {location}") })
}

struct Checker<'a> {
    case: &'a Case,
    log: String,
    misses: Vec<Miss>,
}

impl Checker<'_> {
    fn miss(&mut self, metric: &'static str, ok: bool, detail: impl FnOnce() -> String) {
        if !ok {
            self.misses.push(Miss { metric, detail: detail() });
        }
    }

    fn stream(&mut self, records: &[Value], with_exit: bool) {
        let expect = &self.case.expect;
        let Some(end) = records.last().filter(|r| r["type"] == "end") else {
            return self.miss("end", false, || "the last record is no end".into());
        };
        let right = right_outcomes(self.case, with_exit);
        self.miss("outcome", right.iter().any(|r| end["outcome"] == **r), || {
            format!("want {right:?} got {} {}", end["outcome"], end["reason"])
        });
        self.miss("runner", spoke(expect, end), || {
            format!("want {} got {}", expect["runner"], end["runner"])
        });
        for (name, want) in expect["counts"].as_object().into_iter().flatten() {
            if let Some(want) = want.as_u64() {
                let got = end["counts"][name].as_u64().unwrap_or(0);
                self.miss("counts", want == got, || format!("{name}: want {want} got {got}"));
            }
        }
        let mut left: Vec<&Value> = records.iter().filter(|r| r["type"] == "failure").collect();
        for want in failures(expect) {
            self.found(want, &mut left);
        }
        self.miss("invented", left.is_empty(), || format!("{} extra, first {}", left.len(), left[0]));
    }

    fn found(&mut self, want: &Value, left: &mut Vec<&Value>) {
        let name = text(&want["test_id"]).unwrap_or_else(|| want["fault_location"].to_string());
        let Some(at) = position(want, left) else {
            let may_lack = ["aggregate", "consequence", "optional"].iter().any(|key| want[*key] == true);
            return self.miss("found", may_lack, || name);
        };
        let got = left.remove(at);
        for extra in want["also"].as_array().into_iter().flatten() {
            let beside = |other: &Value| extra["line"].is_u64() && other["test"]["line"] == extra["line"];
            left.retain(|other| other["id"] != want["test_id"] && !beside(other));
        }
        if want["test_id"].is_string() {
            self.one_of("id", &name, want, "test_id", &got["id"], same_exactly);
        }
        let kinds = if want["kind_any"].is_array() { &want["kind_any"] } else { &want["kind"] };
        let right =
            kinds == &got["kind"] || kinds.as_array().is_some_and(|kinds| kinds.contains(&got["kind"]));
        self.miss("kind", right, || format!("{name}: want {kinds} got {}", got["kind"]));
        self.places(&name, want, got);
        for (metric, key, same) in [
            ("message", "message", same_message as fn(&Value, &Value) -> bool),
            ("exception_type", "exception_type", same_exactly),
            ("rule", "rule", same_exactly),
        ] {
            if want[key].is_string() {
                self.one_of(metric, &name, want, key, &got[key], same);
            }
        }
        self.sides(&name, want, got);
        for (input, value) in want["counterexample"].as_object().into_iter().flatten() {
            let got = &got["counterexample"][input];
            self.miss("counterexample", same_value(value, got), || {
                format!("{name}: {input}: want {value} got {got}")
            });
        }
        self.guesses(&name, want, got);
    }

    fn one_of(
        &mut self,
        metric: &'static str,
        name: &str,
        want: &Value,
        key: &str,
        got: &Value,
        same: fn(&Value, &Value) -> bool,
    ) {
        let right = choices(want, key).any(|choice| same(choice, got));
        self.miss(metric, right, || format!("{name}: want {} got {got}", want[key]));
    }

    fn places(&mut self, name: &str, want: &Value, got: &Value) {
        for (which, other) in [("test", "fault"), ("fault", "test")] {
            let wants = &want[format!("{which}_location")];
            if !wants.is_object() {
                continue;
            }
            let same_place = which == "fault" || wants == &want["fault_location"];
            let place = if got[which].is_null() && same_place { &got[other] } else { &got[which] };
            let any = want[format!("{which}_location_any")].as_array().into_iter().flatten();
            let wants = any.clone().find(|choice| choice["line"] == place["line"]).unwrap_or(wants);
            let right = (wants["file"].is_null() || same_file(&wants["file"], &place["file"], &self.log))
                && (wants["line"].is_null() || wants["line"] == place["line"])
                && (wants["function"].is_null() || same_function(&wants["function"], &place["function"]));
            let metric = if which == "test" { "test place" } else { "fault place" };
            self.miss(metric, right, || format!("{name}: want {wants} got {place}"));
        }
    }

    fn sides(&mut self, name: &str, want: &Value, got: &Value) {
        let straight = |key: &str| choices(want, key).any(|choice| same_value(choice, &got[key]));
        let crossed =
            self.case.expect["pair_order"] == "author" && !straight("expected") && !straight("observed");
        for (key, other) in [("expected", "observed"), ("observed", "expected")] {
            if want[key].is_null() {
                continue;
            }
            let side = &got[if crossed { other } else { key }];
            self.miss(
                if key == "expected" { "expected" } else { "observed" },
                choices(want, key).any(|c| same_value(c, side)),
                || format!("{name}: want {} got {}", want[key], got[key]),
            );
        }
    }

    /// What neither the truth nor the log knows is a guess.
    fn guesses(&mut self, name: &str, want: &Value, got: &Value) {
        let log = flat(&self.log);
        let printed = |value: &Value| log.contains(&flat(&as_text(value)));
        let mut guessed: Vec<String> = Vec::new();
        for key in ["expected", "observed", "exception_type"] {
            if choices(want, key).next().is_none() && !got[key].is_null() && !printed(&got[key]) {
                guessed.push(key.into());
            }
        }
        if want["counterexample"].is_null() {
            let values = got["counterexample"].as_object().into_iter().flatten();
            guessed.extend(values.filter(|(_, value)| !printed(value)).map(|(input, _)| input.clone()));
        }
        for which in ["test", "fault"] {
            let (want, got) = (&want[format!("{which}_location")], &got[which]);
            let line = got["line"].as_u64().filter(|_| want["line"].is_null());
            if line.is_some_and(|line| !self.log.contains(&line.to_string())) {
                guessed.push(format!("{which} line"));
            }
        }
        self.miss("guessed", guessed.is_empty(), || format!("{name}: {guessed:?}"));
    }
}

fn failures(expect: &Value) -> impl Iterator<Item = &Value> {
    expect["failures"].as_array().into_iter().flatten()
}

/// The record of this failure: by its name, else by its message at its line, else by its line.
fn position(want: &Value, left: &[&Value]) -> Option<usize> {
    let by_name = left.iter().position(|got| choices(want, "test_id").any(|id| id == &got["id"]));
    let lines: Vec<&Value> = ["test_location", "fault_location"]
        .iter()
        .map(|key| &want[*key]["line"])
        .filter(|l| l.is_u64())
        .collect();
    let placed =
        |got: &Value| lines.contains(&&got["test"]["line"]) || lines.contains(&&got["fault"]["line"]);
    by_name
        .or_else(|| {
            let said =
                |got: &&Value| want["message"].is_string() && same_message(&want["message"], &got["message"]);
            left.iter().position(|got| said(got) && (lines.is_empty() || placed(got)))
        })
        .or_else(|| left.iter().position(|got| want["test_id"].is_null() && placed(got)))
}

/// The value under `key`, then those that are also right.
fn choices<'a>(want: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    let any = want.get(format!("{key}_any")).and_then(Value::as_array);
    std::iter::once(&want[key]).chain(any.into_iter().flatten()).filter(|choice| !choice.is_null())
}

/// In a result file the runner that wrote it, or the format, will do.
fn spoke(expect: &Value, end: &Value) -> bool {
    let runner = text(&expect["runner"]).unwrap_or_default();
    let base = runner.trim_end_matches("-junit").trim_end_matches("-json").trim_end_matches("-xml");
    let mut spoken = std::iter::once(&end["runner"]).chain(end["runners"].as_array().into_iter().flatten());
    spoken.any(|name| name == base || name == &*runner || name == &expect["format"])
}

fn same_exactly(want: &Value, got: &Value) -> bool {
    want == got
}

fn same_message(want: &Value, got: &Value) -> bool {
    let (want, got) = (norm(want), norm(got));
    let close = want.contains(&got) && got.chars().count() >= 24;
    !got.is_empty() && (want == got || close || got.contains(&want) && got.len() <= 4 * want.len() + 200)
}

/// Equal up to outer quotes and white space; a long one may be shortened honestly around `…` or `...`.
fn same_value(want: &Value, got: &Value) -> bool {
    const KEPT: usize = 24;
    if got.is_null() {
        return want.is_null();
    }
    let is_json = !got.is_string();
    let (want, got) = (norm(want), norm(got));
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    if want == got || is_json && bare(&want) == bare(&got) {
        return true;
    }
    let parts: Vec<&str> = got.split("...").flat_map(|part| part.split('…')).collect();
    let kept: usize = parts.iter().map(|part| part.chars().count()).sum();
    if parts.len() < 2 || want.chars().count() <= KEPT || kept < KEPT {
        return false;
    }
    let mut rest = &*want;
    parts.iter().all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

fn same_file(want: &Value, got: &Value, log: &str) -> bool {
    let (Some(want), Some(got)) = (want.as_str(), got.as_str()) else { return want == got };
    let got = got.trim_start_matches("./");
    want == got
        || got.ends_with(&format!("/{want}"))
        || !log.contains(want) && want.ends_with(&format!("/{got}"))
}

/// The last segment decides: `Class.method`, `module::function`, `(*Type).method` and `method` name one symbol.
fn same_function(want: &Value, got: &Value) -> bool {
    let tail = |value: &Value| {
        let text = as_text(value);
        let bare = text.trim().trim_start_matches('(').split('(').next().unwrap_or_default().to_owned();
        bare.rsplit([':', '.', '#', '>']).next().unwrap_or_default().trim().to_owned()
    };
    want == got || !got.is_null() && tail(want) == tail(got)
}

fn norm(value: &Value) -> String {
    static BLANKS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\s+").expect("a plain pattern"));
    let text = BLANKS.replace_all(&as_text(value), " ").trim().to_owned();
    let mut text = &*text;
    for quote in ['"', '\'', '`'].iter().cycle().take(9) {
        if let Some(inner) = text.strip_prefix(*quote).and_then(|t| t.strip_suffix(*quote)) {
            text = inner;
        }
    }
    text.to_owned()
}

/// What is left for a search: no white space, quotes or backslashes.
fn flat(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "").replace("&amp;", "&");
    text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '\\' | '"' | '\'' | '`')).collect()
}

fn as_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// The record without what tells where in the raw stream it stood.
pub fn without_place_in_stream(record: &Value) -> Value {
    let mut record = record.clone();
    if let Some(fields) = record.as_object_mut() {
        let fields: &mut Map<String, Value> = fields;
        fields.shift_remove("span");
        fields.shift_remove("trace");
    }
    record
}
