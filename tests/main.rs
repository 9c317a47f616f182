//! The tests of the whole, one binary.

mod fixtures;
mod fuzzed;
mod live;
mod manners;
#[cfg(unix)]
mod minimize;
mod pipelines;
mod scaffold;
mod schemas;
mod tidy;
mod witnesses;
