//! What Go prints, whatever runner stands around it: stacks of goroutines, the entries that
//! `t.Error` and `t.Log` write, the words and blocks with which tests and check libraries tell two sides.
//!
//! Lines and texts come in, typed parts go out. Which test they belong to, and whether it failed, is the
//! format's business.

mod blocks;
mod diff;
mod entry;
mod property;
mod stack;
mod testify;

pub use entry::{Checked, Entry};
pub use stack::{Frame, Stack, function_of, is_user, stacks};
