//! Ruby's backtraces: `./lib/cart.rb:15:in `add'`, since Ruby 3.4 `./lib/cart.rb:15:in 'Cart#add'`.

use bv_schemas::record::FRAMES_MAX;
use bv_schemas::{Failure, Place};

/// A frame's line, with whatever indentation; the function is absent where the frame has none of its own
/// (a block of a spec, a file's top level).
pub fn frame(line: &str) -> Option<Place> {
    let line = line.trim();
    let (place, function) = match line.rfind(":in `").or_else(|| line.rfind(":in '")) {
        Some(at) => (&line[..at], function(line[at + 5..].strip_suffix('\'')?)),
        None => (line, None),
    };
    let (file, number) = place.rsplit_once(':')?;
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    if file.is_empty() || !digits || file.ends_with(':') {
        return None;
    }
    Some(Place { file: Some(file.to_owned()), line: number.parse().ok(), function })
}

/// The method that a frame lies in: blocks and rescue clauses belong to it.
fn function(label: &str) -> Option<String> {
    let mut name = label;
    loop {
        let outer = name
            .strip_prefix("block in ")
            .or_else(|| name.strip_prefix("rescue in "))
            .or_else(|| name.strip_prefix("ensure in "))
            .or_else(|| {
                name.strip_prefix("block (").and_then(|rest| Some(rest.split_once(" levels) in ")?.1))
            });
        match outer {
            Some(outer) => name = outer,
            None => break,
        }
    }
    // `<top (required)>`, `<main>`, `<class:Cart>`.
    (!name.is_empty() && !name.starts_with('<')).then(|| name.to_owned())
}

/// Whether the file holds the user's own code: no gem, no standard library, no runner's executable.
pub fn is_user_file(path: &str) -> bool {
    const INSTALLED: &[&str] = &[
        "/gems/",
        "/rubygems",
        "/lib/ruby/",
        "/bin/rspec",
        "/bin/rake",
        "/bin/bundle",
        "/exe/rspec",
        "/bin/rails",
    ];
    !(path.starts_with('<')
        || path.starts_with("(eval")
        || path == "bin/rspec"
        || path == "bin/rails"
        || INSTALLED.iter().any(|text| path.contains(text)))
}

/// Puts the places of the test and of the fault, and the user's frames, into the failure.
///
/// `frames` are innermost first. `test` knows the frame inside the test: the file and, where known, the
/// line at which the test begins.
pub fn place(failure: &mut Failure, frames: Vec<Place>, test: Option<(&str, Option<u64>)>) {
    let mut frames: Vec<Place> =
        frames.into_iter().filter(|at| at.file.as_deref().is_some_and(is_user_file)).collect();
    drop_c_functions(&mut frames);
    failure.test = in_test(&frames, test).or(frames.last()).cloned();
    failure.fault = frames.first().filter(|&first| Some(first) != failure.test.as_ref()).cloned();
    frames.truncate(FRAMES_MAX);
    failure.frames = frames;
}

/// A function written in C (`Integer`, `each`) is printed with the place of its caller, which is the next frame.
fn drop_c_functions(frames: &mut Vec<Place>) {
    let same = |a: &Place, b: &Place| a.file == b.file && a.line == b.line;
    let mut at = 0;
    while at + 1 < frames.len() {
        if same(&frames[at], &frames[at + 1]) {
            frames.remove(at);
        } else {
            at += 1;
        }
    }
}

/// The first line of the test's file at or below the test's beginning; without that, the outermost.
fn in_test<'a>(frames: &'a [Place], test: Option<(&str, Option<u64>)>) -> Option<&'a Place> {
    let (file, begins) = test?;
    let bare = |path: &str| path.strip_prefix("./").unwrap_or(path).to_owned();
    let file = bare(file);
    let here = |at: &&Place| at.file.as_deref().is_some_and(|path| same_file(&bare(path), &file));
    let mut in_file = frames.iter().rev().filter(here);
    match begins {
        Some(begins) => {
            let below = in_file.filter(|at| at.line.is_some_and(|line| line >= begins));
            below.min_by_key(|at| at.line).or_else(|| frames.iter().rev().find(here))
        }
        None => in_file.next(),
    }
}

/// One of the two may be absolute.
fn same_file(a: &str, b: &str) -> bool {
    let tail = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|head| head.is_empty() || head.ends_with('/'))
    };
    tail(a, b) || tail(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(file: &str, line: u64, function: Option<&str>) -> Place {
        Place { file: Some(file.to_owned()), line: Some(line), function: function.map(str::to_owned) }
    }

    #[test]
    fn frames() {
        for (line, want) in [
            ("./lib/cart.rb:15:in `add'", Some(at("./lib/cart.rb", 15, Some("add")))),
            ("  ./lib/cart.rb:15:in 'Cart#add'", Some(at("./lib/cart.rb", 15, Some("Cart#add")))),
            ("a.rb:3:in `block (2 levels) in <top (required)>'", Some(at("a.rb", 3, None))),
            ("a.rb:3:in `block in each'", Some(at("a.rb", 3, Some("each")))),
            ("a.rb:3:in `rescue in block in boom'", Some(at("a.rb", 3, Some("boom")))),
            ("C:/w/a b.rb:3:in `<main>'", Some(at("C:/w/a b.rb", 3, None))),
            ("./spec/cart_spec.rb:40", Some(at("./spec/cart_spec.rb", 40, None))),
            ("expected: 40", None),
            ("12:30", Some(at("12", 30, None))),
            (":3", None),
            ("a.rb:3:in `x", None),
        ] {
            assert_eq!(frame(line), want, "{line}");
        }
    }

    #[test]
    fn places() {
        let check = |lines: &[&str], test, want: (&str, u64), fault: Option<(&str, u64)>| {
            let mut failure = Failure::default();
            place(&mut failure, lines.iter().filter_map(|line| frame(line)).collect(), test);
            let short = |at: &Option<Place>| at.clone().map(|at| (at.file.unwrap(), at.line.unwrap()));
            let long = |(file, line): (&str, u64)| (file.to_owned(), line);
            assert_eq!(short(&failure.test), Some(long(want)), "{lines:?}");
            assert_eq!(short(&failure.fault), fault.map(long), "{lines:?}");
        };
        let lines =
            &["./lib/a.rb:4:in `each'", "./lib/a.rb:4:in `add'", "./spec/a_spec.rb:4", "./spec/a_spec.rb:20"];
        check(lines, None, ("./spec/a_spec.rb", 20), Some(("./lib/a.rb", 4)));
        check(lines, Some(("spec/a_spec.rb", Some(19))), ("./spec/a_spec.rb", 20), Some(("./lib/a.rb", 4)));
        let around =
            &["/w/spec/a_spec.rb:20", "/w/spec/a_spec.rb:3", "/w/spec/spec_helper.rb:9", "/x/gems/r.rb:1"];
        check(around, Some(("./spec/a_spec.rb", Some(19))), ("/w/spec/a_spec.rb", 20), None);
        check(
            around,
            Some(("./spec/b_spec.rb", Some(19))),
            ("/w/spec/spec_helper.rb", 9),
            Some(("/w/spec/a_spec.rb", 20)),
        );
    }
}
