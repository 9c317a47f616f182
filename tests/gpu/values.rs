//! Shaders that compare what they are given with what the check file gives: every kind of uniform, varying and
//! texture must arrive as it was sent, on every backend.

use super::{backends, here, tool};
use serde_json::json;
use std::fs;

#[test]
fn what_a_shader_is_given_is_what_was_sent() {
    let mut seen = 0;
    for backend in backends() {
        for entry in fs::read_dir(here().join("values")).expect("the folder of checks") {
            let path = entry.expect("a listed entry").path();
            let events = tool(&["--backend", backend, path.to_str().expect("plain names")], &here(), b"");
            let end = json!({
                "type": "end", "outcome": "passed", "runner": "bv-gpu", "counts": {"passed": 3, "failed": 0}
            });
            assert_eq!(bv_tests::stages::records(events.as_bytes()), [end], "{backend}: {}", path.display());
            seen += 1;
        }
    }
    assert_eq!(seen, 2 * backends().len());
}
