//! The runners that `make live` knows, each with the commands of its reporters.

use super::install::Install;
use super::{Live, check};
use crate::witnesses::spelling::{
    as_it_is, own_name, testdox, with_dot, without_chevrons, without_file, without_hashes,
};
use crate::witnesses::{differs, lacks, plain};
use bv_tests::agree::Reporter;

#[test]
#[ignore = "runs real runners; make live"]
fn pytest() {
    check(&Live {
        case: "pytest/deep_exception",
        tools: &["pytest"],
        install: Install::Pytest,
        spelling: as_it_is,
        modes: &[
            (plain("pytest"), ""),
            (plain("pytest -q"), ""),
            (plain("pytest -v --tb=short"), ""),
            (plain("pytest -rA --tb=native"), ""),
            (plain("pytest --junitxml=r.xml >/dev/null 2>&1; rc=$?; cat r.xml; exit $rc"), ""),
            (
                plain(
                    "pytest --json-report --json-report-file=r.json >/dev/null 2>&1; rc=$?; cat r.json; exit $rc",
                ),
                "pytest --version -p pytest_jsonreport.plugin",
            ),
            (
                plain("pytest --ctrf r.json >/dev/null 2>&1; rc=$?; cat r.json; exit $rc"),
                "pytest --help | grep -q -e --ctrf",
            ),
        ],
    });
}

#[test]
#[ignore = "runs real runners; make live"]
fn unittest() {
    check(&Live {
        case: "unittest/mixed",
        tools: &["python3"],
        install: Install::Nothing,
        spelling: as_it_is,
        modes: &[
            (plain("python3 -m unittest"), ""),
            (plain("python3 -m unittest -v"), ""),
            (plain("python3 -m unittest -b --locals"), ""),
        ],
    });
}

#[test]
#[ignore = "runs real runners; make live"]
fn cargo_test() {
    const NO_BACKTRACE: &[(&str, &str)] =
        &[("test.line", "a panic's own line alone"), ("fault.function", "a panic's own line alone")];
    const QUIET: &[(&str, &str)] =
        &[NO_BACKTRACE[0], NO_BACKTRACE[1], ("test.file", "does not say which binary runs")];
    check(&Live {
        case: "cargo-test/panic-deep",
        tools: &["cargo"],
        install: Install::Nothing,
        spelling: as_it_is,
        modes: &[
            (plain("RUST_BACKTRACE=1 cargo test --offline --test panics"), OWN_WORKSPACE),
            (lacks("cargo test --offline --test panics", NO_BACKTRACE), OWN_WORKSPACE),
            (lacks("cargo test --offline --test panics --quiet", QUIET), OWN_WORKSPACE),
        ],
    });
}

/// Below `target` it would count as a member of this very workspace that forgot to say so.
const OWN_WORKSPACE: &str = "echo '[workspace]' >>Cargo.toml";

#[test]
#[ignore = "runs real runners; make live"]
fn cargo_nextest() {
    const JUNIT: &str = "cargo nextest run --offline --no-fail-fast --profile ci >/dev/null 2>&1; rc=$?; \
        cat target/nextest/ci/junit.xml; exit $rc";
    check(&Live {
        case: "junit/cargo-nextest_junit",
        tools: &["cargo", "cargo-nextest"],
        install: Install::Nothing,
        spelling: with_dot,
        modes: &[
            (plain("cargo nextest run --offline --no-fail-fast"), OWN_WORKSPACE),
            (plain("cargo nextest run --offline --no-fail-fast --no-capture"), OWN_WORKSPACE),
            (plain(JUNIT), OWN_WORKSPACE),
        ],
    });
}

#[test]
#[ignore = "runs real runners; make live"]
fn ctest() {
    check(&Live {
        case: "ctest/output-on-failure",
        tools: &["cmake", "ctest"],
        install: Install::Nothing,
        spelling: as_it_is,
        modes: &[
            (plain("ctest --test-dir build --output-on-failure"), BUILD_CTEST),
            (plain("ctest --test-dir build --verbose"), BUILD_CTEST),
        ],
    });
    // In the file a test without its program is skipped, which the text counts as failed.
    check(&Live {
        case: "junit/ctest_junit",
        tools: &["cmake", "ctest"],
        install: Install::Nothing,
        spelling: as_it_is,
        modes: &[(
            plain(
                "ctest --test-dir build --output-junit r.xml >/dev/null 2>&1; rc=$?; cat build/r.xml; exit $rc",
            ),
            BUILD_CTEST,
        )],
    });
}

const BUILD_CTEST: &str = "cmake -S . -B build && cmake --build build";

#[test]
#[ignore = "runs real runners; make live"]
fn node_test() {
    check(&Live {
        case: "node-test/mixed_tap",
        tools: &["node"],
        install: Install::Nothing,
        spelling: own_name,
        modes: &[
            (plain("node --test --test-reporter=tap"), ""),
            (plain("node --test --test-reporter=spec"), ""),
            (plain("node --test --test-reporter=dot"), ""),
            (plain("node --test --test-reporter=junit"), "node --test --test-reporter=junit /dev/null"),
        ],
    });
}

#[test]
#[ignore = "runs real runners; make live"]
fn prove() {
    check(&Live {
        case: "prove/verbose",
        tools: &["prove"],
        install: Install::Nothing,
        spelling: as_it_is,
        modes: &[(plain("prove -l t"), ""), (plain("prove -lv t"), "")],
    });
}

#[test]
#[ignore = "runs real runners; make live"]
fn jest() {
    const ERROR_UNNAMED: &[(&str, &str)] = &[("exception_type", "the name `Error` is not printed")];
    check(&Live {
        case: "jest/mixed",
        tools: &["jest"],
        install: Install::Npm,
        spelling: without_chevrons,
        modes: &[
            (lacks("jest", ERROR_UNNAMED), ""),
            (lacks("jest --verbose", ERROR_UNNAMED), ""),
            (plain("jest --json --outputFile=r.json >/dev/null 2>&1; rc=$?; cat r.json; exit $rc"), ""),
            (plain("jest --reporters=jest-junit >/dev/null 2>&1; rc=$?; cat junit.xml; exit $rc"), ""),
            (
                plain(
                    "jest --reporters=jest-ctrf-json-reporter >/dev/null 2>&1; rc=$?; cat ctrf/ctrf-report.json; exit $rc",
                ),
                "",
            ),
        ],
    });
}

#[test]
#[ignore = "runs real runners; make live"]
fn vitest() {
    check(&Live {
        case: "vitest/mixed",
        tools: &["vitest"],
        install: Install::Npm,
        spelling: without_file,
        modes: &[
            (plain("vitest run --reporter=default"), ""),
            (plain("vitest run --reporter=verbose"), ""),
            (
                lacks(
                    "vitest run --reporter=json",
                    &[("expected", "leaves out the difference of two objects")],
                ),
                "",
            ),
            (
                differs(
                    "vitest run --reporter=junit",
                    &[("counts.skipped", "a test that is still to be written is counted as skipped")],
                ),
                "",
            ),
            (
                Reporter {
                    name: "vitest run --reporter=tap",
                    lacks: &[
                        ("test.line", "one frame alone, the innermost"),
                        ("fault.function", "a frame is its file and line"),
                    ],
                    differs: &[
                        ("expected", "both objects whole, where the others print the lines that differ"),
                        ("observed", "as `expected`"),
                    ],
                },
                "",
            ),
        ],
    });
}

#[test]
#[ignore = "runs real runners; make live"]
fn mocha() {
    const SIDES_UNNAMED: &[(&str, &str)] =
        &[("exception_type", "an assertion with two sides is printed without its exception")];
    check(&Live {
        case: "mocha/mixed_spec",
        tools: &["mocha"],
        install: Install::Npm,
        spelling: without_hashes,
        modes: &[
            (lacks("mocha", SIDES_UNNAMED), ""),
            (lacks("mocha --reporter dot", SIDES_UNNAMED), ""),
            (plain("mocha --reporter json"), ""),
            (
                differs(
                    "mocha --reporter xunit",
                    &[
                        ("counts.failed", "writes every failure into `errors`"),
                        ("counts.errored", "as `counts.failed`"),
                    ],
                ),
                "",
            ),
            (plain("mocha --reporter tap"), ""),
        ],
    });
}

#[test]
#[ignore = "runs real runners; make live"]
fn go_test() {
    const UNCOUNTED: &[(&str, &str)] =
        &[("counts.failed", "go test counts nothing; gotestsum counts a parent beside its failed subtest")];
    check(&Live {
        case: "go-test/errors-simple",
        tools: &["go"],
        install: Install::Nothing,
        spelling: as_it_is,
        modes: &[
            (plain("go test ./..."), ""),
            (differs("go test -v ./...", UNCOUNTED), ""),
            (plain("go test -json ./..."), ""),
            (plain("gotestsum --format testname -- ./..."), "gotestsum --version"),
            (plain("gotestsum --format standard-verbose -- ./..."), "gotestsum --version"),
        ],
    });
}

#[test]
#[ignore = "runs real runners; make live"]
fn rspec() {
    const EXPECTATION_UNNAMED: &[(&str, &str)] =
        &[("exception_type", "RSpec's own exception is not printed, an expectation's words are")];
    check(&Live {
        case: "rspec/mixed",
        tools: &["rspec"],
        install: Install::Nothing,
        spelling: as_it_is,
        modes: &[
            (lacks("rspec --no-color", EXPECTATION_UNNAMED), ""),
            (lacks("rspec --no-color --format documentation --backtrace", EXPECTATION_UNNAMED), ""),
            (plain("rspec --format json"), ""),
            (
                plain("rspec --require rspec_junit_formatter --format RspecJunitFormatter"),
                "ruby -e 'require %q(rspec_junit_formatter)'",
            ),
        ],
    });
}

#[test]
#[ignore = "runs real runners; make live"]
fn phpunit() {
    const EXPECTATION: (&str, &str) = ("exception_type", "PHPUnit's own exceptions are not printed");
    check(&Live {
        case: "phpunit/mixed",
        tools: &["phpunit"],
        install: Install::Nothing,
        spelling: testdox,
        modes: &[
            (plain("phpunit --colors=never tests"), ""),
            (
                lacks(
                    "phpunit --colors=never --testdox tests",
                    &[("test.function", "names tests in words alone")],
                ),
                "",
            ),
        ],
    });
    // The files have the risky test as one that failed, which the text does not count.
    check(&Live {
        case: "phpunit/junit_junit",
        tools: &["phpunit"],
        install: Install::Nothing,
        spelling: testdox,
        modes: &[
            (
                Reporter {
                    name: "phpunit --teamcity tests",
                    lacks: &[EXPECTATION],
                    differs: &[
                        ("expected", "hands over both texts whole, where the file has the lines that differ"),
                        ("observed", "as `expected`"),
                        ("kind", "a risky test is told as any failure, the file has its exception"),
                        ("counts.errored", "a risky test is no error, but in the file"),
                    ],
                },
                "",
            ),
            (plain("phpunit --log-junit r.xml tests >/dev/null 2>&1; rc=$?; cat r.xml; exit $rc"), ""),
        ],
    });
}

#[test]
#[ignore = "runs real runners; make live"]
fn gtest() {
    check(&Live {
        case: "gtest/mixed",
        tools: &["g++"],
        install: Install::Nothing,
        spelling: as_it_is,
        modes: &[
            (plain("./t"), BUILD_GTEST),
            (plain("./t --gtest_brief=1"), BUILD_GTEST),
            (
                plain("./t --gtest_output=json:r.json >/dev/null 2>&1; rc=$?; cat r.json; exit $rc"),
                BUILD_GTEST,
            ),
            (
                differs(
                    "./t --gtest_output=xml:r.xml >/dev/null 2>&1; rc=$?; cat r.xml; exit $rc",
                    &[("counts.skipped", "disabled tests are counted too")],
                ),
                BUILD_GTEST,
            ),
        ],
    });
}

/// Compiled once for these sources, then copied.
const BUILD_GTEST: &str = "built=../gtest-$(cat *.cpp *.h | cksum | tr ' ' -)
    [ -x $built ] || g++ -std=c++17 -o $built *.cpp -lgtest -lgtest_main -lpthread && cp $built t";
