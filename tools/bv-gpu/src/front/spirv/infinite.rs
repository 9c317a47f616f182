//! Rewrites constants that are infinite or not a number (`1.0 / 0.0`): WebGPU has no literal for them, so that each
//! use makes its own from the bits.

use super::shader::{Shader, Ty, instruction};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};
use std::collections::HashMap;

/// Rewrites all functions.
pub fn rewrite(shader: &mut Shader) {
    let constants = constants(shader);
    if constants.is_empty() {
        return;
    }
    let mut functions = std::mem::take(&mut shader.module.functions);
    for block in functions.iter_mut().flat_map(|function| &mut function.blocks) {
        let mut out = Vec::with_capacity(block.instructions.len());
        for mut old in std::mem::take(&mut block.instructions) {
            for operand in &mut old.operands {
                if let Operand::IdRef(id) = operand
                    && let Some(constant) = constants.get(id)
                {
                    *id = make(shader, constant, &constants, &mut out);
                }
            }
            out.push(old);
        }
        block.instructions = out;
    }
    shader.module.functions = functions;
}

/// The constants that are, or hold, what has no literal.
fn constants(shader: &Shader) -> HashMap<Word, Instruction> {
    let mut constants = HashMap::new();
    for global in &shader.module.types_global_values {
        let (Some(ty), Some(result)) = (global.result_type, global.result_id) else { continue };
        let unsayable = match global.operands.as_slice() {
            [Operand::LiteralBit32(bits)] if global.class.opcode == Op::Constant => {
                *shader.ty(ty) == Ty::Float && !f32::from_bits(*bits).is_finite()
            }
            parts if global.class.opcode == Op::ConstantComposite => {
                parts.iter().any(|part| matches!(part, Operand::IdRef(id) if constants.contains_key(id)))
            }
            _ => false,
        };
        if unsayable {
            constants.insert(result, global.clone());
        }
    }
    constants
}

fn make(
    shader: &mut Shader,
    constant: &Instruction,
    constants: &HashMap<Word, Instruction>,
    out: &mut Vec<Instruction>,
) -> Word {
    let result = shader.fresh();
    let made = match constant.operands.as_slice() {
        [Operand::LiteralBit32(bits)] => {
            let bits = shader.constant_uint(*bits);
            instruction(Op::Bitcast, constant.result_type, Some(result), &[bits])
        }
        parts => {
            let mut ids = Vec::new();
            for part in parts {
                let Operand::IdRef(id) = part else { continue };
                ids.push(match constants.get(id) {
                    Some(inner) => make(shader, inner, constants, out),
                    None => *id,
                });
            }
            instruction(Op::CompositeConstruct, constant.result_type, Some(result), &ids)
        }
    };
    out.push(made);
    result
}
