//! The runners that are known: one file each, and one line each in [`FORMATS`].

pub mod jest;
pub mod mocha;
pub mod node_test;
pub mod tap;
pub mod unittest;
pub mod vitest;

use crate::machine::Format;

/// All known runners, by name.
pub const FORMATS: &[Format] =
    &[jest::FORMAT, mocha::FORMAT, node_test::FORMAT, tap::FORMAT, unittest::FORMAT, vitest::FORMAT];

/// The format of this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
