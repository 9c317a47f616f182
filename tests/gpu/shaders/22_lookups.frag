#version 300 es
precision highp float;
precision highp int;
precision highp isampler2D;
precision highp usampler2DArray;
precision highp sampler2DArrayShadow;
uniform isampler2D u_ids;
uniform usampler2DArray u_layers;
uniform sampler2DArrayShadow u_shadows;
in vec3 v_at;
out ivec4 o_ids;
const float INFINITE = 1.0 / 0.0;
void main() {
  ivec3 size = textureSize(u_layers, 0) + textureSize(u_shadows, 0);
  o_ids = texture(u_ids, v_at.xy) + ivec4(texture(u_layers, v_at)) + ivec4(size, 1);
  o_ids.x += v_at.x < INFINITE ? -5 % int(v_at.y * 4.0) : int(texture(u_shadows, vec4(v_at, 0.5)));
}
