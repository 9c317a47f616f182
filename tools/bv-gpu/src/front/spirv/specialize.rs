//! Makes functions that take samplers into one function a set of arguments.
//!
//! GLSL passes a sampler, an array of samplers or a structure with samplers by pointer; WebGPU has no such pointer, and
//! two bindings for each sampler. GLSL ES 3.00 lets a sampler be named by constant indices only, so that each call says
//! at compile time which variables it means: the callee is copied for them and its parameters go.

use super::shader::{Shader, function_id, id, instruction};
use rspirv::dr::{Function, Instruction, Operand};
use rspirv::spirv::{FunctionControl, Op, StorageClass, Word};
use std::collections::{HashMap, HashSet};

/// Most copies of functions in one shader. No shader that anyone wrote comes near; calls in calls could double the number at each level.
const COPIES_MAX: usize = 2_000;

/// A place in a global variable: the variable and the indices, `None` where one is not constant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Path {
    pub root: Word,
    pub indices: Vec<Option<u32>>,
}

/// Copies functions until none that the entry point reaches takes a sampler, and drops those that are not reached.
///
/// # Errors
/// The name of what is not supported.
pub fn specialize(shader: &mut Shader) -> Result<(), String> {
    let mut copies: HashMap<(Word, Vec<Option<Path>>), Word> = HashMap::new();
    let mut reached = HashSet::from([shader.entry]);
    let mut waiting = vec![shader.entry];
    while let Some(current) = waiting.pop() {
        let Some(at) = shader.module.functions.iter().position(|f| function_id(f) == Some(current)) else {
            return Err("function without body".to_owned());
        };
        let mut function = shader.module.functions[at].clone();
        let paths = paths(shader, &function);
        for call in calls(&mut function) {
            let Some(callee) = call.operands.first().and_then(id) else { continue };
            let arguments: Vec<Option<Path>> = call.operands[1..]
                .iter()
                .map(|argument| id(argument).and_then(|argument| paths.get(&argument)).cloned())
                .collect();
            let mut target = callee;
            if arguments.iter().any(Option::is_some) {
                target = match copies.get(&(callee, arguments.clone())) {
                    Some(known) => *known,
                    None => {
                        if copies.len() >= COPIES_MAX {
                            return Err("sampler parameters in so many calls".to_owned());
                        }
                        let copy = copy(shader, callee, &arguments)?;
                        copies.insert((callee, arguments.clone()), copy);
                        copy
                    }
                };
                let mut kept = arguments.iter().map(Option::is_none);
                let mut operands = vec![Operand::IdRef(target)];
                operands.extend(call.operands[1..].iter().filter(|_| kept.next() == Some(true)).cloned());
                call.operands = operands;
            }
            if reached.insert(target) {
                waiting.push(target);
            }
        }
        shader.module.functions[at] = function;
    }
    shader.module.functions.retain(|f| function_id(f).is_some_and(|id| reached.contains(&id)));
    Ok(())
}

fn calls(function: &mut Function) -> impl Iterator<Item = &mut Instruction> {
    function
        .blocks
        .iter_mut()
        .flat_map(|block| &mut block.instructions)
        .filter(|instruction| instruction.class.opcode == Op::FunctionCall)
}

/// Every pointer to a uniform in a function, with what it points to. Global variables are among them.
pub fn paths(shader: &Shader, function: &Function) -> HashMap<Word, Path> {
    let mut paths: HashMap<Word, Path> = shader
        .variables()
        .into_iter()
        .filter(|variable| matches!(variable.class, StorageClass::UniformConstant | StorageClass::Uniform))
        .map(|variable| (variable.id, Path { root: variable.id, indices: vec![] }))
        .collect();
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        if instruction.class.opcode != Op::AccessChain {
            continue;
        }
        let mut operands = instruction.operands.iter().filter_map(id);
        let (Some(result), Some(base)) = (instruction.result_id, operands.next()) else { continue };
        if let Some(Path { root, indices }) = paths.get(&base) {
            let mut indices = indices.clone();
            indices.extend(operands.map(|index| shader.integer(index)));
            let path = Path { root: *root, indices };
            paths.insert(result, path);
        }
    }
    paths
}

/// A copy of a function with fresh ids, in which the parameters that have a path are the places they name.
fn copy(shader: &mut Shader, callee: Word, arguments: &[Option<Path>]) -> Result<Word, String> {
    let mut function = shader.function(callee).cloned().ok_or("function without body")?;
    let mut renamed: HashMap<Word, Word> = HashMap::new();
    let mut places = Vec::new();
    let mut parameters = Vec::new();
    for (parameter, argument) in function.parameters.drain(..).zip(arguments) {
        let Some(old) = parameter.result_id else { continue };
        let Some(path) = argument else {
            renamed.insert(old, shader.fresh());
            parameters.push(parameter);
            continue;
        };
        if path.indices.is_empty() {
            renamed.insert(old, path.root);
            continue;
        }
        let mut ids = vec![path.root];
        for index in &path.indices {
            let index = index.ok_or("sampler chosen by a variable index")?;
            ids.push(shader.constant_uint(index));
        }
        let place = shader.fresh();
        renamed.insert(old, place);
        places.push(instruction(Op::AccessChain, parameter.result_type, Some(place), &ids));
    }
    function.parameters = parameters;
    let result = shader.fresh();
    renamed.insert(callee, result);
    for block in &function.blocks {
        for defined in block.label.iter().chain(&block.instructions).filter_map(|i| i.result_id) {
            renamed.insert(defined, shader.fresh());
        }
    }
    rename(&mut function, &renamed);
    if let (Some(def), Some(first)) = (&mut function.def, function.blocks.first_mut()) {
        let returned = def.result_type.ok_or("function without type")?;
        let mut types = vec![Operand::IdRef(returned)];
        types.extend(function.parameters.iter().filter_map(|p| p.result_type).map(Operand::IdRef));
        let ty = shader.global(Op::TypeFunction, None, types);
        def.operands = vec![Operand::FunctionControl(FunctionControl::NONE), Operand::IdRef(ty)];
        let head = first.instructions.iter().take_while(|i| i.class.opcode == Op::Variable).count();
        first.instructions.splice(head..head, places);
    }
    let name = shader.name(callee).to_owned();
    shader.set_name(result, &name);
    shader.module.functions.push(function);
    Ok(result)
}

fn rename(function: &mut Function, renamed: &HashMap<Word, Word>) {
    let all = function.def.iter_mut().chain(&mut function.parameters).chain(
        function.blocks.iter_mut().flat_map(|block| block.label.iter_mut().chain(&mut block.instructions)),
    );
    for instruction in all {
        let ids =
            instruction.result_id.iter_mut().chain(instruction.operands.iter_mut().filter_map(|operand| {
                match operand {
                    Operand::IdRef(id) => Some(id),
                    _ => None,
                }
            }));
        for id in ids {
            if let Some(new) = renamed.get(id) {
                *id = *new;
            }
        }
    }
}
