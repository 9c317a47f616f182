//! The runners that are known: one file each, and one line each in [`FORMATS`].

mod boost_test;
mod cargo_nextest;
mod cargo_test;
mod catch2;
mod check;
mod cmocka;
mod common_test;
mod cpputest;
mod ctest;
mod ctrf;
mod doctest_cpp;
mod eslint;
mod eunit;
mod exunit;
mod gcc;
mod go_test;
mod gtest;
mod jasmine;
mod jest;
mod junit4;
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
mod tap;
mod test_unit;
mod tsc;
mod unittest;
mod vitest;

use crate::machine::Format;

/// All known runners, by name.
pub const FORMATS: &[Format] = &[
    boost_test::FORMAT,
    cargo_nextest::FORMAT,
    cargo_test::FORMAT,
    catch2::FORMAT,
    check::FORMAT,
    gcc::CLANG,
    gcc::CLANG_TIDY,
    rustc::CLIPPY,
    cmocka::FORMAT,
    common_test::FORMAT,
    cpputest::FORMAT,
    ctest::FORMAT,
    ctrf::FORMAT,
    doctest_cpp::FORMAT,
    eslint::FORMAT,
    eunit::FORMAT,
    exunit::FORMAT,
    ruff::FLAKE8,
    gcc::FORMAT,
    go_test::FORMAT,
    go_test::GOTESTSUM,
    gtest::FORMAT,
    jasmine::FORMAT,
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
    test_unit::FORMAT,
    tsc::FORMAT,
    unittest::FORMAT,
    vitest::FORMAT,
];

/// Formats whose text may begin in the line before the one that holds a needle (a file's path, a finding's
/// head): their machines get that line first.
pub const READ_BEFORE: &[&str] =
    &[eslint::FORMAT.name, exunit::FORMAT.name, ruff::FORMAT.name, test_unit::FORMAT.name];

/// The format of this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
