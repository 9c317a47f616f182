//! Transcripts of a repair: what an agent said and was told while it mended one project after the other, made of the
//! fixtures' recorded runs, in every form that harnesses keep.
//!
//! What must become of each result is known from how it was made, not from the code under test: a run that failed
//! goes when the same command in the same place failed on the same tests again, or passed as a whole.

use bv_tests::{case, stages};
use serde_json::{Value, json};
use std::collections::HashMap;

/// One call of a tool and what it said.
#[derive(Clone, Debug)]
pub struct Said {
    /// Unique in the transcript.
    pub id: String,
    /// The shell, or a tool that reads a file.
    pub tool: &'static str,
    /// The command line, or the file.
    pub given: String,
    /// The output as the command printed it.
    pub output: String,
    /// How the command ended.
    pub exit: i32,
    /// Whether it is test output of the past.
    pub goes: bool,
}

/// What the agent called at once.
pub type Turn = Vec<Said>;

/// At least `count` turns, the same ones every time.
pub fn turns(count: usize) -> Vec<Turn> {
    let recorded = recorded();
    let mut story = Story::default();
    let green: HashMap<&str, &Recorded> = best_greens(&recorded);
    let red = recorded.iter().filter(|run| run.is_red_and_clear);
    // Neighbours in the list are much alike.
    let (even, odd): (Vec<_>, Vec<_>) = red.enumerate().partition(|(nth, _)| nth % 7 == 0);
    for (_, run) in even.into_iter().chain(odd) {
        if story.turns.len() >= count {
            break;
        }
        story.repair(run, green.get(run.runner.as_str()).copied());
    }
    assert!(story.turns.len() >= count, "the fixtures are enough for {} turns", story.turns.len());
    story.turns
}

/// A fixture's run.
struct Recorded {
    runner: String,
    raw: String,
    events: Vec<u8>,
    receipt: String,
    source: String,
    tests: u64,
    is_green: bool,
    /// It failed, each failure has a name, and no name is that of two tests.
    is_red_and_clear: bool,
    /// It failed in one test.
    is_single: bool,
}

fn recorded() -> Vec<Recorded> {
    let all = case::all().into_iter().filter_map(|case| {
        let raw = String::from_utf8(case.streams.first()?.1.clone()).ok()?;
        let events = stages::parse(&["--all"], raw.as_bytes());
        let records = stages::records(&events);
        let end = records.last()?;
        let ids = |kind: &str, outcome: Option<&str>| -> Vec<&str> {
            let kind = records.iter().filter(|record| record["type"] == kind);
            kind.filter(|record| outcome.is_none_or(|outcome| record["outcome"] == outcome))
                .filter_map(|record| record["id"].as_str())
                .collect()
        };
        let (failed, passed) = (ids("failure", None), ids("test", Some("passed")));
        let count = |name: &str| end["counts"][name].as_u64().unwrap_or(0);
        let red = count("failed") + count("errored");
        let is_known = end["runner"] != "unknown" && end["runners"].is_null();
        let clear = failed.len() as u64 == red
            && records.iter().filter(|record| record["type"] == "failure").count() == failed.len()
            && failed
                .iter()
                .all(|id| !passed.contains(id) && failed.iter().filter(|other| other == &id).count() == 1);
        Some(Recorded {
            runner: end["runner"].as_str()?.to_owned(),
            receipt: stages::receipt(&case.root(), &[], &events).0,
            tests: red + count("passed"),
            is_green: is_known && end["outcome"] == "passed" && count("passed") > 0,
            is_red_and_clear: is_known && end["outcome"] == "failed" && red > 0 && clear && raw.len() > 1_000,
            is_single: red == 1,
            source: first_source(&case.root()),
            raw,
            events,
        })
    });
    all.collect()
}

fn first_source(folder: &std::path::Path) -> String {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = files.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    files.iter().find_map(|file| std::fs::read_to_string(file).ok()).unwrap_or_default()
}

fn best_greens(recorded: &[Recorded]) -> HashMap<&str, &Recorded> {
    let mut best: HashMap<&str, &Recorded> = HashMap::new();
    for run in recorded.iter().filter(|run| run.is_green) {
        let at = best.entry(run.runner.as_str()).or_insert(run);
        if run.tests > at.tests {
            *at = run;
        }
    }
    best
}

#[derive(Default)]
struct Story {
    turns: Vec<Turn>,
    repairs: usize,
    calls: usize,
}

impl Story {
    /// Attempts at one project: the run fails again and again, sources are read, then all is well or left as it is.
    fn repair(&mut self, run: &Recorded, green: Option<&Recorded>) {
        let nth = self.repairs;
        self.repairs += 1;
        let output = |run: &Recorded| match nth % 5 {
            1 if run.is_green || run.is_single => run.receipt.clone(),
            2 => String::from_utf8(run.events.clone()).expect("records are UTF-8"),
            _ => run.raw.clone(),
        };
        let command = format!("cd /srv/p{nth} && make test");
        let green = green.filter(|green| green.tests >= run.tests && !nth.is_multiple_of(3));
        let attempts = 3 + nth % 4;
        for attempt in 0..attempts {
            let goes = attempt + 1 < attempts || green.is_some();
            let test = self.said("bash", command.clone(), output(run), 1, goes);
            let mut turn = vec![test];
            if attempt == 1 {
                // At the same time as the tests: the same text, but of an earlier run.
                let log = format!("cat /srv/p{nth}/old.log");
                turn.push(self.said("bash", log, run.raw.clone(), 0, false));
            }
            self.turns.push(turn);
            let read = self.said("read_file", format!("/srv/p{nth}/src.txt"), run.source.clone(), 0, false);
            let edit = format!("cd /srv/p{nth} && git apply fix.patch");
            let edit = self.said("bash", edit, String::new(), 0, false);
            self.turns.extend(if attempt % 2 == 0 { vec![vec![read], vec![edit]] } else { vec![vec![edit]] });
        }
        if let Some(green) = green {
            let test = self.said("bash", command, output(green), 0, false);
            self.turns.push(vec![test]);
        }
    }

    fn said(&mut self, tool: &'static str, given: String, output: String, exit: i32, goes: bool) -> Said {
        self.calls += 1;
        Said { id: format!("call_{:04}", self.calls), tool, given, output, exit, goes }
    }
}

/// A form in which transcripts are kept.
pub struct Form {
    /// What it is.
    pub name: &'static str,
    /// The transcript.
    pub write: fn(&[Turn]) -> String,
    /// The text of a result as this form's harness words it.
    pub text: fn(&Said) -> String,
}

/// All of them.
pub const FORMS: &[Form] = &[
    Form { name: "Anthropic Messages, an array", write: |turns| pretty(&anthropic(turns)), text: plain },
    Form {
        name: "Anthropic Messages, a request",
        write: |turns| request("messages", anthropic(turns)),
        text: plain,
    },
    Form { name: "OpenAI Chat Completions, an array", write: |turns| pretty(&chat(turns)), text: plain },
    Form { name: "OpenAI Chat Completions, JSONL", write: |turns| lines(chat(turns)), text: plain },
    Form {
        name: "OpenAI Responses, a request",
        write: |turns| request("input", responses(turns, plain)),
        text: plain,
    },
    Form { name: "OpenAI Responses, JSONL", write: |turns| lines(responses(turns, plain)), text: plain },
    Form { name: "Claude Code's JSONL", write: claude_code, text: claude_code_text },
    Form { name: "Codex' JSONL", write: codex, text: codex_text },
];

fn plain(said: &Said) -> String {
    said.output.clone()
}

fn claude_code_text(said: &Said) -> String {
    if said.exit == 0 { said.output.clone() } else { format!("Exit code {}\n{}", said.exit, said.output) }
}

fn codex_text(said: &Said) -> String {
    json!({ "output": said.output, "metadata": { "exit_code": said.exit, "duration_seconds": 0.5 } })
        .to_string()
}

fn input(said: &Said) -> Value {
    if said.tool == "bash" { json!({ "command": said.given }) } else { json!({ "path": said.given }) }
}

fn anthropic(turns: &[Turn]) -> Vec<Value> {
    anthropic_with(turns, plain)
}

fn anthropic_with(turns: &[Turn], text: fn(&Said) -> String) -> Vec<Value> {
    let mut messages = vec![json!({ "role": "user", "content": "Mend the projects below /srv." })];
    for turn in turns {
        let uses = turn.iter().map(
            |said| json!({ "type": "tool_use", "id": said.id, "name": said.tool, "input": input(said) }),
        );
        let text_block = json!({ "type": "text", "text": "Let me look." });
        let content: Vec<Value> = std::iter::once(text_block).chain(uses).collect();
        messages.push(json!({ "role": "assistant", "content": content }));
        let results = turn.iter().enumerate().map(|(nth, said)| {
            let text = text(said);
            let blocks = json!([{ "type": "text", "text": text }]);
            let content = if nth % 2 == 0 { json!(text) } else { blocks };
            json!({ "type": "tool_result", "tool_use_id": said.id, "content": content, "is_error": said.exit != 0 })
        });
        messages.push(json!({ "role": "user", "content": results.collect::<Vec<_>>() }));
    }
    messages
}

fn chat(turns: &[Turn]) -> Vec<Value> {
    let mut messages = vec![json!({ "role": "system", "content": "You mend projects." })];
    for turn in turns {
        let calls = turn.iter().map(|said| {
            let function = json!({ "name": said.tool, "arguments": input(said).to_string() });
            json!({ "id": said.id, "type": "function", "function": function })
        });
        let calls: Vec<Value> = calls.collect();
        messages.push(json!({ "role": "assistant", "content": null, "tool_calls": calls }));
        for said in turn {
            messages.push(json!({ "role": "tool", "tool_call_id": said.id, "content": said.output }));
        }
    }
    messages
}

fn responses(turns: &[Turn], text: fn(&Said) -> String) -> Vec<Value> {
    let mut items = vec![json!({ "role": "user", "content": "Mend the projects below /srv." })];
    for turn in turns {
        items.extend(turn.iter().map(|said| {
            let arguments = input(said).to_string();
            json!({ "type": "function_call", "call_id": said.id, "name": said.tool, "arguments": arguments })
        }));
        items.extend(
            turn.iter().map(
                |said| json!({ "type": "function_call_output", "call_id": said.id, "output": text(said) }),
            ),
        );
    }
    items
}

fn claude_code(turns: &[Turn]) -> String {
    let wrapped = anthropic_with(turns, claude_code_text).into_iter().enumerate().map(|(nth, message)| {
        let kind = message["role"].clone();
        json!({ "parentUuid": nth, "cwd": "/srv", "type": kind, "message": message, "version": "2.1.163" })
    });
    lines(std::iter::once(json!({ "type": "summary", "summary": "repairs" })).chain(wrapped).collect())
}

fn codex(turns: &[Turn]) -> String {
    let items = responses(turns, codex_text).into_iter();
    let wrapped = items.map(|item| json!({ "timestamp": "t", "type": "response_item", "payload": item }));
    let meta = json!({ "timestamp": "t", "type": "session_meta", "payload": { "id": "s", "cwd": "/srv" } });
    lines(std::iter::once(meta).chain(wrapped).collect())
}

fn pretty(items: &[Value]) -> String {
    serde_json::to_string_pretty(items).expect("JSON is written")
}

fn request(name: &str, items: Vec<Value>) -> String {
    json!({ "model": "m", "max_tokens": 1.50, name: items, "tools": [] }).to_string()
}

fn lines(items: Vec<Value>) -> String {
    items.iter().map(|item| format!("{item}\n")).collect()
}
