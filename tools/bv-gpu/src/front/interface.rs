//! Gives the uniforms, samplers, inputs and outputs of both stages their places, the same in both, and rewrites the
//! stages to them.

use super::spirv::entry::{self, Entry, Interpolation};
use super::spirv::layout::{self, Mapping};
use super::spirv::shader::{Shader, Variable};
use super::spirv::uniforms::{self, Home, Pair, Root};
use super::survey::{SamplerUse, Survey, UniformBlock, is_depth_range};
use super::{Attribute, Block, Output, Sampler, Uniform};
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};
use std::collections::{BTreeMap, HashMap};
use wgpu::ShaderStages;

/// What both stages have in common.
#[derive(Default)]
pub struct Interface {
    pub uniforms: Vec<Uniform>,
    pub blocks: Vec<Block>,
    pub samplers: Vec<Sampler>,
    pub attributes: Vec<Attribute>,
    pub outputs: Vec<Output>,
    pub point_size: bool,
    pub point_coord: bool,
}

/// One stage, its survey and what it is.
pub struct Stage {
    pub shader: Shader,
    pub survey: Survey,
    pub visibility: ShaderStages,
}

/// The group of all bindings.
const GROUP: u32 = 0;

/// Places everything and rewrites both stages.
///
/// # Errors
/// The name of what is not supported.
pub fn join(vertex: &mut Stage, fragment: &mut Stage) -> Result<Interface, String> {
    let mut interface = Interface::default();
    let offsets = interface.place_loose([vertex, fragment]);
    interface.place_blocks([vertex, fragment]);
    interface.place_samplers([vertex, fragment]);
    for stage in [&mut *vertex, &mut *fragment] {
        interface.rewrite(stage, &offsets)?;
    }
    let varyings = varyings(vertex, fragment);
    interface.enter_vertex(vertex, &varyings);
    interface.enter_fragment(fragment, &varyings);
    Ok(interface)
}

impl Interface {
    /// The default block: the loose uniforms of the vertex shader, then those that only the fragment shader has.
    fn place_loose(&mut self, stages: [&Stage; 2]) -> HashMap<String, u32> {
        let mut offsets = HashMap::new();
        let (mut end, mut visibility) = (0, ShaderStages::NONE);
        for stage in stages {
            for (variable, mapping) in &stage.survey.loose {
                if mapping.memory.is_none() {
                    continue;
                }
                visibility |= stage.visibility;
                if offsets.contains_key(&variable.name) {
                    continue;
                }
                let offset = u32::next_multiple_of(end, mapping.align);
                offsets.insert(variable.name.clone(), offset);
                end = offset + mapping.size;
                layout::leaves(&stage.shader, mapping, &variable.name, 0, offset, &mut self.uniforms);
            }
        }
        if end > 0 {
            let size = end.next_multiple_of(16);
            self.blocks.push(Block { name: None, group: GROUP, binding: 0, size, visibility });
        }
        offsets
    }

    fn place_blocks(&mut self, stages: [&Stage; 2]) {
        for stage in stages {
            for block in &stage.survey.blocks {
                for name in block.names() {
                    self.place_block(stage, block, name);
                }
            }
        }
    }

    fn place_block(&mut self, stage: &Stage, block: &UniformBlock, name: String) {
        if let Some(known) = self.blocks.iter_mut().find(|known| known.name.as_deref() == Some(&name)) {
            known.visibility |= stage.visibility;
            return;
        }
        let at = self.blocks.len();
        // Members of a block without an instance are global names.
        let prefix = if block.variable.name.is_empty() { "" } else { name.as_str() };
        layout::leaves(&stage.shader, &block.mapping, prefix, at, 0, &mut self.uniforms);
        self.blocks.push(Block {
            name: Some(name),
            group: GROUP,
            binding: at as u32,
            size: block.mapping.size,
            visibility: stage.visibility,
        });
    }

    fn place_samplers(&mut self, stages: [&Stage; 2]) {
        for stage in stages {
            for used in &stage.survey.samplers {
                if let Some(known) = self.samplers.iter_mut().find(|known| known.name == used.name) {
                    known.visibility |= stage.visibility;
                    continue;
                }
                let binding = (self.blocks.len() + 2 * self.samplers.len()) as u32;
                self.samplers.push(Sampler {
                    name: used.name.clone(),
                    dimension: used.dimension,
                    scalar: used.scalar,
                    shadow: used.shadow,
                    group: GROUP,
                    texture: binding,
                    sampler: Some(binding + 1),
                    visibility: stage.visibility,
                });
            }
        }
    }

    fn rewrite(&self, stage: &mut Stage, offsets: &HashMap<String, u32>) -> Result<(), String> {
        let shader = &mut stage.shader;
        let mut roots = self.loose_roots(shader, &stage.survey.loose, offsets);
        for block in &stage.survey.blocks {
            let variables: Vec<_> = block
                .names()
                .iter()
                .filter_map(|name| {
                    let known = self.blocks.iter().find(|known| known.name.as_deref() == Some(name))?;
                    Some(bound_block(shader, block.mapping.memory?, name, known.binding))
                })
                .collect();
            let home = match (block.length, variables.as_slice()) {
                (None, [one]) => Home::Block(*one),
                _ => Home::Blocks(variables),
            };
            let mapping = block.mapping.clone();
            roots.insert(block.variable.id, Root { name: block.name.clone(), mapping, home });
        }
        let pairs = stage
            .survey
            .samplers
            .iter()
            .filter_map(|used| {
                let known = self.samplers.iter().find(|known| known.name == used.name)?;
                Some((used.name.clone(), bound_pair(shader, used, known)))
            })
            .collect();
        let depth_ranges: Vec<_> = shader.variables().into_iter().filter(is_depth_range).collect();
        for variable in depth_ranges {
            let (zero, one) = (shader.constant_float(0.0), shader.constant_float(1.0));
            let parts = [zero, one, one].map(Operand::IdRef).to_vec();
            let range = shader.global(Op::ConstantComposite, Some(variable.ty), parts);
            entry::privatize(shader, &variable, Some(range));
        }
        uniforms::rewrite(shader, &roots, &pairs)?;
        for variable in roots.keys() {
            shader.remove_variable(*variable);
        }
        Ok(())
    }

    fn loose_roots(
        &self,
        shader: &mut Shader,
        loose: &[(Variable, std::rc::Rc<Mapping>)],
        offsets: &HashMap<String, u32>,
    ) -> HashMap<u32, Root> {
        let mut members: Vec<_> = loose
            .iter()
            .filter_map(|(variable, mapping)| {
                let offset = *offsets.get(&variable.name)?;
                Some((variable.id, layout::block_member(mapping, offset)?, mapping.size))
            })
            .collect();
        members.sort_by_key(|(_, (_, offset, _), _)| *offset);
        // What only the other stage uses is filled in: OpenGL lays the block out by its members alone.
        let mut types = Vec::new();
        let mut indices = HashMap::new();
        let mut end = 0;
        for (id, member, size) in members {
            types.extend(layout::filler(shader, end, member.1));
            indices.insert(id, types.len() as u32);
            types.push(member);
            end = member.1.saturating_add(size);
        }
        let default = (!types.is_empty()).then(|| {
            let structure = layout::block(shader, &types);
            bound_block(shader, structure, "bv_uniforms", 0)
        });
        loose
            .iter()
            .map(|(variable, mapping)| {
                let home = match (default, indices.get(&variable.id)) {
                    (Some(block), Some(index)) => Home::Member { block, index: shader.constant_uint(*index) },
                    _ => Home::Nowhere,
                };
                let root = Root { name: variable.name.clone(), mapping: mapping.clone(), home };
                (variable.id, root)
            })
            .collect()
    }

    fn enter_vertex(&mut self, stage: &mut Stage, varyings: &Varyings) {
        let shader = &mut stage.shader;
        let mut entry = Entry::default();
        let mut inputs = std::mem::take(&mut stage.survey.inputs);
        inputs.retain(|input| shader.is_used(input.id) || drop_variable(shader, input));
        for (input, location) in locations(shader, inputs) {
            self.attributes.push(Attribute {
                name: input.name.clone(),
                ty: layout::value_type(shader, input.ty),
                location,
            });
            entry.place(shader, &input, location, Interpolation::Smooth);
        }
        for output in std::mem::take(&mut stage.survey.outputs) {
            match varyings.get(&output.name) {
                Some((location, how)) => entry.place(shader, &output, *location, *how),
                None => entry::privatize(shader, &output, None),
            }
        }
        let mut position = None;
        for (variable, built_in) in entry::built_ins(shader) {
            entry.keep(variable.id);
            self.point_size |= built_in == BuiltIn::PointSize;
            if built_in == BuiltIn::Position {
                position = Some(variable.id);
            }
        }
        // What is not written is undefined in WebGL; WebGPU has no vertex shader without a position.
        let position = position.unwrap_or_else(|| {
            let float = shader.float();
            let vec4 = shader.vector(float, 4);
            let zero = shader.zero(vec4);
            let added = shader.add_variable(StorageClass::Output, vec4, "gl_Position", Some(zero));
            shader.decorate(added, Decoration::BuiltIn, &[Operand::BuiltIn(BuiltIn::Position)]);
            entry.keep(added);
            added
        });
        entry.turn(shader, position);
        entry.finish(shader);
        shader.sweep();
    }

    fn enter_fragment(&mut self, stage: &mut Stage, varyings: &Varyings) {
        let shader = &mut stage.shader;
        let mut entry = Entry::default();
        for input in std::mem::take(&mut stage.survey.inputs) {
            match varyings.get(&input.name) {
                Some((location, how)) => entry.place(shader, &input, *location, *how),
                None => _ = drop_variable(shader, &input),
            }
        }
        let outputs = std::mem::take(&mut stage.survey.outputs);
        for (output, location) in locations(shader, outputs) {
            let slots = entry::slots(shader, output.ty);
            for (at, slot) in (0..).zip(&slots) {
                let name = match slot.path.as_slice() {
                    [] => output.name.clone(),
                    _ => format!("{}[{at}]", output.name),
                };
                let ty = layout::value_type(shader, slot.ty);
                self.outputs.push(Output { name, ty, location: location + at });
            }
            entry.place_output(shader, &output, location);
        }
        for (variable, built_in) in entry::built_ins(shader) {
            entry.keep(variable.id);
            self.point_coord |= built_in == BuiltIn::PointCoord;
        }
        entry.finish(shader);
        shader.sweep();
    }
}

/// The varyings that both stages have, by name: the first location and the interpolation.
type Varyings = BTreeMap<String, (u32, Interpolation)>;

fn varyings(vertex: &Stage, fragment: &Stage) -> Varyings {
    let mut varyings = Varyings::new();
    let mut next = 0;
    for input in &fragment.survey.inputs {
        let written = vertex.survey.outputs.iter().any(|output| output.name == input.name);
        if written && fragment.shader.is_used(input.id) {
            let how = entry::interpolation(&fragment.shader, input);
            varyings.insert(input.name.clone(), (next, how));
            next += entry::slots(&fragment.shader, input.ty).len() as u32;
        }
    }
    varyings
}

/// The location of each variable: as the source says, else the lowest that are free together.
fn locations(shader: &Shader, variables: Vec<Variable>) -> Vec<(Variable, u32)> {
    let length = |variable: &Variable| entry::slots(shader, variable.ty).len() as u32;
    let mut taken: Vec<u32> = variables
        .iter()
        .filter_map(|variable| Some((shader.location(variable.id)?, length(variable))))
        .flat_map(|(first, length)| first..first + length)
        .collect();
    variables
        .into_iter()
        .map(|variable| {
            let length = length(&variable);
            let location = shader.location(variable.id).unwrap_or_else(|| {
                let free = (0..).find(|first| (*first..first + length).all(|at| !taken.contains(&at)));
                let first = free.unwrap_or(0);
                taken.extend(first..first + length);
                first
            });
            (variable, location)
        })
        .collect()
}

/// Takes a variable away that nothing uses; always `false`, for `retain`.
fn drop_variable(shader: &mut Shader, variable: &Variable) -> bool {
    shader.remove_variable(variable.id);
    false
}

fn bound_block(shader: &mut Shader, structure: u32, name: &str, binding: u32) -> u32 {
    if shader.decoration(structure, Decoration::Block).is_none() {
        shader.decorate(structure, Decoration::Block, &[]);
    }
    let variable = shader.add_variable(StorageClass::Uniform, structure, name, None);
    bind(shader, variable, binding);
    variable
}

fn bound_pair(shader: &mut Shader, used: &SamplerUse, known: &Sampler) -> Pair {
    let class = StorageClass::UniformConstant;
    let texture = shader.add_variable(class, used.image_type, &used.name, None);
    bind(shader, texture, known.texture);
    let sampler_type = shader.global(Op::TypeSampler, None, vec![]);
    let sampler = shader.add_variable(class, sampler_type, &format!("{}_sampler", used.name), None);
    bind(shader, sampler, known.sampler.unwrap_or_default());
    Pair { texture, sampler, image_type: used.image_type }
}

fn bind(shader: &mut Shader, variable: u32, binding: u32) {
    shader.decorate(variable, Decoration::DescriptorSet, &[Operand::LiteralBit32(GROUP)]);
    shader.decorate(variable, Decoration::Binding, &[Operand::LiteralBit32(binding)]);
}
