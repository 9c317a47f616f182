//! What a WGSL program is given and gives: its uniforms, textures, attributes and outputs, from naga's modules.

use super::diagnose::Place;
use super::{
    Attribute, Block, Diagnostic, Dimension, Output, Program, Rejection, Rule, Sampler, Scalar, Uniform,
    ValueType,
};
use naga::{
    AddressSpace, Binding, Expression, Function, GlobalVariable, Handle, ImageClass, ImageDimension, Module,
    ScalarKind, Type, TypeInner,
};
use std::collections::BTreeMap;
use wgpu::ShaderStages;

/// Most leaves of all uniform buffers: an array of structures has some for each element.
const UNIFORMS_MAX: usize = 65_536;

/// Fills in what a program is given and gives.
///
/// # Errors
/// Where the stages do not fit each other, or something else than uniforms and textures is bound.
pub fn describe(
    mut program: Program,
    vertex: &Place<'_>,
    fragment: &Place<'_>,
) -> Result<Program, Rejection> {
    let stages = [
        (program.vertex.clone(), program.vertex_entry.clone(), ShaderStages::VERTEX),
        (program.fragment.clone(), program.fragment_entry.clone(), ShaderStages::FRAGMENT),
    ];
    for (module, entry, visibility) in &stages {
        bindings(&mut program, module, entry, *visibility).map_err(Rejection::Unsupported)?;
    }
    let mut errors = conflicts(&program, fragment);
    let inputs = |module: &Module, entry: &str| located(module, &arguments(module, entry));
    let results = |module: &Module, entry: &str| located(module, &result(module, entry));
    let written = results(&program.vertex, &program.vertex_entry);
    for (location, (name, ty)) in inputs(&program.fragment, &program.fragment_entry) {
        let message = match written.get(&location) {
            None => format!("the vertex stage writes nothing to location {location}"),
            Some((_, other)) if *other != ty => {
                format!("the type at location {location} differs between vertex and fragment stage")
            }
            Some(_) => continue,
        };
        errors.push(fragment.about(Rule::Link, &name, message));
    }
    for (location, (name, ty)) in inputs(&program.vertex, &program.vertex_entry) {
        program.attributes.push(Attribute { name, ty, location });
    }
    for (location, (name, ty)) in results(&program.fragment, &program.fragment_entry) {
        program.outputs.push(Output { name, ty, location });
    }
    errors.extend(limits(&program, vertex, fragment, written.len()));
    if errors.is_empty() { Ok(program) } else { Err(Rejection::Errors(errors)) }
}

fn bindings(
    program: &mut Program,
    module: &Module,
    entry: &str,
    visibility: ShaderStages,
) -> Result<(), String> {
    let used = used(module, entry);
    let pairs = pairs(module);
    for (handle, variable) in module.global_variables.iter() {
        let Some(binding) = variable.binding else { continue };
        if !used.contains(&handle) {
            continue;
        }
        let name = variable.name.clone().unwrap_or_default();
        match (variable.space, &module.types[variable.ty].inner) {
            (AddressSpace::Uniform, _) => uniform_block(program, module, variable, binding, visibility)?,
            (AddressSpace::Handle, TypeInner::Sampler { .. }) => {}
            (AddressSpace::Handle, TypeInner::Image { dim, arrayed, class }) => {
                let (scalar, shadow) = match class {
                    ImageClass::Sampled { kind, multi: false } => (scalar(*kind), false),
                    ImageClass::Depth { multi: false } => (Scalar::Float, true),
                    _ => return Err(format!("the texture {name}: only sampled and depth textures are")),
                };
                let dimension = match (dim, arrayed) {
                    (ImageDimension::D2, false) => Dimension::D2,
                    (ImageDimension::D2, true) => Dimension::D2Array,
                    (ImageDimension::D3, false) => Dimension::D3,
                    (ImageDimension::Cube, false) => Dimension::Cube,
                    _ => return Err(format!("the dimension of the texture {name}")),
                };
                let sampler =
                    pairs.get(&handle).and_then(|sampler| module.global_variables[*sampler].binding);
                if sampler.is_some_and(|sampler| sampler.group != binding.group) {
                    return Err(format!("the texture {name} in another group than its sampler"));
                }
                let found = Sampler {
                    name,
                    dimension,
                    scalar,
                    shadow,
                    group: binding.group,
                    texture: binding.binding,
                    sampler: sampler.map(|sampler| sampler.binding),
                    visibility,
                };
                let known = program.samplers.iter_mut().find(|known| {
                    (known.group, known.texture) == (found.group, found.texture) && known.name == found.name
                });
                match known {
                    Some(known) => known.visibility |= visibility,
                    None => program.samplers.push(found),
                }
            }
            _ => return Err(format!("the variable {name}: only uniforms, textures and samplers are")),
        }
    }
    Ok(())
}

fn uniform_block(
    program: &mut Program,
    module: &Module,
    variable: &GlobalVariable,
    binding: naga::ResourceBinding,
    visibility: ShaderStages,
) -> Result<(), String> {
    let name = variable.name.clone().unwrap_or_default();
    let known = program.blocks.iter_mut().find(|known| {
        (known.group, known.binding) == (binding.group, binding.binding) && known.name.as_ref() == Some(&name)
    });
    if let Some(known) = known {
        known.visibility |= visibility;
        return Ok(());
    }
    let mut layouter = naga::proc::Layouter::default();
    layouter.update(module.to_ctx()).map_err(|error| error.to_string())?;
    let size = layouter[variable.ty].size.next_multiple_of(16);
    let block = program.blocks.len();
    program.blocks.push(Block {
        name: Some(name.clone()),
        group: binding.group,
        binding: binding.binding,
        size,
        visibility,
    });
    let mut leaves = Leaves { module, layouter: &layouter, block, out: &mut program.uniforms };
    leaves.add(variable.ty, name, 0)
}

struct Leaves<'l> {
    module: &'l Module,
    layouter: &'l naga::proc::Layouter,
    block: usize,
    out: &'l mut Vec<Uniform>,
}

impl Leaves<'_> {
    fn add(&mut self, ty: Handle<Type>, name: String, offset: u32) -> Result<(), String> {
        if self.out.len() >= UNIFORMS_MAX {
            return Err(format!("more than {UNIFORMS_MAX} uniforms"));
        }
        match &self.module.types[ty].inner {
            TypeInner::Struct { members, .. } => {
                for (at, member) in members.iter().enumerate() {
                    let member_name = member.name.clone().unwrap_or_else(|| at.to_string());
                    self.add(member.ty, format!("{name}.{member_name}"), offset + member.offset)?;
                }
            }
            TypeInner::Array { base, size, stride } => {
                let naga::ArraySize::Constant(length) = *size else {
                    return Err(format!("the array {name} of no fixed length"));
                };
                if value_type(self.module, *base).is_some() {
                    return self.leaf(*base, name, offset, Some(length.get()), *stride);
                }
                for at in 0..length.get() {
                    self.add(*base, format!("{name}[{at}]"), offset + at * stride)?;
                }
            }
            _ => return self.leaf(ty, name, offset, None, 0),
        }
        Ok(())
    }

    fn leaf(
        &mut self,
        ty: Handle<Type>,
        name: String,
        offset: u32,
        array: Option<u32>,
        array_stride: u32,
    ) -> Result<(), String> {
        let value = value_type(self.module, ty).ok_or_else(|| format!("the type of the uniform {name}"))?;
        let matrix_stride = match value.columns {
            1 => 0,
            columns => self.layouter[ty].size / columns,
        };
        let block = self.block;
        let row_major = false;
        self.out.push(Uniform {
            name,
            ty: value,
            array,
            block,
            offset,
            array_stride,
            matrix_stride,
            row_major,
        });
        Ok(())
    }
}

fn scalar(kind: ScalarKind) -> Scalar {
    match kind {
        ScalarKind::Sint => Scalar::Int,
        ScalarKind::Uint => Scalar::Uint,
        ScalarKind::Bool => Scalar::Bool,
        _ => Scalar::Float,
    }
}

fn value_type(module: &Module, ty: Handle<Type>) -> Option<ValueType> {
    Some(match module.types[ty].inner {
        TypeInner::Scalar(of) if of.width == 4 => ValueType { scalar: scalar(of.kind), columns: 1, rows: 1 },
        TypeInner::Vector { size, scalar: of } if of.width == 4 => {
            ValueType { scalar: scalar(of.kind), columns: 1, rows: size as u32 }
        }
        TypeInner::Matrix { columns, rows, scalar: of } if of.width == 4 => {
            ValueType { scalar: scalar(of.kind), columns: columns as u32, rows: rows as u32 }
        }
        _ => return None,
    })
}

/// The global variables that an entry point reaches.
fn used(module: &Module, entry: &str) -> Vec<Handle<GlobalVariable>> {
    let found = module.entry_points.iter().find(|point| point.name == entry);
    let mut waiting: Vec<&Function> = found.map(|point| &point.function).into_iter().collect();
    let (mut seen, mut out) = (Vec::new(), Vec::new());
    while let Some(function) = waiting.pop() {
        for (_, expression) in function.expressions.iter() {
            match *expression {
                Expression::GlobalVariable(variable) => out.push(variable),
                Expression::CallResult(callee) => reach(module, callee, &mut seen, &mut waiting),
                _ => {}
            }
        }
        calls(&function.body, &mut |callee| reach(module, callee, &mut seen, &mut waiting));
    }
    out
}

fn reach<'m>(
    module: &'m Module,
    callee: Handle<Function>,
    seen: &mut Vec<Handle<Function>>,
    waiting: &mut Vec<&'m Function>,
) {
    if !seen.contains(&callee) {
        seen.push(callee);
        waiting.push(&module.functions[callee]);
    }
}

/// Every call statement in a block: one whose result nobody reads has no expression.
fn calls(block: &naga::Block, found: &mut impl FnMut(Handle<Function>)) {
    for statement in block.iter() {
        match statement {
            naga::Statement::Call { function, .. } => found(*function),
            naga::Statement::Block(block) => calls(block, found),
            naga::Statement::If { accept, reject, .. } => {
                calls(accept, found);
                calls(reject, found);
            }
            naga::Statement::Switch { cases, .. } => cases.iter().for_each(|case| calls(&case.body, found)),
            naga::Statement::Loop { body, continuing, .. } => {
                calls(body, found);
                calls(continuing, found);
            }
            _ => {}
        }
    }
}

/// The sampler that each texture is first sampled with.
fn pairs(module: &Module) -> BTreeMap<Handle<GlobalVariable>, Handle<GlobalVariable>> {
    let mut pairs = BTreeMap::new();
    let functions = module.functions.iter().map(|(_, function)| function);
    for function in functions.chain(module.entry_points.iter().map(|point| &point.function)) {
        for (_, expression) in function.expressions.iter() {
            if let Expression::ImageSample { image, sampler, .. } = *expression
                && let Expression::GlobalVariable(image) = function.expressions[image]
                && let Expression::GlobalVariable(sampler) = function.expressions[sampler]
            {
                pairs.entry(image).or_insert(sampler);
            }
        }
    }
    pairs
}

type Slots = Vec<(Option<String>, Handle<Type>, Option<Binding>)>;

fn arguments(module: &Module, entry: &str) -> Slots {
    let point = module.entry_points.iter().find(|point| point.name == entry);
    let arguments = point.into_iter().flat_map(|point| &point.function.arguments);
    arguments.map(|argument| (argument.name.clone(), argument.ty, argument.binding.clone())).collect()
}

fn result(module: &Module, entry: &str) -> Slots {
    let point = module.entry_points.iter().find(|point| point.name == entry);
    let result = point.and_then(|point| point.function.result.as_ref());
    result.into_iter().map(|result| (None, result.ty, result.binding.clone())).collect()
}

/// Names and types by location; members of structures are looked into.
fn located(module: &Module, slots: &Slots) -> BTreeMap<u32, (String, ValueType)> {
    let mut out = BTreeMap::new();
    let mut add = |name: &Option<String>, ty: Handle<Type>, binding: &Option<Binding>| {
        if let (Some(Binding::Location { location, .. }), Some(ty)) = (binding, value_type(module, ty)) {
            let name = name.clone().unwrap_or_else(|| format!("location {location}"));
            out.insert(*location, (name, ty));
        }
    };
    for (name, ty, binding) in slots {
        add(name, *ty, binding);
        if let TypeInner::Struct { members, .. } = &module.types[*ty].inner {
            for member in members {
                add(&member.name, member.ty, &member.binding);
            }
        }
    }
    out
}

/// Two things at one binding.
fn conflicts(program: &Program, fragment: &Place<'_>) -> Vec<Diagnostic> {
    let blocks = program
        .blocks
        .iter()
        .map(|block| (block.group, block.binding, block.name.clone().unwrap_or_default()));
    let textures =
        program.samplers.iter().map(|texture| (texture.group, texture.texture, texture.name.clone()));
    let mut taken = BTreeMap::new();
    let mut errors = Vec::new();
    for (group, binding, name) in blocks.chain(textures) {
        if let Some(other) = taken.insert((group, binding), name.clone()) {
            let message = format!("'{other}' and '{name}' are both at group {group}, binding {binding}");
            errors.push(fragment.about(Rule::Link, &name, message));
        }
    }
    errors
}

/// WebGPU's default limits (WebGPU, section 3.6.2).
fn limits(program: &Program, vertex: &Place<'_>, fragment: &Place<'_>, varyings: usize) -> Vec<Diagnostic> {
    let in_stage = |visibility| program.samplers.iter().filter(|s| s.visibility.contains(visibility)).count();
    let blocks = |visibility| program.blocks.iter().filter(|b| b.visibility.contains(visibility)).count();
    let counts = [
        (vertex, in_stage(ShaderStages::VERTEX), 16, "textures in the vertex stage"),
        (fragment, in_stage(ShaderStages::FRAGMENT), 16, "textures in the fragment stage"),
        (vertex, blocks(ShaderStages::VERTEX), 12, "uniform buffers in the vertex stage"),
        (fragment, blocks(ShaderStages::FRAGMENT), 12, "uniform buffers in the fragment stage"),
        (vertex, program.attributes.len(), 16, "vertex attributes"),
        (vertex, varyings, 16, "values from the vertex to the fragment stage"),
        (fragment, program.outputs.len(), 8, "color attachments"),
    ];
    let mut errors = Vec::new();
    for (place, count, limit, what) in counts {
        if count > limit {
            let message = format!("{count} {what}; every WebGPU has at least {limit}, some no more");
            let entry = super::diagnose::Entry { at: None, token: None, message };
            errors.push(place.error(Rule::Limits, None, None, entry));
        }
    }
    errors
}
