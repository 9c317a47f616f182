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
        only_loop: only_loop(program),
    }
}

/// Whether a pixel's colour depends on where in the target it lies: on `gl_FragCoord`, or on anything that is
/// interpolated between vertices. What does not may be drawn elsewhere in a larger target, bit for bit.
pub(super) fn depends_on_place(program: &Program) -> bool {
    let module = &program.fragment;
    let entry = module.entry_points.iter().find(|entry| entry.name == program.fragment_entry);
    let Some(entry) = entry else { return true };
    entry.function.arguments.iter().any(|argument| match &argument.binding {
        Some(binding) => placed(binding),
        None => match &module.types[argument.ty].inner {
            TypeInner::Struct { members, .. } => {
                members.iter().any(|member| member.binding.as_ref().is_none_or(placed))
            }
            _ => true,
        },
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
        [(stage, Some(name))] => Some(Looping { stage: *stage, function: name.clone() }),
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
