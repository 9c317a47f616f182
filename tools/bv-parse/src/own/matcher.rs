//! Problem matchers in JSON, as GitHub and VS Code define them, and the machine that reads by them.
//!
//! In: a matcher file of an action (`{"problemMatcher": [...]}`), a `tasks.json` or a `package.json` of an
//! extension (`contributes.problemMatchers` and `problemPatterns`), remarks allowed. Out: findings, of severity
//! error alone, at the places as printed. `fileLocation`, `background` and `applyTo` speak of an editor and are
//! left alone; so is a name like `$tsc` of a matcher that is not in the file. A matcher has no summary: it can
//! make a run fail and never pass. Rules: <https://github.com/actions/toolkit/blob/main/docs/problem-matchers.md>,
//! <https://code.visualstudio.com/docs/debugtest/tasks#_defining-a-problem-matcher>.

use super::draft::Draft;
use super::js_regex::translate;
use super::pattern::{Field, Pattern, shown};
use super::{FormatFile, Own, Reads, is_name, jsonc, literals};
use crate::held::Held;
use crate::machine::{Closing, Line, Machine, Out, Says};
use bv_schemas::{Counts, Kind};
use serde_json::{Map, Value};

/// Matchers of one file at most.
const MATCHERS_MAX: usize = 64;
/// Lines of one finding at most.
const LINES_MAX: usize = 16;

/// One matcher.
#[derive(Debug)]
pub struct Matcher {
    steps: Vec<Step>,
    /// The last line may come again with the same lines before it.
    repeats: bool,
    /// What stands for a severity that the text does not say.
    severe: bool,
}

/// One line of a finding.
#[derive(Debug)]
struct Step {
    pattern: Pattern,
    severity: Option<Pattern>,
}

/// The matchers of a file, those of one owner in one format.
///
/// # Errors
/// `what went wrong: where; what to do`.
pub fn formats(file: &FormatFile) -> Result<Vec<Own>, String> {
    let at = |what: String| format!("{what}: {}; mend it there", file.path);
    let json: Value =
        serde_json::from_str(&jsonc::plain(&file.text)).map_err(|wrong| at(wrong.to_string()))?;
    let mut found: Vec<&Map<String, Value>> = Vec::new();
    collect(&json, &mut found);
    if found.len() > MATCHERS_MAX {
        return Err(at(format!("over {MATCHERS_MAX} problem matchers")));
    }
    if found.is_empty() {
        return Err(format!("no problem matcher with a pattern of its own: {}; add one", file.path));
    }
    let named = json.pointer("/contributes/problemPatterns").and_then(Value::as_array);
    let mut own: Vec<Own> = Vec::new();
    for words in found {
        let name =
            ["owner", "name"].iter().find_map(|key| words.get(*key)?.as_str()).unwrap_or("problem-matcher");
        if !is_name(name) {
            return Err(at(format!("{} is no name for a runner", shown(name))));
        }
        let of = |what: String| format!("{what}: {}: matcher {name}; mend it there", file.path);
        let (matcher, needles) = matcher(words, named).map_err(of)?;
        if let Some(Own { reads: Reads::Matchers(matchers), needles: all, .. }) =
            own.iter_mut().find(|own| own.name == name)
        {
            if all.is_empty() || needles.is_empty() {
                all.clear()
            } else {
                all.extend(needles)
            }
            matchers.push(matcher);
            continue;
        }
        own.push(Own {
            name: name.to_owned(),
            commands: Vec::new(),
            needles,
            file: file.path.clone(),
            reads: Reads::Matchers(vec![matcher]),
        });
    }
    Ok(own)
}

/// All objects that are a matcher, wherever the forms have them.
fn collect<'a>(json: &'a Value, found: &mut Vec<&'a Map<String, Value>>) {
    match json {
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(object) if object.contains_key("pattern") => found.push(object),
        Value::Object(object) => {
            for key in
                ["problemMatcher", "problemMatchers", "tasks", "contributes", "windows", "linux", "osx"]
            {
                if let Some(inner) = object.get(key) {
                    collect(inner, found);
                }
            }
        }
        _ => {}
    }
}

/// One matcher, and its needles.
fn matcher(words: &Map<String, Value>, named: Option<&Vec<Value>>) -> Result<(Matcher, Vec<String>), String> {
    let steps = patterns(&words["pattern"], named)?;
    if steps.is_empty() || steps.len() > LINES_MAX {
        return Err(format!("a pattern of no line, or of over {LINES_MAX}"));
    }
    let repeats =
        steps.last().and_then(|step| step.get("loop")).is_some_and(|value| value == &Value::Bool(true));
    let severe = words.get("severity").and_then(Value::as_str).and_then(is_severe).unwrap_or(true);
    let steps: Vec<Step> = steps.iter().map(|step| step_of(step)).collect::<Result<_, String>>()?;
    let needles = literals::needles(steps[0].pattern.text()).unwrap_or_default();
    Ok((Matcher { steps, repeats, severe }, needles))
}

/// The lines of a pattern: an object, several, or the name of one that the file defines.
fn patterns<'a>(
    pattern: &'a Value,
    named: Option<&'a Vec<Value>>,
) -> Result<Vec<&'a Map<String, Value>>, String> {
    match pattern {
        Value::Object(one) => match one.get("patterns") {
            Some(several) => patterns(several, None),
            None => Ok(vec![one]),
        },
        Value::Array(several) => several
            .iter()
            .map(|one| one.as_object().ok_or_else(|| "a pattern that is no object".to_owned()))
            .collect(),
        Value::String(name) => {
            let bare = name.trim_start_matches('$');
            let of_name = named.into_iter().flatten().find(|known| known["name"].as_str() == Some(bare));
            match of_name {
                Some(known) => patterns(known, None),
                None => Err(format!("the pattern {} is not in this file", shown(name))),
            }
        }
        _ => Err("a pattern that is neither an object nor a list nor a name".into()),
    }
}

fn step_of(step: &Map<String, Value>) -> Result<Step, String> {
    let Some(source) = step.get("regexp").and_then(Value::as_str) else {
        return Err("a pattern without a regexp".into());
    };
    let text = translate(source)
        .map_err(|what| format!("{what} needs a backtracking engine, in {}", shown(source)))?;
    let group = |key: &str| -> Result<Option<usize>, String> {
        match step.get(key) {
            None => Ok(None),
            Some(value) => {
                let group = value.as_u64().and_then(|group| usize::try_from(group).ok());
                group.map(Some).ok_or_else(|| format!("{key} is no number of a group, in {}", shown(source)))
            }
        }
    };
    let mut fields = Vec::new();
    for (key, field) in [
        ("file", Field::File),
        ("line", Field::Line),
        ("column", Field::Column),
        ("message", Field::Message),
        ("code", Field::Rule),
    ] {
        fields.extend(group(key)?.map(|group| (group, field)));
    }
    // VS Code's `12`, `12,5` or `12,5,12,9` in one group: a number begins it.
    fields.extend(group("location")?.map(|group| (group, Field::Line)));
    let severity = group("severity")?;
    let severity =
        severity.map(|group| Pattern::of_numbers(&text, vec![(group, Field::Message)])).transpose()?;
    Ok(Step { pattern: Pattern::of_numbers(&text, fields)?, severity })
}

/// Whether a severity is an error; nothing where it is no word for one.
fn is_severe(word: &str) -> Option<bool> {
    match &*word.to_ascii_lowercase() {
        "error" | "e" | "fatal" | "fatal error" => Some(true),
        "warning" | "warn" | "w" | "info" | "i" | "note" | "notice" | "hint" => Some(false),
        _ => None,
    }
}

/// The machine: findings, until the stream ends.
#[derive(Debug)]
pub struct Found<'f> {
    matchers: &'f [Matcher],
    /// Where each of them stands.
    begun: Vec<Begun>,
    held: Held,
}

/// The lines of a finding so far.
#[derive(Clone, Debug, Default)]
struct Begun {
    /// Lines that fitted, and the byte that the first begins at.
    lines: usize,
    from: u64,
    values: Vec<(Field, String)>,
    severe: Option<bool>,
}

impl<'f> Found<'f> {
    /// A fresh machine.
    pub fn new(matchers: &'f [Matcher]) -> Found<'f> {
        Found { matchers, begun: vec![Begun::default(); matchers.len()], held: Held::default() }
    }
}

impl Machine for Found<'_> {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        for (matcher, begun) in self.matchers.iter().zip(&mut self.begun) {
            if let Some(found) = matcher.take(begun, line) {
                if self.held.is_empty() {
                    out.open();
                }
                self.held.push(found.finish());
                return;
            }
        }
    }

    fn end(&mut self, out: &mut Out) {
        if self.held.is_empty() {
            return;
        }
        self.held.say(out);
        out.close(Closing { says: Says::Red, counts: Counts::default(), duration_ms: None, message: None });
    }
}

impl Matcher {
    /// The finding that is whole with this line, if it is an error.
    fn take(&self, begun: &mut Begun, line: &Line<'_>) -> Option<Draft> {
        if begun.lines > 0 {
            if let Some(whole) = self.step(begun, line) {
                return whole;
            }
            *begun = Begun::default();
        }
        self.step(begun, line).flatten()
    }

    /// Nothing where the line does not go on; else what is whole with it.
    fn step(&self, begun: &mut Begun, line: &Line<'_>) -> Option<Option<Draft>> {
        let step = &self.steps[begun.lines.min(self.steps.len() - 1)];
        let fit = step.pattern.fit(line.text)?;
        let is_last = begun.lines + 1 >= self.steps.len();
        let before = is_last.then(|| begun.clone());
        if begun.lines == 0 {
            begun.from = line.span[0];
        }
        for (field, text) in fit.fields() {
            // VS Code's location: what stands before the first comma.
            let text = if *field == Field::Line { text.split(',').next().unwrap_or(text) } else { text };
            begun.values.push((field.clone(), text.to_owned()));
        }
        let severity = step.severity.as_ref().and_then(|pattern| pattern.fit(line.text));
        if let Some(word) = severity.as_ref().and_then(|fit| fit.fields().next()) {
            begun.severe = is_severe(word.1);
        }
        begun.lines += 1;
        if !is_last {
            return Some(None);
        }
        let whole = begun.severe.unwrap_or(self.severe).then(|| {
            let from = if self.steps.len() > 1 && self.repeats { line.span[0] } else { begun.from };
            let mut draft = Draft::new(Kind::Lint, [from, line.span[1]]);
            begun.values.iter().for_each(|(field, text)| draft.set(field, text));
            draft
        });
        *begun = match before {
            Some(before) if self.repeats && self.steps.len() > 1 => before,
            _ => Begun::default(),
        };
        Some(whole)
    }
}
