//! The runners that are known: one file each, and one line each in [`FORMATS`].

pub mod cargo_nextest;
pub mod cargo_test;
pub mod catch2;
pub mod ctest;
pub mod ctrf;
pub mod eslint;
pub mod gcc;
pub mod go_test;
pub mod gtest;
pub mod jest;
pub mod junit4;
pub mod junit_xml;
pub mod maven_surefire;
pub mod minitest;
pub mod mocha;
pub mod mypy;
pub mod node_test;
pub mod phpunit;
pub mod prove;
pub mod pytest;
pub mod rspec;
pub mod ruff;
pub mod rustc;
pub mod rustfmt;
pub mod sarif;
pub mod tap;
pub mod tsc;
pub mod unittest;
pub mod vitest;

use crate::machine::Format;

/// All known runners, by name.
pub const FORMATS: &[Format] = &[
    cargo_nextest::FORMAT,
    cargo_test::FORMAT,
    catch2::FORMAT,
    gcc::CLANG,
    rustc::CLIPPY,
    ctest::FORMAT,
    ctrf::FORMAT,
    eslint::FORMAT,
    ruff::FLAKE8,
    gcc::FORMAT,
    go_test::FORMAT,
    gtest::FORMAT,
    jest::FORMAT,
    junit_xml::FORMAT,
    junit4::FORMAT,
    maven_surefire::FORMAT,
    minitest::FORMAT,
    mocha::FORMAT,
    mypy::FORMAT,
    node_test::FORMAT,
    phpunit::FORMAT,
    prove::FORMAT,
    pytest::FORMAT,
    rspec::FORMAT,
    ruff::FORMAT,
    rustc::FORMAT,
    rustfmt::FORMAT,
    sarif::FORMAT,
    tap::FORMAT,
    tsc::FORMAT,
    unittest::FORMAT,
    vitest::FORMAT,
];

/// Formats whose text may begin in the line before the one that holds a needle (a file's path, a finding's
/// head): their machines get that line first.
pub const READ_BEFORE: &[&str] = &[eslint::FORMAT.name, ruff::FORMAT.name];

/// The format of this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
