//! The runners that are known: one file each, and one line each in [`FORMATS`].

pub mod cargo_test;
mod catch2;
mod ctest;
pub mod ctrf;
mod gcc;
pub mod go_test;
mod gtest;
pub mod jest;
mod json_document;
pub mod junit4;
pub mod junit_xml;
pub mod maven_surefire;
pub mod minitest;
pub mod mocha;
pub mod node_test;
pub mod phpunit;
pub mod prove;
pub mod pytest;
pub mod rspec;
pub mod tap;
pub mod unittest;
pub mod vitest;

#[cfg(test)]
mod said;

use crate::machine::Format;

/// All known runners, by name.
pub const FORMATS: &[Format] = &[
    cargo_test::FORMAT,
    catch2::FORMAT,
    gcc::CLANG,
    ctest::FORMAT,
    ctrf::FORMAT,
    gcc::FORMAT,
    go_test::FORMAT,
    go_test::GOTESTSUM,
    gtest::FORMAT,
    jest::FORMAT,
    junit_xml::FORMAT,
    junit4::FORMAT,
    maven_surefire::FORMAT,
    minitest::FORMAT,
    mocha::FORMAT,
    node_test::FORMAT,
    phpunit::FORMAT,
    prove::FORMAT,
    pytest::FORMAT,
    rspec::FORMAT,
    tap::FORMAT,
    unittest::FORMAT,
    vitest::FORMAT,
];

/// The format of this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
