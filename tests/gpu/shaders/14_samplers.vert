#version 300 es
uniform highp sampler2D u_height;
uniform highp isampler2D u_ints;
in vec2 a_pos;
out vec3 v_dir;
void main() {
  float h = textureLod(u_height, a_pos, 0.0).r + texelFetch(u_height, ivec2(0), 0).g;
  v_dir = vec3(a_pos, h + float(texelFetch(u_ints, ivec2(gl_VertexID, 0), 0).x));
  gl_Position = vec4(a_pos, h, 1.0);
}
