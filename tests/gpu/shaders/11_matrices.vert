#version 300 es
// Every matrix type as uniform, attribute and varying.
in vec2 a_pos;
in mat2 a_m2;
in mat3x4 a_m34;
uniform mat2 u_m2;
uniform mat2x3 u_m23;
uniform mat2x4 u_m24;
uniform mat3x2 u_m32;
uniform mat3 u_m3;
uniform mat3x4 u_m34;
uniform mat4x2 u_m42;
uniform mat4x3 u_m43;
uniform mat4 u_m4;
uniform mat2 u_m2s[3];
uniform mat4x3 u_m43s[2];
uniform int u_i;
out mat2 v_m2;
out mat4x3 v_m43;
flat out mat2x4 v_m24;
void main() {
  v_m2 = u_m2 * a_m2 + u_m2s[u_i] + outerProduct(a_pos, a_pos);
  v_m43 = u_m43 + u_m43s[u_i] + transpose(u_m34) + transpose(a_m34);
  v_m24 = u_m24;
  v_m24[1] = u_m24[u_i];
  vec2 c = u_m32 * vec3(1.0) + u_m42 * vec4(1.0) + u_m32[u_i] + vec2(u_m42[3][1], u_m2[0][u_i]);
  vec3 d = u_m23 * c + u_m3[2] + matrixCompMult(u_m3, u_m3)[u_i];
  mat2 copy = u_m2s[1];
  mat2 all[3] = u_m2s;
  gl_Position = u_m4 * vec4(a_pos + c + copy[0] + all[u_i][1], d.xy);
}
