//! Lists: the smallest part that still fails together.

use super::Bench;

/// A runner of tests: `victim` fails after `yen` and `round` have run, in this order.
const RUNNER: &str = "
[ $# -gt 0 ] || { echo all >>ran; exit 1; }
yen= round=
for test; do
    case $test in
    'a::yen') yen=1 ;;
    'b::round[1 2]') [ -z \"$yen\" ] || round=1 ;;
    'c::victim') [ -z \"$round\" ] || exit 1 ;;
    esac
done";

const TESTS: &str = "a::one\na::yen\na::two\nb::round[1 2]\nb::three\nc::four\nc::victim\nc::five\n";

#[test]
fn the_tests_that_fail_together_are_found() {
    let bench = Bench::new(RUNNER, "ids", TESTS);
    let expected = "a::yen\nb::round[1 2]\nc::victim\n";
    let said = bench.run(&["--list", "ids", "--", "./oracle", "{}"], "");
    assert_eq!(said, (expected.into(), String::new(), Some(0)));
    assert_eq!(bench.text("ran"), "", "no tests at all would mean all of them");
    let said = bench.run(&["--list", "-", "-o", "out", "--", "./oracle", "{}"], TESTS);
    assert_eq!(
        (said, bench.text("out").trim_end()),
        ((String::new(), String::new(), Some(0)), expected.trim_end())
    );
}

#[test]
fn a_list_can_come_as_a_file_or_on_stdin() {
    let oracle = "grep -qx b \"${1:-/dev/stdin}\" && exit 1; exit 0";
    let bench = Bench::new(oracle, "ids", "a\nb\nbb\nc\n");
    for word in [&["@@"][..], &[]] {
        let args = [&["--list", "ids", "--", "./oracle"], word].concat();
        assert_eq!(bench.run(&args, ""), ("b\n".into(), String::new(), Some(0)), "{args:?}");
    }
}
