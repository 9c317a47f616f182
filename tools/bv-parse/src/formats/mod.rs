//! The runners that are known: one file each, and one line each in [`FORMATS`].

mod boost_test;
mod cargo_nextest;
mod cargo_test;
mod catch2;
mod check;
mod cmocka;
mod cpputest;
mod ctest;
mod ctrf;
mod dart_test;
mod doctest_cpp;
mod dotnet_test;
mod eslint;
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
mod nunit;
mod phpunit;
mod prove;
mod pytest;
mod rspec;
mod ruff;
mod rustc;
mod rustfmt;
mod sarif;
mod swift_test;
mod tap;
mod teamcity;
mod tsc;
mod unittest;
mod vitest;
mod xunit;

use crate::machine::Format;

/// All known runners, by name.
pub const FORMATS: &[Format] = &[
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
    dart_test::FORMAT,
    doctest_cpp::FORMAT,
    dotnet_test::FORMAT,
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
    maven_surefire::FORMAT,
    minitest::FORMAT,
    mocha::FORMAT,
    mypy::FORMAT,
    node_test::FORMAT,
    nunit::FORMAT,
    phpunit::FORMAT,
    prove::FORMAT,
    pytest::FORMAT,
    rspec::FORMAT,
    ruff::FORMAT,
    rustc::FORMAT,
    rustfmt::FORMAT,
    sarif::FORMAT,
    swift_test::FORMAT,
    tap::FORMAT,
    teamcity::FORMAT,
    tsc::FORMAT,
    unittest::FORMAT,
    vitest::FORMAT,
    swift_test::XCODEBUILD,
    xunit::FORMAT,
];

/// Formats whose text may begin in the line before the one that holds a needle (a file's path, a finding's
/// head): their machines get that line first.
pub const READ_BEFORE: &[&str] = &[dotnet_test::FORMAT.name, eslint::FORMAT.name, ruff::FORMAT.name];

/// The format of this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
