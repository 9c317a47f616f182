//! Which recorded runs are of one project, how their ids are brought to one spelling, and what each reporter
//! leaves out or says otherwise, with the reason.

use super::{Group, differs, lacks, plain};

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
        reporters: &[plain("cargo-test/panic-backtrace"), plain("cargo-test/panic-deep")],
    },
    Group {
        spelling: as_it_is,
        reporters: &[
            plain("rspec/mixed"),
            plain("rspec/documentation"),
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
        spelling: testdox,
        reporters: &[
            plain("phpunit/mixed"),
            plain("phpunit/testdox"),
            plain("phpunit/teamcity"),
            plain("phpunit/junit_junit"),
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
        spelling: without_chevrons,
        reporters: &[
            plain("jest/mixed"),
            plain("jest/mixed_verbose"),
            plain("jest/json"),
            plain("jest/json_with_stderr"),
            plain("jest/junit"),
        ],
    },
    Group { spelling: without_chevrons, reporters: &[plain("jest/async_timeout_hooks"), plain("jest/ctrf")] },
    Group {
        spelling: without_file,
        reporters: &[
            plain("vitest/mixed"),
            plain("vitest/mixed_verbose"),
            plain("vitest/json"),
            plain("vitest/junit"),
            plain("vitest/tap"),
        ],
    },
    Group {
        spelling: without_hashes,
        reporters: &[
            plain("mocha/mixed_spec"),
            plain("mocha/mixed_dot"),
            plain("mocha/json"),
            plain("mocha/xunit"),
            plain("mocha/mixed_tap"),
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
];

/// Runs of a project that the table has, or of one that nobody else told of in full: what was asked of the
/// runner is not the same.
pub const OTHER_RUNS: &[(&str, &str)] = &[("pytest/deep_x_stop", "stops at the first failure")];

fn as_it_is(id: &str) -> String {
    id.to_owned()
}

/// Jest's result files join with blanks what its text joins with chevrons.
fn without_chevrons(id: &str) -> String {
    id.replace(" › ", " ")
}

/// Vitest's JSON leaves out the file, and joins with blanks.
fn without_file(id: &str) -> String {
    id.split_once(".test.js > ").map_or(id, |(_, name)| name).replace(" > ", " ")
}

/// Mocha's TAP takes `#` out of titles, where it would begin a directive.
fn without_hashes(id: &str) -> String {
    id.replace('#', "")
}

/// Node's text names the test alone, its TAP the suites around it.
fn own_name(id: &str) -> String {
    id.rsplit(" > ").next().unwrap_or(id).to_owned()
}

/// `InvoiceTest::testAverageOfNothing` as PHPUnit's testdox has it: `Invoice > Average of nothing`
/// (`PHPUnit\Util\TestDox\NamePrettifier`).
fn testdox(id: &str) -> String {
    let Some((class, method)) =
        id.split_once("::").or_else(|| id.split_once(".test").map(|(c, _)| (c, &id[c.len() + 1..])))
    else {
        return id.to_owned();
    };
    let (name, data) = method.split_at(method.find(" with data set").unwrap_or(method.len()));
    let mut words = String::new();
    for letter in name.trim_start_matches("test").chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
            words.extend(letter.to_lowercase());
        } else {
            words.push(letter);
        }
    }
    format!("{} > {words}{data}", class.trim_end_matches("Test"))
}
