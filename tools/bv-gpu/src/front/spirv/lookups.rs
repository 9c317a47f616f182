//! Rewrites texture lookups that naga lacks, and refuses those that it would take and answer wrongly.

use super::layout::value_type;
use super::shader::{Shader, Ty, id, instruction};
use crate::front::Scalar;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Dim, GlslStd450Op, ImageOperands, Op, Word};
use std::collections::HashMap;

/// Rewrites all functions.
///
/// # Errors
/// The name of what is not supported.
pub fn rewrite(shader: &mut Shader) -> Result<(), String> {
    let mut functions = std::mem::take(&mut shader.module.functions);
    let mut lookups = Lookups { shader, types: HashMap::new(), out: Vec::new() };
    for block in functions.iter_mut().flat_map(|function| &mut function.blocks) {
        for old in std::mem::take(&mut block.instructions) {
            if let (Some(result), Some(ty)) = (old.result_id, old.result_type) {
                lookups.types.insert(result, ty);
            }
            lookups.one(old)?;
        }
        block.instructions = std::mem::take(&mut lookups.out);
    }
    shader.module.functions = functions;
    Ok(())
}

struct Lookups<'s> {
    shader: &'s mut Shader,
    types: HashMap<Word, Word>,
    out: Vec<Instruction>,
}

impl Lookups<'_> {
    fn one(&mut self, old: Instruction) -> Result<(), String> {
        match old.class.opcode {
            Op::ImageSampleDrefImplicitLod | Op::ImageSampleProjDrefImplicitLod => self.compared(&old)?,
            Op::ImageSampleDrefExplicitLod | Op::ImageSampleProjDrefExplicitLod => self.compared(&old)?,
            Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod if self.is_integer(&old) => {
                return self.integer(&old);
            }
            Op::ImageSampleProjImplicitLod | Op::ImageSampleProjExplicitLod if self.is_integer(&old) => {
                return Err("textureProj of an integer sampler".to_owned());
            }
            Op::ImageQuerySizeLod if self.arrayed(&old) => {
                self.layered_size(&old);
                return Ok(());
            }
            _ => {}
        }
        self.out.push(old);
        Ok(())
    }

    /// naga compares at level 0 only, and takes any other level for 0.
    fn compared(&self, lookup: &Instruction) -> Result<(), String> {
        let Some(at) = lookup.operands.iter().position(|o| matches!(o, Operand::ImageOperands(_))) else {
            return Ok(());
        };
        let Operand::ImageOperands(operands) = lookup.operands[at] else { return Ok(()) };
        if operands.intersects(ImageOperands::BIAS | ImageOperands::GRAD) {
            return Err("a shadow lookup with bias or gradients".to_owned());
        }
        let level = lookup.operands.get(at + 1).and_then(id);
        let zero = level.is_some_and(|level| self.shader.is_zero(level));
        if operands.contains(ImageOperands::LOD) && !zero {
            return Err("a shadow lookup at a level other than 0".to_owned());
        }
        Ok(())
    }

    /// The image type behind an instruction's first operand, an image or a combined sampler.
    fn image(&self, lookup: &Instruction) -> Option<Word> {
        let ty = *self.types.get(&lookup.operands.first().and_then(id)?)?;
        match *self.shader.ty(ty) {
            Ty::SampledImage { image } => Some(image),
            Ty::Image => Some(ty),
            _ => None,
        }
    }

    fn operands(&self, image: Word) -> Option<&[Operand]> {
        let all = &self.shader.module.types_global_values;
        Some(all.iter().find(|i| i.result_id == Some(image))?.operands.as_slice())
    }

    fn arrayed(&self, lookup: &Instruction) -> bool {
        let operands = self.image(lookup).and_then(|image| self.operands(image));
        matches!(operands, Some([_, _, _, Operand::LiteralBit32(1), ..]))
    }

    fn is_integer(&self, lookup: &Instruction) -> bool {
        match self.image(lookup).and_then(|image| self.operands(image)) {
            Some([Operand::IdRef(sampled), ..]) => value_type(self.shader, *sampled).scalar != Scalar::Float,
            _ => false,
        }
    }

    /// The size of a layered texture: naga's reader leaves the number of layers out. It is asked for as the number of
    /// samples, which GLSL ES 3.00 has no question for, and `module.rs` makes the right question of that.
    fn layered_size(&mut self, old: &Instruction) {
        let (Some(ty), Some(result)) = (old.result_type, old.result_id) else { return };
        let (Some(image), Some(level)) =
            (old.operands.first().and_then(id), old.operands.get(1).and_then(id))
        else {
            return;
        };
        let int = self.component(ty);
        let ivec2 = self.shader.vector(int, 2);
        let uint = self.shader.uint();
        let size = self.emit(Op::ImageQuerySizeLod, ivec2, &[image, level]);
        let width = self.extract(size, int, 0);
        let height = self.extract(size, int, 1);
        let samples = self.emit(Op::ImageQuerySamples, uint, &[image]);
        let layers = self.emit(Op::Bitcast, int, &[samples]);
        self.out.push(instruction(Op::CompositeConstruct, Some(ty), Some(result), &[width, height, layers]));
    }

    /// A lookup in an integer texture, which WebGPU cannot sample: it is gathered instead, so that the sampler's
    /// wrapping still holds, from the middle of the quarter of the texel where that texel comes first of the four.
    fn integer(&mut self, old: &Instruction) -> Result<(), String> {
        let (Some(ty), Some(result), Some(image)) = (old.result_type, old.result_id, self.image(old)) else {
            return Ok(());
        };
        let arrayed = match self.operands(image) {
            Some([_, Operand::Dim(Dim::Dim2D), _, Operand::LiteralBit32(arrayed), ..]) => *arrayed == 1,
            _ => return Err("texture() of an integer sampler that is not 2D".to_owned()),
        };
        if old
            .operands
            .iter()
            .any(|o| matches!(o, Operand::ImageOperands(o) if o.contains(ImageOperands::CONST_OFFSET)))
        {
            return Err("textureOffset() of an integer sampler".to_owned());
        }
        let (Some(sampled), Some(coordinate)) =
            (old.operands.first().and_then(id), old.operands.get(1).and_then(id))
        else {
            return Ok(());
        };
        let float = self.shader.float();
        let vec2 = self.shader.vector(float, 2);
        let int = self.shader.int();
        let ivec2 = self.shader.vector(int, 2);
        let level = self.shader.zero(int);
        let image = self.emit(Op::Image, image, &[sampled]);
        let size = self.emit(Op::ImageQuerySizeLod, ivec2, &[image, level]);
        let size = self.emit(Op::ConvertSToF, vec2, &[size]);
        let [x, y] = [0, 1].map(|at| self.extract(coordinate, float, at));
        let flat = self.emit(Op::CompositeConstruct, vec2, &[x, y]);
        let texels = self.emit(Op::FMul, vec2, &[flat, size]);
        let floor = self.floor(texels, vec2)?;
        let quarter = self.shader.constant_float(0.75);
        let quarters = self.emit(Op::CompositeConstruct, vec2, &[quarter, quarter]);
        let inside = self.emit(Op::FAdd, vec2, &[floor, quarters]);
        let mut at = self.emit(Op::FDiv, vec2, &[inside, size]);
        if arrayed {
            let vec3 = self.shader.vector(float, 3);
            let layer = self.extract(coordinate, float, 2);
            at = self.emit(Op::CompositeConstruct, vec3, &[at, layer]);
        }
        let component_type = self.component(ty);
        let mut parts = Vec::new();
        for component in 0..4 {
            let component = self.shader.constant_uint(component);
            let four = self.emit(Op::ImageGather, ty, &[sampled, at, component]);
            parts.push(self.extract(four, component_type, 3));
        }
        self.out.push(instruction(Op::CompositeConstruct, Some(ty), Some(result), &parts));
        Ok(())
    }

    fn floor(&mut self, value: Word, ty: Word) -> Result<Word, String> {
        let set = self.shader.module.ext_inst_imports.first().and_then(|import| import.result_id);
        let set = set.ok_or("a module without GLSL's functions")?;
        let result = self.shader.fresh();
        let operands = vec![
            Operand::IdRef(set),
            Operand::LiteralExtInstInteger(GlslStd450Op::Floor as u32),
            Operand::IdRef(value),
        ];
        self.out.push(Instruction::new(Op::ExtInst, Some(ty), Some(result), operands));
        Ok(result)
    }

    fn component(&self, vector: Word) -> Word {
        match *self.shader.ty(vector) {
            Ty::Vector { of, .. } => of,
            _ => vector,
        }
    }

    fn extract(&mut self, value: Word, ty: Word, at: u32) -> Word {
        let result = self.shader.fresh();
        let operands = vec![Operand::IdRef(value), Operand::LiteralBit32(at)];
        self.out.push(Instruction::new(Op::CompositeExtract, Some(ty), Some(result), operands));
        result
    }

    fn emit(&mut self, op: Op, ty: Word, ids: &[Word]) -> Word {
        let result = self.shader.fresh();
        self.out.push(instruction(op, Some(ty), Some(result), ids));
        result
    }
}
