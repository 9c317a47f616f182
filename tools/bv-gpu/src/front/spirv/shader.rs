//! One stage's SPIR-V module with its tables: types, names, constants. The passes read and extend it here.

use crate::front::source::shown;
use rspirv::binary::Assemble;
use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass, Word};
use std::collections::{HashMap, HashSet};

/// A type, as far as GLSL ES 3.00 has any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ty {
    Void,
    Bool,
    Int { signed: bool },
    Float,
    Vector { of: Word, rows: u32 },
    Matrix { column: Word, columns: u32 },
    Array { of: Word, length: u32 },
    Struct { members: Vec<Word> },
    Image,
    SampledImage { image: Word },
    Pointer { class: StorageClass, of: Word },
    Other,
}

/// A global variable.
#[derive(Debug, Clone)]
pub struct Variable {
    pub id: Word,
    pub class: StorageClass,
    /// The type of what it holds.
    pub ty: Word,
    pub name: String,
}

/// A stage's module.
pub struct Shader {
    pub module: Module,
    pub entry: Word,
    types: HashMap<Word, Ty>,
    names: HashMap<Word, String>,
    members: HashMap<(Word, u32), String>,
    integers: HashMap<Word, u32>,
    uints: HashMap<u32, Word>,
    row_major: HashSet<(Word, u32)>,
    booleans: HashSet<(String, String)>,
    next: Word,
}

impl Shader {
    /// Reads what glslang generated; `None` where that is no module with one entry point.
    pub fn load(words: &[u32]) -> Option<Self> {
        let mut words = words.to_vec();
        // An unset target version is written as 0.
        *words.get_mut(1)? = 0x0001_0000;
        let module = rspirv::dr::load_words(&words).ok()?;
        let next = module.header.as_ref()?.bound;
        let entry = id(module.entry_points.first()?.operands.get(1)?)?;
        let mut shader = Self {
            module,
            entry,
            types: HashMap::new(),
            names: HashMap::new(),
            members: HashMap::new(),
            integers: HashMap::new(),
            uints: HashMap::new(),
            row_major: HashSet::new(),
            booleans: HashSet::new(),
            next,
        };
        for at in 0..shader.module.types_global_values.len() {
            let instruction = shader.module.types_global_values[at].clone();
            shader.learn(&instruction);
        }
        for name in &shader.module.debug_names {
            match name.operands.as_slice() {
                [Operand::IdRef(target), Operand::LiteralString(text)] => {
                    shader.names.insert(*target, shown(text));
                }
                [Operand::IdRef(target), Operand::LiteralBit32(member), Operand::LiteralString(text)] => {
                    shader.members.insert((*target, *member), shown(text));
                }
                _ => {}
            }
        }
        shader.settle();
        Some(shader)
    }

    /// Takes away what the passes decide anew or have no use for: layouts, bindings, precision, sources. Which
    /// matrices lie row by row is remembered.
    fn settle(&mut self) {
        for annotation in &self.module.annotations {
            if let [
                Operand::IdRef(on),
                Operand::LiteralBit32(at),
                Operand::Decoration(Decoration::RowMajor),
            ] = annotation.operands.as_slice()
            {
                self.row_major.insert((*on, *at));
            }
        }
        self.module.annotations.retain(|annotation| {
            matches!(
                annotation.operands.get(1),
                Some(Operand::Decoration(
                    Decoration::Location | Decoration::Flat | Decoration::Centroid | Decoration::BuiltIn
                ))
            )
        });
        self.module.debug_string_source.clear();
    }

    /// Drops the types, constants and variables that no function and no interface needs, since naga would check them.
    pub fn sweep(&mut self) {
        let mut needed: HashSet<Word> = HashSet::new();
        let mut need = |instruction: &Instruction| {
            needed.extend(instruction.result_type);
            needed.extend(instruction.operands.iter().filter_map(id));
        };
        self.module.entry_points.iter().for_each(&mut need);
        for function in &self.module.functions {
            function.def.iter().chain(&function.parameters).for_each(&mut need);
            function.blocks.iter().flat_map(|block| &block.instructions).for_each(&mut need);
        }
        let mut kept = Vec::new();
        while let Some(instruction) = self.module.types_global_values.pop() {
            if instruction.result_id.is_none_or(|result| needed.contains(&result)) {
                needed.extend(instruction.result_type);
                needed.extend(instruction.operands.iter().filter_map(id));
                kept.push(instruction);
            }
        }
        kept.reverse();
        self.module.types_global_values = kept;
        let about = |instruction: &Instruction| {
            instruction.operands.first().and_then(id).is_some_and(|on| needed.contains(&on))
        };
        self.module.annotations.retain(about);
        self.module.debug_names.retain(about);
    }

    /// The module as words.
    pub fn assemble(&mut self) -> Vec<u32> {
        if let Some(header) = &mut self.module.header {
            header.bound = self.next;
        }
        self.module.assemble()
    }

    fn learn(&mut self, instruction: &Instruction) {
        let Some(result) = instruction.result_id else { return };
        let ids: Vec<Word> = instruction.operands.iter().filter_map(id).collect();
        let literal = |at: usize| match instruction.operands.get(at) {
            Some(Operand::LiteralBit32(value)) => *value,
            _ => 0,
        };
        let ty = match instruction.class.opcode {
            Op::TypeVoid => Ty::Void,
            Op::TypeBool => Ty::Bool,
            Op::TypeInt => Ty::Int { signed: literal(1) != 0 },
            Op::TypeFloat => Ty::Float,
            Op::TypeVector => Ty::Vector { of: ids[0], rows: literal(1) },
            Op::TypeMatrix => Ty::Matrix { column: ids[0], columns: literal(1) },
            Op::TypeArray => Ty::Array { of: ids[0], length: self.integer(ids[1]).unwrap_or(0) },
            Op::TypeStruct => Ty::Struct { members: ids },
            Op::TypeImage => Ty::Image,
            Op::TypeSampledImage => Ty::SampledImage { image: ids[0] },
            Op::TypePointer => match instruction.operands.first() {
                Some(Operand::StorageClass(class)) => Ty::Pointer { class: *class, of: ids[0] },
                _ => Ty::Other,
            },
            Op::TypeFunction | Op::TypeSampler => Ty::Other,
            Op::Constant => {
                let of = instruction.result_type.map(|ty| self.ty(ty).clone());
                if let (Some(Ty::Int { signed }), value) = (of, literal(0)) {
                    self.integers.insert(result, value);
                    if !signed {
                        self.uints.entry(value).or_insert(result);
                    }
                }
                return;
            }
            _ => return,
        };
        self.types.insert(result, ty);
    }

    /// A type; [`Ty::Other`] for an id that is none.
    pub fn ty(&self, id: Word) -> &Ty {
        self.types.get(&id).unwrap_or(&Ty::Other)
    }

    /// The value of an integer constant.
    pub fn integer(&self, id: Word) -> Option<u32> {
        self.integers.get(&id).copied()
    }

    /// The name of a variable, type or function.
    pub fn name(&self, id: Word) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    /// The name of a structure's member.
    pub fn member(&self, id: Word, member: u32) -> &str {
        self.members.get(&(id, member)).map_or("", String::as_str)
    }

    /// Every global variable, in order of declaration.
    pub fn variables(&self) -> Vec<Variable> {
        self.module.types_global_values.iter().filter_map(|instruction| self.variable(instruction)).collect()
    }

    fn variable(&self, instruction: &Instruction) -> Option<Variable> {
        if instruction.class.opcode != Op::Variable {
            return None;
        }
        let id = instruction.result_id?;
        let Ty::Pointer { class, of } = *self.ty(instruction.result_type?) else { return None };
        Some(Variable { id, class, ty: of, name: self.name(id).to_owned() })
    }

    /// Whether a type is or holds samplers.
    pub fn is_opaque(&self, ty: Word) -> bool {
        match self.ty(ty) {
            Ty::SampledImage { .. } => true,
            Ty::Array { of, .. } => self.is_opaque(*of),
            Ty::Struct { members } => members.iter().any(|member| self.is_opaque(*member)),
            _ => false,
        }
    }

    /// The operands of a decoration on a variable or type; `None` where it lacks it.
    pub fn decoration(&self, target: Word, wanted: Decoration) -> Option<&[Operand]> {
        self.module.annotations.iter().find_map(|annotation| match annotation.operands.as_slice() {
            [Operand::IdRef(on), Operand::Decoration(is), rest @ ..] if *on == target && *is == wanted => {
                Some(rest)
            }
            _ => None,
        })
    }

    /// Says which members of structures and blocks the source has as booleans: in a block that is laid out, glslang has
    /// made them unsigned integers.
    pub fn set_booleans(&mut self, booleans: &[(String, String)]) {
        let named = |(of, member): &(String, String)| (shown(of), shown(member));
        self.booleans = booleans.iter().map(named).collect();
    }

    /// Whether the source has a structure's member as a boolean.
    pub fn is_boolean(&self, structure: Word, member: u32) -> bool {
        let key = (self.name(structure).to_owned(), self.member(structure, member).to_owned());
        self.booleans.contains(&key)
    }

    /// Whether a structure's member says that the matrices in it lie row by row.
    pub fn is_row_major(&self, structure: Word, member: u32) -> bool {
        self.row_major.contains(&(structure, member))
    }

    /// The location that a variable was given in the source.
    pub fn location(&self, target: Word) -> Option<u32> {
        match self.decoration(target, Decoration::Location)? {
            [Operand::LiteralBit32(location)] => Some(*location),
            _ => None,
        }
    }

    /// The built-in that a variable is.
    pub fn built_in(&self, target: Word) -> Option<BuiltIn> {
        match self.decoration(target, Decoration::BuiltIn)? {
            [Operand::BuiltIn(built_in)] => Some(*built_in),
            _ => None,
        }
    }

    /// Adds a decoration.
    pub fn decorate(&mut self, target: Word, decoration: Decoration, operands: &[Operand]) {
        let mut all = vec![Operand::IdRef(target), Operand::Decoration(decoration)];
        all.extend_from_slice(operands);
        self.module.annotations.push(Instruction::new(Op::Decorate, None, None, all));
    }

    /// Adds a decoration to a structure's member.
    pub fn decorate_member(&mut self, target: Word, member: u32, decoration: Decoration, value: Option<u32>) {
        let mut all =
            vec![Operand::IdRef(target), Operand::LiteralBit32(member), Operand::Decoration(decoration)];
        all.extend(value.map(Operand::LiteralBit32));
        self.module.annotations.push(Instruction::new(Op::MemberDecorate, None, None, all));
    }

    /// Takes every decoration of a kind off a variable or type.
    pub fn undecorate(&mut self, target: Word, unwanted: &[Decoration]) {
        self.module.annotations.retain(|annotation| {
            !matches!(annotation.operands.as_slice(),
                [Operand::IdRef(on), Operand::Decoration(is), ..] if *on == target && unwanted.contains(is))
        });
    }

    /// A new id.
    pub fn fresh(&mut self) -> Word {
        self.next += 1;
        self.next - 1
    }

    /// A type, constant or variable at the end of the globals, or the equal type that is there already. Structures and
    /// arrays are made anew, since their decorations are their own.
    pub fn global(&mut self, op: Op, result_type: Option<Word>, operands: Vec<Operand>) -> Word {
        let aggregate = matches!(op, Op::TypeStruct | Op::TypeArray | Op::Variable);
        if !aggregate {
            let equal = self.module.types_global_values.iter().find(|other| {
                other.class.opcode == op && other.result_type == result_type && other.operands == operands
            });
            if let Some(result) = equal.and_then(|other| other.result_id) {
                return result;
            }
        }
        let result = self.fresh();
        let instruction = Instruction::new(op, result_type, Some(result), operands);
        self.learn(&instruction);
        self.module.types_global_values.push(instruction);
        result
    }

    /// A pointer type.
    pub fn pointer(&mut self, class: StorageClass, of: Word) -> Word {
        self.global(Op::TypePointer, None, vec![Operand::StorageClass(class), Operand::IdRef(of)])
    }

    /// `uint`.
    pub fn uint(&mut self) -> Word {
        self.global(Op::TypeInt, None, vec![Operand::LiteralBit32(32), Operand::LiteralBit32(0)])
    }

    /// `int`.
    pub fn int(&mut self) -> Word {
        self.global(Op::TypeInt, None, vec![Operand::LiteralBit32(32), Operand::LiteralBit32(1)])
    }

    /// `float`.
    pub fn float(&mut self) -> Word {
        self.global(Op::TypeFloat, None, vec![Operand::LiteralBit32(32)])
    }

    /// A vector type.
    pub fn vector(&mut self, of: Word, rows: u32) -> Word {
        self.global(Op::TypeVector, None, vec![Operand::IdRef(of), Operand::LiteralBit32(rows)])
    }

    /// An array type of its own, with its stride where it lies in a buffer.
    pub fn array(&mut self, of: Word, length: u32, stride: Option<u32>) -> Word {
        let length = self.constant_uint(length);
        let array = self.global(Op::TypeArray, None, vec![Operand::IdRef(of), Operand::IdRef(length)]);
        if let Some(stride) = stride {
            self.decorate(array, Decoration::ArrayStride, &[Operand::LiteralBit32(stride)]);
        }
        array
    }

    /// An unsigned constant.
    pub fn constant_uint(&mut self, value: u32) -> Word {
        if let Some(known) = self.uints.get(&value) {
            return *known;
        }
        let uint = self.uint();
        self.global(Op::Constant, Some(uint), vec![Operand::LiteralBit32(value)])
    }

    /// A float constant.
    pub fn constant_float(&mut self, value: f32) -> Word {
        let float = self.float();
        self.global(Op::Constant, Some(float), vec![Operand::LiteralBit32(value.to_bits())])
    }

    /// A global variable, named.
    pub fn add_variable(&mut self, class: StorageClass, ty: Word, name: &str, initial: Option<Word>) -> Word {
        let pointer = self.pointer(class, ty);
        let mut operands = vec![Operand::StorageClass(class)];
        operands.extend(initial.map(Operand::IdRef));
        let variable = self.global(Op::Variable, Some(pointer), operands);
        self.set_name(variable, name);
        variable
    }

    /// Names a variable.
    pub fn set_name(&mut self, target: Word, name: &str) {
        self.names.insert(target, name.to_owned());
        self.module.debug_names.push(Instruction::new(
            Op::Name,
            None,
            None,
            vec![Operand::IdRef(target), Operand::LiteralString(name.to_owned())],
        ));
    }

    /// Takes a global variable away with all that is said of it.
    pub fn remove_variable(&mut self, variable: Word) {
        self.module.types_global_values.retain(|instruction| instruction.result_id != Some(variable));
        let about = |instruction: &Instruction| matches!(instruction.operands.first(), Some(Operand::IdRef(on)) if *on == variable);
        self.module.annotations.retain(|annotation| !about(annotation));
        self.module.debug_names.retain(|name| !about(name));
    }

    /// The zero of a type that holds no pointer.
    pub fn zero(&mut self, ty: Word) -> Word {
        self.global(Op::ConstantNull, Some(ty), vec![])
    }

    /// Whether an id is a scalar constant of value 0.
    pub fn is_zero(&self, constant: Word) -> bool {
        self.module.types_global_values.iter().any(|instruction| {
            instruction.result_id == Some(constant)
                && (instruction.class.opcode == Op::ConstantNull
                    || instruction.operands.as_slice() == [Operand::LiteralBit32(0)])
        })
    }

    /// A function by its id.
    pub fn function(&self, id: Word) -> Option<&Function> {
        self.module.functions.iter().find(|function| function_id(function) == Some(id))
    }

    /// Whether a function's body names the id.
    pub fn is_used(&self, wanted: Word) -> bool {
        self.module
            .functions
            .iter()
            .flat_map(|function| &function.blocks)
            .flat_map(|block| &block.instructions)
            .flat_map(|instruction| &instruction.operands)
            .any(|operand| id(operand) == Some(wanted))
    }
}

/// The id that an operand names.
pub fn id(operand: &Operand) -> Option<Word> {
    match operand {
        Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) => Some(*id),
        _ => None,
    }
}

/// A function's own id.
pub fn function_id(function: &Function) -> Option<Word> {
    function.def.as_ref()?.result_id
}

/// An instruction with ids as operands.
pub fn instruction(op: Op, ty: Option<Word>, result: Option<Word>, ids: &[Word]) -> Instruction {
    Instruction::new(op, ty, result, ids.iter().copied().map(Operand::IdRef).collect())
}
