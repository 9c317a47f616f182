@vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }
fn half_of(x: f32) -> f32 {
  let n: i32 = x;
  return x / 2;
}
@fragment fn fs() -> @location(0) vec4f { return vec4f(half_of(1.0)); }
