//! Rewrites every use of a uniform: to its place in a uniform buffer, or to a texture and a sampler of its own.

use super::layout::{Mapping, Shape};
use super::shader::{Shader, Ty, id, instruction};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, StorageClass, Word};
use std::collections::HashMap;
use std::rc::Rc;

/// What became of a uniform variable of the source.
#[derive(Debug, Clone)]
pub struct Root {
    /// Its name, for those of the samplers in it.
    pub name: String,
    pub mapping: Rc<Mapping>,
    pub home: Home,
}

/// Where the parts of a [`Root`] that lie in memory are.
#[derive(Debug, Clone)]
pub enum Home {
    /// A member of the default block.
    Member { block: Word, index: u32 },
    /// A block of its own.
    Block(Word),
    /// An array of blocks, which can be indexed by constants only.
    Blocks(Vec<Word>),
    /// It consists of samplers.
    Nowhere,
}

/// A texture and the sampler that goes with it.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    pub texture: Word,
    pub sampler: Word,
    pub image_type: Word,
}

/// Rewrites all functions of a stage.
///
/// # Errors
/// The name of what is not supported.
pub fn rewrite(
    shader: &mut Shader,
    roots: &HashMap<Word, Root>,
    pairs: &HashMap<String, Pair>,
) -> Result<(), String> {
    let mut functions = std::mem::take(&mut shader.module.functions);
    for function in &mut functions {
        let mut rewriter = Rewriter {
            shader,
            roots,
            pairs,
            places: HashMap::new(),
            images: HashMap::new(),
            renamed: HashMap::new(),
            out: Vec::new(),
        };
        for block in &mut function.blocks {
            for instruction in std::mem::take(&mut block.instructions) {
                rewriter.one(instruction)?;
            }
            block.instructions = std::mem::take(&mut rewriter.out);
        }
    }
    shader.module.functions = functions;
    Ok(())
}

/// A place in a uniform, before any instruction says it: chains are written where something is loaded.
#[derive(Debug, Clone)]
struct Place {
    variable: Word,
    chain: Vec<Word>,
    name: String,
    view: View,
}

#[derive(Debug, Clone)]
enum View {
    Whole(Rc<Mapping>),
    /// An array of blocks, of which none is chosen yet.
    Blocks(Vec<Word>, Rc<Mapping>),
    /// A `vec4` in memory of which the first two components count.
    FirstTwo {
        logical: Word,
    },
    /// Column `column` of a matrix that lies row by row.
    Column {
        column: Word,
        rows: u32,
        logical: Word,
    },
}

struct Rewriter<'s> {
    shader: &'s mut Shader,
    roots: &'s HashMap<Word, Root>,
    pairs: &'s HashMap<String, Pair>,
    places: HashMap<Word, Place>,
    /// Loaded combined samplers, and the image in each.
    images: HashMap<Word, Word>,
    renamed: HashMap<Word, Word>,
    out: Vec<Instruction>,
}

impl Rewriter<'_> {
    fn one(&mut self, mut old: Instruction) -> Result<(), String> {
        for operand in &mut old.operands {
            if let Operand::IdRef(id) = operand
                && let Some(new) = self.renamed.get(id)
            {
                *id = *new;
            }
        }
        let ids: Vec<Word> = old.operands.iter().filter_map(id).collect();
        match (old.class.opcode, old.result_id, ids.as_slice()) {
            (Op::AccessChain, Some(result), [base, indices @ ..]) => {
                if let Some(mut place) = self.place(*base) {
                    for index in indices {
                        place = self.step(place, *index)?;
                    }
                    self.places.insert(result, place);
                    return Ok(());
                }
            }
            (Op::Load, Some(result), [pointer, ..]) => {
                if let Some(place) = self.place(*pointer) {
                    return self.load(place, result);
                }
            }
            (Op::Image, Some(result), [sampled]) => {
                if let Some(image) = self.images.get(sampled) {
                    self.renamed.insert(result, *image);
                    return Ok(());
                }
            }
            _ => {
                if ids.iter().any(|id| self.roots.contains_key(id) || self.places.contains_key(id)) {
                    return Err(format!("a uniform in {:?}", old.class.opcode));
                }
            }
        }
        self.out.push(old);
        Ok(())
    }

    fn place(&self, pointer: Word) -> Option<Place> {
        if let Some(place) = self.places.get(&pointer) {
            return Some(place.clone());
        }
        let root = self.roots.get(&pointer)?;
        let whole = View::Whole(Rc::clone(&root.mapping));
        let (variable, chain, view) = match &root.home {
            Home::Member { block, index } => (*block, vec![*index], whole),
            Home::Block(variable) => (*variable, vec![], whole),
            Home::Blocks(variables) => (0, vec![], View::Blocks(variables.clone(), Rc::clone(&root.mapping))),
            Home::Nowhere => (0, vec![], whole),
        };
        Some(Place { variable, chain, name: root.name.clone(), view })
    }

    /// One index further.
    fn step(&mut self, mut place: Place, index: Word) -> Result<Place, String> {
        let constant = self.shader.integer(index);
        let known = || constant.ok_or("a uniform chosen by a variable index".to_owned());
        place.view = match place.view {
            View::Blocks(variables, mapping) => {
                let at = known()? as usize;
                place.variable = *variables.get(at).ok_or("an index out of bounds")?;
                View::Whole(mapping)
            }
            View::FirstTwo { logical } => {
                place.chain.push(index);
                View::Whole(self.scalar_of(logical))
            }
            View::Column { column, logical, .. } => {
                place.chain.extend([index, column]);
                View::Whole(self.scalar_of(logical))
            }
            View::Whole(mapping) => match &mapping.shape {
                Shape::Array { of, .. } => {
                    if of.memory.is_none() || self.shader.is_opaque(of.logical) {
                        place.name += &format!("[{}]", known()?);
                    }
                    place.chain.push(index);
                    View::Whole(Rc::clone(of))
                }
                Shape::Struct { members } => {
                    let at = known()?;
                    let (member, stored) = members.get(at as usize).ok_or("an index out of bounds")?;
                    place.name = format!("{}.{}", place.name, self.shader.member(mapping.logical, at));
                    if let Some(stored) = stored {
                        place.chain.push(self.shader.constant_uint(stored.index));
                    }
                    View::Whole(Rc::clone(member))
                }
                Shape::Matrix { rows, row_major, .. } => {
                    let logical = self.element(mapping.logical);
                    if *row_major {
                        View::Column { column: index, rows: *rows, logical }
                    } else {
                        place.chain.push(index);
                        if mapping.is_native() {
                            View::Whole(same(logical, logical))
                        } else {
                            View::FirstTwo { logical }
                        }
                    }
                }
                Shape::Same | Shape::Bool => {
                    place.chain.push(index);
                    View::Whole(self.scalar_of(mapping.logical))
                }
                Shape::Sampler => return Err("an index into a sampler".to_owned()),
            },
        };
        Ok(place)
    }

    fn load(&mut self, place: Place, result: Word) -> Result<(), String> {
        match &place.view {
            View::Blocks(..) => return Err("an array of blocks as a value".to_owned()),
            View::FirstTwo { logical } => {
                let float = self.shader.float();
                let vec4 = self.shader.vector(float, 4);
                let value = self.fetch(&place, vec4, None);
                self.first_two(value, *logical, Some(result));
            }
            View::Column { column, rows, logical } => {
                let float = self.shader.float();
                let mut parts = Vec::new();
                for row in 0..*rows {
                    let mut at = place.clone();
                    let row = self.shader.constant_uint(row);
                    at.chain.extend([row, *column]);
                    parts.push(self.fetch(&at, float, None));
                }
                self.emit(Op::CompositeConstruct, *logical, Some(result), &parts);
            }
            View::Whole(mapping) => {
                let mapping = Rc::clone(mapping);
                match (&mapping.shape, mapping.memory) {
                    (Shape::Sampler, _) => self.combined(&place.name, mapping.logical, result)?,
                    (Shape::Same, Some(memory)) => _ = self.fetch(&place, memory, Some(result)),
                    (_, Some(memory)) if mapping.is_native() => {
                        self.fetch(&place, memory, Some(result));
                    }
                    (_, Some(memory)) if !self.shader.is_opaque(mapping.logical) => {
                        let value = self.fetch(&place, memory, None);
                        self.convert(value, &mapping, Some(result));
                    }
                    _ => return Err("a structure with samplers as a value".to_owned()),
                }
            }
        }
        Ok(())
    }

    /// Loads what lies at a place.
    fn fetch(&mut self, place: &Place, memory: Word, result: Option<Word>) -> Word {
        let pointer_type = self.shader.pointer(StorageClass::Uniform, memory);
        let mut ids = vec![place.variable];
        ids.extend(&place.chain);
        let pointer = match place.chain.is_empty() {
            true => place.variable,
            false => self.emit(Op::AccessChain, pointer_type, None, &ids),
        };
        self.emit(Op::Load, memory, result, &[pointer])
    }

    /// A value as it lies in memory, to the value that the shader computes with.
    fn convert(&mut self, value: Word, mapping: &Mapping, result: Option<Word>) -> Word {
        match &mapping.shape {
            Shape::Same | Shape::Sampler => value,
            _ if mapping.is_native() => value,
            Shape::Bool => {
                let zero = self.shader.zero(mapping.memory.unwrap_or(mapping.logical));
                self.emit(Op::INotEqual, mapping.logical, result, &[value, zero])
            }
            Shape::Matrix { columns, rows, row_major } => {
                let float = self.shader.float();
                let vec4 = self.shader.vector(float, 4);
                let column_type = self.element(mapping.logical);
                let mut parts = Vec::new();
                for column in 0..*columns {
                    if *row_major {
                        let cells: Vec<Word> =
                            (0..*rows).map(|row| self.extract(value, float, &[row, column])).collect();
                        parts.push(self.emit(Op::CompositeConstruct, column_type, None, &cells));
                    } else {
                        let whole = self.extract(value, vec4, &[column]);
                        parts.push(self.first_two(whole, column_type, None));
                    }
                }
                self.emit(Op::CompositeConstruct, mapping.logical, result, &parts)
            }
            Shape::Array { of, length, .. } => {
                let parts: Vec<Word> = (0..*length).map(|at| self.part(value, of, at)).collect();
                self.emit(Op::CompositeConstruct, mapping.logical, result, &parts)
            }
            Shape::Struct { members } => {
                let parts: Vec<Word> = members
                    .iter()
                    .filter_map(|(member, place)| Some((member, place.as_ref()?)))
                    .map(|(member, place)| self.part(value, member, place.index))
                    .collect();
                self.emit(Op::CompositeConstruct, mapping.logical, result, &parts)
            }
        }
    }

    fn part(&mut self, value: Word, mapping: &Mapping, at: u32) -> Word {
        let part = self.extract(value, mapping.memory.unwrap_or(mapping.logical), &[at]);
        self.convert(part, mapping, None)
    }

    fn combined(&mut self, name: &str, ty: Word, result: Word) -> Result<(), String> {
        let pair = *self.pairs.get(name).ok_or_else(|| format!("sampler {name}"))?;
        let sampler_type = self.shader.global(Op::TypeSampler, None, vec![]);
        let image = self.emit(Op::Load, pair.image_type, None, &[pair.texture]);
        let sampler = self.emit(Op::Load, sampler_type, None, &[pair.sampler]);
        self.emit(Op::SampledImage, ty, Some(result), &[image, sampler]);
        self.images.insert(result, image);
        Ok(())
    }

    fn first_two(&mut self, vec4: Word, logical: Word, result: Option<Word>) -> Word {
        let result = result.unwrap_or_else(|| self.shader.fresh());
        let operands = vec![
            Operand::IdRef(vec4),
            Operand::IdRef(vec4),
            Operand::LiteralBit32(0),
            Operand::LiteralBit32(1),
        ];
        self.out.push(Instruction::new(Op::VectorShuffle, Some(logical), Some(result), operands));
        result
    }

    fn extract(&mut self, value: Word, ty: Word, at: &[u32]) -> Word {
        let result = self.shader.fresh();
        let mut operands = vec![Operand::IdRef(value)];
        operands.extend(at.iter().copied().map(Operand::LiteralBit32));
        self.out.push(Instruction::new(Op::CompositeExtract, Some(ty), Some(result), operands));
        result
    }

    fn emit(&mut self, op: Op, ty: Word, result: Option<Word>, ids: &[Word]) -> Word {
        let result = result.unwrap_or_else(|| self.shader.fresh());
        self.out.push(instruction(op, Some(ty), Some(result), ids));
        result
    }

    /// The type of a vector's component or a matrix's column.
    fn element(&self, ty: Word) -> Word {
        match *self.shader.ty(ty) {
            Ty::Vector { of, .. } => of,
            Ty::Matrix { column, .. } => column,
            _ => ty,
        }
    }

    fn scalar_of(&mut self, vector: Word) -> Rc<Mapping> {
        let scalar = self.element(vector);
        super::layout::lay(self.shader, scalar, false)
    }
}

fn same(logical: Word, memory: Word) -> Rc<Mapping> {
    Rc::new(Mapping { logical, memory: Some(memory), shape: Shape::Same, align: 4, size: 4 })
}
