//! Loops that Mesa's llvmpipe would cut off.
//!
//! llvmpipe ends all loops of a shader after 65,535 turns together and goes on with whatever the variables hold: an
//! endless loop looks like a picture. So on llvmpipe every loop counts its turns, and a shader that comes near that
//! number says so in a buffer. Other drivers do not end loops; there the time limit does.

use super::device::Device;
use crate::front::Program;
use naga::{
    AddressSpace, BinaryOperator, Block, Expression, Function, GlobalVariable, Handle, Literal, Module,
    Range, ResourceBinding, Scalar, Span, Statement, StorageAccess, Type, TypeInner,
};

/// Turns of all loops of one pixel or vertex together, beyond which nothing is believed. Pixels that are computed side
/// by side share llvmpipe's number, so that it is reached before any of them has made so many turns alone.
pub(super) const TURNS_MAX: u32 = 32_768;

/// The buffer in which shaders say that they were cut off.
pub(super) struct Watch {
    pub(super) layout: wgpu::BindGroupLayout,
    pub(super) group: wgpu::BindGroup,
    pub(super) said: wgpu::Buffer,
}

impl Watch {
    /// A watch where one is needed, `program`'s modules being changed to report to it.
    pub(super) fn over(device: &Device, program: &mut Program, group: u32) -> Option<Watch> {
        if !device.told.name.contains("llvmpipe") {
            return None;
        }
        let mut visibility = wgpu::ShaderStages::NONE;
        if device.device.features().contains(wgpu::Features::VERTEX_WRITABLE_STORAGE)
            && counted(&mut program.vertex, group)
        {
            visibility |= wgpu::ShaderStages::VERTEX;
        }
        if device.downlevel.contains(wgpu::DownlevelFlags::FRAGMENT_WRITABLE_STORAGE)
            && counted(&mut program.fragment, group)
        {
            visibility |= wgpu::ShaderStages::FRAGMENT;
        }
        (!visibility.is_empty()).then(|| Watch::new(device, visibility))
    }

    fn new(device: &Device, visibility: wgpu::ShaderStages) -> Watch {
        let said = device.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let ty = wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: false },
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let layout = device.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[wgpu::BindGroupLayoutEntry { binding: 0, visibility, ty, count: None }],
        });
        let group = device.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: said.as_entire_binding() }],
        });
        Watch { layout, group, said }
    }
}

/// Makes every loop of the module count; whether there is one.
fn counted(module: &mut Module, group: u32) -> bool {
    let number = Type { name: None, inner: TypeInner::Scalar(Scalar::U32) };
    let ty = module.types.insert(number, Span::UNDEFINED);
    let mut variable = |name: &str, space, binding| {
        let variable = GlobalVariable {
            name: Some(name.into()),
            space,
            binding,
            ty,
            init: None,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        module.global_variables.append(variable, Span::UNDEFINED)
    };
    let turns = variable("bv_turns", AddressSpace::Private, None);
    let access = StorageAccess::LOAD | StorageAccess::STORE;
    let binding = ResourceBinding { group, binding: 0 };
    let said = variable("bv_endless", AddressSpace::Storage { access }, Some(binding));
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    let entries = module.entry_points.iter_mut().map(|entry| &mut entry.function);
    // All of them, not only up to the first that has a loop.
    let counter = Counter { turns, said };
    functions.chain(entries).filter_map(|function| counter.function(function).then_some(())).count() > 0
}

#[derive(Clone, Copy)]
struct Counter {
    turns: Handle<GlobalVariable>,
    said: Handle<GlobalVariable>,
}

impl Counter {
    fn function(self, function: &mut Function) -> bool {
        let mut body = std::mem::take(&mut function.body);
        let any = self.block(&mut body, function);
        function.body = body;
        any
    }

    fn block(self, block: &mut Block, function: &mut Function) -> bool {
        let mut any = false;
        for statement in block.iter_mut() {
            any |= match statement {
                Statement::Block(inner) => self.block(inner, function),
                Statement::If { accept, reject, .. } => {
                    self.block(accept, function) | self.block(reject, function)
                }
                Statement::Switch { cases, .. } => {
                    let looping = cases.iter_mut().map(|case| self.block(&mut case.body, function));
                    looping.filter(|any| *any).count() > 0
                }
                Statement::Loop { body, continuing, .. } => {
                    self.block(body, function);
                    self.block(continuing, function);
                    let counting = self.counting(function);
                    let rest = std::mem::replace(body, counting);
                    body.extend_block(rest);
                    true
                }
                _ => false,
            };
        }
        any
    }

    /// `turns = turns + 1; if (turns > TURNS_MAX) { said = 1; }`
    fn counting(self, function: &mut Function) -> Block {
        let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
        let turns = add(Expression::GlobalVariable(self.turns));
        let said = add(Expression::GlobalVariable(self.said));
        let one = add(Expression::Literal(Literal::U32(1)));
        let most = add(Expression::Literal(Literal::U32(TURNS_MAX)));
        let now = add(Expression::Load { pointer: turns });
        let next = add(Expression::Binary { op: BinaryOperator::Add, left: now, right: one });
        let over = add(Expression::Binary { op: BinaryOperator::Greater, left: next, right: most });
        let accept = Block::from_vec(vec![Statement::Store { pointer: said, value: one }]);
        Block::from_vec(vec![
            Statement::Emit(Range::new_from_bounds(now, over)),
            Statement::Store { pointer: turns, value: next },
            Statement::If { condition: over, accept, reject: Block::new() },
        ])
    }
}
