//! The Test Anything Protocol, versions 12 to 14, as runners of several languages print it: its lines, and the
//! YAML blocks below failing tests.
//!
//! Lines come in, items and fields go out. What they mean, and who printed them, is the format's business.
//! Source: <https://testanything.org/tap-version-14-specification.html>.

mod item;
mod yaml;

pub use item::{Directive, Item, Outcome, item};
pub use yaml::{Block, Fields};
