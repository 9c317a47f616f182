//! What is read out of the output of no known runner.

use super::{Fallback, NEEDLES};
use crate::machine::Line;
use bv_schemas::Place;
use std::fmt::Write;

/// Findings and refusal, a line each.
fn told(text: &str) -> String {
    let mut fallback = Fallback::default();
    let mut at = 0;
    for text in text.lines() {
        let span = [at, at + text.len() as u64 + 1];
        at = span[1];
        if fallback.busy() || NEEDLES.iter().any(|needle| text.contains(needle)) {
            fallback.line(&Line { text, span, overwritten: false }, false);
        }
    }
    let (findings, refusal) = fallback.end();
    let place = |place: &Option<Place>| {
        place.as_ref().map_or("-".to_owned(), |p| {
            let file = p.file.as_deref().unwrap_or("?");
            format!("{file}:{}:{}", p.line.unwrap_or(0), p.function.as_deref().unwrap_or("?"))
        })
    };
    let mut all = String::new();
    for finding in findings {
        let f = finding.failure;
        let (name, message) = (f.exception_type.unwrap_or_default(), f.message.unwrap_or_default());
        let fatal = if finding.fatal { " fatal" } else { "" };
        let sides = f.observed.zip(f.expected).map_or(String::new(), |(o, e)| format!(" {o}<>{e}"));
        let _ = writeln!(
            all,
            "{:?}{fatal} [{name}] {message}{sides} test {} fault {}",
            f.kind,
            place(&f.test),
            place(&f.fault)
        );
    }
    if let Some(refusal) = refusal {
        let _ = writeln!(all, "refused {} {}", refusal.command.unwrap_or_default(), refusal.message);
    }
    all.trim_end().to_owned()
}

fn check(cases: &[(&str, &str)]) {
    for (text, want) in cases {
        assert_eq!(told(text), *want, "{text}");
    }
}

#[test]
fn an_uncaught_exception_is_found_in_each_language() {
    check(&[
        (
            "Traceback (most recent call last):\n  File \"/a/b.py\", line 3, in <module>\n    f()\n  File \"/a/b.py\", line 1, in f\n    d['k']\nKeyError: 'k'\nbye",
            "Exception [KeyError] 'k' test - fault /a/b.py:1:f",
        ),
        (
            "  Traceback (most recent call last):\n    File \"b.py\", line 3, in test_x\n      f()\n  ValueError: a\n\n  During handling of the above exception, another exception occurred:\n\n  Traceback (most recent call last):\n    File \"b.py\", line 5, in test_x\n      assert f() == 2\n  AssertionError",
            "Assertion [AssertionError] assert f() == 2 test b.py:5:test_x fault -",
        ),
        (
            "  + Exception Group Traceback (most recent call last):\n  |   File \"/a/b.py\", line 7, in main\n  |     raise g\n  | ExceptionGroup: two (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File \"/a/m.py\", line 5, in h\n    | KeyError: 1\n    +------------------------------------\ndone",
            "Exception [ExceptionGroup] two (2 sub-exceptions) test - fault /a/m.py:5:h",
        ),
        (
            "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f (most recent call first):\n  File \"/usr/lib/python3.11/ctypes/__init__.py\", line 5 in string_at\n  File \"/a/b.py\", line 4 in crash\n  File \"/a/b.py\", line 9 in <module>\nSegmentation fault (core dumped)",
            "Crash fatal [] Fatal Python error: Segmentation fault test - fault /a/b.py:4:crash",
        ),
        (
            "/a/x.js:3\n  throw new TypeError(\"no\");\n\nTypeError: no\n    at Cart.add (/a/x.js:3:9)\n    at Object.<anonymous> (/a/x.js:5:1)\n    at Module._compile (node:internal/modules/cjs/loader:1376:14)\n\nNode.js v20",
            "Exception [TypeError] no test - fault /a/x.js:3:add",
        ),
        (
            "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n1 !== 2\n\n    at file:///a/x.mjs:2:8 {\n  generatedMessage: true,\n  actual: 1,\n  expected: 2,\n  operator: 'strictEqual'\n}",
            "Assertion [AssertionError] Expected values to be strictly equal: 1<>2 test - fault /a/x.mjs:2:?",
        ),
        (
            "panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1 [running]:\nmain.(*Cart).pick(...)\n\t/a/main.go:7 +0x1d\nmain.main()\n\t/a/main.go:11 +0x2b\nexit status 2",
            "Exception fatal [] runtime error: index out of range [5] with length 3 test - fault /a/main.go:7:pick",
        ),
        (
            "Exception in thread \"main\" java.lang.IllegalStateException: empty\n\tat java.base/java.util.Optional.get(Optional.java:5)\n\tat shop.Cart.total(Cart.java:12)\n\tat shop.Main.main(Main.java:4)\nCaused by: shop.X\n\tat shop.Y.z(Y.java:1)\n\t... 2 more",
            "Exception [java.lang.IllegalStateException] empty test - fault Cart.java:12:total",
        ),
        (
            "a.rb:2:in 'Cart#add': boom (Shop::Full)\n\tfrom a.rb:5:in '<main>'",
            "Exception [Shop::Full] boom test - fault a.rb:2:add",
        ),
        (
            "PHP Fatal error:  Uncaught LogicException: no in /a/x.php:3\nStack trace:\n#0 /a/x.php(7): Cart->add()\n#1 {main}\n  thrown in /a/x.php on line 3\n\nFatal error: Uncaught LogicException: no in /a/x.php:3\nStack trace:\n#0 /a/x.php(7): Cart->add()\n#1 {main}\n  thrown in /a/x.php on line 3",
            "Exception [LogicException] no test - fault /a/x.php:3:add",
        ),
        (
            "thread 'main' panicked at src/main.rs:3:5:\nassertion `left == right` failed\n  left: 1\n right: 2\nnote: run with `RUST_BACKTRACE=1`",
            "Assertion [] assertion `left == right` failed 1<>2 test - fault src/main.rs:3:?",
        ),
        (
            "terminate called after throwing an instance of 'std::runtime_error'\n  what():  boom\nAborted (core dumped)",
            "Exception fatal [std::runtime_error] boom test - fault -",
        ),
    ]);
}

#[test]
fn a_death_is_told_once() {
    check(&[
        (
            "running\nbash: line 1:  3970 Floating point exception./t",
            "Crash fatal [] Floating point exception test - fault -",
        ),
        (
            "./run.sh: line 3: 12 Segmentation fault      (core dumped) ./t",
            "Crash fatal [] Segmentation fault test - fault -",
        ),
        ("Killed", "Crash fatal [] Killed test - fault -"),
        ("zsh: segmentation fault  ./t", "Crash fatal [] segmentation fault test - fault -"),
        (
            "fish: Job 1, './t' terminated by signal SIGSEGV (Address boundary error)",
            "Crash fatal [SIGSEGV] terminated by signal SIGSEGV test - fault -",
        ),
        (
            "t: t.c:8: main: Assertion `x == 1' failed.\nmake: *** [Makefile:9: check] Aborted",
            "Assertion fatal [] Assertion `x == 1' failed. test t.c:8:main fault -",
        ),
        (
            "Assertion failed: (x == 1), function main, file a.c, line 3.",
            "Assertion fatal [] Assertion failed: (x == 1) test a.c:3:main fault -",
        ),
        (
            "*** stack smashing detected ***: terminated\nAborted (core dumped)",
            "Crash fatal [] *** stack smashing detected ***: terminated test - fault -",
        ),
        (
            "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x60 at pc 0x5 bp 0x7\nREAD of size 4\n    #0 0x55 in take /a/s.c:12:3\n    #1 0x56 in test_take /a/t.c:7\n    #2 0x7f in main ../csu/x.c:5\n\nfreed by:\n    #0 0x1 in free /a/f.c:1\nSUMMARY: AddressSanitizer: heap-use-after-free /a/s.c:12 in take",
            "Crash fatal [AddressSanitizer] heap-use-after-free test /a/t.c:7:test_take fault /a/s.c:12:take",
        ),
        (
            "s.c:18:14: runtime error: division by zero",
            "Crash fatal [] division by zero test - fault s.c:18:?",
        ),
    ]);
}

#[test]
fn a_compilers_error_is_told_from_a_checkers() {
    check(&[
        ("s.c:5:14: error: no member named 'w'", "CompileError [] no member named 'w' test - fault s.c:5:?"),
        (
            "s.c:1:10: fatal error: x.h: No such file or directory",
            "CompileError [] x.h: No such file or directory test - fault s.c:1:?",
        ),
        (
            "C:\\w dir\\bank.cpp(12): error C2065: 'x': undeclared identifier",
            "CompileError [] 'x': undeclared identifier test - fault C:\\w dir\\bank.cpp:12:?",
        ),
        (
            "  1>main.cpp(3,10): fatal error C1083: Cannot open include file: 'x.h' [C:\\w\\a.vcxproj]",
            "CompileError [] Cannot open include file: 'x.h' test - fault main.cpp:3:?",
        ),
        (
            "main.obj : error LNK2019: unresolved external symbol foo referenced in function main",
            "CompileError [] unresolved external symbol foo referenced in function main test - fault -",
        ),
        (
            "LINK : fatal error LNK1104: cannot open file 'a.lib'",
            "CompileError [] cannot open file 'a.lib' test - fault -",
        ),
        (
            "test/a_test.rb:5: syntax error, unexpected `end', expecting ')'",
            "CompileError [] syntax error, unexpected `end', expecting ')' test - fault test/a_test.rb:5:?",
        ),
        (
            "a/b.ts(3,5): error TS2322: not assignable",
            "CompileError [] not assignable test - fault a/b.ts:3:?",
        ),
        (
            "s.c:3:7: error: unused variable 'x' [-Werror=unused-variable]",
            "CompileError [] unused variable 'x' test - fault s.c:3:?",
        ),
        (
            "/usr/bin/ld: a.c:(.text+0x5): undefined reference to `f'",
            "CompileError [] undefined reference to `f' test - fault -",
        ),
        ("a.py:3: error: Incompatible types  [assignment]", ""),
        ("X.swift:34: error: -[T testX] : XCTAssertTrue failed", ""),
    ]);
}

#[test]
fn what_kept_all_from_running_is_a_refusal() {
    check(&[
        ("bash: line 1: pytest: command not found", "refused pytest bash: line 1: pytest: command not found"),
        ("sh: 1: jest: not found", "refused jest sh: 1: jest: not found"),
        ("zsh: command not found: go", "refused go zsh: command not found: go"),
        ("bash: ./t: Permission denied", "refused t bash: ./t: Permission denied"),
        ("make: pytest: No such file or directory", "refused pytest make: pytest: No such file or directory"),
        (
            "/usr/bin/python3: No module named pytest",
            "refused pytest /usr/bin/python3: No module named pytest",
        ),
        (
            "python: can't open file '/a/x.py': [Errno 2] No such file or directory",
            "refused  python: can't open file '/a/x.py': [Errno 2] No such file or directory",
        ),
        ("npm ERR! Missing script: \"test\"", "refused test npm ERR! Missing script: \"test\""),
        (
            "make: *** No rule to make target 'check'.  Stop.",
            "refused  make: *** No rule to make target 'check'.  Stop.",
        ),
        (
            "Error: Cannot find module '/a/x.js'\n    at Module._resolveFilename (node:internal/modules/cjs/loader:1)",
            "refused  Cannot find module '/a/x.js'",
        ),
    ]);
}

#[test]
fn a_programs_own_words_are_no_finding() {
    check(&[
        ("ERROR: disk is full\nError: something\nTypeError: x\nfine", ""),
        ("FAILED to open\nAborted\nAborted!\nKilled 3 jobs\nthe Segmentation fault was fixed", ""),
        ("cat: x.txt: No such file or directory\nls: cannot access 'x': No such file or directory", ""),
        ("ModuleNotFoundError: No module named 'x'", ""),
        ("panic: at the disco\n\nmore", ""),
        (
            "Exception ignored in: <function f>\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 1",
            "",
        ),
        ("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    x()\nKeyboardInterrupt", ""),
        ("Traceback (most recent call last):\n  File \"a.py\", line 1, in f", ""),
        ("make: *** [Makefile:3: test] Error 2", ""),
        ("collect2: error: ld returned 1 exit status", ""),
    ]);
}

#[test]
fn valgrind_tells_of_the_first_stack() {
    check(&[
        (
            "==7== Invalid read of size 4\n==7==    at 0x109: use_after (sim.c:30)\n==7==    by 0x109: test_use (test_free.c:5)\n\
             ==7==    by 0x10A: main (test_free.c:11)\n==7==  Address 0x4a is 4 bytes inside a block of size 16 free'd\n\
             ==7==    at 0x48: free (vg_replace_malloc.c:872)\n==7==    by 0x10: other (sim.c:29)\n==7== \n0",
            "Crash fatal [] Invalid read of size 4 test test_free.c:5:test_use fault sim.c:30:use_after",
        ),
        (
            "==7== 40 (24 direct, 16 indirect) bytes in 1 blocks are definitely lost in loss record 2 of 3\n\
             ==7==    at 0x48: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)\n\
             ==7==    by 0x10: shop::Cart::add(int) (cart.cc:9)\n==7==\n",
            "Crash fatal [] 40 (24 direct, 16 indirect) bytes in 1 blocks are definitely lost test - fault cart.cc:9:add",
        ),
        (
            "==7== HEAP SUMMARY:\n==7==     in use at exit: 0 bytes in 0 blocks\n==7== ERROR SUMMARY: 0 errors from 0 contexts (suppressed: 0 from 0)",
            "",
        ),
    ]);
}

#[test]
fn a_shaders_log_is_a_compilers() {
    check(&[
        (
            "THREE.WebGLProgram: Shader Error 1282 - VALIDATE_STATUS false\n\nMaterial Name: \nMaterial Type: ShaderMaterial\n\n\
             Program Info Log: Fragment shader is not compiled.\n\nFRAGMENT\n\nERROR: 0:12: 'tint' : undeclared identifier\n\n  > 12: o = tint;",
            "CompileError [] 'tint' : undeclared identifier test - fault ?:12:?",
        ),
        (
            "Internal error in ShaderStages(FRAGMENT) shader: ERROR: 0:13: 'assign' : l-value required\nERROR: 0:13: 'assign' : l-value required",
            "CompileError [] 'assign' : l-value required test - fault ?:13:?",
        ),
        ("ERROR: 0: nothing\nERROR: 2 compilation errors.  No code generated.\nERROR: 0:x: 'a' : b", ""),
    ]);
}
