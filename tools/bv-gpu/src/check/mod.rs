//! The check file: what its author may write. A key that is not known is an error, so that a misspelt rule is
//! never a rule that nobody held.
//!
//! Doc comments here are the descriptions in `schemas/gpu-check.schema.json`.

#[cfg(test)]
mod fuzzed;
mod rules;
mod state;
mod textures;
mod vectors;

pub use rules::{Order, Rule, RuleKind, Tolerance};
pub use state::{
    Blend, BlendEquation, BlendFactor, BlendOperation, BlendPreset, Compare, Cull, Depth, Draw, Mode, Target,
    TargetFormat,
};
pub use textures::{Filter, Lookup, Pattern, Texels, Texture, TextureFormat, Wrap};
pub use vectors::{Domain, Sampled, VECTORS_MAX, Vectors};

use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Longest check file read, in bytes.
pub const CHECK_BYTES_MAX: usize = 64 << 20;
/// Most rules in one file.
pub const RULES_MAX: usize = 1000;
/// Longest side of a target or texture, in pixels: what WebGL2 promises.
pub const SIDE_MAX: u32 = 2048;

/// A shader pair, what it is drawn with, and the rules that must hold of the picture.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Check {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1)))]
    pub bv_gpu: u32,
    /// The shaders.
    pub program: ProgramFiles,
    /// By the sampler's name (`u_map`, `u_maps[1]`); the name of an array stands for all its elements.
    #[serde(default)]
    pub textures: BTreeMap<String, Texture>,
    /// By the attribute's name; without any, the one attribute of the vertex shader covers the whole target.
    #[serde(default)]
    pub attributes: BTreeMap<String, Attribute>,
    /// How many vertices are drawn, and as what.
    #[serde(default)]
    pub draw: Draw,
    /// By `getActiveUniform`'s name without `[0]`: a number, a boolean, or an array of numbers (nested or flat,
    /// matrices column by column). What is not named is 0, as in WebGL.
    #[serde(default)]
    pub uniforms: Map<String, Value>,
    /// What is drawn into.
    #[serde(default)]
    pub target: Target,
    /// The inputs that every rule is held against; without it one picture is drawn with `uniforms`.
    pub vectors: Option<Vectors>,
    /// What must hold.
    pub rules: Vec<Rule>,
}

/// The files of the shaders, relative to the check file.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ProgramFiles {
    /// The vertex shader; left out, a triangle that covers the whole target. With WGSL, the file of both.
    pub vertex: Option<String>,
    /// The fragment shader. A name that ends in `.wgsl` is WGSL, anything else GLSL ES 3.00.
    pub fragment: String,
    /// Lines at the head of the shaders that a framework put there; they are taken off the lines that are told.
    #[serde(default)]
    pub line_offset: LineOffset,
}

/// Lines to take off.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "`lineOffset` must be a number of lines, or one for `vertex` and one for `fragment`"
)]
pub enum LineOffset {
    /// Of both shaders.
    Both(u32),
    /// Of each.
    Each(Offsets),
}

/// Lines to take off each shader.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Offsets {
    /// Of the vertex shader.
    pub vertex: u32,
    /// Of the fragment shader.
    pub fragment: u32,
}

impl Default for LineOffset {
    fn default() -> LineOffset {
        LineOffset::Both(0)
    }
}

impl LineOffset {
    /// Vertex shader's, fragment shader's.
    pub fn each(self) -> (u32, u32) {
        match self {
            LineOffset::Both(lines) => (lines, lines),
            LineOffset::Each(each) => (each.vertex, each.fragment),
        }
    }
}

/// What an attribute gets.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "an attribute is `fullscreen`, `fullscreen_uv`, an array of vertices, or {\"perInstance\": [...]} or {\"value\": [...]}"
)]
pub enum Attribute {
    /// A triangle over the whole target.
    Covering(Covering),
    /// One entry a vertex, nested or flat.
    Vertices(Vec<Value>),
    /// Something else than one entry a vertex.
    Other(OtherAttribute),
}

/// The triangle that covers the whole target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Covering {
    /// Its positions in clip space.
    Fullscreen,
    /// 0 to 1 over the target.
    FullscreenUv,
}

/// An attribute that does not step by vertex.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub enum OtherAttribute {
    /// One entry an instance.
    PerInstance(Vec<Value>),
    /// One value for all, as `vertexAttrib4fv` sets it.
    Value(Vec<Value>),
}

impl Check {
    /// Reads a check file.
    ///
    /// # Errors
    /// What is wrong, with the key's name or its line and column.
    pub fn read(text: &[u8]) -> Result<Check, String> {
        if text.len() > CHECK_BYTES_MAX {
            return Err(format!("longer than {CHECK_BYTES_MAX} bytes"));
        }
        let check: Check = serde_json::from_slice(text).map_err(|wrong| wrong.to_string())?;
        if check.bv_gpu != 1 {
            return Err(format!("`bvGpu` is {}, this is version 1", check.bv_gpu));
        }
        if check.rules.len() > RULES_MAX {
            return Err(format!("{} rules, {RULES_MAX} at most", check.rules.len()));
        }
        let mut ids: Vec<&str> = check.rules.iter().map(|rule| rule.id.as_str()).collect();
        ids.sort_unstable();
        if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("rule `{}` stands twice", twice[0]));
        }
        check.target.validate()?;
        for rule in &check.rules {
            rule.kind()?;
        }
        Ok(check)
    }

    /// Whether anything is drawn.
    pub fn draws(&self) -> bool {
        self.rules.iter().any(|rule| !matches!(rule.kind(), Ok(RuleKind::Front(_))))
    }
}
