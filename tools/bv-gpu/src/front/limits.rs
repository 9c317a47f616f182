//! Counts what a program uses against what every WebGL2 implementation must offer (OpenGL ES 3.0.6, tables 6.31 to
//! 6.34). A program that needs more may run here and fail on another machine.
//!
//! Uniforms and varyings are counted as GLSL ES 3.00 does: packed into vectors of four by the algorithm of its chapter
//! 11, "Counting of Inputs and Outputs", as Chromium does. Only what is used counts.

use super::diagnose::Place;
use super::interface::Stage;
use super::spirv::entry;
use super::spirv::shader::{Shader, Ty, Variable};
use super::survey::Survey;
use super::{Diagnostic, Rule};
use rspirv::spirv::Word;

const VERTEX_UNIFORM_VECTORS: u32 = 256;
const FRAGMENT_UNIFORM_VECTORS: u32 = 224;
const VARYING_VECTORS: u32 = 15;
const ATTRIBUTES: u32 = 16;
const DRAW_BUFFERS: u32 = 4;
const STAGE_SAMPLERS: u32 = 16;
const COMBINED_SAMPLERS: u32 = 32;
const STAGE_BLOCKS: u32 = 12;
const COMBINED_BLOCKS: u32 = 24;
const BLOCK_BYTES: u32 = 16_384;

/// Every limit that the program passes, at the declaration that passes it.
pub fn check(
    vertex: &Stage,
    fragment: &Stage,
    vertex_place: &Place<'_>,
    fragment_place: &Place<'_>,
) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for (stage, place, uniforms, which) in [
        (vertex, vertex_place, VERTEX_UNIFORM_VECTORS, "vertex"),
        (fragment, fragment_place, FRAGMENT_UNIFORM_VECTORS, "fragment"),
    ] {
        let mut over = |found: Option<(String, u64)>, limit: u32, what: &str| {
            if let Some((name, count)) = found {
                let message = format!("{count} {what}; every WebGL2 has at least {limit}, some no more");
                out.push(place.about(Rule::Limits, &name, message));
            }
        };
        let survey = &stage.survey;
        over(uniform_vectors(&stage.shader, survey, uniforms), uniforms, &format!("{which} uniform vectors"));
        over(
            past(samplers(survey), STAGE_SAMPLERS),
            STAGE_SAMPLERS,
            &format!("samplers in the {which} shader"),
        );
        over(
            past(blocks(survey), STAGE_BLOCKS),
            STAGE_BLOCKS,
            &format!("uniform blocks in the {which} shader"),
        );
        for block in survey.blocks.iter().filter(|block| block.mapping.size > BLOCK_BYTES) {
            let count = u64::from(block.mapping.size);
            over(Some((block.name.clone(), count)), BLOCK_BYTES, "bytes in a uniform block");
        }
    }
    let mut over = |found: Option<(String, u64)>, limit: u32, what: &str, place: &Place<'_>| {
        if let Some((name, count)) = found {
            let message = format!("{count} {what}; every WebGL2 has at least {limit}, some no more");
            out.push(place.about(Rule::Limits, &name, message));
        }
    };
    let both = |count: fn(&Survey) -> Vec<(String, u32)>| {
        let mut all = count(&vertex.survey);
        all.extend(count(&fragment.survey));
        all
    };
    over(
        past(both(samplers), COMBINED_SAMPLERS),
        COMBINED_SAMPLERS,
        "samplers in both shaders",
        fragment_place,
    );
    over(
        past(both(blocks), COMBINED_BLOCKS),
        COMBINED_BLOCKS,
        "uniform blocks in both shaders",
        fragment_place,
    );
    over(varying_vectors(vertex, fragment), VARYING_VECTORS, "varying vectors", fragment_place);
    over(last_location(vertex, &vertex.survey.inputs), ATTRIBUTES, "vertex attributes", vertex_place);
    over(last_location(fragment, &fragment.survey.outputs), DRAW_BUFFERS, "draw buffers", fragment_place);
    out
}

/// The first name with which the sum is more than the limit, and the whole sum.
fn past(counts: Vec<(String, u32)>, limit: u32) -> Option<(String, u64)> {
    let total: u64 = counts.iter().map(|(_, count)| u64::from(*count)).sum();
    let mut sum = 0_u64;
    let first = counts.into_iter().find(|(_, count)| {
        sum += u64::from(*count);
        sum > u64::from(limit)
    })?;
    Some((first.0, total))
}

/// Samplers by variable; an array of samplers counts whole when one of its elements is used.
fn samplers(survey: &Survey) -> Vec<(String, u32)> {
    let mut arrays: Vec<(String, u32)> = Vec::new();
    for used in &survey.samplers {
        if !arrays.iter().any(|(name, _)| *name == used.array) {
            arrays.push((used.array.clone(), used.length));
        }
    }
    arrays.into_iter().map(|(name, length)| (root_name(&name).to_owned(), length)).collect()
}

/// `mats` of `mats[1].diffuse`.
fn root_name(name: &str) -> &str {
    &name[..name.find(['[', '.']).unwrap_or(name.len())]
}

fn blocks(survey: &Survey) -> Vec<(String, u32)> {
    survey.blocks.iter().map(|block| (block.name.clone(), block.length.unwrap_or(1))).collect()
}

fn uniform_vectors(shader: &Shader, survey: &Survey, limit: u32) -> Option<(String, u64)> {
    let variables: Vec<_> = survey
        .loose
        .iter()
        .filter(|(_, mapping)| mapping.memory.is_some())
        .map(|(variable, _)| variable.clone())
        .collect();
    too_many_vectors(shader, &variables, limit)
}

fn varying_vectors(vertex: &Stage, fragment: &Stage) -> Option<(String, u64)> {
    let shader = &fragment.shader;
    let varyings: Vec<_> = fragment
        .survey
        .inputs
        .iter()
        .filter(|input| shader.is_used(input.id))
        .filter(|input| vertex.survey.outputs.iter().any(|output| output.name == input.name))
        .cloned()
        .collect();
    too_many_vectors(shader, &varyings, VARYING_VECTORS)
}

/// The variable with which the packing first fails, and how many vectors all of them take, packed.
fn too_many_vectors(shader: &Shader, variables: &[Variable], limit: u32) -> Option<(String, u64)> {
    let shapes = |variables: &[Variable]| {
        let mut out = Vec::new();
        variables.iter().for_each(|variable| shapes(shader, variable.ty, 1, &mut out));
        out
    };
    let all = vectors(shapes(variables));
    if all <= u64::from(limit) {
        return None;
    }
    let last =
        (1..=variables.len()).find(|count| vectors(shapes(&variables[..*count])) > u64::from(limit))?;
    Some((variables[last - 1].name.clone(), all))
}

/// Rows and columns of what is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Box2 {
    columns: usize,
    rows: u64,
}

/// Splits a type into what is packed: matrices are as large as the square ones around them, a `mat2` is two whole rows.
fn shapes(shader: &Shader, ty: Word, times: u64, out: &mut Vec<Box2>) {
    match shader.ty(ty) {
        Ty::Array { of, length } => {
            let length = u64::from(*length);
            match shader.ty(*of) {
                // Elements of structures are packed one by one; so many that they cannot fit are not.
                Ty::Struct { .. } if times * length <= 4096 => {
                    (0..length).for_each(|_| shapes(shader, *of, times, out));
                }
                _ => shapes(shader, *of, times.saturating_mul(length), out),
            }
        }
        Ty::Struct { members } => members.iter().for_each(|member| shapes(shader, *member, times, out)),
        Ty::Matrix { column, columns } => {
            let rows = match shader.ty(*column) {
                Ty::Vector { rows, .. } => *rows,
                _ => 4,
            };
            let size = rows.max(*columns);
            let columns = if size == 2 { 4 } else { size as usize };
            out.push(Box2 { columns, rows: times.saturating_mul(u64::from(size)) });
        }
        Ty::Vector { rows, .. } => out.push(Box2 { columns: *rows as usize, rows: times }),
        Ty::SampledImage { .. } => {}
        _ => out.push(Box2 { columns: 1, rows: times }),
    }
}

/// The fewest vectors that the boxes fit into.
fn vectors(mut boxes: Vec<Box2>) -> u64 {
    boxes.sort_by_key(|b| std::cmp::Reverse((b.columns, b.rows)));
    let total = boxes.iter().map(|b| b.rows).fold(0, u64::saturating_add);
    let (mut low, mut high) = (0, total);
    while low < high {
        let middle = low + (high - low) / 2;
        if fits(&boxes, middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Whether the boxes, sorted, fit into so many vectors: those of four columns from the top, then those of three; of two,
/// beside or below each other in the first two columns while they fit, else in the last two from the bottom; scalars in
/// the column with the least room that is enough.
fn fits(boxes: &[Box2], limit: u64) -> bool {
    let sum =
        |columns| boxes.iter().filter(|b| b.columns == columns).map(|b| b.rows).fold(0, u64::saturating_add);
    let (fours, threes) = (sum(4), sum(3));
    let Some(below) = limit.checked_sub(fours.saturating_add(threes)) else { return false };
    let (mut first, mut last) = (below, below);
    for pair in boxes.iter().filter(|b| b.columns == 2) {
        if pair.rows <= first {
            first -= pair.rows;
        } else if pair.rows <= last {
            last -= pair.rows;
        } else {
            return false;
        }
    }
    // The fourth column is free beside boxes of three columns.
    let mut free = [first, first, last, last.saturating_add(threes)];
    for scalar in boxes.iter().filter(|b| b.columns == 1) {
        let room = free.iter_mut().filter(|free| **free >= scalar.rows).min();
        match room {
            Some(room) => *room -= scalar.rows,
            None => return false,
        }
    }
    true
}

/// The variable whose locations reach furthest, and how many locations that makes.
fn last_location(stage: &Stage, variables: &[Variable]) -> Option<(String, u64)> {
    let shader = &stage.shader;
    let limit = match stage.visibility {
        wgpu::ShaderStages::VERTEX => ATTRIBUTES,
        _ => DRAW_BUFFERS,
    };
    let used: Vec<_> = variables.iter().filter(|variable| shader.is_used(variable.id)).cloned().collect();
    let mut counts = Vec::new();
    for variable in &used {
        let length = entry::locations_of(shader, variable.ty);
        match shader.location(variable.id) {
            Some(location) if u64::from(location) + length > u64::from(limit) => {
                return Some((variable.name.clone(), u64::from(location) + length));
            }
            _ => counts.push((variable.name.clone(), length.min(u64::from(u32::MAX)) as u32)),
        }
    }
    past(counts, limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing() {
        let check = |boxes: &[(usize, u64)], expected: u64| {
            let boxes: Vec<_> =
                boxes.iter().map(|(columns, rows)| Box2 { columns: *columns, rows: *rows }).collect();
            assert_eq!(vectors(boxes.clone()), expected, "{boxes:?}");
        };
        check(&[], 0);
        check(&[(4, 3), (3, 2)], 5);
        check(&[(3, 2), (1, 2)], 2);
        check(&[(2, 1), (2, 1)], 1);
        check(&[(2, 3), (2, 1), (2, 1)], 3);
        check(&[(1, 1), (1, 1), (1, 1), (1, 1), (1, 1)], 2);
        check(&[(1, 8), (3, 1)], 8);
        check(&[(4, u64::MAX), (4, 1)], u64::MAX);
    }
}
