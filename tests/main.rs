//! The tests of the whole, one binary.

mod cause;
mod fixtures;
mod fuzzed;
#[cfg(unix)]
mod gate;
#[cfg(unix)]
mod gpu;
mod live;
mod manners;
#[cfg(unix)]
mod memory;
#[cfg(unix)]
mod minimize;
mod own;
mod pipelines;
mod scaffold;
mod schemas;
mod tidy;
mod witnesses;
