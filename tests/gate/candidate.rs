//! A candidate that does what its input says (`do`), for the tests of bv-gate: it computes, and misbehaves in
//! every way that a candidate can.
//!
//! Options: `--buffered` holds all answers back to the end, `--exit N` ends with N at the end of input, `--fail`
//! ends with 9 before it reads anything, `--one` ends after its first answer, `--sixth` dies at the sixth input
//! of a process.

use serde_json::{Value, json};
use std::io::{self, BufRead, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

fn main() -> ExitCode {
    let options: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| options.iter().any(|option| option == name);
    if has("--fail") {
        eprintln!("cannot load the model");
        return ExitCode::from(9);
    }
    let mut out = io::BufWriter::with_capacity(1 << 20, io::stdout().lock());
    for (nth, line) in io::stdin().lock().lines().enumerate() {
        let input: Value = line.ok().and_then(|line| serde_json::from_str(&line).ok()).unwrap_or_default();
        if nth == 5 && has("--sixth") {
            return ExitCode::from(7);
        }
        match act(&input) {
            Act::Say(bytes) => out.write_all(&bytes).expect("somebody reads"),
            Act::Exit(code) => {
                out.flush().expect("somebody reads");
                return ExitCode::from(code);
            }
        }
        if !has("--buffered") {
            out.flush().expect("somebody reads");
        }
        if has("--one") {
            return ExitCode::SUCCESS;
        }
    }
    out.flush().expect("somebody reads");
    let exit = options.iter().position(|option| option == "--exit").and_then(|at| options.get(at + 1));
    ExitCode::from(exit.and_then(|code| code.parse().ok()).unwrap_or(0))
}

enum Act {
    Say(Vec<u8>),
    Exit(u8),
}

fn act(input: &Value) -> Act {
    let double = format!("{}\n", json!({ "output": input["a"].as_i64().unwrap_or(0) * 2 }));
    let say = |text: &str| Act::Say(text.as_bytes().to_vec());
    match input["do"].as_str().unwrap_or("double") {
        "double" => say(&double),
        "raw" => say(&format!("{}\n", input["line"].as_str().unwrap_or_default())),
        "latin1" => Act::Say(b"{\"output\":\"\xe4\"}\n".to_vec()),
        "endless" => Act::Say(vec![b'x'; 5 << 20]),
        "silent" => say(""),
        "exit" => {
            eprintln!("working\nValueError: no good\n");
            Act::Exit(input["code"].as_u64().unwrap_or(0) as u8)
        }
        "abort" => std::process::abort(),
        "hang" => loop {
            std::thread::sleep(Duration::from_secs(3600));
        },
        "talk" => {
            eprintln!("{}", "progress ".repeat(200_000));
            say(&double)
        }
        // Its output stays open when it is gone.
        "leave" => {
            #[expect(clippy::zombie_processes, reason = "to leave a process behind is the point")]
            Command::new("sleep").arg("3600").stdin(Stdio::null()).spawn().expect("sleep is there");
            Act::Exit(3)
        }
        other => panic!("what is {other}?"),
    }
}
