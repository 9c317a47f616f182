//! A thread with room for what recurses: compilers descend into a source as deep as it is nested.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::thread;

/// Bytes of stack. Only what is used is ever taken. `source.rs` bounds the nesting of brackets, but a sum of ten
/// thousand terms nests as well, and an `else if` in an `else if`.
const STACK_BYTES: usize = 512 << 20;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs a closure on a deep stack. `None` where it panicked, which is not told on stderr, or no thread could be made.
pub fn run<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    quieten();
    thread::scope(|scope| {
        let deep = thread::Builder::new().name("bv-gpu-front".to_owned()).stack_size(STACK_BYTES);
        deep.spawn_scoped(scope, || guarded(work)).ok()?.join().ok()?
    })
}

/// Runs a closure; `None` where it panicked, which is not told on stderr.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    quieten();
    let before = QUIET.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work)).ok();
    QUIET.set(before);
    outcome
}

/// A panic that is caught is an answer, not a message: those of other threads are told as ever.
fn quieten() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                told(info);
            }
        }));
    });
}
