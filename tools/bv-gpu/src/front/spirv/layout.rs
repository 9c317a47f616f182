//! Where a uniform of any GLSL type lies in a buffer, by std140 (OpenGL ES 3.0.6, section 2.12.6.4), and which type
//! naga shall see there.
//!
//! The two differ where naga takes less than GLSL has: a boolean lies as `uint`, a matrix of two rows or one that lies
//! row by row as an array of `vec4`. Samplers lie nowhere.

use super::shader::{Shader, Ty};
use crate::front::{Scalar, Uniform, ValueType};
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Op, Word};
use std::rc::Rc;

/// A GLSL type and how it lies in memory.
#[derive(Debug)]
pub struct Mapping {
    /// The type that the shader computes with.
    pub logical: Word,
    /// The type in the buffer; absent where nothing of it lies there.
    pub memory: Option<Word>,
    pub shape: Shape,
    /// Bytes.
    pub align: u32,
    /// Bytes; saturates, since a source may say any length of an array.
    pub size: u32,
}

/// What a [`Mapping`] consists of.
#[derive(Debug)]
pub enum Shape {
    /// A scalar or vector that lies as it is.
    Same,
    /// A boolean or vector of booleans.
    Bool,
    /// A matrix; see [`Mapping::is_native`].
    Matrix {
        columns: u32,
        rows: u32,
        row_major: bool,
    },
    Array {
        of: Rc<Mapping>,
        length: u32,
        stride: u32,
    },
    /// A member that is a sampler has `None` for its place.
    Struct {
        members: Vec<(Rc<Mapping>, Option<Place>)>,
    },
    Sampler,
}

/// Where a member of a structure lies.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Its index among the members that lie in memory.
    pub index: u32,
    /// Bytes from the structure's start.
    pub offset: u32,
}

impl Mapping {
    /// Whether a matrix lies as naga has it: column by column, at a stride of 16 bytes that is natural to it.
    pub fn is_native(&self) -> bool {
        matches!(self.shape, Shape::Matrix { rows: 3 | 4, row_major: false, .. })
    }

    fn leaf(logical: Word, memory: Word, shape: Shape, align: u32, size: u32) -> Rc<Self> {
        Rc::new(Self { logical, memory: Some(memory), shape, align, size })
    }
}

/// Lays a type out; `row_major` is what the enclosing member says of its matrices.
pub fn lay(shader: &mut Shader, ty: Word, row_major: bool) -> Rc<Mapping> {
    match shader.ty(ty).clone() {
        Ty::Bool => {
            let uint = shader.uint();
            Mapping::leaf(ty, uint, Shape::Bool, 4, 4)
        }
        Ty::Vector { of, rows } => {
            let (align, size) = (if rows == 2 { 8 } else { 16 }, 4 * rows);
            if *shader.ty(of) == Ty::Bool {
                let uint = shader.uint();
                let memory = shader.vector(uint, rows);
                return Mapping::leaf(ty, memory, Shape::Bool, align, size);
            }
            Mapping::leaf(ty, ty, Shape::Same, align, size)
        }
        Ty::Matrix { column, columns } => matrix(shader, ty, column, columns, row_major),
        Ty::Array { of, length } => array(shader, ty, of, length, row_major),
        Ty::Struct { members } => structure(shader, ty, &members),
        Ty::SampledImage { .. } => {
            Rc::new(Mapping { logical: ty, memory: None, shape: Shape::Sampler, align: 1, size: 0 })
        }
        _ => Mapping::leaf(ty, ty, Shape::Same, 4, 4),
    }
}

fn matrix(shader: &mut Shader, ty: Word, column: Word, columns: u32, row_major: bool) -> Rc<Mapping> {
    let rows = match shader.ty(column) {
        Ty::Vector { rows, .. } => *rows,
        _ => 4,
    };
    let stored = if row_major { rows } else { columns };
    let shape = Shape::Matrix { columns, rows, row_major };
    let memory = if !row_major && rows > 2 {
        ty
    } else {
        let float = shader.float();
        let vec4 = shader.vector(float, 4);
        shader.array(vec4, stored, Some(16))
    };
    Mapping::leaf(ty, memory, shape, 16, 16 * stored)
}

fn array(shader: &mut Shader, ty: Word, of: Word, length: u32, row_major: bool) -> Rc<Mapping> {
    let of = lay(shader, of, row_major);
    let stride = of.size.saturating_add(15) & !15;
    let memory = of.memory.map(|memory| shader.array(memory, length, Some(stride)));
    let size = stride.saturating_mul(length);
    Rc::new(Mapping { logical: ty, memory, shape: Shape::Array { of, length, stride }, align: 16, size })
}

fn structure(shader: &mut Shader, ty: Word, types: &[Word]) -> Rc<Mapping> {
    let mut members = Vec::new();
    let mut stored = Vec::new();
    let mut end = 0_u32;
    for (at, member) in (0..).zip(types) {
        let row_major = shader.is_row_major(ty, at);
        let mapping = lay(shader, *member, row_major);
        let place = mapping.memory.map(|memory| {
            let offset = end.saturating_add(mapping.align - 1) / mapping.align * mapping.align;
            end = offset.saturating_add(mapping.size);
            let place = Place { index: stored.len() as u32, offset };
            stored.push((memory, offset, has_native_matrix(&mapping)));
            place
        });
        members.push((mapping, place));
    }
    let memory = (!stored.is_empty()).then(|| block(shader, &stored));
    let size = end.saturating_add(15) & !15;
    Rc::new(Mapping { logical: ty, memory, shape: Shape::Struct { members }, align: 16, size })
}

fn has_native_matrix(mapping: &Mapping) -> bool {
    match &mapping.shape {
        Shape::Array { of, .. } => has_native_matrix(of),
        _ => mapping.is_native(),
    }
}

/// A structure type with its members' types, offsets and whether matrices lie in them.
pub fn block(shader: &mut Shader, members: &[(Word, u32, bool)]) -> Word {
    let types = members.iter().map(|(ty, ..)| Operand::IdRef(*ty)).collect();
    let structure = shader.global(Op::TypeStruct, None, types);
    for (at, (_, offset, matrices)) in (0..).zip(members) {
        shader.decorate_member(structure, at, Decoration::Offset, Some(*offset));
        if *matrices {
            shader.decorate_member(structure, at, Decoration::ColMajor, None);
            shader.decorate_member(structure, at, Decoration::MatrixStride, Some(16));
        }
    }
    structure
}

/// The members of a block for [`block`], one a variable: its mapping and its offset.
pub fn block_member(mapping: &Mapping, offset: u32) -> Option<(Word, u32, bool)> {
    Some((mapping.memory?, offset, has_native_matrix(mapping)))
}

/// Members for [`block`] that nothing reads, from byte `end` to byte `offset`.
pub fn filler(shader: &mut Shader, end: u32, offset: u32) -> Vec<(Word, u32, bool)> {
    let mut members = Vec::new();
    let mut at = end.next_multiple_of(4);
    while at < offset {
        let whole = (offset - at) / 16;
        let (ty, bytes) = if at.is_multiple_of(16) && whole > 0 {
            let float = shader.float();
            let vec4 = shader.vector(float, 4);
            (shader.array(vec4, whole, Some(16)), whole * 16)
        } else {
            (shader.uint(), 4)
        };
        members.push((ty, at, false));
        at += bytes;
    }
    members
}

/// Every uniform that lies in a mapping, named as `getActiveUniform` does.
pub fn leaves(
    shader: &Shader,
    mapping: &Mapping,
    name: &str,
    block: usize,
    offset: u32,
    out: &mut Vec<Uniform>,
) {
    let leaf = |mapping: &Mapping, array: Option<u32>, array_stride| Uniform {
        name: name.to_owned(),
        ty: value_type(shader, mapping.logical),
        array,
        block,
        offset,
        array_stride,
        matrix_stride: if matches!(mapping.shape, Shape::Matrix { .. }) { 16 } else { 0 },
        row_major: matches!(mapping.shape, Shape::Matrix { row_major: true, .. }),
    };
    match &mapping.shape {
        Shape::Same | Shape::Bool | Shape::Matrix { .. } => out.push(leaf(mapping, None, 0)),
        Shape::Sampler => {}
        Shape::Array { of, length, stride } => match of.shape {
            Shape::Same | Shape::Bool | Shape::Matrix { .. } => out.push(leaf(of, Some(*length), *stride)),
            _ => {
                for at in 0..*length {
                    leaves(shader, of, &format!("{name}[{at}]"), block, offset + at * stride, out);
                }
            }
        },
        Shape::Struct { members } => {
            for (at, (member, place)) in (0..).zip(members) {
                let Some(place) = place else { continue };
                let member_name = shader.member(mapping.logical, at);
                let full =
                    if name.is_empty() { member_name.to_owned() } else { format!("{name}.{member_name}") };
                let from = out.len();
                leaves(shader, member, &full, block, offset + place.offset, out);
                if shader.is_boolean(mapping.logical, at) {
                    out[from..].iter_mut().for_each(|leaf| leaf.ty.scalar = Scalar::Bool);
                }
            }
        }
    }
}

/// A scalar, vector or matrix type in the front end's own terms; `float` for anything else.
pub fn value_type(shader: &Shader, ty: Word) -> ValueType {
    let scalar = |ty: Word| match shader.ty(ty) {
        Ty::Bool => Scalar::Bool,
        Ty::Int { signed: true } => Scalar::Int,
        Ty::Int { signed: false } => Scalar::Uint,
        _ => Scalar::Float,
    };
    match *shader.ty(ty) {
        Ty::Vector { of, rows } => ValueType { scalar: scalar(of), columns: 1, rows },
        Ty::Matrix { column, columns } => ValueType { columns, ..value_type(shader, column) },
        _ => ValueType { scalar: scalar(ty), columns: 1, rows: 1 },
    }
}
