//! What the rest of bv-gpu needs to know of a compiled program.

use crate::front::{Program, Stage};
use crate::wire::{Interface, Looping};
use naga::{Binding, BuiltIn, Interpolation, Module, Statement, TypeInner};

/// The program's interface.
pub(super) fn interface(program: &Program) -> Interface {
    Interface {
        uniforms: program.uniforms.clone(),
        blocks: program.blocks.clone(),
        samplers: program.samplers.clone(),
        attributes: program.attributes.clone(),
        outputs: program.outputs.clone(),
        point_size: program.point_size,
        point_coord: program.point_coord,
        flat: inputs(program).any(|binding| match binding {
            Some(Binding::Location { interpolation, .. }) => *interpolation == Some(Interpolation::Flat),
            _ => false,
        }),
        only_loop: only_loop(program),
    }
}

/// Whether a pixel's colour depends on where in the target it lies: on `gl_FragCoord`, or on anything that is
/// interpolated between vertices. What does not may be drawn elsewhere in a larger target, bit for bit.
pub(super) fn depends_on_place(program: &Program) -> bool {
    inputs(program).any(|binding| binding.is_none_or(placed))
}

/// What the fragment shader's entry point takes; a struct gives its members.
fn inputs(program: &Program) -> impl Iterator<Item = Option<&Binding>> {
    let module = &program.fragment;
    let entry = module.entry_points.iter().find(|entry| entry.name == program.fragment_entry);
    let arguments = entry.into_iter().flat_map(|entry| &entry.function.arguments);
    arguments.flat_map(|argument| match (&argument.binding, &module.types[argument.ty].inner) {
        (None, TypeInner::Struct { members, .. }) => {
            members.iter().map(|member| member.binding.as_ref()).collect::<Vec<_>>()
        }
        (binding, _) => vec![binding.as_ref()],
    })
}

fn placed(binding: &Binding) -> bool {
    match binding {
        Binding::BuiltIn(builtin) => *builtin != BuiltIn::FrontFacing,
        Binding::Location { interpolation, .. } => *interpolation != Some(Interpolation::Flat),
    }
}

fn only_loop(program: &Program) -> Option<Looping> {
    let mut looping = Vec::new();
    for (stage, module) in [(Stage::Vertex, &program.vertex), (Stage::Fragment, &program.fragment)] {
        for function in functions(module) {
            if loops(&function.body) {
                looping.push((stage, function.name.clone()));
            }
        }
    }
    match &looping[..] {
        [(stage, Some(name))] => {
            // glslang marks overloads by their parameters: `spin(f1;`.
            let function = name.split('(').next().unwrap_or(name).to_owned();
            Some(Looping { stage: *stage, function })
        }
        _ => None,
    }
}

fn functions(module: &Module) -> impl Iterator<Item = &naga::Function> {
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    module.functions.iter().map(|(_, function)| function).chain(entries)
}

fn loops(block: &naga::Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Loop { .. } => true,
        Statement::Block(inner) => loops(inner),
        Statement::If { accept, reject, .. } => loops(accept) || loops(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|case| loops(&case.body)),
        _ => false,
    })
}
