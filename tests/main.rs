//! The tests of the whole, in one binary.

mod pipelines;
