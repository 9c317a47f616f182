//! The runners that are known: one file each, and one line each in [`FORMATS`].

mod ant;
mod behave;
mod boost_test;
mod cargo_nextest;
mod cargo_test;
mod catch2;
mod check;
mod cmocka;
mod cpputest;
mod ctest;
mod ctrf;
mod doctest;
mod doctest_cpp;
mod dotnet_test;
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
mod mozlog;
mod mypy;
mod node_test;
mod nox;
mod nunit;
mod phpunit;
mod prove;
mod pyright;
mod pytest;
mod robotframework;
mod rspec;
mod ruff;
mod rustc;
mod rustfmt;
mod sarif;
mod swift_test;
mod tap;
mod testng;
mod tox;
mod tsc;
mod unittest;
mod vitest;
mod xunit;

use crate::machine::Format;

/// All known runners, by name.
pub const FORMATS: &[Format] = &[
    behave::FORMAT,
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
    unittest::DJANGO,
    doctest::FORMAT,
    doctest_cpp::FORMAT,
    dotnet_test::FORMAT,
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
    mozlog::FORMAT,
    mypy::FORMAT,
    node_test::FORMAT,
    nunit::FORMAT,
    unittest::NOSE,
    unittest::NOSE2,
    nox::FORMAT,
    phpunit::FORMAT,
    prove::FORMAT,
    pyright::FORMAT,
    pytest::FORMAT,
    robotframework::FORMAT,
    rspec::FORMAT,
    ruff::FORMAT,
    rustc::FORMAT,
    rustfmt::FORMAT,
    sarif::FORMAT,
    swift_test::FORMAT,
    tap::FORMAT,
    tox::FORMAT,
    testng::FORMAT,
    tsc::FORMAT,
    unittest::FORMAT,
    vitest::FORMAT,
    swift_test::XCODEBUILD,
    xunit::FORMAT,
];

/// Formats whose text may begin in the line before the one that holds a needle (a file's path, a finding's
/// head): their machines get that line first.
pub const READ_BEFORE: &[&str] = &[eslint::FORMAT.name, ruff::FORMAT.name];

/// The format of this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
