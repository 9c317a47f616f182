//! The runners that are known: one file each, and one line each in [`FORMATS`].

mod alcotest;
mod automake;
mod bats;
mod boost_test;
mod busted;
mod cargo_nextest;
mod cargo_test;
mod catch2;
mod check;
mod clojure_test;
mod cmocka;
mod cpputest;
mod ctest;
mod ctrf;
mod doctest_cpp;
mod eslint;
mod gcc;
mod go_test;
mod gtest;
mod hspec;
mod jasmine;
mod jest;
mod julia_test;
mod junit4;
mod junit_xml;
mod maven_surefire;
mod minitest;
mod mocha;
mod mypy;
mod node_test;
mod ounit;
mod phpunit;
mod prove;
mod pytest;
mod rspec;
mod ruff;
mod rustc;
mod rustfmt;
mod sarif;
mod shellcheck;
mod shunit2;
mod tap;
mod tasty;
mod tcltest;
mod testthat;
mod tsc;
mod unittest;
mod unity;
mod vitest;

use crate::machine::Format;

/// All known runners, by name.
pub const FORMATS: &[Format] = &[
    alcotest::FORMAT,
    automake::FORMAT,
    bats::FORMAT,
    boost_test::FORMAT,
    busted::FORMAT,
    cargo_nextest::FORMAT,
    cargo_test::FORMAT,
    catch2::FORMAT,
    check::FORMAT,
    gcc::CLANG,
    rustc::CLIPPY,
    clojure_test::FORMAT,
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
    gtest::FORMAT,
    hspec::FORMAT,
    jasmine::FORMAT,
    jest::FORMAT,
    julia_test::FORMAT,
    junit_xml::FORMAT,
    junit4::FORMAT,
    maven_surefire::FORMAT,
    minitest::FORMAT,
    mocha::FORMAT,
    mypy::FORMAT,
    node_test::FORMAT,
    ounit::FORMAT,
    phpunit::FORMAT,
    prove::FORMAT,
    pytest::FORMAT,
    rspec::FORMAT,
    ruff::FORMAT,
    rustc::FORMAT,
    rustfmt::FORMAT,
    sarif::FORMAT,
    shellcheck::FORMAT,
    shunit2::FORMAT,
    tap::FORMAT,
    tasty::FORMAT,
    tcltest::FORMAT,
    testthat::FORMAT,
    tsc::FORMAT,
    unittest::FORMAT,
    unity::FORMAT,
    vitest::FORMAT,
];

/// How many lines before the one that holds a needle a format's text may begin in, two at most (a file's path, a
/// finding's head, a test's name): its machine gets those lines first.
pub fn lines_before(format: &Format) -> usize {
    const BEFORE: &[(&str, usize)] = &[
        (busted::FORMAT.name, 1),
        (clojure_test::FORMAT.name, 2),
        (eslint::FORMAT.name, 1),
        (hspec::FORMAT.name, 1),
        (ruff::FORMAT.name, 1),
        (shellcheck::FORMAT.name, 2),
        (shunit2::FORMAT.name, 2),
    ];
    BEFORE.iter().find(|(name, _)| *name == format.name).map_or(0, |(_, lines)| *lines)
}

/// The format of this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
