//! Stacks of goroutines (`runtime/traceback.go`) and of the race detector (`tsan_report.cpp`).

use bv_schemas::Place;

/// Frames kept of one stack.
const FRAMES_MAX: usize = 64;
/// Stacks kept of one dump: a time-out dumps every goroutine.
const STACKS_MAX: usize = 200;

/// One goroutine's stack, innermost frame first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    /// What the goroutine did: `running`, `chan receive`; empty for the race detector's stacks.
    pub state: String,
    /// Its frames.
    pub frames: Vec<Frame>,
    /// The function that started it.
    pub created_by: Option<Frame>,
}

/// One frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// With its package, without arguments: `example.com/m.(*T).f.func1`.
    pub function: String,
    /// As printed.
    pub file: String,
    /// 1-based.
    pub line: u64,
}

impl Frame {
    /// As a place, the function without its package.
    pub fn place(&self) -> Place {
        Place {
            file: Some(self.file.clone()),
            line: Some(self.line),
            function: Some(function_of(&self.function).to_owned()),
        }
    }

    /// Whether it lies in the test function of this name, or in a literal inside it.
    pub fn is_in(&self, test: &str) -> bool {
        function_of(&self.function) == test
    }
}

/// All stacks in the lines of a dump.
pub fn stacks<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<Stack> {
    let mut found: Vec<Stack> = Vec::new();
    let mut function: Option<String> = None;
    for line in lines {
        if let Some(state) = header(line) {
            if found.len() == STACKS_MAX {
                break;
            }
            found.push(Stack { state: state.to_owned(), ..Stack::default() });
            function = None;
            continue;
        }
        let Some(stack) = found.last_mut() else { continue };
        match place(line) {
            Some((file, line)) => {
                let Some(name) = function.take() else { continue };
                let frame = |name: &str| Frame { function: without_arguments(name).to_owned(), file, line };
                match name.strip_prefix("created by ") {
                    Some(by) => {
                        stack.created_by = Some(frame(by.split(" in goroutine ").next().unwrap_or(by)));
                    }
                    None if stack.frames.len() < FRAMES_MAX => stack.frames.push(frame(&name)),
                    None => {}
                }
            }
            None => function = (!line.trim().is_empty()).then(|| line.trim().to_owned()),
        }
    }
    found
}

/// `goroutine 7 [chan receive, 2 minutes]:`, and the race detector's heads of a stack.
fn header(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix("goroutine ") {
        let (_, state) = rest.split_once(" [")?;
        return state.split([',', ']']).next();
    }
    const ACCESS: &[&str] = &["Read at 0x", "Write at 0x", "Previous read at 0x", "Previous write at 0x"];
    let race = ACCESS.iter().any(|head| line.starts_with(head)) || line.ends_with(" created at:");
    race.then_some("")
}

/// `\t/home/u/m/x.go:7 +0x1d`, in the race detector's report six blanks instead of the TAB.
fn place(line: &str) -> Option<(String, u64)> {
    let text = line.strip_prefix('\t').or_else(|| line.strip_prefix("      "))?;
    let text = text.split(" +0x").next().unwrap_or(text).trim();
    let (file, number) = text.rsplit_once(':')?;
    (!file.is_empty()).then_some(())?;
    Some((file.to_owned(), number.parse().ok()?))
}

/// `main.f(0x1, {0x2, 0x3})` without what stands in the last parentheses; a receiver `(*T)` stays.
fn without_arguments(text: &str) -> &str {
    let text = text.trim();
    if !text.ends_with(')') {
        return text;
    }
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return &text[..at];
                }
            }
            _ => {}
        }
    }
    text
}

/// The bare name in `example.com/m.(*T).f.func1.2[...]`: `f`, without the literals inside it.
pub fn function_of(path: &str) -> &str {
    let name = match path.rfind('/') {
        Some(at) => &path[at + 1..],
        None => path,
    };
    let mut name = name.split_once('.').map_or(name, |(_, name)| name);
    while let Some((before, last)) = name.rsplit_once('.') {
        let numbered = |prefix: &str| {
            last.strip_prefix(prefix).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
        };
        if !(numbered("func") || numbered("gowrap") || numbered("deferwrap") || numbered("")) {
            break;
        }
        name = before;
    }
    let name = name.trim_end_matches("[...]").trim_end_matches("-fm").trim_end_matches('.');
    name.rsplit('.').next().unwrap_or(name)
}

/// Whether the frame is the user's own code: not Go's own, no downloaded module, no check library.
pub fn is_user(frame: &Frame) -> bool {
    /// The top folders of Go's `src`, and the built-in `panic`.
    #[rustfmt::skip]
    const STANDARD: &[&str] = &[
        "archive", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto", "database", "debug",
        "embed", "encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index",
        "internal", "io", "iter", "log", "maps", "math", "mime", "net", "os", "panic", "path", "plugin",
        "reflect", "regexp", "runtime", "slices", "sort", "strconv", "strings", "structs", "sync", "syscall",
        "testing", "text", "time", "unicode", "unique", "unsafe", "weak",
    ];
    const LIBRARIES: &[&str] = &[
        "github.com/stretchr/testify/",
        "github.com/google/go-cmp/",
        "github.com/onsi/",
        "gotest.tools/",
        "pgregory.net/rapid",
        "github.com/leanovate/gopter",
    ];
    let (file, function) = (frame.file.as_str(), frame.function.as_str());
    // `/usr/lib/go-1.19/src/sync/mutex.go`, in whatever folder Go lies; `sync/mutex.go` with `-trimpath`.
    let inside = match file.rfind("/src/") {
        Some(at) => &file[at + 5..],
        None if file.starts_with(['/', '.']) || file.contains(":\\") => "",
        None => file,
    };
    let is_standard = inside.split_once('/').is_some_and(|(root, _)| STANDARD.contains(&root))
        && STANDARD.contains(&function.split(['/', '.', '(']).next().unwrap_or_default());
    !(is_standard
        || file.contains("/pkg/mod/")
        || file.contains("/vendor/")
        || file.ends_with("_testmain.go")
        || function == "panic"
        || LIBRARIES.iter().any(|library| function.starts_with(library)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions() {
        for (path, want) in [
            ("shop.example/invoice.(*Invoice).rate", "rate"),
            ("shop.example/invoice.TestSplit.func1", "TestSplit"),
            ("shop.example/invoice.TestSplit.func1.2", "TestSplit"),
            ("main.main", "main"),
            ("example.com/m/v2.Map[...]", "Map"),
            ("example.com/m.init", "init"),
            ("example.com/m.T.Do.gowrap1", "Do"),
            ("example.com/m.glob..func1", "glob"),
        ] {
            assert_eq!(function_of(path), want, "{path}");
        }
    }

    #[test]
    fn frames_of_the_user_are_told() {
        for (function, file, want) in [
            ("testing.tRunner", "/usr/lib/go-1.19/src/testing/testing.go", false),
            ("runtime/debug.Stack", "/usr/lib/go/src/runtime/debug/stack.go", false),
            ("panic", "/tmp/gobin/go/src/runtime/panic.go", false),
            ("sync.runtime_Semacquire", "/usr/lib/go/src/runtime/sema.go", false),
            ("shop.example/till/cash.(*Till).Put", "/tmp/ga/cash/cash.go", true),
            ("shop.example/till.f", "/home/u/go/src/shop.example/till/f.go", true),
            ("src/till.f", "/home/u/src/till/f.go", true),
            ("github.com/x/y.f", "/root/go/pkg/mod/github.com/x/y@v1.0.0/f.go", false),
            ("github.com/stretchr/testify/assert.NotPanics", "/x/gomods/testify/assert/a.go", false),
            ("main.main", "_testmain.go", false),
            ("testing.tRunner", "testing/testing.go", false),
            ("shop.example/till.f", "shop.example/till/f.go", true),
        ] {
            let frame = Frame { function: function.into(), file: file.into(), line: 1 };
            assert_eq!(is_user(&frame), want, "{function} {file}");
        }
    }

    #[test]
    fn a_dump_is_read() {
        let frame =
            |function: &str, file: &str, line| Frame { function: function.into(), file: file.into(), line };
        let text = "goroutine 19 [chan receive, 2 minutes]:\n\
            q.(*Queue).Next({0x1, 0x2})\n\t/tmp/q.go:18 +0x96\n\
            q.TestNext.func1()\n\t/tmp/q_test.go:14\n\
            created by testing.(*T).Run in goroutine 1\n\t/go/src/testing/testing.go:1493 +0x35f\n\
            \ngoroutine 2 [running]:\nmain.f(...)\n\t/tmp/f.go:1";
        assert_eq!(
            stacks(text.lines()),
            [
                Stack {
                    state: "chan receive".into(),
                    frames: vec![
                        frame("q.(*Queue).Next", "/tmp/q.go", 18),
                        frame("q.TestNext.func1", "/tmp/q_test.go", 14),
                    ],
                    created_by: Some(frame("testing.(*T).Run", "/go/src/testing/testing.go", 1493)),
                },
                Stack {
                    state: "running".into(),
                    frames: vec![frame("main.f", "/tmp/f.go", 1)],
                    created_by: None,
                },
            ]
        );
    }
}
