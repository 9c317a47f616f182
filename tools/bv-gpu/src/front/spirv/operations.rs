//! Rewrites operations that naga lacks in terms of those it has.

use super::layout::value_type;
use super::shader::{Shader, Ty, id, instruction};
use crate::front::Scalar;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GlslStd450Op, Op, Word};

/// Rewrites all functions.
pub fn rewrite(shader: &mut Shader) {
    let mut functions = std::mem::take(&mut shader.module.functions);
    for block in functions.iter_mut().flat_map(|function| &mut function.blocks) {
        let mut out = Vec::with_capacity(block.instructions.len());
        for old in std::mem::take(&mut block.instructions) {
            match extended(&old) {
                Some((GlslStd450Op::ModfStruct, set, &[Operand::IdRef(x)])) => {
                    modf(shader, &old, set, x, &mut out)
                }
                Some((
                    GlslStd450Op::Normalize
                    | GlslStd450Op::FaceForward
                    | GlslStd450Op::Reflect
                    | GlslStd450Op::Refract,
                    ..,
                )) if old.result_type.is_some_and(|ty| *shader.ty(ty) == Ty::Float) => {
                    widened(shader, &old, &mut out);
                }
                _ if old.class.opcode == Op::SMod => modulo(shader, &old, &mut out),
                _ if old.class.opcode == Op::SNegate && is_unsigned(shader, &old) => {
                    // GLSL negates unsigned integers too; naga does not.
                    let (Some(ty), Some(x)) = (old.result_type, old.operands.first().and_then(id)) else {
                        continue;
                    };
                    let zero = shader.zero(ty);
                    out.push(instruction(Op::ISub, Some(ty), old.result_id, &[zero, x]));
                }
                _ => out.push(old),
            }
        }
        block.instructions = out;
    }
    shader.module.functions = functions;
}

fn is_unsigned(shader: &Shader, instruction: &Instruction) -> bool {
    instruction.result_type.is_some_and(|ty| value_type(shader, ty).scalar == Scalar::Uint)
}

/// An instruction of GLSL's extended set: which, the set's id, and the operands.
fn extended(instruction: &Instruction) -> Option<(GlslStd450Op, Word, &[Operand])> {
    match instruction.operands.as_slice() {
        [set, Operand::LiteralExtInstInteger(number), operands @ ..]
            if instruction.class.opcode == Op::ExtInst =>
        {
            Some((GlslStd450Op::from_u32(*number)?, id(set)?, operands))
        }
        _ => None,
    }
}

/// A geometric function of scalars, which naga has for vectors only, on vectors whose second component is 0.
fn widened(shader: &mut Shader, old: &Instruction, out: &mut Vec<Instruction>) {
    let (Some(float), Some(result)) = (old.result_type, old.result_id) else { return };
    let vec2 = shader.vector(float, 2);
    let zero = shader.constant_float(0.0);
    let refract = matches!(extended(old), Some((GlslStd450Op::Refract, ..)));
    let mut wide = old.clone();
    for (at, operand) in wide.operands.iter_mut().enumerate().skip(2) {
        // The ratio of the indices of refraction is a scalar in any case.
        if let (Operand::IdRef(scalar), false) = (&mut *operand, refract && at == 4) {
            let vector = shader.fresh();
            out.push(instruction(Op::CompositeConstruct, Some(vec2), Some(vector), &[*scalar, zero]));
            *operand = Operand::IdRef(vector);
        }
    }
    let whole = shader.fresh();
    (wide.result_type, wide.result_id) = (Some(vec2), Some(whole));
    out.push(wide);
    let first = vec![Operand::IdRef(whole), Operand::LiteralBit32(0)];
    out.push(Instruction::new(Op::CompositeExtract, Some(float), Some(result), first));
}

/// `modf(x)` as its fraction and its whole part: naga has it, but its SPIR-V reader gives the result no type.
fn modf(shader: &mut Shader, old: &Instruction, set: Word, x: Word, out: &mut Vec<Instruction>) {
    let (Some(result_type), Some(result)) = (old.result_type, old.result_id) else { return };
    let Ty::Struct { members } = shader.ty(result_type).clone() else { return };
    let ty = members[0];
    let (whole, fraction) = (shader.fresh(), shader.fresh());
    out.push(Instruction::new(
        Op::ExtInst,
        Some(ty),
        Some(whole),
        vec![
            Operand::IdRef(set),
            Operand::LiteralExtInstInteger(GlslStd450Op::Trunc as u32),
            Operand::IdRef(x),
        ],
    ));
    out.push(instruction(Op::FSub, Some(ty), Some(fraction), &[x, whole]));
    out.push(instruction(Op::CompositeConstruct, Some(result_type), Some(result), &[fraction, whole]));
}

/// `x % y` of signed integers, whose sign is y's: naga's reader has it for scalars only.
fn modulo(shader: &mut Shader, old: &Instruction, out: &mut Vec<Instruction>) {
    let (Some(ty), Some(result)) = (old.result_type, old.result_id) else { return };
    let [Operand::IdRef(x), Operand::IdRef(y)] = *old.operands.as_slice() else { return };
    let mut truth = shader.global(Op::TypeBool, None, vec![]);
    if let Ty::Vector { rows, .. } = *shader.ty(ty) {
        truth = shader.vector(truth, rows);
    }
    let zero = shader.zero(ty);
    let [rest, signs, opposed, some, off, step] = std::array::from_fn(|_| shader.fresh());
    out.push(instruction(Op::SRem, Some(ty), Some(rest), &[x, y]));
    out.push(instruction(Op::BitwiseXor, Some(ty), Some(signs), &[rest, y]));
    out.push(instruction(Op::SLessThan, Some(truth), Some(opposed), &[signs, zero]));
    out.push(instruction(Op::INotEqual, Some(truth), Some(some), &[rest, zero]));
    // naga has `&&` for scalars only.
    out.push(instruction(Op::Select, Some(truth), Some(off), &[opposed, some, opposed]));
    out.push(instruction(Op::Select, Some(ty), Some(step), &[off, y, zero]));
    out.push(instruction(Op::IAdd, Some(ty), Some(result), &[rest, step]));
}
