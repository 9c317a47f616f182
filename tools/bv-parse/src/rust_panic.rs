//! Panics as Rust's default hook prints them: who, where, what, and the backtrace.
//!
//! In come the lines of one piece of output, out come its panics in order, each with the lines of its
//! message. Both forms of the header are read: `thread 'x' (123) panicked at src/a.rs:1:2:` with the
//! message below (Rust 1.73 on), and `thread 'x' panicked at 'message', src/a.rs:1:2`. What the
//! message means (an assertion's sides, a counterexample) is not decided here.

use bv_schemas::Place;

/// One panic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Panic {
    /// The thread's name; libtest names the thread of a test after the test. Empty where a hook of
    /// the user's prints none.
    pub thread: String,
    /// File and line of the header.
    pub place: Option<Place>,
    /// The lines of the message, blank ones included, up to the backtrace or the next panic.
    pub message: Vec<String>,
    /// The backtrace, innermost first: all frames that name a Rust source file.
    pub frames: Vec<Place>,
    /// Index of the header and of the line after the panic, in the lines that were read.
    pub lines: [usize; 2],
}

/// Frames read of one backtrace; a deeper one is cut at its outer end.
const FRAMES_READ_MAX: usize = 512;

/// All panics in these lines, in order.
pub fn panics<S: AsRef<str>>(lines: &[S]) -> Vec<Panic> {
    let mut found: Vec<Panic> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some(head) = header(lines[at].as_ref()) else {
            at += 1;
            continue;
        };
        let (panic, next) = read(head, lines, at);
        found.push(panic);
        at = next;
    }
    found
}

/// The frames below a `stack backtrace:` line of any writer (anyhow has its own), innermost first.
pub fn backtrace<S: AsRef<str>>(lines: &[S]) -> Vec<Place> {
    let head = |line: &S| line.as_ref().eq_ignore_ascii_case("stack backtrace:");
    let mut read = Panic::default();
    if let Some(at) = lines.iter().position(head) {
        read_frames(&mut read, lines, at + 1);
    }
    read.frames
}

/// The head line of a panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    /// The thread's name.
    pub thread: &'a str,
    /// `file:line` where the header holds it.
    pub place: Option<(&'a str, u64)>,
    /// The old form's message, from behind its opening quote; its end and the place may stand on a
    /// later line.
    pub quoted: Option<&'a str>,
}

/// Reads a panic's head line. Output without a newline may stand before it.
pub fn header(text: &str) -> Option<Header<'_>> {
    if text == "The application panicked (crashed)." {
        return Some(Header { thread: "", place: None, quoted: None });
    }
    let (before, rest) = text.split_once(" panicked at ")?;
    let (_, who) = before.rsplit_once("thread '")?;
    let (thread, tail) = who.rsplit_once('\'')?;
    if !(tail.is_empty() || is_thread_number(tail)) {
        return None;
    }
    if let Some(quoted) = rest.strip_prefix('\'') {
        let (quoted, place) = match end_of_quoted(quoted) {
            Some((message, place)) => (message, Some(place)),
            None => (quoted, None),
        };
        return Some(Header { thread, place, quoted: Some(quoted) });
    }
    let place = position(rest.strip_suffix(':')?)?;
    Some(Header { thread, place: Some(place), quoted: None })
}

/// ` (123)`, as Rust 1.91 and later print it.
fn is_thread_number(text: &str) -> bool {
    let inner = text.strip_prefix(" (").and_then(|t| t.strip_suffix(')'));
    inner.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// `message', src/a.rs:1:2` to its two halves.
fn end_of_quoted(text: &str) -> Option<(&str, (&str, u64))> {
    let (message, place) = text.rsplit_once("', ")?;
    Some((message, position(place)?))
}

/// `file:line:column` or `file:line`; the file may hold colons (`C:\a.rs:1:2`).
pub fn position(text: &str) -> Option<(&str, u64)> {
    let (head, last) = text.rsplit_once(':')?;
    let last: u64 = last.parse().ok()?;
    match head.rsplit_once(':') {
        Some((file, line)) if !file.is_empty() && line.parse::<u64>().is_ok() => {
            Some((file, line.parse().ok()?))
        }
        _ if !head.is_empty() => Some((head, last)),
        _ => None,
    }
}

/// Whether a path is the user's own: not the standard library's, not a dependency's, not the C
/// library's, not the file in which rustdoc bundles doctests.
pub fn is_own(file: &str) -> bool {
    let foreign = [
        "/rustc/",
        "/.cargo/registry/",
        "/.cargo/git/",
        "/rustlib/",
        "\\.cargo\\registry\\",
        "/doctest_bundle_",
    ];
    file.ends_with(".rs")
        && !file.starts_with("library/")
        && !file.starts_with('<')
        && !foreign.iter().any(|part| file.contains(part))
}

/// The last name of a path, without what a compiler adds: `a::b::{{closure}}::h0123456789abcdef` is
/// `b`, `<a::B as c::D>::drop` is `drop`.
pub fn bare_name(path: &str) -> Option<&str> {
    path.rsplit("::").map(|part| part.split(['<', '[', '(', '{']).next().unwrap_or("")).find(|part| {
        let mut letters = part.chars();
        let named = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && letters.all(|c| c.is_alphanumeric() || c == '_');
        named && !is_symbol_hash(part)
    })
}

fn is_symbol_hash(part: &str) -> bool {
    part.len() == 17 && part.starts_with('h') && part[1..].bytes().all(|b| b.is_ascii_hexdigit())
}

/// Reads one panic whose head line is at `at`; returns it and the index of the line after it.
fn read<S: AsRef<str>>(head: Header<'_>, lines: &[S], at: usize) -> (Panic, usize) {
    let place =
        |(file, line): (&str, u64)| Place { file: Some(file.to_owned()), line: Some(line), function: None };
    let mut panic =
        Panic { thread: head.thread.to_owned(), place: head.place.map(place), ..Panic::default() };
    let mut next = at + 1;
    if let Some(quoted) = head.quoted {
        panic.message.push(quoted.to_owned());
        while panic.place.is_none() && next < lines.len() && header(lines[next].as_ref()).is_none() {
            let text = lines[next].as_ref();
            let (message, end) = match end_of_quoted(text) {
                Some((message, end)) => (message, Some(end)),
                None => (text, None),
            };
            panic.message.push(message.to_owned());
            panic.place = end.map(place);
            next += 1;
        }
    }
    while next < lines.len() && header(lines[next].as_ref()).is_none() {
        let text = lines[next].as_ref();
        if text == "stack backtrace:" {
            next = read_frames(&mut panic, lines, next + 1);
            break;
        }
        if text.starts_with("note: run with `RUST_BACKTRACE=") {
            next += 1;
            break;
        }
        if panic.thread.is_empty()
            && let Some(shown) = text.strip_prefix("Location: ").and_then(position)
        {
            panic.place = Some(place(shown));
            next += 1;
            break;
        }
        if head.quoted.is_none() {
            let shown = if panic.thread.is_empty() { text.strip_prefix("Message:  ") } else { None };
            panic.message.push(shown.unwrap_or(text).to_owned());
        } else if is_note(text) {
            break;
        }
        next += 1;
    }
    panic.lines = [at, next];
    (panic, next)
}

/// What libtest adds below the panic of a test that was to panic otherwise.
fn is_note(text: &str) -> bool {
    text.starts_with("note: ")
}

/// Reads `   4: a::b` and `             at ./src/a.rs:1:2` pairs; returns the index of the line after.
fn read_frames<S: AsRef<str>>(panic: &mut Panic, lines: &[S], mut next: usize) -> usize {
    let mut function = None;
    while next < lines.len() {
        let text = lines[next].as_ref().trim_start();
        if let Some(shown) = text.strip_prefix("at ") {
            let shown = position(shown.strip_prefix("./").unwrap_or(shown));
            if let Some((file, line)) = shown
                && file.ends_with(".rs")
                && panic.frames.len() < FRAMES_READ_MAX
            {
                panic.frames.push(Place {
                    file: Some(file.to_owned()),
                    line: Some(line),
                    function: function.map(str::to_owned),
                });
            }
        } else if let Some(name) = frame_name(text) {
            function = Some(name);
        } else {
            // The trailer (`note: Some details are omitted …`) belongs to the backtrace.
            return next + usize::from(text.starts_with("note: Some details are omitted"));
        }
        next += 1;
    }
    next
}

/// `4: a::b`, `4:     0x55d0 - a::b`: what is behind the number.
fn frame_name(text: &str) -> Option<&str> {
    let (number, rest) = text.split_once(':')?;
    if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let rest = rest.trim_start();
    match rest.split_once(" - ") {
        Some((address, name)) if address.starts_with("0x") => Some(name),
        _ => Some(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_header_are_read() {
        type Read<'a> = Option<(&'a str, Option<(&'a str, u64)>, Option<&'a str>)>;
        let check = |text, expected: Read<'_>| {
            let expected = expected.map(|(thread, place, quoted)| Header { thread, place, quoted });
            assert_eq!(header(text), expected, "{text}");
        };
        let a = Some(("src/a.rs", 3));
        check("thread 'x::y' (12) panicked at src/a.rs:3:9:", Some(("x::y", a, None)));
        check("thread 'x' panicked at src/a.rs:3:9:", Some(("x", a, None)));
        check("thread 'x' panicked at 'oh', src/a.rs:3:9", Some(("x", a, Some("oh"))));
        check("thread 'x' panicked at 'it's, so', src/a.rs:3", Some(("x", a, Some("it's, so"))));
        check("thread 'x' panicked at 'two", Some(("x", None, Some("two"))));
        check("halfthread 'it's' panicked at src/a.rs:3:9:", Some(("it's", a, None)));
        check(
            "thread '<unnamed>' panicked at C:\\a.rs:3:9:",
            Some(("<unnamed>", Some(("C:\\a.rs", 3)), None)),
        );
        check("thread 'x' panicked at src/a.rs:3:9", None);
        check("thread 'x' panicked at noon", None);
        check("the thread panicked at src/a.rs:3:9:", None);
        check("thread 'x' (a) panicked at src/a.rs:3:9:", None);
    }

    #[test]
    fn a_bare_name_is_the_users_own() {
        let check = |path, expected| assert_eq!(bare_name(path), expected, "{path}");
        check("a::b", Some("b"));
        check("a::b::{{closure}}", Some("b"));
        check("a::b::{closure#0}", Some("b"));
        check("a::b::h4f56ac43a3466e75", Some("b"));
        check("<a::B as core::ops::drop::Drop>::drop", Some("drop"));
        check("a[c1f1a4ba060b9bfa]::b::<u32>", Some("b"));
        check("", None);
    }

    fn lines(text: &str) -> Vec<&str> {
        text.lines().collect()
    }

    fn place(file: &str, line: u64, function: Option<&str>) -> Place {
        Place { file: Some(file.into()), line: Some(line), function: function.map(str::to_owned) }
    }

    #[test]
    fn messages_end_at_the_note_or_the_next_panic() {
        let text = "thread 'x' panicked at a.rs:1:2:\none\n\n  two\nnote: run with `RUST_BACKTRACE=1` environment\nafter\nthread 'y' panicked at 'p\nq', b.rs:3:4\nnote: test did not";
        let panic = |thread: &str, at, message: &[&str], lines| Panic {
            thread: thread.into(),
            place: Some(at),
            message: message.iter().map(|&m| m.to_owned()).collect(),
            frames: Vec::new(),
            lines,
        };
        assert_eq!(
            panics(&lines(text)),
            [
                panic("x", place("a.rs", 1, None), &["one", "", "  two"], [0, 5]),
                panic("y", place("b.rs", 3, None), &["p", "q"], [6, 8]),
            ]
        );
    }

    #[test]
    fn a_backtrace_gives_its_rust_frames() {
        let text = "thread 'x' panicked at a.rs:1:2:\nno\nstack backtrace:\n   0: core::panic\n             at /rustc/1/library/core/p.rs:80:14\n   1:     0x55 - k::a::h4f56ac43a3466e75\n             at ./a.rs:1:2\n   2: clone3\n             at ./misc/clone3.S:81\nnote: Some details are omitted, run with\nmore";
        let found = panics(&lines(text));
        assert_eq!(
            found[0].frames,
            [
                place("/rustc/1/library/core/p.rs", 80, Some("core::panic")),
                place("a.rs", 1, Some("k::a::h4f56ac43a3466e75")),
            ]
        );
        assert_eq!(
            (found[0].lines, is_own("a.rs"), is_own("/rustc/1/library/core/p.rs")),
            ([0, 10], true, false)
        );
    }
}
