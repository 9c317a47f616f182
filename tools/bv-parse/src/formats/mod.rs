//! The runners that are known: one file each, and one line each in [`FORMATS`].

mod ava;
mod boost_test;
mod bun;
mod cargo_nextest;
mod cargo_test;
mod catch2;
mod check;
mod cmocka;
mod cpputest;
mod ctest;
mod ctrf;
mod deno;
mod doctest_cpp;
mod eslint;
mod gcc;
mod go_test;
mod gtest;
mod jasmine;
mod jest;
mod junit4;
mod junit_xml;
mod karma;
mod maven_surefire;
mod minitest;
mod mocha;
mod mypy;
mod node_test;
mod phpunit;
mod playwright;
mod prove;
mod pytest;
mod rspec;
mod ruff;
mod rustc;
mod rustfmt;
mod sarif;
mod tap;
mod tsc;
mod unittest;
mod uvu;
mod vitest;

use crate::machine::Format;

/// All known runners, by name.
pub const FORMATS: &[Format] = &[
    ava::FORMAT,
    boost_test::FORMAT,
    bun::FORMAT,
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
    deno::FORMAT,
    doctest_cpp::FORMAT,
    eslint::FORMAT,
    ruff::FLAKE8,
    gcc::FORMAT,
    go_test::FORMAT,
    go_test::GOTESTSUM,
    gtest::FORMAT,
    jasmine::FORMAT,
    jest::FORMAT,
    junit_xml::FORMAT,
    junit4::FORMAT,
    karma::FORMAT,
    maven_surefire::FORMAT,
    minitest::FORMAT,
    mocha::FORMAT,
    mypy::FORMAT,
    node_test::FORMAT,
    phpunit::FORMAT,
    playwright::FORMAT,
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
    uvu::FORMAT,
    vitest::FORMAT,
];

/// Formats whose text may begin in the line before the one that holds a needle (a file's path, a finding's
/// head): their machines get that line first.
pub const READ_BEFORE: &[&str] = &[eslint::FORMAT.name, ruff::FORMAT.name];

/// The format of this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
