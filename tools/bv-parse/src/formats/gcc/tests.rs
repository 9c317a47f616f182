//! Whole texts of compilers and linkers, and what is said of them.

use super::FORMAT;
use crate::said::said;

fn check(text: &str, want: &[&str]) {
    assert_eq!(said(&FORMAT, text), want, "{text}");
}

#[test]
fn the_compiler_is_told() {
    let refused = "refused(compileerror) -/-/-";
    check(
        "a.c: In function 'f':\na.c:3:4: error: 'x' undeclared\n    3 |     x;\na.c:4:1: warning: error: none",
        &["runner gcc", "compileerror -: 'x' undeclared", refused],
    );
    check(
        "a.c:3:4: error: use of undeclared identifier 'x'\n    x;\n    ^\n1 error generated.",
        &["runner clang", "compileerror -: use of undeclared identifier 'x'", refused],
    );
    check(
        "/usr/bin/ld: a.o: in function `main':\na.c:(.text+0x5): undefined reference to `f'\na.c:(.text+0x9): undefined reference to `f'\nclang: error: linker command failed with exit code 1",
        &["runner clang", "compileerror -: undefined reference to `f'", refused],
    );
    check(
        "collect2: error: ld returned 1 exit status",
        &["runner gcc", "compileerror -: ld returned 1 exit status", refused],
    );
    check("a.c:3:4: warning: unused variable 'x' [-Wunused]\nreport: error: no", &[]);
}

#[test]
fn an_array() {
    check(
        r#"[{"kind": "warning", "column-origin": 1, "message": "w"}, {"kind": "error", "column-origin": 1, "message": "m", "locations": [{"caret": {"file": "a.c", "line": 3}}]}]"#,
        &["runner gcc", "compileerror -: m", "refused(compileerror) -/-/-"],
    );
    check(r#"[{"kind": "error", "column-origin": 1, "cut": "#, &[]);
}

#[test]
fn linkers() {
    let refused = "refused(compileerror) -/-/-";
    check(
        "ld.lld: error: undefined symbol: f(int)\n>>> referenced by m.cpp:4 (/w/m.cpp:4)\n>>>               /tmp/m.o:(main)\n\nld.lld: error: undefined symbol: g\n>>> referenced by m.cpp:5\nclang: error: linker command failed with exit code 1 (use -v to see invocation)",
        &[
            "runner clang",
            "compileerror -: undefined symbol: f(int)",
            refused,
            "runner clang",
            "compileerror -: undefined symbol: g",
            refused,
        ],
    );
    check(
        "Undefined symbols for architecture arm64:\n  \"_f\", referenced from:\n      _main in main.o\nld: symbol(s) not found for architecture arm64\nclang: error: linker command failed with exit code 1",
        &["runner clang", "compileerror -: Undefined symbols for architecture arm64: \"_f\"", refused],
    );
}

#[test]
fn clang_tidys_errors_are_findings() {
    check(
        "/w/a.cpp:3:7: error: use nullptr [modernize-use-nullptr,-warnings-as-errors]\n  int *p = NULL;\n           ^~~~\n/w/a.cpp:4:7: warning: b [bugprone-b]\n2 warnings treated as errors\n",
        &[
            "runner clang-tidy",
            "lint -: use nullptr",
            "red -/-/-",
            "runner clang-tidy",
            "unnamed 1",
            "red -/-/-",
        ],
    );
    check(
        "/w/a.cpp:1:18: error: use of undeclared identifier 'x' [clang-diagnostic-error]\nint f() { return x; }\n",
        &[
            "runner clang-tidy",
            "compileerror -: use of undeclared identifier 'x'",
            "refused(compileerror) -/-/-",
        ],
    );
}
