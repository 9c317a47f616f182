#version 300 es
precision highp float;
layout(std140, row_major) uniform Shared { mat4 view; float ages[3]; } other_name;
layout(std140, row_major) uniform Rows { mat4 m; mat3 n; mat2 k; vec2 pair[3]; } rows;
in vec3 v_c;
uniform int u_i;
out vec4 o_color;
void main() {
  mat3 n = rows.n;
  o_color = rows.m[u_i] + vec4(n * v_c, rows.m[1][2]) + vec4(rows.k[u_i], rows.pair[u_i]) * other_name.ages[1];
}
