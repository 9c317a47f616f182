#version 300 es
// Every value that the page sets is compared with what it set: green where all hold.
layout(std140, row_major) uniform Rows { mat4 m; mat3x2 n; layout(column_major) mat2x3 k; bool on; bvec3 mask; mat2 list[2]; } rows;
layout(std140) uniform Parts { vec3 center; float radius; mat4x2 turn; } parts[2];
struct Light { vec3 at; float gain; mat2 turn; bvec2 on; int ids[2]; };
uniform Light u_lights[2];
uniform mat3x2 u_m32;
uniform mat2x4 u_m24;
uniform mat3 u_m3;
uniform mat2 u_m2s[2];
uniform float u_fs[3];
uniform bool u_b;
uniform int u_one;
in vec2 a_pos;
in mat2x3 a_m23;
struct Surface { vec3 normal; mat2 basis; float area; };
out Surface v_surface;
out vec2 v_list[3];
out mat2x3 v_m23;
flat out ivec3 v_ids[2];
flat out float v_ok;
void main() {
  bool ok = rows.m == mat4(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  ok = ok && rows.m[u_one] == vec4(4, 5, 6, 7) && rows.m[u_one][2] == 6.0 && rows.m[3][u_one] == 13.0;
  ok = ok && rows.n == mat3x2(1, 2, 3, 4, 5, 6) && rows.n[u_one + 1] == vec2(5, 6);
  ok = ok && rows.k == mat2x3(1, 2, 3, 4, 5, 6) && rows.k[u_one] == vec3(4, 5, 6);
  ok = ok && rows.on && rows.mask == bvec3(true, false, true) && rows.mask[u_one + 1];
  ok = ok && rows.list[u_one] == mat2(5, 6, 7, 8) && rows.list[0][u_one] == vec2(3, 4) && rows.list[1][1][u_one] == 8.0;
  ok = ok && parts[1].center == vec3(4, 5, 6) && parts[0].radius == 7.0 && parts[1].turn == mat4x2(1, 2, 3, 4, 5, 6, 7, 8) && parts[1].turn[2] == vec2(5, 6);
  Light light = u_lights[u_one];
  ok = ok && light.at == vec3(1, 2, 3) && light.gain == 4.0 && light.turn == mat2(5, 6, 7, 8) && light.on == bvec2(false, true) && light.ids[u_one] == 10;
  ok = ok && u_lights[u_one].turn[u_one] == vec2(7, 8) && u_lights[u_one].on[u_one] && u_lights[0].ids[0] == 3;
  ok = ok && u_m32 == mat3x2(1, 2, 3, 4, 5, 6) && u_m32[u_one] == vec2(3, 4) && u_m32[2][u_one] == 6.0;
  ok = ok && u_m24[u_one] == vec4(5, 6, 7, 8) && u_m3[u_one] == vec3(4, 5, 6) && u_m2s[u_one] == mat2(5, 6, 7, 8);
  float sum = 0.0;
  float copy[3] = u_fs;
  for (int i = 0; i < copy.length(); ++i) sum += copy[i];
  ok = ok && sum == 6.0 && u_fs[u_one] == 2.0 && u_b;
  ok = ok && a_m23 == mat2x3(1, 2, 3, 4, 5, 6);
  v_ok = ok ? 1.0 : 0.0;
  v_surface = Surface(vec3(1, 2, 3), mat2(4, 5, 6, 7), 8.0);
  for (int i = 0; i < 3; ++i) v_list[i] = vec2(i, i * i);
  v_m23 = a_m23;
  v_ids[0] = ivec3(7, 8, 9); v_ids[u_one] = ivec3(-1, -2, -3);
  gl_Position = vec4(a_pos, 0.0, 1.0);
}
