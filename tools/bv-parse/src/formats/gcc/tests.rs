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
