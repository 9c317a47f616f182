//! What bv-gpu and its worker say to each other, and how it is framed.
//!
//! The worker is a second process of the same binary: it holds the compiler and the driver, which may hang or
//! die, and knows nothing of rules. A message is a length of JSON, a length of raw bytes, the JSON, the bytes;
//! both lengths are 8 bytes, little-endian. Both sides are of one build, so there are no versions to tell apart.

use crate::check::{Blend, Cull, Depth, Lookup, Mode, TargetFormat, TextureFormat};
use crate::front::{Attribute, Block, Language, Output, Rejection, Sampler, Scalar, Source, Stage, Uniform};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

/// Longest JSON part and longest raw part of a message, in bytes.
pub const PART_BYTES_MAX: u64 = 1 << 30;

/// From bv-gpu to the worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Ask {
    /// Compile and link; answered by [`Answer::Compiled`].
    Compile {
        /// The language of both.
        language: Language,
        /// The vertex shader.
        vertex: Source,
        /// The fragment shader.
        fragment: Source,
    },
    /// Make ready to draw the program compiled last; the raw part holds the textures' levels, then the vertex
    /// and the instance data, then the indices. Answered by [`Answer::Prepared`].
    Prepare(Box<Scene>),
    /// Draw this many vectors; the raw part holds the uniform blocks of each. Answered by [`Answer::Drawn`],
    /// whose raw part holds for each vector every target's pixels, row 0 first.
    Draw(usize),
}

/// From the worker to bv-gpu.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// Unasked and once: what the driver offers, or why there is none.
    Adapter(Result<Adapter, String>),
    /// Answers [`Ask::Compile`].
    Compiled(Box<Result<Interface, Rejection>>),
    /// Answers [`Ask::Prepare`].
    Prepared(Result<(), Trouble>),
    /// Answers [`Ask::Draw`].
    Drawn(Result<(), Trouble>),
    /// The last word of a worker that panicked: the message.
    Panicked(String),
}

/// A graphics adapter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adapter {
    /// As the driver names it: `llvmpipe (LLVM 15.0.6, 256 bits)`.
    pub name: String,
    /// `vulkan` or `gl`.
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
    /// Whether it computes on the CPU.
    pub software: bool,
}

/// Why a picture could not be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trouble {
    /// The adapter lacks what the check needs; the feature.
    Unsupported(String),
    /// A loop made more turns than this, and the driver cuts loops off.
    Endless(u32),
    /// The device refused or was lost: the library's words.
    Device(String),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Trouble::Unsupported(feature) => write!(f, "unsupported: {feature}"),
            Trouble::Endless(turns) => write!(f, "more than {turns} turns"),
            Trouble::Device(words) => f.write_str(words),
        }
    }
}

/// What a program takes and gives: its introspection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    /// See [`crate::front::Program::uniforms`].
    pub uniforms: Vec<Uniform>,
    /// See [`crate::front::Program::blocks`].
    pub blocks: Vec<Block>,
    /// See [`crate::front::Program::samplers`].
    pub samplers: Vec<Sampler>,
    /// See [`crate::front::Program::attributes`].
    pub attributes: Vec<Attribute>,
    /// See [`crate::front::Program::outputs`].
    pub outputs: Vec<Output>,
    /// Whether the vertex shader writes `gl_PointSize`.
    pub point_size: bool,
    /// Whether the fragment shader reads `gl_PointCoord`.
    pub point_coord: bool,
    /// Whether the fragment shader takes a value from one vertex of each shape alone.
    pub flat: bool,
    /// The function that alone holds a loop, of all functions of both shaders.
    pub only_loop: Option<Looping>,
}

/// The one function that can run for ever.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looping {
    /// Which shader.
    pub stage: Stage,
    /// The function as the user named it.
    pub function: String,
}

/// All that a program is drawn with, uniforms apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// One a draw buffer, by location.
    pub targets: Vec<Option<TargetFormat>>,
    /// Colour that every target is cleared to.
    pub clear: [f64; 4],
    /// How colours are combined, absent for replace.
    pub blend: Option<Blend>,
    /// The depth test, absent for none.
    pub depth: Option<Depth>,
    /// `none`, `front` or `back` faces left out.
    pub cull: Cull,
    /// How vertices make shapes.
    pub mode: Mode,
    /// One a sampler of the interface, in its order.
    pub textures: Vec<TextureShape>,
    /// Per-vertex data.
    pub vertices: Stream,
    /// Per-instance data.
    pub instances: Stream,
    /// How many vertices or indices are drawn.
    pub count: u32,
    /// How many instances are drawn.
    pub instance_count: u32,
    /// Whether `count` 32-bit indices follow.
    pub indexed: bool,
}

/// A texture's shape; its bytes follow in the raw part, level by level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextureShape {
    /// Width, height, and depth or layers (6 for a cube).
    pub size: [u32; 3],
    /// How many levels follow.
    pub levels: u32,
    /// Its format.
    pub format: TextureFormat,
    /// How it is looked up.
    pub lookup: Lookup,
}

/// Interleaved vertex or instance data.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Stream {
    /// Bytes from one vertex to the next.
    pub stride: u32,
    /// Bytes in all.
    pub bytes: usize,
    /// Location, components and scalar of each part, with its offset.
    pub parts: Vec<Part>,
}

/// One location's part of a [`Stream`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Shader location.
    pub location: u32,
    /// Bytes from the vertex's first.
    pub offset: u32,
    /// Type of a component.
    pub scalar: Scalar,
    /// How many components, 1 to 4.
    pub components: u32,
}

/// Writes one message.
///
/// # Errors
/// Those of `to`.
pub fn write(to: &mut impl Write, message: &impl Serialize, raw: &[u8]) -> io::Result<()> {
    let json = serde_json::to_vec(message)?;
    to.write_all(&(json.len() as u64).to_le_bytes())?;
    to.write_all(&(raw.len() as u64).to_le_bytes())?;
    to.write_all(&json)?;
    to.write_all(raw)?;
    to.flush()
}

/// Reads one message; `None` where the other side has closed its end between two.
///
/// # Errors
/// Those of `from`, and a message that is none.
pub fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<(T, Vec<u8>)>> {
    let mut lengths = [0; 16];
    let mut filled = 0;
    while filled < lengths.len() {
        match from.read(&mut lengths[filled..]) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => filled += n,
            Err(wrong) if wrong.kind() == io::ErrorKind::Interrupted => {}
            Err(wrong) => return Err(wrong),
        }
    }
    let (json, raw) = lengths.split_at(8);
    let json = part(from, json)?;
    let raw = part(from, raw)?;
    Ok(Some((serde_json::from_slice(&json)?, raw)))
}

fn part(from: &mut impl Read, length: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(length);
    let length = u64::from_le_bytes(bytes);
    if length > PART_BYTES_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a message over its bound"));
    }
    let mut part = Vec::new();
    from.take(length).read_to_end(&mut part)?;
    if part.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(part)
}
