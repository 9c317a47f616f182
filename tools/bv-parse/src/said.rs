//! What a format says of a text, in short lines, for tests.

use crate::machine::{Event, Format, Line, Out};

/// Feeds the text to a fresh machine and words what it says.
pub fn said(format: &Format, text: &str) -> Vec<String> {
    let mut machine = (format.new)();
    let mut out = Out { all: true, ..Out::default() };
    let mut at = 0;
    for text in text.lines() {
        let span = [at, at + text.len() as u64 + 1];
        at = span[1];
        machine.line(&Line { text, span, overwritten: false }, &mut out);
    }
    machine.end(&mut out);
    out.events.iter().map(word).collect()
}

fn word(event: &Event) -> String {
    match event {
        Event::Open => "open".into(),
        Event::OpenAround => "open around".into(),
        Event::Failure(failure) => {
            let kind = format!("{:?}", failure.kind).to_lowercase();
            let id = failure.id.as_deref().unwrap_or("-");
            format!("{kind} {id}: {}", failure.message.as_deref().unwrap_or("-"))
        }
        Event::Unnamed(n) => format!("unnamed {n}"),
        Event::Test(test) => format!("{:?}", test.outcome).to_lowercase() + " " + &test.id,
        Event::Close(closing) => {
            let counts = [closing.counts.passed, closing.counts.failed, closing.counts.skipped];
            let counts = counts.map(|n| n.map_or("-".into(), |n| n.to_string())).join("/");
            let errored = closing.counts.errored.filter(|&n| n > 0);
            let errored = errored.map_or(String::new(), |n| format!(", {n} errored"));
            format!("{:?} {counts}{errored}", closing.says).to_lowercase()
        }
        Event::Runner(name) => format!("runner {name}"),
        Event::RanBy(name) => format!("ran by {name}"),
        Event::Reopen => "reopen".into(),
        Event::Restate => "restate".into(),
    }
}
