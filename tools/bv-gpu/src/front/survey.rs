//! What one stage uses: its uniforms, its samplers, its inputs and outputs. Nothing is changed here.

use super::spirv::layout::{self, Mapping};
use super::spirv::shader::{Shader, Ty, Variable, id};
use super::spirv::specialize::{Path, paths};
use super::{Dimension, Scalar};
use rspirv::dr::Operand;
use rspirv::spirv::{Dim, Op, StorageClass, Word};
use std::rc::Rc;

/// What a stage uses.
pub struct Survey {
    /// Loose uniforms, those that consist of samplers among them.
    pub loose: Vec<(Variable, Rc<Mapping>)>,
    /// Uniform blocks.
    pub blocks: Vec<UniformBlock>,
    /// Every element of every sampler that a lookup names, in order of appearance.
    pub samplers: Vec<SamplerUse>,
    /// Inputs that are no built-ins, unused ones too.
    pub inputs: Vec<Variable>,
    /// Outputs that are no built-ins.
    pub outputs: Vec<Variable>,
}

/// A uniform block, or an array of them.
pub struct UniformBlock {
    pub variable: Variable,
    /// The block's name, which is not that of its instance.
    pub name: String,
    pub mapping: Rc<Mapping>,
    /// Number of blocks where it is an array.
    pub length: Option<u32>,
}

impl UniformBlock {
    /// The names of its blocks.
    pub fn names(&self) -> Vec<String> {
        match self.length {
            None => vec![self.name.clone()],
            Some(length) => (0..length).map(|at| format!("{}[{at}]", self.name)).collect(),
        }
    }
}

/// A sampler that is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplerUse {
    /// `u_maps[1]`, `mats[0].diffuse`.
    pub name: String,
    /// The same without the index into an array of samplers.
    pub array: String,
    /// Number of elements of that array; 1 for a single sampler.
    pub length: u32,
    pub dimension: Dimension,
    pub scalar: Scalar,
    pub shadow: bool,
    pub image_type: Word,
}

/// Surveys a stage whose functions take no samplers any more.
///
/// # Errors
/// The name of what is not supported.
pub fn survey(shader: &mut Shader) -> Result<Survey, String> {
    let mut survey =
        Survey { loose: vec![], blocks: vec![], samplers: vec![], inputs: vec![], outputs: vec![] };
    for variable in shader.variables() {
        let built_in = shader.built_in(variable.id).is_some();
        match variable.class {
            StorageClass::UniformConstant if shader.is_used(variable.id) && !is_depth_range(&variable) => {
                let mapping = layout::lay(shader, variable.ty, false);
                survey.loose.push((variable, mapping));
            }
            StorageClass::Uniform if shader.is_used(variable.id) => {
                let (structure, length) = match *shader.ty(variable.ty) {
                    Ty::Array { of, length } => (of, Some(length)),
                    _ => (variable.ty, None),
                };
                let name = shader.name(structure).to_owned();
                let mapping = layout::lay(shader, structure, false);
                survey.blocks.push(UniformBlock { variable, name, mapping, length });
            }
            StorageClass::Input if !built_in => survey.inputs.push(variable),
            StorageClass::Output if !built_in => survey.outputs.push(variable),
            _ => {}
        }
    }
    survey.samplers = samplers(shader)?;
    Ok(survey)
}

/// `gl_DepthRange`, which WebGL's default `depthRange(0, 1)` makes a constant here.
pub fn is_depth_range(variable: &Variable) -> bool {
    variable.name == "gl_DepthRange"
}

fn samplers(shader: &Shader) -> Result<Vec<SamplerUse>, String> {
    let mut uses: Vec<SamplerUse> = Vec::new();
    for function in &shader.module.functions {
        let paths = paths(shader, function);
        for load in function.blocks.iter().flat_map(|block| &block.instructions) {
            let (Op::Load, Some(ty)) = (load.class.opcode, load.result_type) else { continue };
            let Ty::SampledImage { image } = *shader.ty(ty) else { continue };
            let path = load.operands.first().and_then(id).and_then(|pointer| paths.get(&pointer));
            let path = path.ok_or("a sampler that is no uniform")?;
            let (name, array, length) = leaf(shader, path).ok_or("a sampler chosen by a variable index")?;
            if uses.iter().any(|known| known.name == name) {
                continue;
            }
            let (dimension, scalar, shadow) = image_of(shader, image).ok_or("an image of this kind")?;
            uses.push(SamplerUse { name, array, length, dimension, scalar, shadow, image_type: image });
        }
    }
    Ok(uses)
}

/// The name of the sampler at a path, the name of the array it lies in, and that array's length.
fn leaf(shader: &Shader, path: &Path) -> Option<(String, String, u32)> {
    let root = shader.variables().into_iter().find(|variable| variable.id == path.root)?;
    let (mut name, mut ty) = (root.name, root.ty);
    let (mut array, mut length) = (name.clone(), 1);
    for index in &path.indices {
        let index = (*index)?;
        match shader.ty(ty) {
            Ty::Array { of, length: elements } => {
                (array, length) = (name.clone(), *elements);
                name += &format!("[{index}]");
                ty = *of;
            }
            Ty::Struct { members } => {
                name += &format!(".{}", shader.member(ty, index));
                ty = *members.get(index as usize)?;
                (array, length) = (name.clone(), 1);
            }
            _ => return None,
        }
    }
    Some((name, array, length))
}

fn image_of(shader: &Shader, image: Word) -> Option<(Dimension, Scalar, bool)> {
    let instruction = shader.module.types_global_values.iter().find(|i| i.result_id == Some(image))?;
    let [
        Operand::IdRef(sampled),
        Operand::Dim(dim),
        Operand::LiteralBit32(depth),
        Operand::LiteralBit32(arrayed),
        ..,
    ] = instruction.operands.as_slice()
    else {
        return None;
    };
    let dimension = match (dim, arrayed) {
        (Dim::Dim2D, 0) => Dimension::D2,
        (Dim::Dim2D, 1) => Dimension::D2Array,
        (Dim::Dim3D, 0) => Dimension::D3,
        (Dim::DimCube, 0) => Dimension::Cube,
        _ => return None,
    };
    Some((dimension, layout::value_type(shader, *sampled).scalar, *depth == 1))
}
