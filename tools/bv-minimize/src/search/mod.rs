//! The search for the smallest candidate.
//!
//! In: an input that fails, its shape, an oracle. Out: the smallest candidate found that still fails in the
//! same way. Nothing is run or written here.

mod number;
mod plan;
mod pool;
mod session;
mod string;
mod text;
mod tree;

use crate::ask::{Limits, Oracle, Reduced, Watch};
use crate::shapes::{Shape, Tree};
use pool::Pool;
pub(crate) use session::Form;
use session::{Session, Step, Stop};
use std::io;
use std::thread;

/// Reduces `input`, which is taken to fail, by asking `oracle` about ever smaller candidates. The input itself
/// is not asked about. The empty candidate is the first; where it is accepted, it is the result.
///
/// # Errors
/// Those of the oracle and of the watch.
pub fn reduce(
    input: &[u8],
    shape: Shape,
    oracle: &dyn Oracle,
    watch: &mut dyn Watch,
    limits: &Limits,
) -> io::Result<Reduced> {
    thread::scope(|scope| {
        let pool = Pool::start(scope, oracle, limits);
        let mut session = Session::new(&pool, watch, limits, input.to_vec());
        let complete = match all(&mut session, shape, input) {
            Ok(()) => true,
            Err(Stop::Limit) => false,
            Err(Stop::Failed(wrong)) => return Err(wrong),
        };
        Ok(Reduced { best: session.best, complete, calls: session.calls })
    })
}

fn all(session: &mut Session, shape: Shape, input: &[u8]) -> Step<()> {
    session.pass("wholes");
    if session.keep(Vec::new())? {
        return Ok(());
    }
    match compact(session, shape, input)? {
        Some(tree) => tree::reduce(session, tree, shape)?,
        None => return text::reduce(session),
    }
    // A program that fails while it reads needs no whole document: two questions tell.
    let best = session.best.clone();
    if let (Shape::Json | Shape::Ndjson, [_, rest @ ..], [start @ .., _]) = (shape, &best[..], &best[..])
        && (session.keep(start.to_vec())? || session.keep(rest.to_vec())?)
    {
        text::reduce(session)?;
    }
    Ok(())
}

/// The input as a tree that the oracle accepts as it is written; nothing where the input is text.
fn compact(session: &mut Session, shape: Shape, input: &[u8]) -> Step<Option<Tree>> {
    let Some(tree) = shape.parse(input) else { return Ok(None) };
    let newline = tree.clone().ended_as(input);
    for tree in [Tree { tail: b"".as_slice().into(), ..tree }, newline] {
        let bytes = tree.bytes();
        if bytes == input || bytes.len() <= input.len() && session.same(bytes, |_, _| Vec::new())? {
            return Ok(Some(tree));
        }
    }
    Ok(None)
}
