//! The tests of the whole, one binary.

mod fixtures;
mod fuzzed;
mod gpu;
mod live;
mod manners;
mod pipelines;
mod scaffold;
mod schemas;
mod tidy;
mod witnesses;
