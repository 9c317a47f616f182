//! The draws: many vectors in one submission, their pictures read back at once.
//!
//! Where no pixel's colour depends on its place, every vector draws into its own tile of one large target, in one
//! pass; else each has a pass of its own into the whole target, so that `gl_FragCoord` and interpolation are
//! exactly those of a single draw.

use super::binding;
use super::device::Device;
use super::endless::{TURNS_MAX, Watch};
use super::pipeline::{DEPTH_FORMAT, Ready, target_format};
use crate::check::TargetFormat;
use crate::wire::Trouble;

/// Longest side of the large target: what every adapter has.
const ATLAS_SIDE_MAX: u32 = 2048;
/// Most bytes of uniforms, and of pixels, in one submission.
const SUBMISSION_BYTES_MAX: u64 = 32 << 20;

/// Draws the vectors whose blocks lie one behind the other in `raw`; the pixels of each vector, target by target.
pub(super) fn draw(device: &Device, ready: &Ready, vectors: usize, raw: &[u8]) -> Result<Vec<u8>, Trouble> {
    let each: u64 = ready.layout.blocks.iter().map(|(_, size)| size).sum();
    if raw.len() as u64 != each * vectors as u64 {
        return Err(Trouble::Device("uniform blocks do not match the program".into()));
    }
    let mut pixels = Vec::new();
    let mut done = 0;
    while done < vectors {
        let many = at_once(ready).min(vectors - done);
        let blocks = &raw[done * each as usize..(done + many) * each as usize];
        let drawn = device.guarded(|| submission(device, ready, many, blocks))?;
        pixels.extend_from_slice(&drawn?);
        done += many;
    }
    Ok(pixels)
}

fn at_once(ready: &Ready) -> usize {
    let picture = place(ready).bytes(ready);
    let by_memory = SUBMISSION_BYTES_MAX / picture.max(ready.layout.stride);
    let by_place = if ready.placed { u64::MAX } else { u64::from(place(ready).tiles()) };
    by_memory.min(by_place).max(1) as usize
}

/// How pictures lie in the targets.
struct Place {
    size: [u32; 2],
    /// Tiles beside each other, and above each other.
    tiles: [u32; 2],
}

fn place(ready: &Ready) -> Place {
    let size = ready.scene.size;
    let tiles = if ready.placed { [1, 1] } else { size.map(|side| (ATLAS_SIDE_MAX / side).clamp(1, 128)) };
    Place { size, tiles }
}

impl Place {
    fn tiles(&self) -> u32 {
        self.tiles[0] * self.tiles[1]
    }

    fn tile(&self, n: u32) -> [u32; 2] {
        [n % self.tiles[0] * self.size[0], n / self.tiles[0] * self.size[1]]
    }

    /// Bytes of one picture in the buffer that is read back.
    fn bytes(&self, ready: &Ready) -> u64 {
        ready.targets().map(|format| self.row(format) * u64::from(self.size[1])).sum()
    }

    /// Bytes of a row of one picture there.
    fn row(&self, format: TargetFormat) -> u64 {
        let row = u64::from(self.size[0]) * format.bytes() as u64;
        if self.tiles() == 1 {
            row.next_multiple_of(u64::from(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT))
        } else {
            row
        }
    }
}

fn submission(device: &Device, ready: &Ready, many: usize, blocks: &[u8]) -> Result<Vec<u8>, Trouble> {
    let place = place(ready);
    let uniforms = uniforms(device, ready, many, blocks);
    let groups = binding::bound(device, &ready.program, &ready.layouts, &ready.textures, &uniforms);
    let mut rows = place.tiles[1];
    if !ready.placed {
        rows = (many as u32).div_ceil(place.tiles[0]);
    }
    let targets = Targets::new(device, ready, [place.tiles[0] * place.size[0], rows * place.size[1]]);
    let pictures = if ready.placed { many as u64 } else { 1 };
    let read = device.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: (targets.bytes * pictures).max(4),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = device.device.create_command_encoder(&Default::default());
    if let Some(watch) = &ready.watch {
        encoder.clear_buffer(&watch.said, 0, None);
    }
    if ready.placed {
        for vector in 0..many {
            targets.pass(ready, &mut encoder, |pass| one(ready, pass, &groups, vector));
            targets.copy(&mut encoder, &read, vector as u64);
        }
    } else {
        targets.pass(ready, &mut encoder, |pass| {
            for vector in 0..many {
                let [x, y] = place.tile(vector as u32);
                let [width, height] = place.size;
                pass.set_viewport(x as f32, y as f32, width as f32, height as f32, 0.0, 1.0);
                pass.set_scissor_rect(x, y, width, height);
                one(ready, pass, &groups, vector);
            }
        });
        targets.copy(&mut encoder, &read, 0);
    }
    device.queue.submit([encoder.finish()]);
    if let Some(watch) = &ready.watch {
        believed(device, watch)?;
    }
    let mapped = mapped(device, &read)?;
    Ok(if ready.placed {
        targets.unpadded(ready, &mapped, many)
    } else {
        targets.untiled(&place, &mapped, many)
    })
}

/// Whether no loop was cut off.
fn believed(device: &Device, watch: &Watch) -> Result<(), Trouble> {
    let read = device.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 4,
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = device.device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(&watch.said, 0, &read, 0, 4);
    device.queue.submit([encoder.finish()]);
    match mapped(device, &read)?.iter().all(|byte| *byte == 0) {
        true => Ok(()),
        false => Err(Trouble::Endless(TURNS_MAX)),
    }
}

/// One vector's draw.
fn one(ready: &Ready, pass: &mut wgpu::RenderPass<'_>, groups: &[wgpu::BindGroup], vector: usize) {
    let base = vector as u64 * ready.layout.stride;
    for (n, (group, blocks)) in groups.iter().zip(&ready.layout.groups).enumerate() {
        let offsets: Vec<u32> =
            blocks.iter().map(|block| (base + ready.layout.blocks[*block].0) as u32).collect();
        pass.set_bind_group(n as u32, group, &offsets);
    }
    if let Some(watch) = &ready.watch {
        pass.set_bind_group(groups.len() as u32, &watch.group, &[]);
    }
    let scene = &ready.scene;
    match ready.indices {
        Some(_) => pass.draw_indexed(0..scene.count, 0, 0..scene.instance_count),
        None => pass.draw(0..scene.count, 0..scene.instance_count),
    }
}

/// The uniform blocks of all vectors, each where the adapter wants it.
fn uniforms(device: &Device, ready: &Ready, many: usize, mut blocks: &[u8]) -> wgpu::Buffer {
    let layout = &ready.layout;
    let mut bytes = vec![0; layout.stride as usize * many];
    for vector in 0..many {
        for (offset, size) in &layout.blocks {
            let (block, rest) = blocks.split_at(*size as usize);
            let at = vector * layout.stride as usize + *offset as usize;
            bytes[at..at + block.len()].copy_from_slice(block);
            blocks = rest;
        }
    }
    let buffer = device.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: bytes.len() as u64,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    device.queue.write_buffer(&buffer, 0, &bytes);
    buffer
}

/// The textures that are drawn into.
struct Targets {
    colors: Vec<Option<(wgpu::Texture, wgpu::TextureView)>>,
    depth: Option<wgpu::TextureView>,
    formats: Vec<TargetFormat>,
    size: [u32; 2],
    /// Bytes of all targets when they are read back.
    bytes: u64,
}

impl Targets {
    fn new(device: &Device, ready: &Ready, size: [u32; 2]) -> Targets {
        let texture = |format, usage| {
            device.device.create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | usage,
                view_formats: &[],
            })
        };
        let color = |format: &Option<TargetFormat>| {
            format.map(|format| {
                let texture = texture(target_format(format), wgpu::TextureUsages::COPY_SRC);
                let view = texture.create_view(&Default::default());
                (texture, view)
            })
        };
        let depth = ready
            .scene
            .depth
            .map(|_| texture(DEPTH_FORMAT, wgpu::TextureUsages::empty()).create_view(&Default::default()));
        let formats: Vec<TargetFormat> = ready.targets().collect();
        let bytes = formats.iter().map(|format| padded_row(*format, size[0]) * u64::from(size[1])).sum();
        Targets { colors: ready.scene.targets.iter().map(color).collect(), depth, formats, size, bytes }
    }

    fn pass(
        &self,
        ready: &Ready,
        encoder: &mut wgpu::CommandEncoder,
        draw: impl FnOnce(&mut wgpu::RenderPass<'_>),
    ) {
        let [r, g, b, a] = ready.scene.clear;
        let attachments: Vec<_> = self
            .colors
            .iter()
            .map(|color| {
                color.as_ref().map(|(_, view)| wgpu::RenderPassColorAttachment {
                    view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a }),
                        store: wgpu::StoreOp::Store,
                    },
                })
            })
            .collect();
        let depth = self.depth.as_ref().zip(ready.scene.depth).map(|(view, depth)| {
            wgpu::RenderPassDepthStencilAttachment {
                view,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(depth.clear),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }
        });
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &attachments,
            depth_stencil_attachment: depth,
            ..Default::default()
        });
        pass.set_pipeline(&ready.pipeline);
        for (n, stream) in ready.streams.iter().enumerate() {
            pass.set_vertex_buffer(n as u32, stream.slice(..));
        }
        if let Some(indices) = &ready.indices {
            pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
        }
        draw(&mut pass);
    }

    /// Copies all targets into `read`, as its `n`th part.
    fn copy(&self, encoder: &mut wgpu::CommandEncoder, read: &wgpu::Buffer, n: u64) {
        let mut offset = n * self.bytes;
        for ((texture, _), format) in self.colors.iter().flatten().zip(&self.formats) {
            let row = padded_row(*format, self.size[0]);
            let layout =
                wgpu::TexelCopyBufferLayout { offset, bytes_per_row: Some(row as u32), rows_per_image: None };
            let to = wgpu::TexelCopyBufferInfo { buffer: read, layout };
            encoder.copy_texture_to_buffer(texture.as_image_copy(), to, texture.size());
            offset += row * u64::from(self.size[1]);
        }
    }

    /// Pictures that lie one behind the other, without the padding of their rows.
    fn unpadded(&self, ready: &Ready, mapped: &[u8], many: usize) -> Vec<u8> {
        let mut pixels = Vec::new();
        let mut rest = mapped;
        for _ in 0..many {
            for format in ready.targets() {
                let row = padded_row(format, self.size[0]) as usize;
                let (picture, after) = rest.split_at(row * self.size[1] as usize);
                for row in picture.chunks_exact(row) {
                    pixels.extend_from_slice(&row[..self.size[0] as usize * format.bytes()]);
                }
                rest = after;
            }
        }
        pixels
    }

    /// Pictures that lie beside each other as tiles, one behind the other.
    fn untiled(&self, place: &Place, mapped: &[u8], many: usize) -> Vec<u8> {
        let mut pixels = Vec::new();
        for vector in 0..many {
            let [left, bottom] = place.tile(vector as u32);
            let mut atlas = mapped;
            for format in &self.formats {
                let row = padded_row(*format, self.size[0]) as usize;
                let first = left as usize * format.bytes();
                let last = first + place.size[0] as usize * format.bytes();
                for y in bottom..bottom + place.size[1] {
                    let at = y as usize * row;
                    pixels.extend_from_slice(&atlas[at + first..at + last]);
                }
                atlas = &atlas[row * self.size[1] as usize..];
            }
        }
        pixels
    }
}

fn padded_row(format: TargetFormat, width: u32) -> u64 {
    let row = u64::from(width) * format.bytes() as u64;
    row.next_multiple_of(u64::from(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT))
}

fn mapped(device: &Device, buffer: &wgpu::Buffer) -> Result<Vec<u8>, Trouble> {
    let slice = buffer.slice(..);
    let (tell, told) = std::sync::mpsc::channel();
    slice.map_async(wgpu::MapMode::Read, move |result| {
        // The other end lies below on this stack.
        let _ = tell.send(result);
    });
    let trouble = |wrong: String| Trouble::Device(wrong);
    device.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|wrong| trouble(wrong.to_string()))?;
    match told.try_recv() {
        Ok(Ok(())) => {}
        Ok(Err(wrong)) => return Err(trouble(wrong.to_string())),
        Err(_) => return Err(trouble("the picture never came".into())),
    }
    let range = slice.get_mapped_range().map_err(|wrong| trouble(wrong.to_string()))?;
    Ok(range.to_vec())
}
