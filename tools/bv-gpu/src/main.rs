//! `bv-gpu`: see the library.

fn main() {}
