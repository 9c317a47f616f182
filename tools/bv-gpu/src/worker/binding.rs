//! Uniform buffers, textures and samplers, bound as the program wants them.

use super::depth;
use super::device::Device;
use crate::check::{Compare, Filter, TextureFormat, Wrap};
use crate::front::{Dimension, Program, Sampler, Scalar};
use crate::wire::{Scene, TextureShape, Trouble};
use std::num::NonZeroU64;

/// Where each block of a vector lies in the uniform buffer.
#[derive(Debug)]
pub(super) struct Layout {
    /// Bytes from one vector to the next.
    pub(super) stride: u64,
    /// Offset in a vector, and size, of each block.
    pub(super) blocks: Vec<(u64, u64)>,
    /// The blocks of each group, in the order of their bindings.
    pub(super) groups: Vec<Vec<usize>>,
}

impl Layout {
    pub(super) fn of(device: &Device, program: &Program) -> Layout {
        let align = u64::from(device.device.limits().min_uniform_buffer_offset_alignment).max(16);
        let mut stride = 0;
        let mut blocks = Vec::new();
        for block in &program.blocks {
            blocks.push((stride, u64::from(block.size)));
            stride += u64::from(block.size).next_multiple_of(align);
        }
        let groups = (0..groups(program)).map(|group| {
            let mut here: Vec<usize> =
                (0..program.blocks.len()).filter(|n| program.blocks[*n].group == group).collect();
            here.sort_by_key(|n| program.blocks[*n].binding);
            here
        });
        Layout { stride: stride.max(align), blocks, groups: groups.collect() }
    }
}

/// Every texture of the scene with its sampler.
pub(super) struct Textures(Vec<(wgpu::TextureView, wgpu::Sampler)>);

impl Textures {
    /// Uploads them; their bytes lie one behind the other at the head of `raw`. Gives what lies behind.
    pub(super) fn new<'r>(
        device: &Device,
        program: &Program,
        scene: &Scene,
        mut raw: &'r [u8],
    ) -> Result<(Textures, &'r [u8]), Trouble> {
        let mut made = Vec::new();
        for (shape, sampler) in scene.textures.iter().zip(&program.samplers) {
            filterable(device, shape, sampler)?;
            let texture;
            (texture, raw) = uploaded(device, shape, sampler.dimension, raw)?;
            let view = texture.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(view_dimension(sampler.dimension)),
                ..Default::default()
            });
            made.push((view, device.device.create_sampler(&lookup(shape, sampler))));
        }
        Ok((Textures(made), raw))
    }
}

/// The layout of each group.
pub(super) fn layouts(device: &Device, program: &Program, scene: &Scene) -> Vec<wgpu::BindGroupLayout> {
    let group = |group| {
        let mut entries = Vec::new();
        for block in program.blocks.iter().filter(|block| block.group == group) {
            let ty = wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: true,
                min_binding_size: NonZeroU64::new(u64::from(block.size)),
            };
            entries.push(entry(block.binding, block.visibility, ty));
        }
        for (sampler, shape) in program.samplers.iter().zip(&scene.textures) {
            if sampler.group != group {
                continue;
            }
            let (texture, how) = sampled(device, sampler, shape);
            entries.push(entry(sampler.texture, sampler.visibility, texture));
            if let Some(binding) = sampler.sampler {
                entries.push(entry(binding, sampler.visibility, wgpu::BindingType::Sampler(how)));
            }
        }
        // WGSL may use one sampler with several textures.
        entries.sort_by_key(|entry| entry.binding);
        entries.dedup_by_key(|entry| entry.binding);
        device
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
    };
    (0..groups(program)).map(group).collect()
}

/// The groups themselves, over one uniform buffer.
pub(super) fn bound(
    device: &Device,
    program: &Program,
    layouts: &[wgpu::BindGroupLayout],
    textures: &Textures,
    uniforms: &wgpu::Buffer,
) -> Vec<wgpu::BindGroup> {
    let group = |(group, layout): (usize, &wgpu::BindGroupLayout)| {
        let mut entries = Vec::new();
        for block in program.blocks.iter().filter(|block| block.group as usize == group) {
            let buffer = wgpu::BufferBinding {
                buffer: uniforms,
                offset: 0,
                size: NonZeroU64::new(u64::from(block.size)),
            };
            entries.push(wgpu::BindGroupEntry {
                binding: block.binding,
                resource: wgpu::BindingResource::Buffer(buffer),
            });
        }
        for (sampler, (view, how)) in program.samplers.iter().zip(&textures.0) {
            if sampler.group as usize != group {
                continue;
            }
            let texture = wgpu::BindingResource::TextureView(view);
            entries.push(wgpu::BindGroupEntry { binding: sampler.texture, resource: texture });
            if let Some(binding) = sampler.sampler {
                let resource = wgpu::BindingResource::Sampler(how);
                entries.push(wgpu::BindGroupEntry { binding, resource });
            }
        }
        entries.sort_by_key(|entry| entry.binding);
        entries.dedup_by_key(|entry| entry.binding);
        device.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
    };
    layouts.iter().enumerate().map(group).collect()
}

/// One more than the highest group.
fn groups(program: &Program) -> u32 {
    let blocks = program.blocks.iter().map(|block| block.group);
    let samplers = program.samplers.iter().map(|sampler| sampler.group);
    blocks.chain(samplers).max().map_or(0, |last| last + 1)
}

fn entry(binding: u32, visibility: wgpu::ShaderStages, ty: wgpu::BindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

fn wide_float(format: TextureFormat) -> bool {
    matches!(format, TextureFormat::R32f | TextureFormat::Rg32f | TextureFormat::Rgba32f)
}

fn filterable(device: &Device, shape: &TextureShape, sampler: &Sampler) -> Result<(), Trouble> {
    let can = device.device.features().contains(wgpu::Features::FLOAT32_FILTERABLE);
    if shape.lookup.filter == Filter::Linear && wide_float(shape.format) && !can {
        let what = format!("linear filtering of the 32-bit float texture {}", sampler.name);
        return Err(Trouble::Unsupported(what));
    }
    Ok(())
}

fn sampled(
    device: &Device,
    sampler: &Sampler,
    shape: &TextureShape,
) -> (wgpu::BindingType, wgpu::SamplerBindingType) {
    let wide =
        wide_float(shape.format) && !device.device.features().contains(wgpu::Features::FLOAT32_FILTERABLE);
    let smooth = !wide && shape.format != TextureFormat::Depth32f;
    let (sample_type, how) = match (sampler.shadow, sampler.scalar) {
        (true, _) => (wgpu::TextureSampleType::Depth, wgpu::SamplerBindingType::Comparison),
        (_, Scalar::Int) => (wgpu::TextureSampleType::Sint, wgpu::SamplerBindingType::NonFiltering),
        (_, Scalar::Uint) => (wgpu::TextureSampleType::Uint, wgpu::SamplerBindingType::NonFiltering),
        _ if smooth => {
            (wgpu::TextureSampleType::Float { filterable: true }, wgpu::SamplerBindingType::Filtering)
        }
        _ => (wgpu::TextureSampleType::Float { filterable: false }, wgpu::SamplerBindingType::NonFiltering),
    };
    let view_dimension = view_dimension(sampler.dimension);
    (wgpu::BindingType::Texture { sample_type, view_dimension, multisampled: false }, how)
}

fn uploaded<'r>(
    device: &Device,
    shape: &TextureShape,
    dimension: Dimension,
    mut raw: &'r [u8],
) -> Result<(wgpu::Texture, &'r [u8]), Trouble> {
    let [width, height, depth] = shape.size;
    let flat = dimension != Dimension::D3;
    let deep = shape.format == TextureFormat::Depth32f;
    let texture = device.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: depth },
        mip_level_count: shape.levels,
        sample_count: 1,
        dimension: if flat { wgpu::TextureDimension::D2 } else { wgpu::TextureDimension::D3 },
        format: texture_format(shape.format),
        usage: wgpu::TextureUsages::TEXTURE_BINDING
            | match deep {
                true => wgpu::TextureUsages::RENDER_ATTACHMENT,
                false => wgpu::TextureUsages::COPY_DST,
            },
        view_formats: &[],
    });
    let texel = (shape.format.channels() * shape.format.channel_bytes()) as u32;
    for level in 0..shape.levels {
        let half = |side: u32| (side >> level).max(1);
        let size = wgpu::Extent3d {
            width: half(width),
            height: half(height),
            depth_or_array_layers: if flat { depth } else { half(depth) },
        };
        let row = size.width * texel;
        let bytes = row as usize * size.height as usize * size.depth_or_array_layers as usize;
        let Some((data, rest)) = raw.split_at_checked(bytes) else {
            return Err(Trouble::Device("a texture is shorter than its size".into()));
        };
        raw = rest;
        if deep {
            depth::write(device, &texture, level, size, data);
            continue;
        }
        let mut to = texture.as_image_copy();
        to.mip_level = level;
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(row),
            rows_per_image: Some(size.height),
        };
        device.queue.write_texture(to, data, layout, size);
    }
    Ok((texture, raw))
}

fn lookup(shape: &TextureShape, sampler: &Sampler) -> wgpu::SamplerDescriptor<'static> {
    let (between, levels) = match shape.lookup.filter {
        Filter::Nearest => (wgpu::FilterMode::Nearest, wgpu::MipmapFilterMode::Nearest),
        Filter::Linear => (wgpu::FilterMode::Linear, wgpu::MipmapFilterMode::Linear),
    };
    let edge = match shape.lookup.wrap {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::Clamp => wgpu::AddressMode::ClampToEdge,
        Wrap::Mirror => wgpu::AddressMode::MirrorRepeat,
    };
    wgpu::SamplerDescriptor {
        address_mode_u: edge,
        address_mode_v: edge,
        address_mode_w: edge,
        mag_filter: between,
        min_filter: between,
        mipmap_filter: levels,
        compare: sampler.shadow.then(|| compare(shape.lookup.compare.unwrap_or(Compare::Lequal))),
        ..Default::default()
    }
}

fn view_dimension(dimension: Dimension) -> wgpu::TextureViewDimension {
    match dimension {
        Dimension::D2 => wgpu::TextureViewDimension::D2,
        Dimension::D2Array => wgpu::TextureViewDimension::D2Array,
        Dimension::D3 => wgpu::TextureViewDimension::D3,
        Dimension::Cube => wgpu::TextureViewDimension::Cube,
    }
}

fn texture_format(format: TextureFormat) -> wgpu::TextureFormat {
    match format {
        TextureFormat::R8 => wgpu::TextureFormat::R8Unorm,
        TextureFormat::Rg8 => wgpu::TextureFormat::Rg8Unorm,
        TextureFormat::Rgba8 => wgpu::TextureFormat::Rgba8Unorm,
        TextureFormat::Srgb8Alpha8 => wgpu::TextureFormat::Rgba8UnormSrgb,
        TextureFormat::R32f => wgpu::TextureFormat::R32Float,
        TextureFormat::Rg32f => wgpu::TextureFormat::Rg32Float,
        TextureFormat::Rgba32f => wgpu::TextureFormat::Rgba32Float,
        TextureFormat::R32i => wgpu::TextureFormat::R32Sint,
        TextureFormat::Rgba32i => wgpu::TextureFormat::Rgba32Sint,
        TextureFormat::R32ui => wgpu::TextureFormat::R32Uint,
        TextureFormat::Rgba32ui => wgpu::TextureFormat::Rgba32Uint,
        TextureFormat::Depth32f => wgpu::TextureFormat::Depth32Float,
    }
}

/// WebGL's comparison as wgpu names it.
pub(super) fn compare(compare: Compare) -> wgpu::CompareFunction {
    match compare {
        Compare::Never => wgpu::CompareFunction::Never,
        Compare::Less => wgpu::CompareFunction::Less,
        Compare::Equal => wgpu::CompareFunction::Equal,
        Compare::Lequal => wgpu::CompareFunction::LessEqual,
        Compare::Greater => wgpu::CompareFunction::Greater,
        Compare::Notequal => wgpu::CompareFunction::NotEqual,
        Compare::Gequal => wgpu::CompareFunction::GreaterEqual,
        Compare::Always => wgpu::CompareFunction::Always,
    }
}
