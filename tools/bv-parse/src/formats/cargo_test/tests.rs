//! What the machine of cargo test says of short texts, each a habit of libtest or cargo.

use super::*;
use crate::said;

/// What the machine says of these lines, one short text an event.
fn said(text: &str) -> Vec<String> {
    said::said(&FORMAT, text)
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(said(text), expected, "{text}");
}

const NONE: &str = "0 ignored; 0 measured; 0 filtered out; finished in 0.00s";

#[test]
fn a_section_closes_as_its_last_line_says() {
    let run = |head: &str, end: &str| format!("{head}\n\ntest result: {end}; {NONE}\n");
    check(
        &run("running 2 tests\ntest a ... ok\ntest b ... ignored", "ok. 2 passed; 0 failed"),
        &["open", "passed a", "skipped b", "green 2/0/0"],
    );
    check(&run("running 0 tests\n", "ok. 0 passed; 0 failed"), &["open", "notests 0/0/0"]);
    check(&run("running 2 tests\n..", "ok. 2 passed; 0 failed"), &["open", "green 2/0/0"]);
    check(&run("", "ok. 2 passed; 0 failed"), &["green 2/0/0"]);
    check(&run("", "FAILED. 2 passed; 3 failed"), &["unnamed 3", "red 2/3/0"]);
    check("running 2 tests\ntest a ... ok\n", &["open", "passed a"]);
    check("running 2 tests\ntest a ... FAILED\n", &["open", "assertion a: -"]);
    check("     Running tests/a.rs (t/a-1)\n", &["open"]);
    check("     Running tests/a.r", &["open"]);
    check("   Doc-tests a\n", &["open"]);
    check("2 tests, 0 benchmarks\n", &["notests -/-/-"]);
}

#[test]
fn names_come_from_the_recap() {
    let text = format!(
        "running 2 tests\nFF\nfailures:\n\n---- a stdout ----\nthread 'a' panicked at src/a.rs:1:2:\noh\n\n\nfailures:\n    a\n    b\n\ntest result: FAILED. 0 passed; 2 failed; {NONE}\n"
    );
    check(&text, &["open", "exception a: oh", "assertion b: -", "red 0/2/0"]);
}

#[test]
fn captured_text_is_not_the_runners_word() {
    let fake = format!(
        "test b ... ok\n\nfailures:\n    x\n\ntest result: ok. 2 passed; 0 failed; {NONE}\n---- x stdout ----\n"
    );
    let text = format!(
        "running 2 tests\ntest a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\n{fake}thread 'b' panicked at src/a.rs:1:2:\noh\n\n\nfailures:\n    b\n\ntest result: FAILED. 1 passed; 1 failed; {NONE}\n"
    );
    check(&text, &["open", "passed a", "exception b: oh", "red 1/1/0"]);
    // Green words over results that were seen to be red do not close.
    let text = format!(
        "running 2 tests\ntest a ... FAILED\ntest b ... ok\ntest result: ok. 2 passed; 0 failed; {NONE}\n"
    );
    check(&text, &["open", "passed b", "assertion a: -"]);
}

#[test]
fn torn_result_lines_are_put_together() {
    let text = format!(
        "running 3 tests\ntest a ... out\ntest ghost ... FAILED\nok\ntest b ... 3 sacksFAILED\ntest c ... c is\nnot ok\n\nfailures:\n\nfailures:\n    b\n\ntest result: FAILED. 2 passed; 1 failed; {NONE}\n"
    );
    check(&text, &["open", "passed a", "passed c", "assertion b: -", "red 2/1/0"]);
}

#[test]
fn a_binary_that_dies_ends_its_section() {
    let end = "error: test failed, to rerun pass `--test t`\n\nCaused by:\n  process didn't exit successfully: `/t/t-1`";
    let signal = format!("{end} (signal: 11, SIGSEGV: invalid memory reference)\n");
    let died = "signal: 11, SIGSEGV: invalid memory reference";
    check(
        &format!("running 2 tests\ntest a ... ok\ntest b ... {signal}"),
        &["open", "passed a", &format!("crash b: {died}"), "red -/-/-"],
    );
    check(
        &format!("running 2 tests\ntest a ... FAILED\n{signal}"),
        &["open", "assertion a: -", &format!("crash -: {died}"), "red -/-/-"],
    );
    check(
        &format!(
            "running 2 tests\n\nthread 'm::b' (3) has overflowed its stack\nfatal runtime error: stack overflow, aborting\n{signal}"
        ),
        &["open", "crash m::b: stack overflow, aborting", "red -/-/-"],
    );
    check(
        &format!("running 2 tests\n{end} (exit status: 3)\n"),
        &["open", "crash -: exit status: 3", "red -/-/-"],
    );
    // A binary that is no libtest's: its code is all there is.
    check(&format!("     Running tests/t.rs (t/t-1)\n{end} (exit status: 3)\n"), &["unnamed 1", "red -/-/-"]);
    check(
        "     Running tests/t.rs (t/t-1)\nerror: test failed, to rerun pass `--test t`\n",
        &["unnamed 1", "red -/-/-"],
    );
    check(
        "     Running tests/t.rs (t/t-1)\nerror: Unrecognized option: 'nope'\nerror: test failed, to rerun pass `--test t`\n",
        &["refused(notrunnable) -/-/-"],
    );
    check("error: 1 target failed:\n    `--test t`\n", &["unnamed 1", "red -/-/-"]);
}

#[test]
fn a_binary_that_leaves_silently_never_closes() {
    let next = format!(
        "     Running tests/b.rs (t/b-1)\n\nrunning 1 test\ntest b ... ok\n\ntest result: ok. 1 passed; 0 failed; {NONE}\n"
    );
    check(&format!("running 2 tests\ntest a ... ok\n{next}"), &["open", "passed a"]);
    let red = next
        .replace("... ok", "... FAILED")
        .replace("result: ok. 1 passed; 0", "result: FAILED. 0 passed; 1");
    check(&format!("running 2 tests\ntest a ... ok\n{red}"), &["open", "passed a", "assertion b: -"]);
}

#[test]
fn what_kept_tests_from_running_is_refused_with_cargos_words() {
    let error = "error[E0425]: no `x`\n --> src/a.rs:1:2\n  |\n\n";
    let lost = "error: could not compile `a` (lib) due to 1 previous error\n";
    let refused = ["compileerror -: no `x`", "refused(compileerror) -/-/-"];
    check(&format!("   Compiling a v0.1.0 (/a)\n{error}{lost}"), &refused);
    check(&format!("{error}{error}{lost}{lost}"), &refused);
    check(&format!("   Compiling a v0.1.0 (/a)\n{error}"), &refused);
    check(&error.repeat(2), &[]);
    check(&format!("    Checking a v0.1.0 (/a)\n{error}{lost}"), &[]);
    check(
        &format!(
            "   Compiling a v0.1.0 (/a)\n{error}{lost}error: command `/bin/cargo test --no-run --message-format json-render-diagnostics` exited with code 101\n"
        ),
        &[],
    );
    check(
        &format!(
            "   Compiling a v0.1.0 (/a)\nerror: linking with `cc` failed: exit status: 1\n  |\n  = note: x\n\n{lost}"
        ),
        &["compileerror -: linking with `cc` failed: exit status: 1", "refused(compileerror) -/-/-"],
    );
    check("error: no test target named `x` in default-run packages\n", &["refused(notrunnable) -/-/-"]);
    let lines = "error: failed to parse manifest at `/a/Cargo.toml`\n\nCaused by:\n  no targets\n";
    let mut machine = CargoTest::default();
    let mut out = Out::default();
    for text in lines.lines() {
        machine.line(&Line { text, span: [0, 1], overwritten: false }, &mut out);
    }
    machine.end(&mut out);
    let Some(Event::Close(closing)) = out.events.pop() else { panic!("a closing") };
    assert_eq!(closing.message.as_deref(), Some("failed to parse manifest at `/a/Cargo.toml`: no targets"));
}

#[test]
fn nextest_speaks_for_itself() {
    let text = "    Finished `test` profile [x] target(s) in 1s\n────\n Nextest run ID 1\nrunning 1 test\ntest a ... FAILED\n";
    check(text, &[]);
}

#[test]
fn a_log_without_its_head_is_read() {
    let text = format!(
        "left over\n---- a stdout ----\n\nthread 'a' panicked at tests/a.rs:1:2:\nassertion failed: x\n\n\nfailures:\n    a\n\ntest result: FAILED. 9 passed; 1 failed; {NONE}\n"
    );
    check(&text, &["open", "assertion a: assertion failed: x", "red 9/1/0"]);
    let text = format!("test a ... ok\n\ntest result: ok. 9 passed; 0 failed; {NONE}\n");
    check(&text, &["open", "passed a", "green 9/0/0"]);
}

#[test]
fn successes_may_print_anything() {
    let text = format!(
        "running 2 tests\ntest a ... ok\ntest b ... FAILED\n\nsuccesses:\n\n---- a stdout ----\nsuccesses:\n    q\n\nfailures:\n    q\n\ntest result: FAILED. 0 passed; 1 failed; {NONE}\n\n\nsuccesses:\n    a\n\nfailures:\n\n---- b stdout ----\nError: \"no\"\n\n\nfailures:\n    b\n\ntest result: FAILED. 1 passed; 1 failed; {NONE}\n"
    );
    check(&text, &["open", "passed a", "exception b: \"no\"", "red 1/1/0"]);
}

#[test]
fn events_in_json() {
    check(
        concat!(
            "     Running unittests src/lib.rs (target/debug/deps/a-1)\n",
            "{ \"type\": \"suite\", \"event\": \"started\", \"test_count\": 2 }\n",
            "{ \"type\": \"test\", \"event\": \"started\", \"name\": \"t::a\" }\n",
            "{ \"type\": \"test\", \"name\": \"t::a\", \"event\": \"failed\", \"stdout\": \"test result: ok. 9 passed\\nthread 't::a' panicked at src/lib.rs:9:9:\\nboom\\n\" }\n",
            "{ \"type\": \"test\", \"name\": \"t::b\", \"event\": \"ok\" }\n",
            "{ \"type\": \"suite\", \"event\": \"failed\", \"passed\": 1, \"failed\": 1, \"ignored\": 0, \"measured\": 0, \"filtered_out\": 0, \"exec_time\": 0.2 }\n",
            "error: test failed, to rerun pass `--lib`\n",
        ),
        &["open", "passed t::b", "assertion t::a: boom", "red 1/1/0"],
    );
    check(
        "{\"type\":\"suite\",\"event\":\"started\",\"test_count\":1}\n{\"type\":\"test\",\"event\":\"started\",\"name\":\"d::d$t::a\"}\n{\"type\":\"test\",\"event\":\"ok\",\"name\":\"d::d$t::a\"}\n{\"type\":\"suite\",\"event\":\"ok\",\"passed\":1,\"failed\":0,\"ignored\":0,\"measured\":0}\n",
        &["open", "runner cargo-nextest", "passed d::d$t::a", "green 1/0/0", "runner cargo-test"],
    );
    check("{\"type\":\"suite\",\"event\":\"started\",\"test_count\":1}\n", &["open"]);
}
