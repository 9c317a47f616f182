//! `py-polluter`, with a stand-in for pytest that keeps to what the script asks of the real one. `make live` runs
//! it with that.

use super::runners::Stage;
use super::script;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Collects eight tests; the victim fails after `test_yen`, another always does.
const PYTEST: &str = r#"#!/bin/sh
tests='t/a.py::test_one t/a.py::test_yen t/a.py::test_two t/b.py::test_red t/b.py::test_x[1-2] t/c.py::test_victim t/c.py::test_late'
case " $* " in *' --collect-only '*) printf '%s\n' $tests '' '7 tests collected in 0.01s'; exit ;; esac
yen= failed= passed=0
for test; do
    case $test in
    *::test_yen) yen=1 passed=$((passed + 1)) ;;
    *::test_red) failed="$failed $test" ;;
    *::test_victim) if [ -n "$yen" ]; then failed="$failed $test"; else passed=$((passed + 1)); fi ;;
    *::*) passed=$((passed + 1)) ;;
    esac
done
if [ -z "$failed" ]; then echo "$passed passed in 0.01s"; exit; fi
echo '=========================== short test summary info ============================'
for test in $failed; do echo "FAILED $test - assert 1 == 2"; done
set -- $failed
if [ $passed -gt 0 ]; then echo "$# failed, $passed passed in 0.01s"; else echo "$# failed in 0.01s"; fi
exit 1
"#;

fn check(test: &str, expected: (&str, &str, i32)) {
    let stage = Stage::new();
    stage.file("bin/pytest", PYTEST);
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(stage.path().join("bin/pytest"), executable).expect("it was just written");
    let output = stage.command(script("py-polluter")).arg(test).output().expect("sh is there");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // The list's own name is random.
    let stderr = stderr.split(": /").next().unwrap_or_default();
    assert_eq!(
        (&*stdout, stderr, output.status.code()),
        (expected.0, expected.1, Some(expected.2)),
        "{test}"
    );
}

#[test]
fn the_test_that_spoils_another_is_named() {
    check("t/c.py::test_victim", ("t/a.py::test_yen\n", "", 0));
    check("t/c.py::test_late", ("", "bv-minimize: the input does not fail", 1));
    let alone = "py-polluter: t/b.py::test_red fails alone, or is not there: no other test is to blame\n";
    check("t/b.py::test_red", ("", alone, 1));
    check("t/a.py::test_one", ("", "py-polluter: no test is collected before t/a.py::test_one\n", 1));
}
