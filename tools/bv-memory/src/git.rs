//! What git says of the place where the tests run: which project, and in which state its code is.
//!
//! Git is asked by argument lists, without a shell, its hooks for file watching switched off and its
//! index left as it is. Where there is no git, the project goes by its path and the state is unknown.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Files that git does not know, and bytes in them, that count for the state; more and it is unknown.
const FILES_MAX: usize = 2_000;
const BYTES_MAX: u64 = 64 << 20;
/// Bytes of an answer that are looked at.
const ANSWER_BYTES_MAX: u64 = 16 << 20;

/// What git says of a place, before it is asked for the state.
#[derive(Clone, Debug)]
pub struct Place {
    root: PathBuf,
    remotes: Option<String>,
    tree: Option<Tree>,
}

/// A work tree and the place in it.
#[derive(Clone, Debug)]
struct Tree {
    top: String,
    folder: String,
    /// Absent before the first commit.
    head: Option<String>,
}

/// Asks git about `root`.
pub fn place(root: &Path) -> Place {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    // Both at once: each costs the start of a process.
    let tree = ask(&root, &["rev-parse", "--show-toplevel", "--show-prefix", "HEAD"]);
    let remotes = ask(&root, &["config", "--get-regexp", r"^remote\..*\.url$"]);
    let tree = said(tree).and_then(|(text, has_head)| {
        let mut lines = text.lines();
        let (top, folder) = (lines.next()?.to_owned(), lines.next()?.trim_end_matches('/').to_owned());
        Some(Tree { top, folder, head: lines.next().filter(|_| has_head).map(str::to_owned) })
    });
    Place { remotes: answer(remotes), tree, root }
}

/// The name of the project at `root`; see [`Place::project`].
pub fn project(root: &Path) -> String {
    place(root).project()
}

impl Place {
    /// The address of the remote without credentials, else the path of the work tree; then the folder in it.
    ///
    /// The folder belongs to the name because test names are told apart by it: what passes in one package of a
    /// repository says nothing of the test with the same name in another.
    pub fn project(&self) -> String {
        let Some(tree) = &self.tree else {
            return self.root.to_string_lossy().into_owned();
        };
        let name = self.remotes.as_deref().and_then(remote).unwrap_or_else(|| tree.top.clone());
        match tree.folder.as_str() {
            "" => name,
            folder => format!("{name}//{folder}"),
        }
    }

    /// The state of the code in 32 hex digits: the commit, what differs from it, and the files that git does
    /// not know and does not ignore. Absent where there is no commit, or where there is too much of that.
    ///
    /// What git ignores does not count: installed packages, build outputs, the environment.
    pub fn code(&self) -> Option<String> {
        let tree = self.tree.as_ref()?;
        let top = Path::new(&tree.top);
        let plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--full-index", "--submodule=short"];
        let changed = ask(top, &[&["diff"][..], &plain, &["HEAD"]].concat());
        let unknown = ask(top, &["ls-files", "--others", "--exclude-standard", "-z"]);
        let mut state = blake3::Hasher::new();
        state.update(tree.head.as_ref()?.as_bytes());
        hash_answer(changed, &mut state)?;
        hash_files(top, answer(unknown)?.split('\0').filter(|name| !name.is_empty()), &mut state)?;
        Some(state.finalize().to_hex()[..32].to_owned())
    }
}

/// The address of `origin`, else of the first remote.
fn remote(config: &str) -> Option<String> {
    let remotes = || config.lines().filter_map(|line| line.split_once(' '));
    let origin = remotes().find(|(name, _)| *name == "remote.origin.url");
    origin.or_else(|| remotes().next()).map(|(_, address)| normalised(address))
}

/// One way to write an address: `host/path`, whatever the protocol and whoever asks.
fn normalised(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").map_or(("", address), |(scheme, rest)| (scheme, rest));
    let is_path =
        scheme == "file" || scheme.is_empty() && (rest.starts_with(['/', '.']) || !rest.contains(':'));
    let rest = rest.trim_end_matches('/').trim_end_matches(".git");
    if is_path {
        return rest.to_owned();
    }
    // The short form has a colon behind the host: `git@host:path`.
    let end = if scheme.is_empty() { rest.find(':') } else { rest.find('/') }.unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let host = host.rsplit('@').next().unwrap_or(host).to_ascii_lowercase();
    let host = host.trim_end_matches(":443").trim_end_matches(":22");
    format!("{host}/{}", path.trim_start_matches([':', '/']))
}

fn hash_files<'a>(
    top: &Path,
    names: impl Iterator<Item = &'a str>,
    state: &mut blake3::Hasher,
) -> Option<()> {
    let mut left = BYTES_MAX;
    for (nth, name) in names.enumerate() {
        let path = top.join(OsStr::from_bytes(name.as_bytes()));
        let about = path.symlink_metadata().ok()?;
        left = left.checked_sub(about.len()).filter(|_| nth < FILES_MAX)?;
        state.update(format!("{name}\0{}\0", about.len()).as_bytes());
        if about.is_symlink() {
            state.update(path.read_link().ok()?.as_os_str().as_bytes());
        } else if about.is_file() {
            state.update_reader(std::fs::File::open(path).ok()?.take(about.len())).ok()?;
        }
    }
    Some(())
}

fn ask(root: &Path, question: &[&str]) -> io::Result<Child> {
    Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"])
        .args(question)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
}

/// The answer, where git gave one.
fn answer(asked: io::Result<Child>) -> Option<String> {
    said(asked).filter(|(_, ended_well)| *ended_well).map(|(text, _)| text)
}

/// What git wrote, and whether it ended well.
fn said(asked: io::Result<Child>) -> Option<(String, bool)> {
    let mut child = asked.ok()?;
    let mut text = Vec::new();
    let read = child.stdout.take()?.take(ANSWER_BYTES_MAX).read_to_end(&mut text);
    let ended = child.wait().ok()?;
    Some((String::from_utf8_lossy(&text).into_owned(), read.is_ok() && ended.success()))
}

/// The answer of any length, hashed.
fn hash_answer(asked: io::Result<Child>, state: &mut blake3::Hasher) -> Option<()> {
    let mut child = asked.ok()?;
    let read = child.stdout.take()?;
    state.update_reader(read).ok()?;
    child.wait().ok()?.success().then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, expected: &str) {
        assert_eq!(normalised(address), expected, "{address}");
    }

    #[test]
    fn one_repository_has_one_name() {
        for address in [
            "git@example.org:team/app.git",
            "ssh://git@example.org/team/app.git",
            "ssh://git@example.org:22/team/app",
            "https://example.org/team/app.git",
            "https://me:secret@Example.org/team/app/",
            "https://token@example.org:443/team/app",
        ] {
            check(address, "example.org/team/app");
        }
        check("example.org:team/app", "example.org/team/app");
        check("https://example.org:8443/app", "example.org:8443/app");
        check("/srv/git/app.git", "/srv/git/app");
        check("file:///srv/git/app.git", "/srv/git/app");
        check("../app", "../app");
    }

    #[test]
    fn origin_goes_before_other_remotes() {
        let config = "remote.fork.url https://a/fork\nremote.origin.url https://a/app\n";
        assert_eq!(remote(config).as_deref(), Some("a/app"));
        assert_eq!(remote("remote.fork.url https://a/fork\n").as_deref(), Some("a/fork"));
        assert_eq!(remote(""), None);
    }
}
