//! Runs of a project that several runs were recorded of, which are no witnesses of each other.

/// Runs of a project that the table has, or of one that nobody else told of in full: what was asked of the
/// runner is not the same.
pub const OTHER_RUNS: &[(&str, &str)] = &[
    ("alcotest/compact", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    (
        "alcotest/show_errors",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "ant/prints_failures_and_passes",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    ("ant/summary_alone", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("automake/green", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("ava/green_run_after_a_red_one", "a second run follows"),
    ("ava/mixed", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("ava/mixed_tap", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("bats/junit", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("behave/junit", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("busted/tap", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("busted/verbose", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("cargo-nextest/failure-output-final-fail-fast", "three tests, and no second try"),
    ("cargo-nextest/list-fails", "a binary that cannot list its tests"),
    ("cargo-nextest/retries-and-every-status", "all tests, with second tries"),
    ("cargo-nextest/setup-script-fails", "a script before the tests that fails"),
    ("ctest/gtest_inside", "one program of its own"),
    ("ctest/verbose", "one program of its own"),
    (
        "cucumber/javascript",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "cucumber/javascript_pretty_retry",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "cucumber/no_scenarios",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "cucumber/pass_prints_a_red_run",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "cucumber/ruby_pretty",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "cucumber/ruby_progress",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "dart-test/expanded_red",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    ("dart-test/json_red", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    (
        "deno/green_run_after_a_module_not_found",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    ("deno/junit", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    (
        "deno/module_not_found",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    ("deno/tap", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    (
        "deno/type_errors_before_the_tests",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    ("doctest/module_v", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("doctest/plain", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("eslint/no_such_file", "is asked for a file that is not there"),
    ("eslint/pass_warnings", "warnings fail nothing"),
    ("eslint/too_many_warnings", "warnings fail the run"),
    (
        "eunit/missing-include",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    ("eunit/mixed", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("gcc/gold_no_debug", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("gcc/mold_duplicate", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("gotestsum/pass_rerun_flaky", "runs again what failed, and it passes"),
    ("gotestsum/rerun_standard_verbose", "runs again what failed"),
    (
        "gradle/filter_matches_nothing",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    ("gradle/info_events", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("gradle/quiet", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("gradle/up_to_date", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("gtest/assert_aborts", "a program that aborts"),
    ("gtest/brief", "a program of its own"),
    ("gtest/gmock_death_typed_hooks", "a program of its own"),
    (
        "jest/agent_quiet_green",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "jest/agent_quiet_red",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    ("jest/mixed_bail_in_band", "stops at the first file that fails"),
    ("junit5/flat", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    (
        "junit5/no_such_class",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "junit5/prints_failures_and_passes",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    ("junit5/tree", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("junit5/verbose", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("maven-surefire/compile_error", "two modules alone, and one of them did not compile then"),
    ("maven-surefire/no_matching_test", "selects a test that is not there"),
    ("maven-surefire/quiet", "one module"),
    ("maven-surefire/reactor_junit5", "all modules"),
    ("mocha/no_tests", "a project without tests, not only Mocha's"),
    (
        "multi/azure_fails_after_green_tests",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "multi/circleci_fails_after_green_tests",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "multi/compose_exit_after_green_tests",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "multi/compose_green_database_killed",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    ("node-test/no_tests", "a project without tests, not only Node's"),
    ("nunit/console_2", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("nunit/xml_2", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("playwright/json", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("playwright/junit", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    (
        "playwright/projects_retries_and_hooks",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "playwright/web_server_did_not_start",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "playwright/web_server_fails_after_a_green_run",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    ("prove/dies_exits_and_todo_passes", "all scripts"),
    ("pytest/deep_x_stop", "stops at the first failure"),
    ("pytest/file_not_found", "is asked for a file that is not there"),
    ("pytest/plugin_rerunfailures", "fails more often"),
    ("pytest/usage_error", "is asked with a wrong option"),
    (
        "robotframework/dotted_exit_on_failure",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "robotframework/no_tests_of_tag",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "robotframework/pass_prints_a_red_run",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "robotframework/suites_fixtures_words",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    ("ruff/fixed_and_remaining", "mends what it can before it tells"),
    (
        "sbt/prints_failures_and_passes",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "sbt/scalatest_under_sbt",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "shunit2/cut_below_a_printed_ok",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "shunit2/lines_and_usage",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "swift-test/build_error",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    ("swift-test/crash", "asks the runner for other tests, or its reporter names or counts them otherwise"),
    ("tap/perl_dies", "one script"),
    ("tap/perl_test_more", "one script"),
    (
        "testng/class_not_found",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "testng/hooks_timeouts_and_forged_results",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "testng/prints_failures_and_passes",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "testng/results_file",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    ("tsc/silent_pass", "a check"),
    ("tsc/version_is_no_check", "no check"),
    ("unittest/mixed_main_failfast", "stops at the first failure"),
    (
        "vitest/agent_minimal_green",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
    (
        "vitest/agent_minimal_red",
        "asks the runner for other tests, or its reporter names or counts them otherwise",
    ),
];
