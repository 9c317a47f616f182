//! The search against programs whose smallest failing input is known.
//!
//! Each task is an input, a program that fails on it, and the size of the smallest input on which it
//! still does. The program runs in the test, so no process is started.

#[path = "search/documents.rs"]
mod documents;
#[path = "search/known.rs"]
mod known;
#[path = "search/more.rs"]
mod more;
#[path = "search/texts.rs"]
mod texts;

use bv_minimize::{Answer, Cancel, Limits, Oracle, Reduced, Shape, Watch, reduce};
use std::io;

/// Whether the program fails in the way under study; nothing where the candidate is no legal input.
type Program<'p> = dyn Fn(&[u8]) -> Option<bool> + Sync + 'p;

struct Asked<'p>(&'p Program<'p>);

impl Oracle for Asked<'_> {
    fn ask(&self, candidate: &[u8], _: &Cancel) -> io::Result<Option<Answer>> {
        Ok(Some(match (self.0)(candidate) {
            Some(true) => Answer::Same,
            Some(false) => Answer::Passed,
            None => Answer::Refused,
        }))
    }
}

/// Every step, as the search tells it.
#[derive(Default)]
struct Steps(Vec<Vec<u8>>);

impl Watch for Steps {
    fn accepted(&mut self, best: &[u8], _: &'static str) -> io::Result<()> {
        self.0.push(best.to_vec());
        Ok(())
    }
    fn pass(&mut self, _: &'static str) {}
}

fn limits(jobs: usize, calls_max: Option<u64>) -> Limits {
    Limits { jobs, calls_max, deadline: None, stop: Cancel::new() }
}

fn reduced(input: &[u8], shape: Shape, jobs: usize, program: &Program<'_>) -> (Reduced, Vec<Vec<u8>>) {
    let mut steps = Steps::default();
    let result = reduce(input, shape, &Asked(program), &mut steps, &limits(jobs, None))
        .expect("the program always answers");
    (result, steps.0)
}

/// Holds the search to the size of the smallest input, to a number of calls, and to the same result for any
/// number of jobs.
fn check(name: &str, shape: Shape, input: &str, bytes: usize, calls_max: u64, program: &Program<'_>) {
    assert_eq!(program(input.as_bytes()), Some(true), "{name}: the input fails");
    let (one, steps) = reduced(input.as_bytes(), shape, 1, program);
    let best = String::from_utf8_lossy(&one.best);
    assert_eq!(program(&one.best), Some(true), "{name}: the result fails: {best}");
    assert_eq!(one.best.len(), bytes, "{name}: {best}");
    assert!(one.calls <= calls_max, "{name}: {} calls", one.calls);
    assert!(one.complete, "{name}");
    assert_eq!(steps.last(), Some(&one.best), "{name}: the last step is the result");
    for jobs in [2, 4] {
        assert_eq!(
            reduced(input.as_bytes(), shape, jobs, program),
            (one.clone(), steps.clone()),
            "{name}: {jobs} jobs"
        );
    }
}
