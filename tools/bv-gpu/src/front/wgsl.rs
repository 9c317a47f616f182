//! A program in WGSL.

use super::{Program, Rejection, Source};

/// See [`super::compile`].
pub fn compile(_vertex: &Source, _fragment: &Source) -> Result<Program, Rejection> {
    Err(Rejection::Unsupported("WGSL".to_owned()))
}
