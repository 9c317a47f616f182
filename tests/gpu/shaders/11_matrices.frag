#version 300 es
precision highp float;
in mat2 v_m2;
in mat4x3 v_m43;
flat in mat2x4 v_m24;
uniform mat2 u_m2;
out vec4 o_color;
void main() {
  mat2 m = v_m2 * u_m2;
  vec3 s = v_m43 * v_m24[1];
  o_color = vec4(m[0], s.x, determinant(m) + inverse(m)[0].x);
}
