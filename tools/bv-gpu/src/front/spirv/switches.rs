//! Takes falling through out of `switch`: where a case runs on into the next, it gets that one's blocks as its own.
//!
//! naga's modules can say it, but its SPIR-V writer jumps to the wrong case behind one without a body, and its reader
//! loses the case behind a `default` in the middle.

use super::shader::{Shader, id};
use rspirv::dr::{Block, Function, Instruction, Operand};
use rspirv::spirv::{Op, Word};
use std::collections::{HashMap, HashSet};

/// Most instructions of a function; cases that run through all others square them.
const INSTRUCTIONS_MAX: usize = 1 << 18;

/// Rewrites all functions.
///
/// # Errors
/// The name of what is not supported.
pub fn rewrite(shader: &mut Shader) -> Result<(), String> {
    let mut functions = std::mem::take(&mut shader.module.functions);
    for function in &mut functions {
        while let Some(fall) = next_fall(function) {
            unroll(shader, function, &fall);
            let size: usize = function.blocks.iter().map(|block| block.instructions.len()).sum();
            if size > INSTRUCTIONS_MAX {
                return Err("cases that fall through so often".to_owned());
            }
        }
    }
    shader.module.functions = functions;
    Ok(())
}

/// A block that runs on into a case that is not its own, and all blocks of that case.
struct Fall {
    from: usize,
    into: Word,
    blocks: Vec<usize>,
}

/// The last fall of a function: the case it runs into falls no further, and no inner `switch` of it does.
fn next_fall(function: &Function) -> Option<Fall> {
    let shape = Shape::new(function);
    for header in (0..function.blocks.len()).rev() {
        let Some(switch) = function.blocks[header].instructions.last() else { continue };
        if switch.class.opcode != Op::Switch {
            continue;
        }
        let cases: HashSet<Word> = switch.operands.iter().skip(1).filter_map(id).collect();
        let regions: HashMap<Word, Vec<usize>> =
            cases.iter().map(|case| (*case, shape.region(function, *case, &cases, header))).collect();
        let mut last: Option<(usize, Word)> = None;
        for (case, blocks) in &regions {
            for from in blocks {
                let falls =
                    |into: &Word| into != case && regions.get(into).is_some_and(|blocks| !blocks.is_empty());
                if let Some(into) = targets(&function.blocks[*from]).find(falls)
                    && last.is_none_or(|(other, _)| *from > other)
                {
                    last = Some((*from, into));
                }
            }
        }
        if let Some((from, into)) = last {
            return Some(Fall { from, into, blocks: regions[&into].clone() });
        }
    }
    None
}

/// Where each label is, and which block each merge and continue target belongs to.
struct Shape {
    places: HashMap<Word, usize>,
    owners: HashMap<Word, usize>,
}

impl Shape {
    fn new(function: &Function) -> Self {
        let (mut places, mut owners) = (HashMap::new(), HashMap::new());
        for (at, block) in function.blocks.iter().enumerate() {
            places.extend(block.label.as_ref().and_then(|label| label.result_id).map(|label| (label, at)));
            for instruction in &block.instructions {
                if matches!(instruction.class.opcode, Op::SelectionMerge | Op::LoopMerge) {
                    owners.extend(instruction.operands.iter().filter_map(id).map(|target| (target, at)));
                }
            }
        }
        Self { places, owners }
    }

    /// The blocks of a case: all that it reaches short of other cases and of what encloses it. In order.
    fn region(&self, function: &Function, case: Word, cases: &HashSet<Word>, header: usize) -> Vec<usize> {
        let Some(first) = self.places.get(&case) else { return Vec::new() };
        if self.owners.get(&case) == Some(&header) {
            // A switch without a default goes to its end.
            return Vec::new();
        }
        let (mut found, mut waiting) = (HashSet::from([*first]), vec![*first]);
        while let Some(at) = waiting.pop() {
            let merges = function.blocks[at]
                .instructions
                .iter()
                .filter(|i| matches!(i.class.opcode, Op::SelectionMerge | Op::LoopMerge));
            let merges = merges.flat_map(|merge| merge.operands.iter().filter_map(id));
            for target in targets(&function.blocks[at]).chain(merges) {
                let Some(place) = self.places.get(&target) else { continue };
                let outer = self.owners.get(&target).is_some_and(|owner| !found.contains(owner));
                if !outer && !cases.contains(&target) && found.insert(*place) {
                    waiting.push(*place);
                }
            }
        }
        let mut blocks: Vec<usize> = found.into_iter().collect();
        blocks.sort_unstable();
        blocks
    }
}

fn targets(block: &Block) -> impl Iterator<Item = Word> + '_ {
    let ends = block
        .instructions
        .last()
        .filter(|last| matches!(last.class.opcode, Op::Branch | Op::BranchConditional | Op::Switch));
    // The condition and the selector are no labels, and no block has their ids.
    ends.into_iter().flat_map(|last| last.operands.iter().filter_map(id))
}

/// Copies the case behind the block that runs into it.
fn unroll(shader: &mut Shader, function: &mut Function, fall: &Fall) {
    let mut copies: Vec<Block> = fall.blocks.iter().map(|at| function.blocks[*at].clone()).collect();
    let mut renamed = HashMap::new();
    for defined in copies.iter().flat_map(|block| block.label.iter().chain(&block.instructions)) {
        if let Some(result) = defined.result_id {
            renamed.insert(result, shader.fresh());
        }
    }
    let rename = |instruction: &mut Instruction| {
        let operands = instruction.operands.iter_mut().filter_map(|operand| match operand {
            Operand::IdRef(id) => Some(id),
            _ => None,
        });
        for id in operands.chain(&mut instruction.result_id) {
            if let Some(new) = renamed.get(id) {
                *id = *new;
            }
        }
    };
    for block in &mut copies {
        block.label.iter_mut().chain(&mut block.instructions).for_each(rename);
    }
    if let Some(last) = function.blocks[fall.from].instructions.last_mut() {
        for operand in &mut last.operands {
            if let (Operand::IdRef(id), Some(new)) = (&mut *operand, renamed.get(&fall.into))
                && *id == fall.into
            {
                *id = *new;
            }
        }
    }
    function.blocks.splice(fall.from + 1..fall.from + 1, copies);
}
