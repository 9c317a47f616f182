#version 300 es
precision highp float;
precision highp int;
struct Inner { bvec2 on; mat2 turn; uint bits[3]; };
struct Outer { Inner inner[2]; vec3 tint; float gain; ivec4 key; };
uniform Outer u_outer[2];
uniform bool u_b;
uniform bvec2 u_b2;
uniform bvec3 u_b3;
uniform bvec4 u_b4[2];
uniform int u_i;
uniform ivec2 u_i2;
uniform ivec3 u_i3s[5];
uniform ivec4 u_i4;
uniform uint u_u;
uniform uvec2 u_u2;
uniform uvec3 u_u3;
uniform uvec4 u_u4;
uniform float u_f;
uniform float u_fs[7];
uniform vec2 u_v2s[2];
uniform vec3 u_v3;
out vec4 o_color;
float sum(float f[7]) { float s = 0.0; for (int i = 0; i < f.length(); ++i) s += f[i]; return s; }
void main() {
  Outer o = u_outer[u_i];
  Inner n = u_outer[1].inner[u_i];
  vec2 t = n.turn * u_v2s[u_i];
  float k = (u_b || u_b2.x || all(u_b3) || any(u_b4[u_i]) || n.on.y) ? 1.0 : 0.0;
  int i = u_i + u_i2.y + u_i3s[u_i].z + u_i4.w + o.key.x + int(u_u + u_u2.x + u_u3.y + u_u4.z + o.inner[0].bits[u_i]);
  if (o.inner[1] == n) k += 1.0;
  o_color = vec4(o.tint * o.gain + u_v3, k + u_f + sum(u_fs)) + vec4(t, float(i), u_fs[3]);
}
