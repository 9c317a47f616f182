//! A transcript, read: which calls of tools it holds, what came back, and where the texts of that lie.
//!
//! In: the messages of the Anthropic API, of OpenAI's Chat Completions and Responses, as an array, as an object that
//! holds one, or one a line; and the files that Claude Code and Codex keep, in which each line wraps such a message.
//! Out: the results in the order of their calls, each with the string literals that hold its text. Only the places
//! where these formats put a call or a result are looked at: what a tool was *given* is never taken for what it
//! *said*. Lines and messages of any other form are left alone.

use super::json::{self, Value};
use super::shell;
use std::collections::HashMap;

/// Results that belong to one conversation.
#[derive(Debug, Default)]
pub struct Conversation<'a> {
    /// In the order of the document.
    pub results: Vec<ToolResult<'a>>,
    calls: HashMap<String, Call>,
    turn: usize,
    answered: bool,
    /// The folder that the lines around the calls name (Claude Code's `cwd`, Codex' `turn_context`).
    folder: String,
    moved: String,
}

/// What a tool said.
#[derive(Debug)]
pub struct ToolResult<'a> {
    /// What it was asked.
    pub call: Call,
    /// The string literals that hold its text. Pictures and documents among them are not here.
    pub texts: Vec<Value<'a>>,
    /// The message says that the tool failed.
    pub is_error: bool,
    /// The exit code, where the message has a field for it.
    pub exit: Option<i64>,
}

/// One call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Calls of one turn run at the same time: neither is newer than the other.
    pub turn: usize,
    /// The command line; for a tool that takes none, its name and what it was given.
    pub command: String,
    /// Where it ran, as far as anything says; two calls with the same words ran in the same place.
    pub folder: String,
    /// Whether it runs something, rather than print what is there already.
    pub runs: bool,
    /// Whether it prints something beside what it runs.
    pub also_prints: bool,
}

/// The conversations in a document without its byte order mark; none where nothing in it is a transcript.
pub fn conversations(document: &str) -> Vec<Conversation<'_>> {
    let mut found = Vec::new();
    if json::is_json(document) {
        let mut whole = Conversation::default();
        if let Some(value) = Value::within(document, 0..document.len()) {
            if value.is_array() {
                value.items().for_each(|item| whole.item(item));
            } else {
                whole.line(value, &mut found);
            }
        }
        found.push(whole);
    } else {
        let mut lines = Conversation::default();
        let mut start = 0;
        for line in document.split_inclusive('\n') {
            let span = start..start + line.len();
            start = span.end;
            if json::is_json(line)
                && let Some(value) = Value::within(document, span)
            {
                lines.line(value, &mut found);
            }
        }
        found.push(lines);
    }
    found.retain(|conversation| conversation.results.iter().any(|result| !result.texts.is_empty()));
    found
}

impl<'a> Conversation<'a> {
    /// One line: a message, a message in a wrapper, or a whole conversation of its own.
    fn line(&mut self, value: Value<'a>, others: &mut Vec<Conversation<'a>>) {
        let list = |name| value.get(name).filter(Value::is_array);
        if let Some(messages) = list("messages").or_else(|| list("input")) {
            let mut own = Conversation::default();
            messages.items().for_each(|item| own.item(item));
            others.push(own);
            return;
        }
        let wrapped = |name| value.get(name).filter(Value::is_object);
        if let Some(message) = wrapped("message") {
            self.named_folder(value);
            self.item(message);
        } else if let Some(payload) = wrapped("payload") {
            self.named_folder(payload);
            self.item(payload);
        } else {
            self.item(value);
        }
    }

    fn named_folder(&mut self, value: Value<'a>) {
        if let Some(folder) = value.get("cwd").and_then(|cwd| cwd.text()) {
            self.folder = folder.into_owned();
        }
    }

    /// A message, or an item of the Responses API.
    fn item(&mut self, item: Value<'a>) {
        let word = |name| item.get(name).and_then(|value| value.word());
        match word("type").as_deref() {
            Some("function_call" | "custom_tool_call" | "local_shell_call" | "shell_call") => {
                let given = ["arguments", "input", "action"].iter().find_map(|name| item.get(name));
                self.call(word("call_id"), word("name"), given);
            }
            Some(
                "function_call_output"
                | "custom_tool_call_output"
                | "local_shell_call_output"
                | "shell_call_output",
            ) => self.result(word("call_id"), item.get("output"), false),
            _ => self.message(item, word("role").as_deref()),
        }
    }

    fn message(&mut self, message: Value<'a>, role: Option<&str>) {
        let word = |of: Value<'a>, name| of.get(name).and_then(|value| value.word());
        match role {
            Some("tool") => self.result(word(message, "tool_call_id"), message.get("content"), false),
            Some("assistant") => {
                for call in message.get("tool_calls").into_iter().flat_map(|calls| calls.items()) {
                    if let Some(function) = call.get("function") {
                        self.call(word(call, "id"), word(function, "name"), function.get("arguments"));
                    } else if let Some(custom) = call.get("custom") {
                        self.call(word(call, "id"), word(custom, "name"), custom.get("input"));
                    }
                }
                for block in message.get("content").into_iter().flat_map(|content| content.items()) {
                    if word(block, "type").as_deref() == Some("tool_use") {
                        self.call(word(block, "id"), word(block, "name"), block.get("input"));
                    }
                }
            }
            Some("user") => {
                for block in message.get("content").into_iter().flat_map(|content| content.items()) {
                    if word(block, "type").as_deref() == Some("tool_result") {
                        let is_error = block.get("is_error").is_some_and(|is_error| is_error.is_true());
                        self.result(word(block, "tool_use_id"), block.get("content"), is_error);
                    }
                }
            }
            _ => {}
        }
    }

    fn call(
        &mut self,
        id: Option<impl Into<String>>,
        tool: Option<impl AsRef<str>>,
        given: Option<Value<'a>>,
    ) {
        let (Some(id), Some(given)) = (id, given) else { return };
        if std::mem::take(&mut self.answered) {
            self.turn += 1;
        }
        let tool = tool.as_ref().map_or("", |tool| tool.as_ref());
        let asked = Asked::read(tool, given);
        let folder = self.place(&asked);
        let Asked { command, runs, also_prints, .. } = asked;
        let call = Call { turn: self.turn, command, folder, runs, also_prints };
        self.calls.insert(id.into(), call);
    }

    /// A shell that is kept open stays where it was sent; one that is opened afresh does not. Which of the two a
    /// tool has is not written anywhere, so the words for a place hold all that may matter: two calls that have
    /// the same words ran in the same place either way.
    fn place(&mut self, asked: &Asked) -> String {
        let gone = asked.folders.join(" ");
        let base = asked.folder.as_ref().unwrap_or(&self.folder);
        let absolute = gone.starts_with('/');
        let place = match (base.as_str(), self.moved.as_str()) {
            _ if absolute => gone.clone(),
            ("", "") => gone.clone(),
            ("", moved) if moved == gone => gone.clone(),
            ("", moved) => format!("{moved} {gone}"),
            (base, _) if gone.is_empty() => base.to_owned(),
            (base, _) => format!("{base} {gone}"),
        };
        if asked.moves {
            self.moved = gone;
        }
        place
    }

    fn result(&mut self, id: Option<impl AsRef<str>>, content: Option<Value<'a>>, is_error: bool) {
        self.answered = true;
        let call = id.and_then(|id| self.calls.get(id.as_ref()).cloned());
        let (Some(call), Some(content)) = (call, content) else { return };
        let mut result = ToolResult { call, texts: Vec::new(), is_error, exit: None };
        if content.is_string() {
            result.texts.push(content);
        }
        for block in content.items() {
            let texts = ["text", "stdout", "stderr"].iter().filter_map(|name| block.get(name));
            result.texts.extend(texts.filter(Value::is_string));
            let exit = block.get("outcome").and_then(|outcome| outcome.get("exit_code")?.integer());
            result.exit = result.exit.or(exit);
        }
        self.results.push(result);
    }
}

/// What a tool was asked, out of its input.
struct Asked {
    command: String,
    /// The folder that the input names in a field of its own.
    folder: Option<String>,
    folders: Vec<String>,
    moves: bool,
    runs: bool,
    also_prints: bool,
}

impl Asked {
    fn read(tool: &str, given: Value<'_>) -> Asked {
        // OpenAI gives a function's arguments as JSON in a string.
        let inner = given.text();
        let inner = inner.as_deref().filter(|text| json::is_json(text));
        let input = inner.and_then(|text| Value::within(text, 0..text.len())).unwrap_or(given);
        let text = |names: &[&str]| names.iter().find_map(|name| input.get(name)?.text());
        let folder = text(&["workdir", "working_directory", "cwd"]).map(|folder| folder.into_owned());
        let command = ["command", "cmd", "script"].iter().find_map(|name| line(input.get(name)?));
        match command.or_else(|| lines(input.get("commands")?)) {
            Some(command) => {
                let simple = shell::commands(&command);
                Asked {
                    folder,
                    folders: shell::folders(&simple).into_iter().map(str::to_owned).collect(),
                    moves: simple.iter().any(shell::Simple::moves),
                    runs: shell::runs(&simple),
                    also_prints: shell::also_prints(&simple),
                    command,
                }
            }
            None => Asked {
                command: format!("{tool} {}", input.raw()),
                folder,
                folders: Vec::new(),
                moves: false,
                runs: is_named_as_runner(tool),
                also_prints: false,
            },
        }
    }
}

/// A command as a string, or as the words of an argv; `bash -lc` in front says nothing.
fn line(value: Value<'_>) -> Option<String> {
    if value.is_string() {
        return value.text().map(|text| text.into_owned());
    }
    let words: Option<Vec<String>> =
        value.items().map(|word| word.text().map(|text| text.into_owned())).collect();
    let words = words.filter(|words| !words.is_empty())?;
    match &words[..] {
        [shell, flags, script] if flags.starts_with('-') && flags.ends_with('c') && is_shell(shell) => {
            Some(script.clone())
        }
        _ => Some(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
    }
}

/// Several command lines, one run after the other.
fn lines(value: Value<'_>) -> Option<String> {
    let lines: Vec<String> = value.items().filter_map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn is_shell(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("sh" | "bash" | "dash" | "zsh"))
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A tool that takes no command line runs something when its name says so (`run_tests`, `BashOutput`).
fn is_named_as_runner(tool: &str) -> bool {
    const WORDS: &[&str] =
        &["test", "tests", "run", "exec", "execute", "shell", "bash", "terminal", "command"];
    let mut words: Vec<String> = Vec::new();
    let mut last = '_';
    for c in tool.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && !last.is_uppercase() || words.is_empty() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        last = c;
    }
    words.iter().any(|word| WORDS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found, a line a result: turn, folder, command, texts; `!` marks a failed tool, `-` one that
    /// runs nothing.
    fn found(document: &str) -> Vec<String> {
        let all = conversations(document);
        let lines = all.iter().flat_map(|conversation| &conversation.results).map(|result| {
            let call = &result.call;
            let texts: Vec<_> = result.texts.iter().map(|text| text.text().unwrap_or("?".into())).collect();
            let marks = [(result.is_error, "!"), (!call.runs, "-")];
            let marks: String = marks.iter().filter(|(on, _)| *on).map(|(_, mark)| *mark).collect();
            let exit = result.exit.map(|exit| format!(" exit {exit}")).unwrap_or_default();
            format!("{}{marks} [{}] {}: {}{exit}", call.turn, call.folder, call.command, texts.join(" | "))
        });
        lines.collect()
    }

    fn check(document: &str, expected: &[&str]) {
        assert_eq!(found(document), expected, "{document}");
    }

    const ANTHROPIC: &str = r#"[
        {"role":"user","content":"run the tests"},
        {"role":"assistant","content":[{"type":"text","text":"yes"},
            {"type":"tool_use","id":"a","name":"bash","input":{"command":"cd /app && pytest","timeout":5}},
            {"type":"tool_use","id":"b","name":"Read","input":{"file_path":"x.py"}}]},
        {"role":"user","content":[
            {"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"B"},{"type":"image"}]},
            {"type":"tool_result","tool_use_id":"a","is_error":true,"content":"A"},
            {"type":"tool_result","tool_use_id":"nobody","content":"C"}]},
        {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"bash","input":{"command":"pytest"}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"D"}]}]"#;

    const ANTHROPIC_FOUND: &[&str] = &[
        r#"0- [/app ] Read {"file_path":"x.py"}: B"#,
        "0! [/app] cd /app && pytest: A",
        "1 [/app ] pytest: D",
    ];

    #[test]
    fn anthropics_messages_alone_and_in_a_request() {
        check(ANTHROPIC, ANTHROPIC_FOUND);
        check(&format!(r#"{{"model":"m","messages":{ANTHROPIC},"tools":[]}}"#), ANTHROPIC_FOUND);
        let twice = ANTHROPIC.replace('\n', "");
        let lines = format!("{{\"messages\":{twice}}}\r\n\r\nnot json\n{{\"messages\":{twice}}}");
        check(&lines, &[ANTHROPIC_FOUND, ANTHROPIC_FOUND].concat());
    }

    #[test]
    fn openais_chat() {
        check(
            r#"[{"role":"assistant","content":null,"tool_calls":[
                {"id":"a","type":"function","function":{"name":"sh","arguments":"{\"cmd\":[\"bash\",\"-lc\",\"go test\"],\"workdir\":\"/w\"}"}},
                {"id":"b","type":"function","function":{"name":"run_tests","arguments":"{\"path\":\"x\"}"}}]},
                {"role":"tool","tool_call_id":"a","content":"A"},
                {"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"B"},{"type":"text","text":"C"}]}]"#,
            &["0 [/w] go test: A", r#"0 [] run_tests {"path":"x"}: B | C"#],
        );
    }

    #[test]
    fn openais_responses() {
        check(
            r#"{"model":"m","input":[
                {"type":"function_call","call_id":"a","name":"sh","arguments":"{\"command\":\"make -C b test\"}"},
                {"type":"function_call_output","call_id":"a","output":"A"},
                {"type":"local_shell_call","call_id":"b","action":{"type":"exec","command":["go","test","./a b"],"working_directory":"/r"}},
                {"type":"local_shell_call_output","call_id":"b","output":[{"type":"input_text","text":"B"},{"type":"input_image"}]},
                {"type":"shell_call","call_id":"c","action":{"commands":["cd x","npm test"]}},
                {"type":"shell_call_output","call_id":"c","output":[{"stdout":"C","stderr":"D","outcome":{"type":"exit","exit_code":1}}]}]}"#,
            &["0 [b] make -C b test: A", "1 [/r] go test './a b': B", "2 [x] cd x\nnpm test: C | D exit 1"],
        );
    }

    #[test]
    fn the_files_of_claude_code_and_codex() {
        check(
            concat!(
                r#"{"type":"user","cwd":"/repo","message":{"role":"user","content":"go"}}"#,
                "\n",
                r#"{"type":"assistant","cwd":"/repo","message":{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"pytest"}}]}}"#,
                "\n",
                r#"{"type":"user","cwd":"/repo","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"A"}]},"toolUseResult":{"stdout":"A"}}"#,
                "\n{\"type\":\"user\",\"mess"
            ),
            &["0 [/repo] pytest: A"],
        );
        check(
            concat!(
                r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s","cwd":"/repo"}}"#,
                "\n",
                r#"{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"pytest\"]}","call_id":"a"}}"#,
                "\n",
                r#"{"type":"event_msg","payload":{"type":"exec_command_end","call_id":"a","stdout":"A"}}"#,
                "\n",
                r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"a","output":"A"}}"#,
                "\n"
            ),
            &["0 [/repo] pytest: A"],
        );
    }

    /// A shell may be kept open or opened afresh: a command without `cd` behind one with it is elsewhere or not.
    #[test]
    fn a_place_that_may_be_another_has_other_words() {
        let call = |id: &str, command: &str| {
            format!(
                r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"bash","input":{{"command":"{command}"}}}}]}},
                {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"x"}}]}}"#
            )
        };
        let commands =
            ["t", "cd a && t", "cd a && t", "t", "cd b && t", "cd a && t", "cd /r && t", "make -C s t", "t"];
        let messages: Vec<String> =
            commands.iter().enumerate().map(|(nth, command)| call(&nth.to_string(), command)).collect();
        let document = format!("[{}]", messages.join(","));
        let all = conversations(&document);
        let folders: Vec<_> = all[0].results.iter().map(|result| result.call.folder.as_str()).collect();
        assert_eq!(folders, ["", "a", "a", "a ", "a b", "b a", "/r", "/r s", "/r "]);
    }

    /// What a tool was given is text, whatever it looks like.
    #[test]
    fn results_elsewhere_are_none() {
        let result = r#"{"type":"tool_result","tool_use_id":"a","content":"A"}"#;
        for document in [
            format!(
                r#"[{{"role":"assistant","content":[{{"type":"tool_use","id":"a","name":"bash","input":{{"command":"t","x":{result}}}}}]}}]"#
            ),
            format!(
                r#"[{{"role":"assistant","content":[{{"type":"tool_use","id":"a","name":"bash","input":{{"command":"t"}}}},{result}]}}]"#
            ),
            format!(r#"{{"data":[{{"role":"user","content":[{result}]}}]}}"#),
            "[1,[2],null,{}]".into(),
            "\"text\"".into(),
            "".into(),
        ] {
            check(&document, &[]);
        }
    }

    #[test]
    fn a_tool_that_takes_no_command_runs_something_when_its_name_says_so() {
        for (tool, expected) in [
            ("run_tests", true),
            ("BashOutput", true),
            ("mcp__ci__execute", true),
            ("runTests", true),
            ("Read", false),
            ("latest_news", false),
            ("TaskOutput", false),
            ("", false),
        ] {
            assert_eq!(is_named_as_runner(tool), expected, "{tool}");
        }
    }
}
