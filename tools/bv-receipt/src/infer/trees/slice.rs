//! What the text around a name and a line says: whether it is a call, what a failing statement depends on.

use crate::infer::code::Failing;
use crate::symbols::{Defined, Outline};
use std::collections::HashSet;
use std::ops::Range;

/// How a name is used.
pub struct Used {
    pub is_call: bool,
    pub has_receiver: bool,
    /// Whether it is given a value.
    pub is_assigned: bool,
}

/// How the name at `bytes` is used.
pub fn use_of(text: &str, bytes: &Range<usize>) -> Used {
    let before = text.get(..bytes.start).unwrap_or("").trim_end();
    let after = text.get(bytes.end..).unwrap_or("");
    let next = after.trim_start_matches([' ', '\t', '!', '?']);
    let next =
        next.strip_prefix("::<").map_or(next, |generic| generic.split_once('>').map_or("", |(_, rest)| rest));
    Used {
        is_call: next.starts_with('('),
        has_receiver: before.ends_with('.') || before.ends_with("::") || before.ends_with("->"),
        is_assigned: is_assignment(next),
    }
}

fn is_assignment(next: &str) -> bool {
    let next = next.trim_start();
    if next.starts_with(":=") {
        return true;
    }
    // `let total: u64 = …` names its type first.
    let next = match next.strip_prefix(':') {
        Some(typed) if !typed.starts_with(':') => typed
            .split_once('=')
            .filter(|(kind, _)| !kind.contains(['\n', ';', '{']))
            .map_or("", |(_, rest)| rest),
        _ => match next.strip_prefix('=') {
            Some(rest) => rest,
            None => return false,
        },
    };
    !next.starts_with(['=', '>', '~'])
}

/// What a failure on `line` proves of a function: its statement, what made the values in it, how far it ran.
pub fn failing(text: &str, outline: &Outline, function: &Defined, line: u32) -> Failing {
    let [first, last] = function.lines;
    let inside = |&&[from, to]: &&[u32; 2]| first <= from && to <= last && [from, to] != [first, last];
    let around = outline.statements.iter().filter(inside).filter(|&&[from, to]| (from..=to).contains(&line));
    let [from, to] =
        around.min_by_key(|&&[from, to]| to.saturating_sub(from)).copied().unwrap_or([line, line]);
    let statement = lines(text, from, to);
    let start = outline.mentions.partition_point(|mention| mention.bytes.start < function.bytes.start);
    let names: Vec<_> = outline.mentions[start..]
        .iter()
        .take_while(|mention| mention.bytes.end <= function.bytes.end)
        .collect();
    let name = |bytes: &Range<usize>| text.get(bytes.clone()).unwrap_or("");
    let on = |from: u32, to: u32| -> HashSet<&str> {
        let on_lines = names.iter().filter(|mention| (from..=to).contains(&mention.line));
        on_lines.map(|mention| name(&mention.bytes)).collect()
    };
    let mut slice = vec![(from, to, 1.0)];
    let mut wanted = on(from, to);
    let mut weight = 0.8;
    for _ in 0..2 {
        let mut further = HashSet::new();
        for mention in names.iter().filter(|mention| mention.line < from) {
            if !wanted.contains(name(&mention.bytes)) || !use_of(text, &mention.bytes).is_assigned {
                continue;
            }
            let holding =
                outline.statements.iter().filter(|[from, to]| (*from..=*to).contains(&mention.line));
            let [from, to] = holding
                .min_by_key(|[from, to]| to.saturating_sub(*from))
                .copied()
                .unwrap_or([mention.line; 2]);
            slice.push((from, to, weight));
            further.extend(on(from, to));
        }
        wanted.extend(further);
        weight *= 0.7;
    }
    let body = lines(text, first, last);
    let raises = RAISES.iter().any(|word| statement.trim_start().starts_with(word));
    Failing {
        ran_to: to,
        slice,
        raises,
        only_raises: raises && body.lines().count() <= ONLY_RAISES_LINES_MAX,
    }
}

/// What a statement begins with that only reports an error.
const RAISES: &[&str] = &["throw ", "throw(", "raise ", "panic!", "panic(", "unreachable!"];
/// Lines of a function that is there to raise.
const ONLY_RAISES_LINES_MAX: usize = 6;

/// The share of `return` statements that give nothing.
pub fn share_of_nothing(body: &str) -> f32 {
    const NOTHING: &[&str] = &["null", "undefined", "nil", "None", "void 0"];
    let (mut all, mut nothing) = (0.0, 0.0);
    for line in body.lines() {
        let Some((_, value)) = line.split_once("return") else { continue };
        let value = value.trim().trim_end_matches([';', '}', ' ']);
        all += 1.0;
        if NOTHING.contains(&value) || value.starts_with("nil,") {
            nothing += 1.0;
        }
    }
    if all > 0.0 { nothing / all } else { 0.0 }
}

fn lines(text: &str, from: u32, to: u32) -> String {
    let skipped = from.saturating_sub(1) as usize;
    let taken = to.saturating_sub(from) as usize + 1;
    text.lines().skip(skipped).take(taken).collect::<Vec<_>>().join("\n")
}

/// A relative path from a file's folder, `.` and `..` resolved; `None` where it leads above the root.
pub fn relative(file: &str, path: &str) -> Option<String> {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The texts in quotes on lines that hold one of `words`.
pub fn quoted<'text>(text: &'text str, words: &[&str]) -> Vec<&'text str> {
    let mut all = Vec::new();
    for line in text.lines().filter(|line| words.iter().any(|word| line.contains(word))) {
        let mut rest = line;
        while let Some(open) = rest.find(['"', '\'', '`']) {
            let quote = rest.as_bytes()[open];
            let inside = &rest[open + 1..];
            let Some(close) = inside.bytes().position(|byte| byte == quote) else { break };
            all.push(&inside[..close]);
            rest = &inside[close + 1..];
        }
    }
    all
}

/// Whether a folder of tests stands in a path.
pub fn in_folder(file: &str, folders: &[&str]) -> bool {
    file.split('/').rev().skip(1).any(|folder| folders.contains(&folder))
}
