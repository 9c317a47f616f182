//! bv-memory on the real binary.

mod compact;
mod repair;
