//! The tests of the whole, one binary.

mod fixtures;
mod fuzzed;
mod live;
mod manners;
mod memory;
mod pipelines;
mod scaffold;
mod schemas;
mod tidy;
mod witnesses;
