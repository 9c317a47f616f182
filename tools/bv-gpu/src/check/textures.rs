//! The textures of a check file.

use super::Compare;
use serde::{Deserialize, Serialize};

/// One texture and how it is looked up.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Texture {
    /// Width, height and, for 3D and array textures, depth or layers. Left out with a PNG: its own. A cube has six
    /// faces of one size: `[width, height]`.
    #[cfg_attr(feature = "schema", schemars(length(min = 2, max = 3)))]
    pub size: Option<Vec<u32>>,
    /// Its format; left out, `rgba8`, or what the sampler asks (`rgba32i`, `rgba32ui`, `depth32f`).
    pub format: Option<TextureFormat>,
    /// Its texels.
    pub data: Texels,
    /// How levels and texels are filtered.
    #[serde(default)]
    pub filter: Filter,
    /// What lies beyond the edge.
    #[serde(default)]
    pub wrap: Wrap,
    /// Whether smaller levels are made, each by the mean of four texels of the one before.
    #[serde(default)]
    pub mipmaps: bool,
    /// Comparison of a shadow sampler (`lequal`).
    pub compare: Option<Compare>,
}

/// Where texels come from.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "`data` is `ramp`, `checker`, the name of a PNG, or an array of numbers")]
pub enum Texels {
    /// Made here.
    Pattern(Pattern),
    /// A PNG, its first row the texture's last, as an upright picture lies with `UNPACK_FLIP_Y_WEBGL`.
    File(String),
    /// Every channel of every texel, row by row from v = 0, layer by layer; 0 to 1 for `8` formats.
    Inline(Vec<f64>),
}

/// A picture that needs no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// r goes from 0 to 1 along x, g along y, b along the layers; a is 1. Integers count texels.
    Ramp,
    /// Black and white texels in turn.
    Checker,
}

/// A texture's format, by WebGL2's sized internal formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "they are WebGL's own names")]
pub enum TextureFormat {
    R8,
    Rg8,
    Rgba8,
    Srgb8Alpha8,
    R32f,
    Rg32f,
    Rgba32f,
    R32i,
    Rgba32i,
    R32ui,
    Rgba32ui,
    Depth32f,
}

impl TextureFormat {
    /// Channels of a texel.
    pub fn channels(self) -> usize {
        use TextureFormat::*;
        match self {
            R8 | R32f | R32i | R32ui | Depth32f => 1,
            Rg8 | Rg32f => 2,
            Rgba8 | Srgb8Alpha8 | Rgba32f | Rgba32i | Rgba32ui => 4,
        }
    }

    /// Bytes of a channel.
    pub fn channel_bytes(self) -> usize {
        use TextureFormat::*;
        match self {
            R8 | Rg8 | Rgba8 | Srgb8Alpha8 => 1,
            _ => 4,
        }
    }
}

/// How a texture is filtered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// The nearest texel of the nearest level.
    #[default]
    Nearest,
    /// Between texels and, with `mipmaps`, between levels.
    Linear,
}

/// What lies beyond the edge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Wrap {
    /// The texture again.
    #[default]
    Repeat,
    /// The edge's texel.
    Clamp,
    /// The texture mirrored.
    Mirror,
}

/// How a texture is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Lookup {
    /// Filter.
    pub filter: Filter,
    /// Wrap.
    pub wrap: Wrap,
    /// Comparison, for a shadow sampler.
    pub compare: Option<Compare>,
}
