//! A program made ready to be drawn with all that a scene holds.

use super::binding::{self, Layout, Textures, compare};
use super::device::Device;
use super::endless::Watch;
use super::introspect;
use crate::check::{
    Blend, BlendEquation, BlendFactor, BlendOperation, BlendPreset, Cull, Depth, Mode, TargetFormat,
};
use crate::front::{Program, Scalar};
use crate::wire::{Part, Scene, Stream, Trouble};
use std::borrow::Cow;

/// The format of the depth buffer.
pub(super) const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// All that a draw needs, uniforms apart.
pub(super) struct Ready {
    pub(super) scene: Scene,
    pub(super) program: Program,
    pub(super) pipeline: wgpu::RenderPipeline,
    pub(super) layout: Layout,
    pub(super) layouts: Vec<wgpu::BindGroupLayout>,
    pub(super) textures: Textures,
    /// Vertex and instance data, those that there are.
    pub(super) streams: Vec<wgpu::Buffer>,
    pub(super) indices: Option<wgpu::Buffer>,
    /// Looks for endless loops where the driver would hide them.
    pub(super) watch: Option<Watch>,
    /// See [`introspect::depends_on_place`].
    pub(super) placed: bool,
}

impl Ready {
    pub(super) fn new(
        device: &Device,
        program: &Program,
        scene: Scene,
        raw: &[u8],
    ) -> Result<Ready, Trouble> {
        supported(device, program, &scene)?;
        let (textures, raw) = device.guarded(|| Textures::new(device, program, &scene, raw))??;
        let layouts = device.guarded(|| binding::layouts(device, program, &scene))?;
        let mut program = program.clone();
        let watch = device.guarded(|| Watch::over(device, &mut program, layouts.len() as u32))?;
        let watched = watch.iter().map(|watch| &watch.layout);
        let all: Vec<_> = layouts.iter().chain(watched).map(Some).collect();
        let pipeline = device.guarded(|| pipeline(device, &program, &scene, &all))?;
        let (streams, indices) = device.guarded(|| buffers(device, &scene, raw))??;
        Ok(Ready {
            layout: Layout::of(device, &program),
            placed: introspect::depends_on_place(&program),
            program,
            scene,
            pipeline,
            layouts,
            textures,
            streams,
            indices,
            watch,
        })
    }

    /// The targets that there are.
    pub(super) fn targets(&self) -> impl Iterator<Item = TargetFormat> {
        self.scene.targets.iter().copied().flatten()
    }
}

fn supported(device: &Device, program: &Program, scene: &Scene) -> Result<(), Trouble> {
    let lacking = program.needs - device.downlevel;
    if !lacking.is_empty() {
        return Err(Trouble::Unsupported(format!("{lacking:?} of the adapter")));
    }
    let wide = scene.targets.contains(&Some(TargetFormat::Rgba32f));
    if scene.blend.is_some() && wide && !device.device.features().contains(wgpu::Features::FLOAT32_BLENDABLE)
    {
        return Err(Trouble::Unsupported("blending into a 32-bit float target".into()));
    }
    Ok(())
}

fn pipeline(
    device: &Device,
    program: &Program,
    scene: &Scene,
    layouts: &[Option<&wgpu::BindGroupLayout>],
) -> wgpu::RenderPipeline {
    let module = |module: &naga::Module| {
        device.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Naga(Cow::Owned(module.clone())),
        })
    };
    let (vertex, fragment) = (module(&program.vertex), module(&without_point_coord(&program.fragment)));
    let layout = device.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: layouts,
        immediate_size: 0,
    });
    let vertices = attributes(&scene.vertices);
    let instances = attributes(&scene.instances);
    let buffers: Vec<_> = [
        (&scene.vertices, &vertices, wgpu::VertexStepMode::Vertex),
        (&scene.instances, &instances, wgpu::VertexStepMode::Instance),
    ]
    .into_iter()
    .filter(|(stream, ..)| !stream.parts.is_empty())
    .map(|(stream, attributes, step_mode)| {
        Some(wgpu::VertexBufferLayout { array_stride: u64::from(stream.stride), step_mode, attributes })
    })
    .collect();
    let targets: Vec<_> =
        scene.targets.iter().map(|format| format.map(|format| color_target(format, scene.blend))).collect();
    device.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &vertex,
            entry_point: Some(&program.vertex_entry),
            compilation_options: Default::default(),
            buffers: &buffers,
        },
        primitive: primitive(program, scene),
        depth_stencil: scene.depth.map(depth_state),
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module: &fragment,
            entry_point: Some(&program.fragment_entry),
            compilation_options: Default::default(),
            targets: &targets,
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// `gl_PointCoord` has no meaning but for points, and those that read it are refused. Drivers give anything then;
/// the middle of the point is what browsers on SwiftShader give.
fn without_point_coord(module: &naga::Module) -> naga::Module {
    let mut module = module.clone();
    let coordinate = Some(naga::Binding::BuiltIn(naga::BuiltIn::PointCoord));
    for entry in &mut module.entry_points {
        let function = &mut entry.function;
        let Some(at) = function.arguments.iter().position(|argument| argument.binding == coordinate) else {
            continue;
        };
        let ty = function.arguments[at].ty;
        let half = naga::Expression::Literal(naga::Literal::F32(0.5));
        let half = module.global_expressions.append(half, naga::Span::UNDEFINED);
        let middle = naga::Expression::Compose { ty, components: vec![half, half] };
        let init = module.global_expressions.append(middle, naga::Span::UNDEFINED);
        let middle = module.constants.append(naga::Constant { name: None, ty, init }, naga::Span::UNDEFINED);
        for (_, expression) in function.expressions.iter_mut() {
            if matches!(expression, naga::Expression::FunctionArgument(n) if *n as usize == at) {
                *expression = naga::Expression::Constant(middle);
            }
        }
    }
    module
}

fn primitive(program: &Program, scene: &Scene) -> wgpu::PrimitiveState {
    let (topology, strip) = match scene.mode {
        Mode::Triangles => (wgpu::PrimitiveTopology::TriangleList, false),
        Mode::TriangleStrip => (wgpu::PrimitiveTopology::TriangleStrip, true),
        Mode::Lines => (wgpu::PrimitiveTopology::LineList, false),
        Mode::LineStrip => (wgpu::PrimitiveTopology::LineStrip, true),
        Mode::Points => (wgpu::PrimitiveTopology::PointList, false),
    };
    wgpu::PrimitiveState {
        topology,
        strip_index_format: (strip && scene.indexed).then_some(wgpu::IndexFormat::Uint32),
        front_face: program.front_face,
        cull_mode: match scene.cull {
            Cull::None => None,
            Cull::Front => Some(wgpu::Face::Front),
            Cull::Back => Some(wgpu::Face::Back),
        },
        ..Default::default()
    }
}

fn attributes(stream: &Stream) -> Vec<wgpu::VertexAttribute> {
    let attribute = |part: &Part| wgpu::VertexAttribute {
        format: vertex_format(part.scalar, part.components),
        offset: u64::from(part.offset),
        shader_location: part.location,
    };
    stream.parts.iter().map(attribute).collect()
}

fn vertex_format(scalar: Scalar, components: u32) -> wgpu::VertexFormat {
    use wgpu::VertexFormat::*;
    let [float, int, uint] = match components {
        1 => [Float32, Sint32, Uint32],
        2 => [Float32x2, Sint32x2, Uint32x2],
        3 => [Float32x3, Sint32x3, Uint32x3],
        _ => [Float32x4, Sint32x4, Uint32x4],
    };
    match scalar {
        Scalar::Float => float,
        Scalar::Int => int,
        Scalar::Uint | Scalar::Bool => uint,
    }
}

/// A target's format as wgpu names it.
pub(super) fn target_format(format: TargetFormat) -> wgpu::TextureFormat {
    match format {
        TargetFormat::Rgba8 => wgpu::TextureFormat::Rgba8Unorm,
        TargetFormat::Rgba32f => wgpu::TextureFormat::Rgba32Float,
        TargetFormat::Rgba32i => wgpu::TextureFormat::Rgba32Sint,
        TargetFormat::Rgba32ui => wgpu::TextureFormat::Rgba32Uint,
    }
}

fn color_target(format: TargetFormat, blend: Option<Blend>) -> wgpu::ColorTargetState {
    // WebGL leaves integer targets out of blending.
    let blends = matches!(format, TargetFormat::Rgba8 | TargetFormat::Rgba32f);
    wgpu::ColorTargetState {
        format: target_format(format),
        blend: blend.filter(|_| blends).map(blend_state),
        write_mask: wgpu::ColorWrites::ALL,
    }
}

fn blend_state(blend: Blend) -> wgpu::BlendState {
    let usual = |src, dst| {
        let component =
            wgpu::BlendComponent { src_factor: src, dst_factor: dst, operation: wgpu::BlendOperation::Add };
        wgpu::BlendState { color: component, alpha: component }
    };
    match blend {
        Blend::Preset(BlendPreset::Alpha) => {
            usual(wgpu::BlendFactor::SrcAlpha, wgpu::BlendFactor::OneMinusSrcAlpha)
        }
        Blend::Preset(BlendPreset::Premultiplied) => {
            usual(wgpu::BlendFactor::One, wgpu::BlendFactor::OneMinusSrcAlpha)
        }
        Blend::Preset(BlendPreset::Add) => usual(wgpu::BlendFactor::One, wgpu::BlendFactor::One),
        Blend::Preset(BlendPreset::Multiply) => usual(wgpu::BlendFactor::Dst, wgpu::BlendFactor::Zero),
        Blend::Full { color, alpha } => {
            wgpu::BlendState { color: equation(color), alpha: equation(alpha.unwrap_or(color)) }
        }
    }
}

fn equation(equation: BlendEquation) -> wgpu::BlendComponent {
    wgpu::BlendComponent {
        src_factor: factor(equation.src),
        dst_factor: factor(equation.dst),
        operation: match equation.op {
            BlendOperation::Add => wgpu::BlendOperation::Add,
            BlendOperation::Subtract => wgpu::BlendOperation::Subtract,
            BlendOperation::ReverseSubtract => wgpu::BlendOperation::ReverseSubtract,
            BlendOperation::Min => wgpu::BlendOperation::Min,
            BlendOperation::Max => wgpu::BlendOperation::Max,
        },
    }
}

fn factor(factor: BlendFactor) -> wgpu::BlendFactor {
    match factor {
        BlendFactor::Zero => wgpu::BlendFactor::Zero,
        BlendFactor::One => wgpu::BlendFactor::One,
        BlendFactor::SrcColor => wgpu::BlendFactor::Src,
        BlendFactor::OneMinusSrcColor => wgpu::BlendFactor::OneMinusSrc,
        BlendFactor::DstColor => wgpu::BlendFactor::Dst,
        BlendFactor::OneMinusDstColor => wgpu::BlendFactor::OneMinusDst,
        BlendFactor::SrcAlpha => wgpu::BlendFactor::SrcAlpha,
        BlendFactor::OneMinusSrcAlpha => wgpu::BlendFactor::OneMinusSrcAlpha,
        BlendFactor::DstAlpha => wgpu::BlendFactor::DstAlpha,
        BlendFactor::OneMinusDstAlpha => wgpu::BlendFactor::OneMinusDstAlpha,
        BlendFactor::SrcAlphaSaturate => wgpu::BlendFactor::SrcAlphaSaturated,
    }
}

fn depth_state(depth: Depth) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: Some(depth.write),
        depth_compare: Some(compare(depth.test)),
        stencil: Default::default(),
        bias: Default::default(),
    }
}

type Buffers = (Vec<wgpu::Buffer>, Option<wgpu::Buffer>);

/// Uploads the vertex data, the instance data and the indices, which lie behind one another in `raw`.
fn buffers(device: &Device, scene: &Scene, mut raw: &[u8]) -> Result<Buffers, Trouble> {
    let mut take = |bytes: usize, usage| {
        let (data, rest) = raw
            .split_at_checked(bytes)
            .ok_or_else(|| Trouble::Device("vertex data is shorter than it says".into()))?;
        raw = rest;
        let buffer = device.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: (bytes as u64).next_multiple_of(4),
            usage: usage | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        device.queue.write_buffer(&buffer, 0, data);
        Ok(buffer)
    };
    let mut streams = Vec::new();
    for stream in [&scene.vertices, &scene.instances] {
        if !stream.parts.is_empty() {
            streams.push(take(stream.bytes, wgpu::BufferUsages::VERTEX)?);
        }
    }
    let indices = match scene.indexed {
        true => Some(take(scene.count as usize * 4, wgpu::BufferUsages::INDEX)?),
        false => None,
    };
    Ok((streams, indices))
}
