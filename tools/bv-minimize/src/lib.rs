//! Finds the smallest input that still fails in the same way.
//!
//! In: an input that fails and an oracle that tells whether a candidate still does so. Out: the smallest
//! candidate found. The input itself is never touched.

mod ask;
mod search;
mod shapes;

pub use ask::{Answer, Cancel, Limits, Oracle, Reduced, Waiting, Watch};
pub use search::reduce;
pub use shapes::Shape;
