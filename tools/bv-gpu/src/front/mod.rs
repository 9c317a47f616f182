//! The front end: a vertex and a fragment shader as a WebGL2 program has them, or WGSL, to modules that wgpu takes.
//!
//! In: two sources, unmodified. Out: a [`Program`], or every error a WebGL2 compiler and linker would name, each at
//! the user's own file and line. No device is needed and none is looked for.

mod deep;
mod diagnose;
mod expansion;
mod glsl;
mod glslang;
mod interface;
mod limits;
mod module;
mod places;
mod program;
mod source;
mod spirv;
mod survey;
mod tokens;
mod wgsl;
mod wgsl_interface;

pub use program::{
    Attribute, Block, Dimension, Output, Program, Sampler, Scalar, Source, Stage, Uniform, ValueType,
};

use serde::{Deserialize, Serialize};

/// What the user wrote the shaders in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// GLSL ES 3.00 (`#version 300 es`), as WebGL2 takes it.
    GlslEs300,
    /// WGSL; vertex and fragment entry point may stand in one file.
    Wgsl,
}

/// Which of the rules that need no device a [`Diagnostic`] broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Rule {
    /// One shader alone is wrong.
    Compile,
    /// The two shaders do not fit each other.
    Link,
    /// More is used than every WebGL2 implementation must offer.
    Limits,
}

/// One error, at the place in the user's own file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The rule it breaks.
    pub rule: Rule,
    /// The stage it is about; absent where it is about both.
    pub stage: Option<Stage>,
    /// The file as [`Source::file`] names it.
    pub file: String,
    /// 1-based line in that file; absent where the error has no place.
    pub line: Option<u32>,
    /// The token that the compiler names.
    pub token: Option<String>,
    /// What is wrong, one line, without severity label.
    pub message: String,
    /// The enclosing function, absent at global scope.
    pub function: Option<String>,
}

/// Why there is no [`Program`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rejection {
    /// The shaders are wrong: at least one error, in source order.
    Errors(Vec<Diagnostic>),
    /// The shaders may be right, but use what cannot be run here; the feature's name (`gl_PointCoord`).
    Unsupported(String),
}

/// Compiles and links the two shaders and counts what they use.
///
/// # Errors
/// See [`Rejection`].
pub fn compile(language: Language, vertex: &Source, fragment: &Source) -> Result<Program, Rejection> {
    deep::run(|| match language {
        Language::GlslEs300 => glsl::compile(vertex, fragment),
        Language::Wgsl => wgsl::compile(vertex, fragment),
    })
    .unwrap_or_else(|| Err(Rejection::Unsupported("a construct that stops the compiler".to_owned())))
}
