//! The runners that are known: one file each, and one line each in [`FORMATS`].

mod ant;
mod boost_test;
mod cargo_nextest;
mod cargo_test;
mod catch2;
mod check;
mod cmocka;
mod cpputest;
mod ctest;
mod ctrf;
mod doctest_cpp;
mod eslint;
mod gcc;
mod go_test;
mod gradle;
mod gtest;
mod jasmine;
mod jest;
mod junit4;
mod junit5;
mod junit_xml;
mod maven_surefire;
mod minitest;
mod mocha;
mod mypy;
mod node_test;
mod phpunit;
mod prove;
mod pytest;
mod rspec;
mod ruff;
mod rustc;
mod rustfmt;
mod sarif;
mod sbt;
mod tap;
mod testng;
mod tsc;
mod unittest;
mod vitest;

use crate::machine::Format;

/// All known runners, by name.
pub const FORMATS: &[Format] = &[
    ant::FORMAT,
    boost_test::FORMAT,
    cargo_nextest::FORMAT,
    cargo_test::FORMAT,
    catch2::FORMAT,
    check::FORMAT,
    gcc::CLANG,
    rustc::CLIPPY,
    cmocka::FORMAT,
    cpputest::FORMAT,
    ctest::FORMAT,
    ctrf::FORMAT,
    doctest_cpp::FORMAT,
    eslint::FORMAT,
    ruff::FLAKE8,
    gcc::FORMAT,
    go_test::FORMAT,
    go_test::GOTESTSUM,
    gradle::FORMAT,
    gtest::FORMAT,
    jasmine::FORMAT,
    jest::FORMAT,
    junit_xml::FORMAT,
    junit4::FORMAT,
    junit5::FORMAT,
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
    sbt::FORMAT,
    tap::FORMAT,
    testng::FORMAT,
    tsc::FORMAT,
    unittest::FORMAT,
    vitest::FORMAT,
];

/// Formats whose text may begin in the line before the one that holds a needle (a file's path, a finding's
/// head, a test's name): their machines get that line first.
pub const READ_BEFORE: &[&str] = &[eslint::FORMAT.name, ruff::FORMAT.name, sbt::FORMAT.name];

/// The format of this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
