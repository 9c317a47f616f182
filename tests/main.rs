//! The tests of the whole, one binary.

mod fixtures;
mod fuzzed;
mod manners;
mod pipelines;
mod schemas;
mod tidy;
mod witnesses;
