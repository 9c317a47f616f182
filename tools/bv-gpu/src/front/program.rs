//! What the front end hands on: two naga modules and all that WebGL's introspection would say of the program.

use serde::{Deserialize, Serialize};

/// One shader as the user has it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Source {
    /// The file as the user named it.
    pub file: String,
    /// Its whole text, as the compiler shall see it.
    pub text: String,
    /// How many lines at the head of `text` a framework put there (three.js's prefix): they are taken off the lines
    /// that are told.
    pub line_offset: u32,
}

/// A stage of the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Stage {
    /// The vertex shader.
    Vertex,
    /// The fragment shader.
    Fragment,
}

/// A linked program: ready for `wgpu::ShaderSource::Naga`, coordinates already WebGL's.
///
/// From GLSL, the vertex module flips y and maps depth to 0..1, so that row 0 of the target is the row that
/// `readPixels` gives first, and `gl_FragCoord`, `dFdy` and `gl_FrontFacing` agree with WebGL when the pipeline's
/// front face is [`Program::front_face`]. All that is bound lies in group 0, shared by both stages; bindings are dense
/// from 0. WGSL stays as it is: its own groups and bindings, row 0 on top.
#[derive(Debug, Clone)]
pub struct Program {
    /// The vertex shader; its entry point's name is in [`Program::vertex_entry`].
    pub vertex: naga::Module,
    /// Name of the vertex entry point.
    pub vertex_entry: String,
    /// The fragment shader.
    pub fragment: naga::Module,
    /// Name of the fragment entry point.
    pub fragment_entry: String,
    /// Every active uniform that is no sampler, as `getActiveUniform` lists them, members of blocks included.
    pub uniforms: Vec<Uniform>,
    /// Every uniform buffer.
    pub blocks: Vec<Block>,
    /// Every active sampler, elements of arrays one by one.
    pub samplers: Vec<Sampler>,
    /// Every active vertex attribute.
    pub attributes: Vec<Attribute>,
    /// Every output of the fragment shader.
    pub outputs: Vec<Output>,
    /// The front face of a pipeline that WebGL, or WebGPU for WGSL, would call counter-clockwise.
    pub front_face: wgpu::FrontFace,
    /// Whether the vertex shader writes `gl_PointSize`: points are one pixel here, whatever it says.
    pub point_size: bool,
    /// Whether the fragment shader reads `gl_PointCoord`, which has a meaning for points only.
    pub point_coord: bool,
    /// Downlevel capabilities beyond WebGL2's that the modules need of wgpu's adapter.
    pub needs: wgpu::DownlevelFlags,
}

/// The type of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scalar {
    /// 32-bit float.
    Float,
    /// 32-bit signed integer.
    Int,
    /// 32-bit unsigned integer.
    Uint,
    /// Boolean; 0 or 1 as 32-bit unsigned integer in a buffer.
    Bool,
}

/// A scalar, vector or matrix type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ValueType {
    /// Type of a component.
    pub scalar: Scalar,
    /// Columns of a matrix; 1 for scalars and vectors.
    pub columns: u32,
    /// Components of a vector or of a matrix's column; 1 for scalars.
    pub rows: u32,
}

/// One active uniform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uniform {
    /// As `getActiveUniform` names it, without the `[0]` at the end of an array's name: `lights[1].position`,
    /// `bones`, `PerFrame.viewProj` (a member of a block with an instance name has the block's name in front).
    pub name: String,
    /// Its type, or that of an element.
    pub ty: ValueType,
    /// Number of elements; absent where it is no array.
    pub array: Option<u32>,
    /// Index into [`Program::blocks`].
    pub block: usize,
    /// Bytes from the start of the block.
    pub offset: u32,
    /// Bytes from one element to the next; 0 where it is no array.
    pub array_stride: u32,
    /// Bytes from one column to the next (row, where `row_major`); 0 where it is no matrix.
    pub matrix_stride: u32,
    /// Whether the matrix lies row by row.
    pub row_major: bool,
}

/// One uniform buffer, laid out by std140 (by WGSL's rules in WGSL).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The block's name; absent for the loose uniforms' own.
    pub name: Option<String>,
    /// Binding in group 0 (WGSL: the user's own group and binding).
    pub group: u32,
    /// See `group`.
    pub binding: u32,
    /// Bytes, a multiple of 16.
    pub size: u32,
    /// Stages that read it.
    #[serde(skip, default = "wgpu::ShaderStages::empty")]
    pub visibility: wgpu::ShaderStages,
}

/// The dimension of a sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Dimension {
    /// `sampler2D`
    D2,
    /// `sampler2DArray`
    D2Array,
    /// `sampler3D`
    D3,
    /// `samplerCube`
    Cube,
}

/// One active sampler, or one element of an array of samplers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampler {
    /// `u_map`, `u_maps[1]`, `material.diffuse`.
    pub name: String,
    /// Its dimension.
    pub dimension: Dimension,
    /// What a lookup gives: float, int or uint.
    pub scalar: Scalar,
    /// Whether it compares (`sampler2DShadow`).
    pub shadow: bool,
    /// Group of both bindings.
    pub group: u32,
    /// Binding of the texture.
    pub texture: u32,
    /// Binding of the sampler; absent in WGSL where a texture is only loaded from.
    pub sampler: Option<u32>,
    /// Stages that read it.
    #[serde(skip, default = "wgpu::ShaderStages::empty")]
    pub visibility: wgpu::ShaderStages,
}

/// One active vertex attribute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its type; a matrix takes a location a column.
    pub ty: ValueType,
    /// First location.
    pub location: u32,
}

/// One output of the fragment shader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Its name; `o[1]` for an element of an array.
    pub name: String,
    /// Its type: a scalar or a vector.
    pub ty: ValueType,
    /// The draw buffer.
    pub location: u32,
}
