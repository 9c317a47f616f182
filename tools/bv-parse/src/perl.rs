//! What Perl prints around its tests, whatever harness reads them: Test::Builder's diagnostics, and the words
//! with which a program dies.

mod death;
mod diagnostics;

pub use death::Deaths;
pub use diagnostics::{Diagnosed, Diagnostics};
