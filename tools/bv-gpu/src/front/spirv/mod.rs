//! From the SPIR-V that glslang makes of GLSL ES 3.00 to SPIR-V that naga takes.
//!
//! glslang parses by the rules of GLSL ES 3.00, for no target. What it then writes has every type as the source has it:
//! uniforms are loose variables without a place, samplers are combined, inputs and outputs have any type. The passes
//! here give each its place. They work on types, not on text, so that no spelling of the source is a special case.

pub mod entry;
pub mod infinite;
pub mod layout;
pub mod lookups;
pub mod operations;
pub mod shader;
pub mod specialize;
pub mod switches;
pub mod uniforms;
