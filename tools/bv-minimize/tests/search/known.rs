//! What must hold for any input and any program.

use super::{Program, Steps, limits, reduced};
use bv_minimize::{Answer, Cancel, Oracle, Shape, reduce};
use proptest::prelude::*;
use serde_json::{Map, Value, from_slice, json};
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// What a program wants of the value at a path.
#[derive(Clone, Debug)]
enum Want {
    Exists,
    Above(u64),
    Contains(char),
    True,
}

/// A member's name or an element's index.
#[derive(Clone, Debug)]
enum Turn {
    Name(String),
    Index(usize),
}

fn document() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (0..100_000_u64).prop_map(Value::from),
        (-900..900_i32).prop_map(|n| json!(f64::from(n) / 8.0)),
        "[a-zé🚀\"\\\\ ]{0,12}".prop_map(Value::String),
    ];
    scalar.prop_recursive(5, 120, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec(("[a-f]{1,4}", inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Follows `turns` as far as the document goes, always somewhere.
fn path(document: &Value, turns: &[usize]) -> (Vec<Turn>, Value) {
    let (mut path, mut at) = (Vec::new(), document);
    for turn in turns {
        match at {
            Value::Array(items) if !items.is_empty() => {
                path.push(Turn::Index(turn % items.len()));
                at = &items[turn % items.len()];
            }
            Value::Object(members) if !members.is_empty() => {
                let (name, value) = members.iter().nth(turn % members.len()).expect("there is one");
                path.push(Turn::Name(name.clone()));
                at = value;
            }
            _ => break,
        }
    }
    (path, at.clone())
}

/// Something that is true of the value.
fn want(value: &Value, pick: usize) -> Want {
    match value {
        Value::Number(number) if number.as_u64().is_some_and(|n| n > 0) => {
            Want::Above(number.as_u64().map_or(0, |n| n - 1 - (pick as u64) % n))
        }
        Value::String(text) if !text.is_empty() => {
            Want::Contains(text.chars().nth(pick % text.chars().count()).expect("there is one"))
        }
        Value::Bool(true) => Want::True,
        _ => Want::Exists,
    }
}

fn follow<'v>(document: &'v Value, path: &[Turn]) -> Option<&'v Value> {
    path.iter().try_fold(document, |value, turn| match turn {
        Turn::Name(name) => value.get(name),
        Turn::Index(index) => value.get(index),
    })
}

fn holds(document: &Value, path: &[Turn], want: &Want) -> bool {
    follow(document, path).is_some_and(|value| match want {
        Want::Exists => true,
        Want::Above(least) => value.as_u64().is_some_and(|n| n > *least),
        Want::Contains(c) => value.as_str().is_some_and(|text| text.contains(*c)),
        Want::True => value == &Value::Bool(true),
    })
}

/// The smallest document that has the value at the path too.
fn planted(document: Value, path: &[Turn], want: &Want) -> Value {
    let Some((turn, rest)) = path.split_first() else {
        return match want {
            Want::Exists => document,
            // The shortest integer above: as many digits as the next one.
            Want::Above(least) => json!(least + 1),
            Want::Contains(c) => json!(format!("{}{c}", document.as_str().unwrap_or_default())),
            Want::True => json!(true),
        };
    };
    match turn {
        Turn::Name(name) => {
            let mut members = if let Value::Object(members) = document { members } else { Map::new() };
            let below = members.remove(name).unwrap_or(json!(0));
            members.insert(name.clone(), planted(below, rest, want));
            Value::Object(members)
        }
        Turn::Index(index) => {
            let mut items = if let Value::Array(items) = document { items } else { Vec::new() };
            items.resize(items.len().max(index + 1), json!(0));
            items[*index] = planted(items[*index].take(), rest, want);
            Value::Array(items)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// A conjunction of wants, each at a path: the smallest document is known by construction.
    #[test]
    fn the_minimum_of_paths_is_reached(document in document(), picks in prop::collection::vec((prop::collection::vec(0..7_usize, 1..5), 0..1000_usize), 1..4)) {
        let mut wants: Vec<(Vec<Turn>, Want)> = Vec::new();
        for (turns, pick) in picks {
            let (path, value) = path(&document, &turns);
            // Two wants of one value are one want, or the smallest text would have to be searched for.
            if !wants.iter().any(|(other, _)| format!("{other:?}") == format!("{path:?}")) {
                wants.push((path, want(&value, pick)));
            }
        }
        let minimum = wants.iter().fold(json!(0), |minimum, (path, want)| planted(minimum, path, want));
        let program = |bytes: &[u8]| {
            let document: Value = from_slice(bytes).ok()?;
            Some(wants.iter().all(|(path, want)| holds(&document, path, want)))
        };
        let input = serde_json::to_vec_pretty(&document).expect("JSON");
        prop_assert_eq!(program(&input), Some(true));
        let (result, _) = reduced(&input, Shape::Json, 1, &program);
        let best = String::from_utf8_lossy(&result.best);
        prop_assert_eq!(program(&result.best), Some(true));
        prop_assert_eq!(result.best.len(), minimum.to_string().len(), "{} for {} with {:?}", best, minimum, wants);
    }

    /// Any bytes of any shape: no panic; the result fails and is no larger; the jobs change nothing.
    #[test]
    fn any_bytes_are_an_input(input in prop::collection::vec(prop_oneof![Just(b'{'), Just(b'"'), Just(b'\n'), Just(b','), Just(b'['), Just(b']'), Just(b'-'), Just(b' '), b'0'..=b'9', any::<u8>()], 0..60), shape in 0..7_usize, needed in prop::collection::vec(0..60_usize, 0..4)) {
        let shape = [Shape::Json, Shape::Ndjson, Shape::Csv, Shape::Lines, Shape::Nul, Shape::List, Shape::Text][shape];
        // The program wants some of the input's bytes, in their order.
        let mut needed: Vec<usize> = needed.into_iter().filter(|at| *at < input.len()).collect();
        needed.sort_unstable();
        needed.dedup();
        let needed: Vec<u8> = needed.into_iter().map(|at| input[at]).collect();
        let program = |bytes: &[u8]| {
            let mut rest = bytes.iter();
            Some(needed.iter().all(|byte| rest.any(|b| b == byte)))
        };
        let (one, steps) = reduced(&input, shape, 1, &program);
        prop_assert_eq!(program(&one.best), Some(true));
        prop_assert!(one.best.len() <= input.len());
        prop_assert!(one.complete);
        prop_assert_eq!(reduced(&input, shape, 3, &program), (one, steps));
    }
}

#[test]
fn nothing_is_asked_about_nothing() {
    for shape in [Shape::Json, Shape::Ndjson, Shape::Csv, Shape::Lines, Shape::Nul, Shape::List, Shape::Text]
    {
        let (result, steps) = reduced(b"", shape, 1, &|_| Some(true));
        assert_eq!((result.best, result.calls, steps.len()), (Vec::new(), 0, 0), "{shape:?}");
        let (result, steps) = reduced(b"x\ny", shape, 1, &|_| Some(true));
        assert_eq!((result.best, result.calls, steps.len()), (Vec::new(), 1, 1), "{shape:?}");
    }
}

const NAMES: &str = r#"{"a":[1,2,3,4,5,6,7,8],"b":{"c":"needle","d":[9,9,9]},"e":"hay"}"#;

fn has_needle(bytes: &[u8]) -> Option<bool> {
    Some(bytes.windows(6).any(|w| w == b"needle"))
}

/// The calls are those whose answers were used, whatever else was asked early.
#[test]
fn a_limit_of_calls_stops_every_number_of_jobs_at_the_same_step() {
    let run = |jobs, calls| {
        let mut steps = Steps::default();
        let program: &Program = &has_needle;
        let result = reduce(
            NAMES.as_bytes(),
            Shape::Json,
            &super::Asked(program),
            &mut steps,
            &limits(jobs, Some(calls)),
        );
        (result.expect("the program always answers"), steps.0)
    };
    let (whole, _) = run(1, 10_000);
    for calls in 0..=whole.calls {
        let (one, steps) = run(1, calls);
        assert_eq!((one.calls, one.complete), (calls, calls == whole.calls));
        assert_eq!(run(4, calls), (one, steps));
    }
}

struct Fails;

impl Oracle for Fails {
    fn ask(&self, _: &[u8], _: &Cancel) -> io::Result<Option<Answer>> {
        Err(io::Error::other("no such program"))
    }
}

#[test]
fn an_oracle_that_cannot_run_ends_the_search() {
    let ended = reduce(b"[1]", Shape::Json, &Fails, &mut Steps::default(), &limits(2, None));
    assert_eq!(ended.map_err(|wrong| wrong.to_string()), Err("no such program".into()));
}

/// Answers only when it is cancelled, and says that it was asked.
struct Hangs {
    asked: Mutex<Sender<()>>,
}

impl Oracle for Hangs {
    fn ask(&self, _: &[u8], cancel: &Cancel) -> io::Result<Option<Answer>> {
        let (wake, woken): (Sender<()>, Receiver<()>) = channel();
        let _waiting = cancel.when(move || drop(wake));
        let _ = self.asked.lock().expect("no thread panicked").send(());
        // The channel closes when the cancellation lets its sender go.
        let _ = woken.recv();
        Ok(None)
    }
}

#[test]
fn somebody_who_says_stop_is_heard_while_the_oracle_hangs() {
    let (asked, is_asked) = channel();
    let stop = limits(2, None);
    let told = stop.stop.clone();
    let stopper = thread::spawn(move || {
        is_asked.recv().expect("it is asked");
        told.cancel();
    });
    let oracle = Arc::new(Hangs { asked: Mutex::new(asked) });
    let result =
        reduce(b"[1]", Shape::Json, &*oracle, &mut Steps::default(), &stop).expect("stopping is no error");
    assert_eq!((result.best.as_slice(), result.complete, result.calls), (&b"[1]"[..], false, 0));
    stopper.join().expect("it stopped");
}
