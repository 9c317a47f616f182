//! The line of one task: `> Task :app:test FAILED`, before Gradle 4.7 `:app:test FAILED`.

/// One task, as its line tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task<'a> {
    /// `test` of `:app:test`.
    pub name: &'a str,
    /// What became of it.
    pub state: State,
}

/// What became of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It runs, or ran.
    Ran,
    /// It failed.
    Failed,
    /// What it made before still holds; a task that failed is never kept so.
    Cached,
    /// There was nothing for it to do, or it was left out.
    Idle,
}

impl<'a> Task<'a> {
    /// Reads the line, and gives what stands behind the task: before Gradle 4.7 its output begins there.
    pub fn read(text: &'a str) -> Option<(Task<'a>, &'a str)> {
        let path = text.strip_prefix("> Task ");
        let old = path.is_none();
        let rest = path.unwrap_or(text).strip_prefix(':')?;
        let end = rest.find(|c: char| !(c.is_alphanumeric() || ":_-.$".contains(c))).unwrap_or(rest.len());
        let (path, behind) = rest.split_at(end);
        let name = path.trim_end_matches(':').rsplit(':').next().filter(|name| !name.is_empty())?;
        if old && let Some(name) = glued(name) {
            return Some((Task { name, state: State::Ran }, ""));
        }
        let state = match behind.trim_start() {
            "" => State::Ran,
            "FAILED" => State::Failed,
            "UP-TO-DATE" | "FROM-CACHE" => State::Cached,
            "NO-SOURCE" | "SKIPPED" => State::Idle,
            _ if behind.starts_with('/') => State::Ran,
            _ => return None,
        };
        Some((Task { name, state }, behind))
    }

    /// Whether it runs tests, by the names that the plugins of the JVM's languages, Kotlin's and Android's give.
    pub fn runs_tests(&self) -> bool {
        let name = self.name;
        match name {
            "test" | "allTests" => true,
            _ if name.ends_with("UnitTest") => name.starts_with("test"),
            _ if name.ends_with("AndroidTest") => name.starts_with("connected"),
            _ if ["compile", "process", "assemble", "lint"].iter().any(|verb| name.starts_with(verb)) => {
                false
            }
            _ => name.ends_with("Test") || name.ends_with("Tests"),
        }
    }

    /// Whether it compiles.
    pub fn compiles(&self) -> bool {
        self.name.contains("ompile") || self.name.starts_with("ksp") || self.name.starts_with("kapt")
    }
}

/// A task that runs tests, where a shouted word of its output stands right behind it (`:testWARNING: …`).
fn glued(name: &str) -> Option<&str> {
    let shouted = name.as_bytes().windows(2).position(|two| two.iter().all(u8::is_ascii_uppercase))?;
    let task = |name| Task { name, state: State::Ran };
    let head = name.get(..shouted)?;
    (!task(name).runs_tests() && task(head).runs_tests()).then_some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks() {
        for (text, want) in [
            ("> Task :test", Some(("test", State::Ran, true))),
            ("> Task :app:testDebugUnitTest FAILED", Some(("testDebugUnitTest", State::Failed, true))),
            (":app:integrationTest UP-TO-DATE", Some(("integrationTest", State::Cached, true))),
            ("> Task :jvmTest NO-SOURCE", Some(("jvmTest", State::Idle, true))),
            ("> Task :app:connectedDebugAndroidTest", Some(("connectedDebugAndroidTest", State::Ran, true))),
            ("> Task :app:assembleDebugAndroidTest", Some(("assembleDebugAndroidTest", State::Ran, false))),
            (":compileTestJava/p/A.java:3: error: x", Some(("compileTestJava", State::Ran, false))),
            (":app:testWARNING: A terminally deprecated method", Some(("test", State::Ran, true))),
            ("> Task :processTestResources NO-SOURCE", Some(("processTestResources", State::Idle, false))),
            (":comparePublications - pom files equal: false", None),
            ("> There were failing tests.", None),
            (": x", None),
        ] {
            let got = Task::read(text).map(|(task, _)| (task.name, task.state, task.runs_tests()));
            assert_eq!(got, want, "{text}");
        }
    }
}
