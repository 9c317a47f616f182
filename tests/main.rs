//! The tests of the whole, one binary.

mod cause;
mod fixtures;
mod fuzzed;
mod live;
mod manners;
mod pipelines;
mod scaffold;
mod schemas;
mod tidy;
mod witnesses;
