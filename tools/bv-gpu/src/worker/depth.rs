//! Depth textures with given texels: OpenGL lets nothing be copied into one, so they are drawn.

use super::device::Device;
use wgpu::TextureFormat::{Depth32Float, R32Float};

const SHADER: &str = "
@group(0) @binding(0) var texels: texture_2d<f32>;
@vertex fn corner(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32((n << 1u) & 2u), f32(n & 2u)) * 2.0 - 1.0, 0.0, 1.0);
}
@fragment fn depth(@builtin(position) at: vec4f) -> @builtin(frag_depth) f32 {
    return textureLoad(texels, vec2i(at.xy), 0).r;
}
";

/// Draws one level of `texture`, all its layers, from 32-bit floats.
pub(super) fn write(device: &Device, texture: &wgpu::Texture, level: u32, size: wgpu::Extent3d, data: &[u8]) {
    let layer_bytes = (size.width * size.height * 4) as usize;
    let pipeline = pipeline(device);
    for (layer, texels) in (0..size.depth_or_array_layers).zip(data.chunks_exact(layer_bytes)) {
        let from = texels_of(device, size, texels);
        let group = device.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::TextureView(&from.create_view(&Default::default())),
            }],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2),
            base_mip_level: level,
            mip_level_count: Some(1),
            base_array_layer: layer,
            array_layer_count: Some(1),
            ..Default::default()
        });
        let mut encoder = device.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &view,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
        drop(pass);
        device.queue.submit([encoder.finish()]);
    }
}

fn pipeline(device: &Device) -> wgpu::RenderPipeline {
    let module = device.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(SHADER.into()),
    });
    device.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("corner"),
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: Default::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: Depth32Float,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Always),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("depth"),
            compilation_options: Default::default(),
            targets: &[],
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// The texels as a texture that can be copied into.
fn texels_of(device: &Device, size: wgpu::Extent3d, texels: &[u8]) -> wgpu::Texture {
    let size = wgpu::Extent3d { depth_or_array_layers: 1, ..size };
    let texture = device.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: R32Float,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(size.width * 4), rows_per_image: None };
    device.queue.write_texture(texture.as_image_copy(), texels, layout, size);
    texture
}
