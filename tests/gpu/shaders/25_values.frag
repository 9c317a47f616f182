#version 300 es
precision highp float;
precision highp int;
precision highp isampler2D;
precision highp sampler2DArray;
struct Surface { vec3 normal; mat2 basis; float area; };
in Surface v_surface;
in vec2 v_list[3];
in mat2x3 v_m23;
flat in ivec3 v_ids[2];
flat in float v_ok;
struct Material { sampler2D map; float gain; };
uniform Material u_materials[2];
uniform int u_one;
uniform isampler2D u_ids;
uniform sampler2DArray u_layers;
layout(location = 0) out vec4 o_color;
layout(location = 1) out vec2 o_pair;
bool near(float a, float b) { return abs(a - b) < 1e-4; }
bool near(vec3 a, vec3 b) { return near(a.x, b.x) && near(a.y, b.y) && near(a.z, b.z); }
float first(sampler2D map) { return texelFetch(map, ivec2(0), 0).r; }
float shaded(Material m) { return first(m.map) * m.gain; }
const float INFINITE = 1.0 / 0.0;
void main() {
  bool ok = near(v_surface.normal, vec3(1, 2, 3)) && near(v_surface.basis[u_one].y, 7.0) && near(v_surface.area, 8.0);
  ok = ok && near(v_list[2].y, 4.0) && near(v_m23[1], vec3(4, 5, 6)) && v_ids[u_one] == ivec3(-1, -2, -3) && v_ids[0].z == 9;
  ok = ok && near(shaded(u_materials[0]), 2.0) && near(shaded(u_materials[1]), 1.5);
  ivec2 size = textureSize(u_ids, 0);
  ok = ok && size == ivec2(2, 2) && textureSize(u_layers, 0) == ivec3(2, 2, 3);
  ok = ok && texture(u_ids, vec2(0.25, 0.25)).x == texelFetch(u_ids, ivec2(0, 0), 0).x;
  ok = ok && texture(u_ids, vec2(0.75, 0.25)).x == texelFetch(u_ids, ivec2(1, 0), 0).x;
  ok = ok && texture(u_ids, vec2(0.49, 0.99)).x == texelFetch(u_ids, ivec2(0, 1), 0).x;
  ok = ok && texture(u_ids, vec2(1.25, -0.25)).x == texelFetch(u_ids, ivec2(0, 1), 0).x;
  float whole, part = modf(-2.75 * float(u_one), whole);
  ok = ok && near(part, -0.75) && whole == -2.0 && 7 % (u_one + 3) == 3;
  ok = ok && float(u_one) < INFINITE && isinf(INFINITE * float(u_one)) && isnan(float(u_one - 1) / float(u_one - 1));
  ok = ok && normalize(-3.0 * float(u_one)) == -1.0 && faceforward(1.0, 2.0, float(u_one)) == -1.0 && near(reflect(2.0, float(u_one)), -2.0);
  ok = ok && -uint(u_one) == 0xffffffffu;
  o_color = vec4(0.0, ok ? 1.0 : 0.0, v_ok, 1.0);
  o_pair = vec2(0.25, 0.5);
}
