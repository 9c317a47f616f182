//! Which recorded runs are of one project, how their ids are brought to one spelling, and what each reporter
//! leaves out or says otherwise, with the reason.

use super::spelling::{as_it_is, own_name, testdox, without_chevrons, without_file, without_hashes};
use super::{Group, differs, lacks, plain};
use bv_tests::agree::{Because, Reporter};

/// Runs of one project, told by several reporters.
pub const GROUPS: &[Group] = &[
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("pytest/deep_exception"),
            plain("pytest/deep_py8"),
            plain("pytest/deep_rA_py7"),
            plain("pytest/deep_showlocals"),
            plain("pytest/deep_tb_native"),
            plain("pytest/deep_tb_short"),
            lacks(
                "pytest/deep_tb_line",
                &[
                    ("test.line", "one line alone, the innermost"),
                    ("fault.function", "one line alone, the innermost"),
                ],
            ),
            lacks(
                "pytest/deep_tb_no",
                &[
                    ("test.line", "nothing but the summary"),
                    ("exception_type", "as the first"),
                    ("expected", "as the first"),
                    ("observed", "as the first"),
                    ("fault.file", "as the first"),
                    ("fault.line", "as the first"),
                    ("fault.function", "as the first"),
                ],
            ),
            plain("pytest/plugin_sugar"),
            plain("pytest/ctrf"),
            plain("pytest/json_report"),
            plain("pytest/junit_xml"),
        ],
    },
    Group {
        spelling: as_it_is,
        reporters: &[plain("pytest/fixture_errors"), plain("pytest/junit_xml_errors")],
    },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("pytest/simple_assert"),
            plain("pytest/simple_assert_py7"),
            plain("pytest/simple_assert_q"),
        ],
    },
    Group {
        spelling: as_it_is,
        reporters: &[plain("pytest/all_pass_quiet"), plain("pytest/all_pass_verbose")],
    },
    Group { spelling: as_it_is, reporters: &[plain("pytest/crash_segfault"), plain("pytest/crash_xdist")] },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("pytest/big_diff_vv"),
            differs(
                "pytest/big_diff",
                &[("expected", "long values are cut without -vv"), ("observed", "as `expected`")],
            ),
        ],
    },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("hypothesis/exception_and_explicit_example"),
            plain("hypothesis/old_falsifying_example"),
        ],
    },
    Group { spelling: as_it_is, reporters: &[plain("pytest/noisy_captured"), plain("pytest/noisy_s")] },
    Group {
        spelling: as_it_is,
        reporters: &[plain("pytest/many_failures_2000"), plain("pytest/many_failures_xdist")],
    },
    Group {
        spelling: as_it_is,
        reporters: &[plain("unittest/mixed"), plain("unittest/mixed_v"), plain("unittest/buffer_locals")],
    },
    Group {
        spelling: as_it_is,
        reporters: &[plain("cargo-test/panic-backtrace"), lacks("cargo-test/panic-deep", NO_BACKTRACE)],
    },
    Group {
        spelling: as_it_is,
        reporters: &[
            lacks("rspec/mixed", EXPECTATION_UNNAMED),
            lacks("rspec/documentation", EXPECTATION_UNNAMED),
            plain("rspec/json_mixed"),
            plain("rspec/junit_mixed"),
        ],
    },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("rspec/pass_progress"),
            plain("rspec/json_pass_json"),
            plain("rspec/junit_pass_junit"),
        ],
    },
    Group {
        spelling: as_it_is,
        reporters: &[plain("tap/cli_base"), plain("tap/cli_tap"), plain("tap/plain_node")],
    },
    Group {
        spelling: testdox,
        reporters: &[
            lacks("phpunit/mixed", &[EXPECTATION, RISKY]),
            lacks("phpunit/testdox", &[EXPECTATION, RISKY, ("test.function", "names tests in words alone")]),
            Reporter {
                name: "phpunit/teamcity",
                lacks: &[EXPECTATION],
                differs: &[
                    ("expected", "hands over both texts whole, where the others print the lines that differ"),
                    ("observed", "as `expected`"),
                    ("kind", "a risky test is told as any failure, the JUnit file has its exception"),
                ],
            },
            differs("phpunit/junit_junit", &[("counts.errored", "a risky test is counted as an error")]),
        ],
    },
    Group {
        spelling: testdox,
        reporters: &[
            plain("phpunit/pass_testdox"),
            plain("phpunit/pass_teamcity"),
            plain("phpunit/junit_pass_junit"),
        ],
    },
    Group {
        spelling: testdox,
        reporters: &[
            plain("phpunit/assertions_and_printed_list"),
            lacks("phpunit/testdox_namespaced", &[("test.function", "names tests in words alone")]),
        ],
    },
    Group {
        spelling: without_chevrons,
        reporters: &[
            lacks("jest/mixed", ERROR_UNNAMED),
            lacks("jest/mixed_verbose", ERROR_UNNAMED),
            plain("jest/json"),
            lacks("jest/json_with_stderr", ERROR_UNNAMED),
            plain("jest/junit"),
        ],
    },
    Group {
        spelling: without_chevrons,
        reporters: &[lacks("jest/async_timeout_hooks", ERROR_UNNAMED), plain("jest/ctrf")],
    },
    Group {
        spelling: without_file,
        reporters: &[
            plain("vitest/mixed"),
            plain("vitest/mixed_verbose"),
            lacks("vitest/json", &[("expected", "leaves out the difference of two objects")]),
            differs(
                "vitest/junit",
                &[("counts.skipped", "a test that is still to be written is counted as skipped")],
            ),
            Reporter {
                name: "vitest/tap",
                lacks: &[
                    ("test.line", "one frame alone, the innermost"),
                    ("fault.function", "a frame is its file and line"),
                ],
                differs: &[
                    ("expected", "both objects whole, where the others print the lines that differ"),
                    ("observed", "as `expected`"),
                ],
            },
        ],
    },
    Group {
        spelling: without_hashes,
        reporters: &[
            lacks("mocha/mixed_spec", SIDES_UNNAMED),
            lacks("mocha/mixed_dot", SIDES_UNNAMED),
            plain("mocha/json"),
            differs(
                "mocha/xunit",
                &[
                    ("counts.failed", "writes every failure into `errors`"),
                    ("counts.errored", "as `counts.failed`"),
                ],
            ),
            plain("mocha/mixed_tap"),
        ],
    },
    Group {
        spelling: own_name,
        reporters: &[
            Reporter {
                name: "node-test/many_failures_2000",
                lacks: &[("exception_type", "the name `Error` is not printed")],
                differs: &[
                    ("expected", "YAML takes the quotes of a string, that its text has"),
                    ("observed", "as `expected`"),
                ],
            },
            plain("node-test/many_failures_spec"),
        ],
    },
    Group { spelling: without_hashes, reporters: &[plain("mocha/hooks_timeout"), plain("mocha/json_hooks")] },
    Group {
        spelling: own_name,
        reporters: &[
            plain("node-test/mixed_tap"),
            plain("node-test/mixed_spec"),
            plain("node-test/mixed_dot"),
        ],
    },
    Group {
        spelling: own_name,
        reporters: &[
            Reporter {
                name: "node-test/cancelled_and_todo_tap",
                lacks: &[("exception_type", "the name `Error` is not printed")],
                differs: &[
                    ("expected", "YAML takes the quotes of a string, that its text has"),
                    ("observed", "as `expected`"),
                    ("kind", "says that it was a hook, which the text does not"),
                ],
            },
            plain("node-test/cancelled_and_todo_spec"),
            Reporter {
                name: "node-test/cancelled_and_todo_junit",
                lacks: &[
                    ("test.file", "a test that was cancelled has no place"),
                    ("test.line", "as `test.file`"),
                    ("failure mill", "suites are no tests"),
                ],
                differs: &[
                    ("failure grinds", "names the tests that a hook kept from running, the others the suite"),
                    ("failure sieves", "as `failure grinds`"),
                ],
            },
        ],
    },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("ctest/output-on-failure"),
            differs(
                "junit/ctest_junit",
                &[
                    ("kind", "says that a test failed, never why"),
                    ("failure sim.missing", "a test without its program is written as skipped"),
                    ("counts.failed", "as `failure sim.missing`"),
                    ("counts.skipped", "as `failure sim.missing`"),
                ],
            ),
        ],
    },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("go-test/pass_packages"),
            plain("go-test/json_pass"),
            plain("gotestsum/pass_testname"),
        ],
    },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("gcc/errors"),
            lacks("gcc/json_errors", &[("fault.function", "names no function")]),
        ],
    },
    Group {
        spelling: as_it_is,
        reporters: &[plain("eslint/stylish"), plain("eslint/json"), plain("sarif/eslint")],
    },
    Group {
        spelling: as_it_is,
        reporters: &[plain("ruff/full"), plain("ruff/concise"), plain("sarif/ruff")],
    },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("ruff/grouped"),
            plain("ruff/github"),
            differs("ruff/json", &[("fault.file", "was recorded in another folder")]),
        ],
    },
    Group { spelling: as_it_is, reporters: &[plain("mypy/pretty"), plain("mypy/json")] },
    Group { spelling: as_it_is, reporters: &[plain("tsc/errors"), plain("tsc/errors_pretty")] },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("rustc/cargo_check"),
            plain("rustc/cargo_check_json"),
            lacks(
                "rustc/cargo_check_short",
                &[("expected", "one line a diagnostic"), ("observed", "as `expected`")],
            ),
            plain("rustc/named_build"),
        ],
    },
    Group { spelling: as_it_is, reporters: &[plain("ant/brief_report"), plain("ant/plain_report")] },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("automake/every_outcome"),
            differs("automake/verbose_log", &[("kind", OTHERWISE)]),
        ],
    },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("bats/assert_library"),
            plain("bats/pretty_assert_library"),
            plain("bats/tap13_timed"),
        ],
    },
    Group { spelling: as_it_is, reporters: &[plain("bats/decoy"), plain("bats/pretty_decoy")] },
    Group {
        spelling: as_it_is,
        reporters: &[plain("bats/pretty"), plain("bats/pretty_behind_compose_names"), plain("bats/tap")],
    },
    Group { spelling: as_it_is, reporters: &[plain("bats/pretty_syntax_error"), plain("bats/syntax_error")] },
    Group { spelling: as_it_is, reporters: &[plain("bats/pretty_timeout"), plain("bats/timeout")] },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("behave/hooks_and_words"),
            differs("behave/plain", &[("fault.file", OTHERWISE), ("fault.line", OTHERWISE)]),
            Reporter {
                name: "behave/progress3",
                lacks: &[("exception_type", UNSAID)],
                differs: &[("fault.file", OTHERWISE), ("fault.line", OTHERWISE)],
            },
        ],
    },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("bun/junit"),
            Reporter {
                name: "bun/mixed",
                lacks: &[("exception_type", UNSAID)],
                differs: &[("counts.skipped", OTHERWISE)],
            },
        ],
    },
    Group {
        spelling: as_it_is,
        reporters: &[plain("deno/dot"), differs("deno/errors_steps_and_uncaught", &[("kind", OTHERWISE)])],
    },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("dotnet-test/indented_first_line_behind_a_clock"),
            plain("dotnet-test/vstest_normal"),
            plain("dotnet-test/vstest_red"),
        ],
    },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("dotnet-test/terminal_logger"),
            plain("dotnet-test/testing_platform"),
            plain("dotnet-test/trx"),
        ],
    },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("gradle/full_form"),
            Reporter {
                name: "gradle/short_form",
                lacks: &[
                    ("test.function", UNSAID),
                    ("fault.function", UNSAID),
                    ("expected", UNSAID),
                    ("observed", UNSAID),
                ],
                differs: &[("fault.file", OTHERWISE), ("fault.line", OTHERWISE)],
            },
        ],
    },
    Group { spelling: as_it_is, reporters: &[plain("gtest/mixed"), plain("gtest/no_times")] },
    Group {
        spelling: as_it_is,
        reporters: &[plain("mozlog/pass_prints_a_failure"), plain("mozlog/pass_raw")],
    },
    Group { spelling: as_it_is, reporters: &[plain("mozlog/raw"), plain("mozlog/tbpl")] },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("multi/azure_stderr"),
            plain("multi/buildkite_stamps"),
            plain("multi/teamcity_step"),
        ],
    },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("multi/concurrently_names"),
            plain("multi/journal_two_units"),
            plain("multi/npm_run_all_labels"),
            plain("multi/parallel_tag"),
        ],
    },
    Group { spelling: as_it_is, reporters: &[plain("nose2/buffered_v"), plain("nose2/layers")] },
    Group { spelling: as_it_is, reporters: &[plain("playwright/api_line"), plain("playwright/api_list")] },
    Group { spelling: as_it_is, reporters: &[plain("pyright/json"), plain("pyright/syntax_and_strict")] },
    Group {
        spelling: as_it_is,
        reporters: &[plain("robotframework/dotted"), plain("robotframework/xunit_words")],
    },
    Group { spelling: as_it_is, reporters: &[plain("robotframework/mixed"), plain("robotframework/xunit")] },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("shellcheck/checkstyle"),
            plain("shellcheck/gcc"),
            plain("shellcheck/json"),
            plain("shellcheck/json1"),
        ],
    },
    Group { spelling: as_it_is, reporters: &[plain("testthat/check"), plain("testthat/progress")] },
    Group { spelling: as_it_is, reporters: &[plain("testthat/stop"), plain("testthat/summary")] },
    Group {
        spelling: as_it_is,
        reporters: &[plain("testthat/decoy_check"), plain("testthat/decoy_progress")],
    },
    Group { spelling: as_it_is, reporters: &[plain("xunit/console_red"), plain("xunit/xml_v2")] },
];

const NO_BACKTRACE: &[Because] =
    &[("test.line", "a panic's own line alone"), ("fault.function", "a panic's own line alone")];
const EXPECTATION_UNNAMED: &[Because] =
    &[("exception_type", "RSpec's own exception is not printed, an expectation's words are")];
const EXPECTATION: Because = ("exception_type", "PHPUnit's own exceptions are not printed");
const RISKY: Because = ("failure Invoice > Nothing", "risky tests have a list of their own, and fail no run");
const ERROR_UNNAMED: &[Because] = &[("exception_type", "the name `Error` is not printed")];
const SIDES_UNNAMED: &[Because] =
    &[("exception_type", "an assertion with two sides is printed without its exception")];
const UNSAID: &str = "this reporter does not print it";
const OTHERWISE: &str = "this reporter prints it otherwise, or of another frame";
