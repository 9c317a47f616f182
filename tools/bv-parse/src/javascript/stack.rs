//! One line of a stack in, its function and place out; and which of the places is the test, which the fault.

use super::source::Excerpt;
use bv_schemas::{Failure, Place, record::FRAMES_MAX};

/// One frame of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// As printed, without `async` and `new`; absent for an anonymous function.
    pub function: Option<String>,
    /// The name in `[as name]`: under what name the function was called.
    pub method: Option<String>,
    /// As printed, a `file://` address as a path; `<anonymous>` for code without a file.
    pub file: String,
    /// 1-based; 0 for code without a file.
    pub line: u64,
    /// 1-based.
    pub column: Option<u64>,
    /// The function ran as a test's body: its `this` was the runner's context.
    pub is_body: bool,
}

impl Frame {
    /// Whether the frame lies in the user's own code.
    pub fn is_user(&self) -> bool {
        is_user_file(&self.file)
    }

    /// The function's last name, without the class.
    fn short(&self) -> Option<&str> {
        self.function.as_deref().map(|name| name.rsplit('.').next().unwrap_or(name))
    }
}

/// Whether the file is the user's own: no installed package, nothing of the runtime, no code without a file.
pub fn is_user_file(path: &str) -> bool {
    const NOT: &[&str] = &[
        "node:",
        "internal/",
        "<",
        "native",
        "bun:",
        "ext:",
        "evalmachine.",
        "wasm:",
        "https://jsr.io/",
        "https://deno.land/",
        "npm:",
    ];
    !path.is_empty()
        && !NOT.iter().any(|start| path.starts_with(start))
        && !path.contains("node_modules")
        && !path.contains(".pnp.")
}

/// The frame that a line of a stack shows: `at f (file:1:2)`, `at file:1:2`, `❯ f file:1:2`.
pub fn frame(line: &str) -> Option<Frame> {
    // Node prints an error's properties in braces, which open behind the last frame.
    let text = line.trim();
    let text = text.strip_suffix(" {").unwrap_or(text);
    match text.strip_prefix("at ") {
        Some(body) => bare(body),
        None => bare(text.strip_prefix("❯ ")?),
    }
}

/// A frame without the word before it, as in Node's TAP: `f (file:1:2)`, `file:1:2`, `f file:1:2`.
pub fn bare(body: &str) -> Option<Frame> {
    let body = body.trim();
    if let Some(inside) = body.strip_suffix(')')
        && let Some((function, at)) = inside.rsplit_once(" (")
    {
        if at == "<anonymous>" {
            return Some(Frame { function: named(function).0, file: at.to_owned(), ..Frame::default() });
        }
        return Some(of(function, place(at)?));
    }
    let body = body.strip_prefix("async ").unwrap_or(body);
    if let Some(found) = place(body)
        && (!body.contains(' ') || body.starts_with(['/', '.']) || body.starts_with("file:"))
    {
        return Some(of("", found));
    }
    let (function, at) = body.rsplit_once(' ')?;
    Some(of(function, place(at)?))
}

fn of(function: &str, (file, line, column): (String, u64, Option<u64>)) -> Frame {
    const BODIES: &[&str] = &["Test.<anonymous>", "TestContext.<anonymous>", "Context.<anonymous>"];
    let is_body = BODIES.contains(&function.strip_prefix("async ").unwrap_or(function));
    let (function, method) = named(function);
    Frame { function, method, file, line, column, is_body }
}

/// `async Cart.rate [as total]`: the name, and the one it was called by.
fn named(text: &str) -> (Option<String>, Option<String>) {
    let text = text.strip_prefix("async ").unwrap_or(text);
    let text = text.strip_prefix("new ").unwrap_or(text).trim();
    let (name, method) = match text.strip_suffix(']').and_then(|text| text.split_once(" [as ")) {
        Some((name, method)) => (name, Some(method)),
        None => (text, None),
    };
    // A timer's callback bears the timer's name, not its own.
    let known =
        |name: &str| !name.is_empty() && !name.ends_with("<anonymous>") && name != "Timeout._onTimeout";
    (Some(name).filter(|n| known(n)).map(str::to_owned), method.filter(|m| known(m)).map(str::to_owned))
}

/// `file:line:column` or `file:line`.
pub fn place(text: &str) -> Option<(String, u64, Option<u64>)> {
    let (rest, last) = text.rsplit_once(':')?;
    let last = number(last)?;
    let (file, line, column) =
        match rest.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?))) {
            Some((file, line)) => (file, line, Some(last)),
            None => (rest, last, None),
        };
    // A time of the day is none.
    (file.contains(['.', '/', '\\', ':']) && line > 0).then(|| (path(file), line, column))
}

fn number(text: &str) -> Option<u64> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

/// `file:///C:/x` and `file:///x` name the paths `C:/x` and `/x`.
fn path(file: &str) -> String {
    let Some(path) = file.strip_prefix("file://") else { return file.to_owned() };
    let drive = path.strip_prefix('/').filter(|path| path.as_bytes().get(1) == Some(&b':'));
    drive.unwrap_or(path).to_owned()
}

/// How a runner's stacks name functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// V8's own names: the function in which the frame lies.
    Own,
    /// Jest maps names through source maps: a frame may carry the name of what stands at its place, which is
    /// the function that it calls (`at percent (tax.js:8:27)`, `at Cart.rate [as total] (cart.js:19:17)`).
    Mapped,
}

/// Puts the user's frames into the failure: all of them, the test's own and the deepest.
///
/// A runner's own frames end the part that belongs to this test: what lies beyond called the runner.
pub fn locate(frames: &[Frame], names: Names, excerpt: Option<&Excerpt>, failure: &mut Failure) {
    const RUNNERS: &[&str] = &[
        "ext:cli/40_test.js",
        "node:internal/test_runner",
        "node_modules/fast-check",
        "node_modules/@vitest/runner",
        "node_modules/jest-circus",
        "node_modules/jest-jasmine2",
        "node_modules/mocha/",
    ];
    let Some(first) = frames.iter().position(Frame::is_user) else { return };
    let is_runner = |frame: &Frame| RUNNERS.iter().any(|runner| frame.file.contains(runner));
    let end = frames[first..].iter().position(is_runner).map_or(frames.len(), |at| first + at);
    let body = frames[first..end].iter().position(|frame| frame.is_body && frame.is_user());
    let end = body.map_or(end, |at| first + at + 1);
    // What is no error has no stack: Jest shows where the test is defined.
    let end = if names == Names::Mapped && defines(&frames[first]) { first + 1 } else { end };
    let own: Vec<usize> = (first..end).filter(|&at| frames[at].is_user()).collect();
    let place = |at: usize| Place {
        file: Some(frames[at].file.clone()),
        line: Some(frames[at].line),
        function: function(frames, at, names, excerpt),
    };
    let last = own.last().copied().unwrap_or(first);
    failure.test = Some(place(last));
    failure.fault =
        (first != last).then(|| place(first)).filter(|fault| failure.test.as_ref() != Some(fault));
    failure.frames = own.iter().take(FRAMES_MAX).map(|&at| place(at)).collect();
}

/// Whether the frame is the call that defines a test or hook.
fn defines(frame: &Frame) -> bool {
    const DEFINE: &[&str] =
        &["test", "it", "describe", "beforeAll", "beforeEach", "afterAll", "afterEach", "failing"];
    frame.function.as_deref().is_some_and(|name| DEFINE.contains(&name.trim_start_matches("Object.")))
}

/// The function in which a frame lies, as far as the text tells.
fn function(frames: &[Frame], at: usize, names: Names, excerpt: Option<&Excerpt>) -> Option<String> {
    let frame = &frames[at];
    if names == Names::Own {
        return frame.function.clone();
    }
    if let Some(method) = &frame.method {
        return Some(method.clone());
    }
    if defines(frame) {
        return None;
    }
    let printed = frame.short()?;
    let caller = frames.get(at + 1).filter(|caller| caller.is_user());
    // The caller's name is that of the call at its place: of this function.
    let called = caller.and_then(Frame::short).map(str::to_owned);
    if caller.is_some_and(|caller| caller.method.is_some()) {
        return called;
    }
    let in_test = |frame: &Frame| frame.function.as_deref().is_some_and(|name| name.starts_with("Object."));
    if excerpt.is_some_and(|excerpt| excerpt.stands_at(frame, printed)) {
        return called.filter(|_| caller.is_some_and(in_test));
    }
    // Jest's callbacks are anonymous: a name there is that of the matcher or function called.
    (!in_test(frame)).then(|| frame.function.clone()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, want: Option<(&str, &str, &str, u64)>) {
        let got = frame(line)
            .map(|f| (f.function.unwrap_or_default(), f.method.unwrap_or_default(), f.file, f.line));
        assert_eq!(got, want.map(|(f, m, file, line)| (f.into(), m.into(), file.into(), line)), "{line}");
    }

    #[test]
    fn frames() {
        check("    at retry (src/retry.js:11:9)", Some(("retry", "", "src/retry.js", 11)));
        check(
            "at Cart.rate [as total] (/w/src/cart.js:19:17)",
            Some(("Cart.rate", "total", "/w/src/cart.js", 19)),
        );
        check("at async Context.<anonymous> (test/a.js:8:5)", Some(("", "", "test/a.js", 8)));
        check("at new Pool (src/pool.ts:3:1)", Some(("Pool", "", "src/pool.ts", 3)));
        check("at file:///w/a b.mjs:1:2", Some(("", "", "/w/a b.mjs", 1)));
        check("at file:///C:/w/a.mjs:1:2", Some(("", "", "C:/w/a.mjs", 1)));
        check("at C:\\w\\a.js:1:2", Some(("", "", "C:\\w\\a.js", 1)));
        check("at async file:///w/a.mjs:1:2", Some(("", "", "/w/a.mjs", 1)));
        check(" ❯ retry src/retry.js:11:9", Some(("retry", "", "src/retry.js", 11)));
        check(" ❯ test/retry.test.js:10:5", Some(("", "", "test/retry.test.js", 10)));
        check(" ❯ Timeout._onTimeout src/pool.ts:17:13", Some(("", "", "src/pool.ts", 17)));
        check("at Array.map (<anonymous>)", Some(("Array.map", "", "<anonymous>", 0)));
        check(
            "at process.processTimers (node:internal/timers:519:7)",
            Some(("process.processTimers", "", "node:internal/timers", 519)),
        );
        check("at async Promise.all (index 0)", None);
        check("at the end of the day", None);
        check("at 12:30", None);
        check("retry (src/retry.js:11:9)", None);
        check("", None);
    }

    #[test]
    fn the_users_files() {
        for (path, own) in [
            ("src/tax.js", true),
            ("/w/internal/a.js", true),
            ("node:internal/timers", false),
            ("internal/process/next_tick.js", false),
            ("node_modules/expect/build/index.js", false),
            ("C:\\w\\node_modules\\x.js", false),
            ("<anonymous>", false),
            ("", false),
        ] {
            assert_eq!(is_user_file(path), own, "{path}");
        }
    }

    fn located(stack: &[&str], names: Names, excerpt: Option<&Excerpt>) -> (String, String) {
        let frames: Vec<Frame> = stack.iter().filter_map(|line| frame(line)).collect();
        let mut failure = Failure::default();
        locate(&frames, names, excerpt, &mut failure);
        let words = |place: Option<Place>| {
            place.map_or(String::new(), |p| {
                format!(
                    "{}:{} {}",
                    p.file.unwrap_or_default(),
                    p.line.unwrap_or(0),
                    p.function.unwrap_or_default()
                )
            })
        };
        (words(failure.test), words(failure.fault))
    }

    #[test]
    fn the_test_and_the_fault() {
        let plain = ["at rate (src/tax.js:6:11)", "at Cart.total (src/cart.js:19:17)", "at test/a.js:4:1"];
        let want = ("test/a.js:4 ".to_owned(), "src/tax.js:6 rate".to_owned());
        assert_eq!(located(&plain, Names::Own, None), want);
        let nested = [
            "at TestContext.<anonymous> (test/a.js:15:12)",
            "at Test.run (node:internal/test_runner/test:796:25)",
            "at TestContext.<anonymous> (test/a.js:14:11)",
        ];
        assert_eq!(located(&nested, Names::Own, None), ("test/a.js:15 ".to_owned(), String::new()));
        assert_eq!(located(&["at x (node:fs:1:1)"], Names::Own, None), (String::new(), String::new()));
    }

    #[test]
    fn jest_names_what_is_called() {
        let mapped = [
            "at percent (src/tax.js:8:27)",
            "at Cart.rate [as total] (src/cart.js:19:17)",
            "at Object.total (test/cart.test.js:20:29)",
        ];
        let want = ("test/cart.test.js:20 ".to_owned(), "src/tax.js:8 rate".to_owned());
        assert_eq!(located(&mapped, Names::Mapped, None), want);
        let exit = ["at exit (src/daemon.js:2:11)", "at Object.stop (test/daemon.test.js:6:3)"];
        let excerpt = Excerpt::new(2, "  process.exit(code);");
        let want = ("test/daemon.test.js:6 ".to_owned(), "src/daemon.js:2 stop".to_owned());
        assert_eq!(located(&exit, Names::Mapped, Some(&excerpt)), want);
        let own = ["at retry (src/retry.js:11:9)", "at Object.<anonymous> (test/retry.test.js:9:5)"];
        let excerpt = Excerpt::new(11, "  throw new Error(`gave up`);");
        let want = ("test/retry.test.js:9 ".to_owned(), "src/retry.js:11 retry".to_owned());
        assert_eq!(located(&own, Names::Mapped, Some(&excerpt)), want);
    }
}
