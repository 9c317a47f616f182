//! What is drawn, and into what.

use super::SIDE_MAX;
use serde::{Deserialize, Serialize};

/// What is drawn.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Draw {
    /// How vertices make shapes.
    pub mode: Mode,
    /// How many vertices; left out, all that the attributes or `indices` give, or 3.
    pub count: Option<u32>,
    /// How many instances; left out, all that the attributes give, or 1.
    pub instances: Option<u32>,
    /// Which vertices, in order.
    pub indices: Option<Vec<u32>>,
    /// Which faces are left out.
    pub cull: Cull,
}

/// How vertices make shapes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Three a triangle.
    #[default]
    Triangles,
    /// Each with the two before it.
    TriangleStrip,
    /// Two a line.
    Lines,
    /// Each with the one before it.
    LineStrip,
    /// One pixel each.
    Points,
}

/// Which faces are left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Cull {
    /// None.
    #[default]
    None,
    /// Counter-clockwise ones.
    Front,
    /// Clockwise ones.
    Back,
}

/// What is drawn into.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Target {
    /// Width and height in pixels, 1 to 2048 each.
    pub size: [u32; 2],
    /// Of every output that `formats` does not name. Left out: `rgba8`, and 32-bit integers for integer outputs.
    pub format: Option<TargetFormat>,
    /// By the output's name in the fragment shader.
    pub formats: std::collections::BTreeMap<String, TargetFormat>,
    /// Colour before the draw.
    pub clear: [f64; 4],
    /// How the new colour is combined with the old.
    pub blend: Option<Blend>,
    /// The depth test.
    pub depth: Option<Depth>,
}

impl Default for Target {
    fn default() -> Target {
        Target {
            size: [1, 1],
            format: None,
            formats: Default::default(),
            clear: [0.0; 4],
            blend: None,
            depth: None,
        }
    }
}

impl Target {
    pub(super) fn validate(&self) -> Result<(), String> {
        if self.size.iter().any(|side| !(1..=SIDE_MAX).contains(side)) {
            return Err(format!("`target.size` is 1 to {SIDE_MAX} each"));
        }
        Ok(())
    }
}
/// The format of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TargetFormat {
    /// Four channels of 8 bits, 0 to 1.
    Rgba8,
    /// Four 32-bit floats.
    Rgba32f,
    /// Four 32-bit signed integers.
    Rgba32i,
    /// Four 32-bit unsigned integers.
    Rgba32ui,
}

impl TargetFormat {
    /// Bytes of a pixel.
    pub fn bytes(self) -> usize {
        if self == TargetFormat::Rgba8 { 4 } else { 16 }
    }
}

/// How colours are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "`blend` is `alpha`, `premultiplied`, `add` or `multiply`, or {\"color\": {\"src\", \"dst\", \"op\"}, \"alpha\": ...}"
)]
pub enum Blend {
    /// A usual one.
    Preset(BlendPreset),
    /// In full.
    Full {
        /// Of r, g and b.
        color: BlendEquation,
        /// Of a; left out, as `color`.
        alpha: Option<BlendEquation>,
    },
}

/// A usual way to combine colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BlendPreset {
    /// `SRC_ALPHA, ONE_MINUS_SRC_ALPHA`
    Alpha,
    /// `ONE, ONE_MINUS_SRC_ALPHA`
    Premultiplied,
    /// `ONE, ONE`
    Add,
    /// `DST_COLOR, ZERO`
    Multiply,
}

/// `blendFunc` and `blendEquation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BlendEquation {
    /// Factor of the new colour.
    pub src: BlendFactor,
    /// Factor of the old colour.
    pub dst: BlendFactor,
    /// What is done with the two products.
    #[serde(default)]
    pub op: BlendOperation,
}

/// A factor, as in `gl.SRC_ALPHA`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "they are WebGL's own names")]
pub enum BlendFactor {
    Zero,
    One,
    SrcColor,
    OneMinusSrcColor,
    DstColor,
    OneMinusDstColor,
    SrcAlpha,
    OneMinusSrcAlpha,
    DstAlpha,
    OneMinusDstAlpha,
    SrcAlphaSaturate,
}

/// An operation, as in `gl.FUNC_ADD`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "they are WebGL's own names")]
pub enum BlendOperation {
    #[default]
    Add,
    Subtract,
    ReverseSubtract,
    Min,
    Max,
}

/// The depth test, with a 32-bit float depth buffer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Depth {
    /// What a fragment's depth must be to the stored one.
    pub test: Compare,
    /// Whether a fragment that is drawn stores its depth.
    pub write: bool,
    /// Depth before the draw, 0 to 1.
    pub clear: f32,
}

impl Default for Depth {
    fn default() -> Depth {
        Depth { test: Compare::Less, write: true, clear: 1.0 }
    }
}

/// A comparison, as in `gl.LEQUAL`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "they are WebGL's own names")]
pub enum Compare {
    Never,
    Less,
    Equal,
    Lequal,
    Greater,
    Notequal,
    Gequal,
    Always,
}
