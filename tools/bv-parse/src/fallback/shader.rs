//! A GLSL compiler's log, as WebGL's implementations and glslang write it: `ERROR: 0:12: 'x' : undeclared identifier`
//! (ANGLE, `src/compiler/translator/Diagnostics.cpp`).
//!
//! What prints the log (three.js' `THREE.WebGLProgram: Shader Error …`, a stage's name) stands above it or before it,
//! and is left alone. The number before the line's is that of a source string, not a file.

use super::Said;
use crate::machine::Line;
use bv_schemas::{Failure, Kind, Place};

/// Whether the line holds an error.
pub fn begins(line: &Line<'_>) -> Option<Said> {
    let (_, rest) = line.text.split_once("ERROR: 0:")?;
    let (number, message) = rest.split_once(": ")?;
    let number: u64 = number.parse().ok()?;
    // The token in quotes, then the words.
    let quoted = message.strip_prefix('\'').is_some_and(|message| message.contains("' : "));
    quoted.then(|| {
        Said::Failure(Failure {
            kind: Kind::CompileError,
            message: Some(message.trim_end().to_owned()),
            fault: Some(Place { file: None, line: Some(number), function: None }),
            span: Some(line.span),
            ..Failure::default()
        })
    })
}
