struct Camera { view: mat4x4f, lights: array<vec4f, 2>, gain: f32 }
@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var tex: texture_2d<f32>;
@group(0) @binding(2) var smp: sampler;
struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f }
@vertex fn vs(@location(0) pos: vec2f) -> V { return V(camera.view * vec4f(pos, 0, 1), pos); }
fn shade(uv: vec2f) -> vec4f {
  return textureSample(tex, smp, uv) * camera.gain + camera.lights[1];
}
@fragment fn fs(v: V) -> @location(0) vec4f { return shade(v.uv); }
