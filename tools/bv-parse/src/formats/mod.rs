//! The runners that are known: one file each, and one line each in [`FORMATS`].

mod alcotest;
mod ant;
mod automake;
mod ava;
mod bats;
mod behave;
mod boost_test;
mod bun;
mod busted;
mod cargo_nextest;
mod cargo_test;
mod catch2;
mod check;
mod clojure_test;
mod cmocka;
mod common_test;
mod cpputest;
mod ctest;
mod ctrf;
mod cucumber;
mod dart_test;
mod deno;
mod doctest;
mod doctest_cpp;
mod dotnet_test;
mod eslint;
mod eunit;
mod exunit;
mod gcc;
mod go_test;
mod gradle;
mod gtest;
mod hspec;
mod jasmine;
mod jest;
mod julia_test;
mod junit4;
mod junit5;
mod junit_xml;
mod karma;
mod maven_surefire;
mod minitest;
mod mocha;
mod mozlog;
mod mypy;
mod node_test;
mod nox;
mod nunit;
mod ounit;
mod phpunit;
mod playwright;
mod prove;
mod pyright;
mod pytest;
mod robotframework;
mod rspec;
mod ruff;
mod rustc;
mod rustfmt;
mod sarif;
mod sbt;
mod shellcheck;
mod shunit2;
mod stestr;
mod swift_test;
mod tap;
mod tasty;
mod tcltest;
mod teamcity;
mod test_unit;
mod testng;
mod testthat;
mod tox;
mod trial;
mod tsc;
mod unittest;
mod unity;
mod uvu;
mod vitest;
mod xunit;

use crate::machine::Format;

/// All known runners, by name.
pub const FORMATS: &[Format] = &[
    alcotest::FORMAT,
    ant::FORMAT,
    automake::FORMAT,
    ava::FORMAT,
    bats::FORMAT,
    behave::FORMAT,
    boost_test::FORMAT,
    bun::FORMAT,
    busted::FORMAT,
    cargo_nextest::FORMAT,
    cargo_test::FORMAT,
    catch2::FORMAT,
    check::FORMAT,
    gcc::CLANG,
    gcc::CLANG_TIDY,
    rustc::CLIPPY,
    clojure_test::FORMAT,
    cmocka::FORMAT,
    common_test::FORMAT,
    cpputest::FORMAT,
    ctest::FORMAT,
    ctrf::FORMAT,
    cucumber::FORMAT,
    dart_test::FORMAT,
    deno::FORMAT,
    unittest::DJANGO,
    doctest::FORMAT,
    doctest_cpp::FORMAT,
    dotnet_test::FORMAT,
    eslint::FORMAT,
    eunit::FORMAT,
    exunit::FORMAT,
    ruff::FLAKE8,
    gcc::FORMAT,
    go_test::FORMAT,
    go_test::GOTESTSUM,
    gradle::FORMAT,
    gtest::FORMAT,
    hspec::FORMAT,
    jasmine::FORMAT,
    jest::FORMAT,
    julia_test::FORMAT,
    junit_xml::FORMAT,
    junit4::FORMAT,
    junit5::FORMAT,
    karma::FORMAT,
    maven_surefire::FORMAT,
    minitest::FORMAT,
    mocha::FORMAT,
    mozlog::FORMAT,
    mypy::FORMAT,
    node_test::FORMAT,
    unittest::NOSE,
    unittest::NOSE2,
    nox::FORMAT,
    nunit::FORMAT,
    ounit::FORMAT,
    phpunit::FORMAT,
    playwright::FORMAT,
    prove::FORMAT,
    pyright::FORMAT,
    pytest::FORMAT,
    robotframework::FORMAT,
    rspec::FORMAT,
    ruff::FORMAT,
    rustc::FORMAT,
    rustfmt::FORMAT,
    sarif::FORMAT,
    sbt::FORMAT,
    shellcheck::FORMAT,
    shunit2::FORMAT,
    stestr::FORMAT,
    swift_test::FORMAT,
    tap::FORMAT,
    tasty::FORMAT,
    tcltest::FORMAT,
    teamcity::FORMAT,
    test_unit::FORMAT,
    testng::FORMAT,
    testthat::FORMAT,
    tox::FORMAT,
    trial::FORMAT,
    tsc::FORMAT,
    unittest::FORMAT,
    unity::FORMAT,
    uvu::FORMAT,
    vitest::FORMAT,
    swift_test::XCODEBUILD,
    xunit::FORMAT,
];

/// How many lines before the one that holds a needle a format's text may begin in, two at most (a file's path, a
/// finding's head, a test's name): its machine gets those lines first.
pub fn lines_before(format: &str) -> usize {
    const BEFORE: &[(&str, usize)] = &[
        (busted::FORMAT.name, 1),
        (clojure_test::FORMAT.name, 2),
        (dotnet_test::FORMAT.name, 1),
        (eslint::FORMAT.name, 1),
        (exunit::FORMAT.name, 1),
        (hspec::FORMAT.name, 1),
        (ruff::FORMAT.name, 1),
        (sbt::FORMAT.name, 1),
        (shellcheck::FORMAT.name, 2),
        (shunit2::FORMAT.name, 2),
        (tcltest::FORMAT.name, 2),
        (test_unit::FORMAT.name, 1),
        (unittest::FORMAT.name, 1),
    ];
    BEFORE.iter().find(|(name, _)| *name == format).map_or(0, |(_, lines)| *lines)
}

/// The format of this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
