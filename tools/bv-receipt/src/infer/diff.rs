//! What changed since the last commit, as git tells it: what broke a minute ago is the first suspect.
//!
//! In comes a root, out go the changed lines of files below it. git is started with fixed arguments, reads nothing outside
//! the root's own work tree, may take a short while and no longer, and its failure is no error: nothing is known then.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// How long git may take.
const TIME_MAX: Duration = Duration::from_millis(1_500);
/// Bytes of a difference that are read.
const BYTES_MAX: u64 = 8 << 20;
/// Changed places that are kept.
const PLACES_MAX: usize = 10_000;

/// First and last changed line by file, relative to the root.
pub type Changes = HashMap<String, Vec<(u32, u32)>>;

/// The lines of the work tree under `root` that differ from `since`.
pub fn changes(root: &Path, since: &str) -> Changes {
    // A revision that looks like a flag would be read as one.
    if since.starts_with('-') || !in_work_tree(root) {
        return Changes::new();
    }
    difference(root, since).map(|text| parse(&text)).unwrap_or_default()
}

/// Whether a folder at or above the root is a work tree: where there is none, git need not be asked.
fn in_work_tree(root: &Path) -> bool {
    root.canonicalize().is_ok_and(|root| root.ancestors().any(|folder| folder.join(".git").exists()))
}

fn difference(root: &Path, since: &str) -> Option<String> {
    let mut child = Command::new("git")
        // Neither a watcher nor a driver of the repository's own is to run, and no lock is to be taken.
        .args(["-c", "core.fsmonitor=false", "-c", "core.quotepath=off", "diff"])
        .args(["--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--relative", "--unified=0"])
        .args(["--src-prefix=a/", "--dst-prefix=b/", since, "--", "."])
        .current_dir(root)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let output = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.take(BYTES_MAX).read_to_end(&mut bytes);
        // Nobody waits any more when the time was up.
        let _ = sender.send(read.is_ok().then_some(bytes));
    });
    let bytes = receiver.recv_timeout(TIME_MAX).ok().flatten();
    if bytes.is_none() {
        let _ = child.kill();
    }
    let _ = child.wait();
    bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The changed lines in a difference without context; a change of blanks or remarks alone broke nothing.
fn parse(text: &str) -> Changes {
    let mut changes = Changes::new();
    let mut file: Option<String> = None;
    let mut place: Option<Place> = None;
    let mut places = 0;
    for line in text.lines() {
        let is_inside = place.as_ref().is_some_and(|place| place.left > 0);
        match (&mut place, line.as_bytes().first()) {
            (Some(place), Some(b'-')) if is_inside => place.take(&line[1..], false),
            (Some(place), Some(b'+')) if is_inside => place.take(&line[1..], true),
            _ => {
                if let (Some(place), Some(file)) = (place.take(), &file) {
                    place.finish(file, &mut changes);
                }
                if let Some(path) = line.strip_prefix("+++ ") {
                    file = path.strip_prefix("b/").map(|path| path.trim_end_matches('\t').to_owned());
                } else if let Some(file) = &file {
                    place = Place::of(line, remark(file)).filter(|_| places < PLACES_MAX);
                    places += usize::from(place.is_some());
                }
            }
        }
    }
    if let (Some(place), Some(file)) = (place, &file) {
        place.finish(file, &mut changes);
    }
    changes
}

/// One changed place while its lines are read.
struct Place {
    range: (u32, u32),
    /// Lines of it that follow.
    left: u32,
    remark: &'static str,
    /// What the lines say without blanks and remarks, before and after.
    sides: [String; 2],
}

impl Place {
    /// The place that `@@ -3,2 +3,4 @@` begins.
    fn of(line: &str, remark: &'static str) -> Option<Place> {
        let old = line.strip_prefix("@@ -")?.split([' ', '+']).next()?;
        let old = old.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok())?;
        let (range, new) = new_range(line)?;
        Some(Place { range, left: new.saturating_add(old), remark, sides: Default::default() })
    }

    fn take(&mut self, line: &str, is_new: bool) {
        self.left -= 1;
        // A mark behind a quote may stand in a string, where it begins no remark.
        let cut = line.split_once(self.remark).filter(|(code, _)| !code.contains(['"', '\'', '`']));
        let code = cut.map_or(line, |(code, _)| code);
        if code.trim().is_empty() {
            return;
        }
        let side = &mut self.sides[usize::from(is_new)];
        if self.remark == "#" {
            // Where blocks are indents, the blanks before a line are code.
            side.push_str(&code[..code.len() - code.trim_start().len()]);
        }
        side.extend(code.chars().filter(|c| !c.is_whitespace()));
    }

    fn finish(self, file: &str, changes: &mut Changes) {
        if self.sides[0] != self.sides[1] {
            changes.entry(file.to_owned()).or_default().push(self.range);
        }
    }
}

/// What begins a remark up to the end of its line.
fn remark(file: &str) -> &'static str {
    match file.rsplit('.').next() {
        Some("py" | "rb") => "#",
        _ => "//",
    }
}

/// The new side of `@@ -3,2 +3,4 @@` and its number of lines; around a deletion the two lines that meet.
fn new_range(line: &str) -> Option<((u32, u32), u32)> {
    let side = line.strip_prefix("@@ -")?.split_once('+')?.1.split_once(" @@")?.0;
    let (first, count) = side.split_once(',').unwrap_or((side, "1"));
    let (first, count): (u32, u32) = (first.parse().ok()?, count.parse().ok()?);
    let last = if count == 0 { first.saturating_add(1) } else { first.saturating_add(count - 1) };
    Some(((first, last), count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_new_side_of_each_change_is_read() {
        let text = "\
diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -3 +3 @@ def f():
-    return 1
+    return 2
@@ -9,2 +8,0 @@ class B:
-x
-y
diff --git a/new.py b/new.py
--- /dev/null
+++ b/new.py
@@ -0,0 +1,2 @@
+x
+++ y
@@ -1,2 +3,3 @@
-a = 1  # one
-
+a=1
+
+# two
@@ -9 +9 @@
-a = 1 # one
+a = 2 # one
@@ -11 +11 @@
-a = '1#2'
+a = '1#3'
@@ -13 +13 @@
-    a = 1
+a = 1
diff --git a/gone.py b/gone.py
--- a/gone.py
+++ /dev/null
@@ -1,7 +0,0 @@
-x
";
        let expected = Changes::from([
            ("a.py".to_owned(), vec![(3, 3), (8, 9)]),
            ("new.py".to_owned(), vec![(1, 2), (9, 9), (11, 11), (13, 13)]),
        ]);
        assert_eq!(parse(text), expected);
    }

    #[test]
    fn a_flag_is_no_revision() {
        assert_eq!(changes(Path::new("."), "--output=x"), Changes::new());
    }
}
