//! The stage's inputs and outputs, and the entry point that stands between them and the user's `main`.
//!
//! WebGPU takes scalars and vectors between stages, GLSL also matrices, arrays and structures. A variable of such a
//! type becomes private to the shader; the entry point fills it from, or empties it into, one variable for each of
//! its vectors. It turns the clip coordinates, too: WebGL's y points up and its depth runs from -1 to 1.

use super::shader::{Shader, Ty, Variable, id, instruction};
use rspirv::dr::{Block, Function, Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, FunctionControl, Op, StorageClass, Word};
use std::collections::HashSet;

/// How a varying is interpolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    Smooth,
    Centroid,
    Flat,
}

/// One scalar or vector of an input or output: the indices that lead to it, and its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    pub path: Vec<u32>,
    pub ty: Word,
}

/// The vectors of a type in order, each of which takes a location.
pub fn slots(shader: &Shader, ty: Word) -> Vec<Slot> {
    let mut out = Vec::new();
    collect(shader, ty, &mut Vec::new(), &mut out);
    out
}

/// How many locations a type takes; counted without listing them, since a source may say any length.
pub fn locations_of(shader: &Shader, ty: Word) -> u64 {
    match shader.ty(ty) {
        Ty::Matrix { columns, .. } => u64::from(*columns),
        Ty::Array { of, length } => locations_of(shader, *of).saturating_mul(u64::from(*length)),
        Ty::Struct { members } => {
            members.iter().map(|member| locations_of(shader, *member)).fold(0, u64::saturating_add)
        }
        _ => 1,
    }
}

fn collect(shader: &Shader, ty: Word, path: &mut Vec<u32>, out: &mut Vec<Slot>) {
    let parts: Vec<Word> = match shader.ty(ty) {
        Ty::Matrix { column, columns } => vec![*column; *columns as usize],
        Ty::Array { of, length } => vec![*of; *length as usize],
        Ty::Struct { members } => members.clone(),
        _ => {
            out.push(Slot { path: path.clone(), ty });
            return;
        }
    };
    for (at, part) in (0..).zip(parts) {
        path.push(at);
        collect(shader, part, path, out);
        path.pop();
    }
}

/// How a varying is interpolated: as it is declared, and flat where it must be.
pub fn interpolation(shader: &Shader, variable: &Variable) -> Interpolation {
    if shader.decoration(variable.id, Decoration::Flat).is_some() {
        Interpolation::Flat
    } else if shader.decoration(variable.id, Decoration::Centroid).is_some() {
        Interpolation::Centroid
    } else {
        Interpolation::Smooth
    }
}

/// An entry point in the making.
#[derive(Default)]
pub struct Entry {
    before: Vec<Instruction>,
    after: Vec<Instruction>,
    interface: Vec<Word>,
}

impl Entry {
    /// Gives an input or output its locations, from `location` on.
    pub fn place(&mut self, shader: &mut Shader, variable: &Variable, location: u32, how: Interpolation) {
        shader.undecorate(
            variable.id,
            &[Decoration::Location, Decoration::Flat, Decoration::Centroid, Decoration::Invariant],
        );
        let slots = slots(shader, variable.ty);
        if let [Slot { path, .. }] = slots.as_slice()
            && path.is_empty()
        {
            qualify(shader, variable.id, location, how);
            self.interface.push(variable.id);
            return;
        }
        privatize(shader, variable, None);
        let mut parts = Vec::new();
        for (location, slot) in (location..).zip(&slots) {
            let name = format!("{}_{location}", variable.name);
            let part = shader.add_variable(variable.class, slot.ty, &name, None);
            qualify(shader, part, location, how);
            self.interface.push(part);
            parts.push(part);
        }
        for (slot, part) in slots.iter().zip(parts) {
            if variable.class == StorageClass::Input {
                let pointer = point_to_slot(shader, variable, slot, &mut self.before);
                let value = shader.fresh();
                self.before.push(instruction(Op::Load, Some(slot.ty), Some(value), &[part]));
                self.before.push(instruction(Op::Store, None, None, &[pointer, value]));
            } else {
                let value = load_slot(shader, variable, slot, &mut self.after);
                self.after.push(instruction(Op::Store, None, None, &[part, value]));
            }
        }
    }

    /// Gives an output of the fragment shader its locations, from `location` on. WebGPU writes a whole texel, so that
    /// outputs of fewer components than four are filled up with zeros: what WebGL leaves undefined.
    pub fn place_output(&mut self, shader: &mut Shader, variable: &Variable, location: u32) {
        shader.undecorate(variable.id, &[Decoration::Location]);
        privatize(shader, variable, None);
        for (location, slot) in (location..).zip(&slots(shader, variable.ty)) {
            let (scalar, rows) = match *shader.ty(slot.ty) {
                Ty::Vector { of, rows } => (of, rows),
                _ => (slot.ty, 1),
            };
            let whole = shader.vector(scalar, 4);
            let part =
                shader.add_variable(variable.class, whole, &format!("{}_{location}", variable.name), None);
            qualify(shader, part, location, Interpolation::Smooth);
            self.interface.push(part);
            let value = load_slot(shader, variable, slot, &mut self.after);
            let filled = if rows == 4 {
                value
            } else {
                let zero = shader.zero(scalar);
                let filled = shader.fresh();
                let parts: Vec<Word> = std::iter::once(value).chain((rows..4).map(|_| zero)).collect();
                self.after.push(instruction(Op::CompositeConstruct, Some(whole), Some(filled), &parts));
                filled
            };
            self.after.push(instruction(Op::Store, None, None, &[part, filled]));
        }
    }

    /// Keeps a variable that the pipeline itself reads or writes.
    pub fn keep(&mut self, variable: Word) {
        self.interface.push(variable);
    }

    /// Turns `gl_Position` from WebGL's clip coordinates to WebGPU's.
    pub fn turn(&mut self, shader: &mut Shader, position: Word) {
        let float = shader.float();
        let vec4 = shader.vector(float, 4);
        let half = shader.constant_float(0.5);
        let mut fresh = || shader.fresh();
        let [whole, x, y, z, w, up, sum, depth, turned] = std::array::from_fn(|_| fresh());
        let binary = |op, result, a, b| instruction(op, Some(float), Some(result), &[a, b]);
        let part = |result, at| {
            let operands = vec![Operand::IdRef(whole), Operand::LiteralBit32(at)];
            Instruction::new(Op::CompositeExtract, Some(float), Some(result), operands)
        };
        self.after.extend([
            instruction(Op::Load, Some(vec4), Some(whole), &[position]),
            part(x, 0),
            part(y, 1),
            part(z, 2),
            part(w, 3),
            instruction(Op::FNegate, Some(float), Some(up), &[y]),
            binary(Op::FAdd, sum, z, w),
            binary(Op::FMul, depth, sum, half),
            instruction(Op::CompositeConstruct, Some(vec4), Some(turned), &[x, up, depth, w]),
            instruction(Op::Store, None, None, &[position, turned]),
        ]);
    }

    /// Writes the entry point; the user's `main` is called from it.
    pub fn finish(self, shader: &mut Shader) {
        let void = shader.global(Op::TypeVoid, None, vec![]);
        let ty = shader.global(Op::TypeFunction, None, vec![Operand::IdRef(void)]);
        let (entry, label, called) = (shader.fresh(), shader.fresh(), shader.fresh());
        let mut instructions = self.before;
        instructions.push(instruction(Op::FunctionCall, Some(void), Some(called), &[shader.entry]));
        instructions.extend(self.after);
        instructions.push(instruction(Op::Return, None, None, &[]));
        let control = vec![Operand::FunctionControl(FunctionControl::NONE), Operand::IdRef(ty)];
        shader.module.functions.push(Function {
            def: Some(Instruction::new(Op::Function, Some(void), Some(entry), control)),
            end: Some(instruction(Op::FunctionEnd, None, None, &[])),
            parameters: vec![],
            blocks: vec![Block { label: Some(instruction(Op::Label, None, Some(label), &[])), instructions }],
        });
        for point in &mut shader.module.entry_points {
            let name =
                point.operands.iter().position(|o| matches!(o, Operand::LiteralString(_))).unwrap_or(1);
            point.operands.truncate(name + 1);
            point.operands[1] = Operand::IdRef(entry);
            point.operands.extend(self.interface.iter().copied().map(Operand::IdRef));
        }
        for mode in &mut shader.module.execution_modes {
            for operand in &mut mode.operands {
                match operand {
                    Operand::IdRef(function) => *function = entry,
                    // Row 0 is WebGL's row 0 because the image is turned, not because the origin moves.
                    Operand::ExecutionMode(origin @ ExecutionMode::OriginLowerLeft) => {
                        *origin = ExecutionMode::OriginUpperLeft;
                    }
                    _ => {}
                }
            }
        }
        shader.entry = entry;
    }
}

fn load_slot(shader: &mut Shader, variable: &Variable, slot: &Slot, out: &mut Vec<Instruction>) -> Word {
    let pointer = point_to_slot(shader, variable, slot, out);
    let value = shader.fresh();
    out.push(instruction(Op::Load, Some(slot.ty), Some(value), &[pointer]));
    value
}

/// A pointer to a slot of a variable that is private.
fn point_to_slot(shader: &mut Shader, variable: &Variable, slot: &Slot, out: &mut Vec<Instruction>) -> Word {
    if slot.path.is_empty() {
        return variable.id;
    }
    let mut chain = vec![variable.id];
    for index in &slot.path {
        chain.push(shader.constant_uint(*index));
    }
    let ty = shader.pointer(StorageClass::Private, slot.ty);
    let pointer = shader.fresh();
    out.push(instruction(Op::AccessChain, Some(ty), Some(pointer), &chain));
    pointer
}

fn qualify(shader: &mut Shader, variable: Word, location: u32, how: Interpolation) {
    shader.decorate(variable, Decoration::Location, &[Operand::LiteralBit32(location)]);
    match how {
        Interpolation::Smooth => {}
        Interpolation::Flat => shader.decorate(variable, Decoration::Flat, &[]),
        Interpolation::Centroid => shader.decorate(variable, Decoration::Centroid, &[]),
    }
}

/// Makes a variable private to the shader, all pointers into it with it.
pub fn privatize(shader: &mut Shader, variable: &Variable, initial: Option<Word>) {
    let pointer_type = shader.pointer(StorageClass::Private, variable.ty);
    let initial = initial.unwrap_or_else(|| shader.zero(variable.ty));
    shader.module.types_global_values.retain(|i| i.result_id != Some(variable.id));
    let operands = vec![Operand::StorageClass(StorageClass::Private), Operand::IdRef(initial)];
    let moved = Instruction::new(Op::Variable, Some(pointer_type), Some(variable.id), operands);
    shader.module.types_global_values.push(moved);
    let mut functions = std::mem::take(&mut shader.module.functions);
    for function in &mut functions {
        let mut pointers = HashSet::from([variable.id]);
        for instruction in function.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
            let base = instruction.operands.first().and_then(id);
            if instruction.class.opcode != Op::AccessChain || !base.is_some_and(|b| pointers.contains(&b)) {
                continue;
            }
            pointers.extend(instruction.result_id);
            if let Some(Ty::Pointer { of, .. }) = instruction.result_type.map(|ty| shader.ty(ty).clone()) {
                instruction.result_type = Some(shader.pointer(StorageClass::Private, of));
            }
        }
    }
    shader.module.functions = functions;
}

/// The built-ins by the names that WebGPU has for them; takes those away that nothing uses.
pub fn built_ins(shader: &mut Shader) -> Vec<(Variable, BuiltIn)> {
    let mut kept = Vec::new();
    for variable in shader.variables() {
        let Some(built_in) = shader.built_in(variable.id) else { continue };
        let now = match built_in {
            BuiltIn::VertexId => BuiltIn::VertexIndex,
            BuiltIn::InstanceId => BuiltIn::InstanceIndex,
            other => other,
        };
        if !shader.is_used(variable.id) {
            shader.remove_variable(variable.id);
            continue;
        }
        shader.undecorate(variable.id, &[Decoration::BuiltIn]);
        shader.decorate(variable.id, Decoration::BuiltIn, &[Operand::BuiltIn(now)]);
        kept.push((variable, now));
    }
    kept
}
