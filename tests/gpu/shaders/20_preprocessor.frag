#version 300 es
#extension GL_EXT_nothing : enable
#pragma STDGL invariant(all)
#pragma optimize(off)
#ifdef GL_FRAGMENT_PRECISION_HIGH
precision highp float;
#else
precision mediump float;
#endif
#undef N
#define N 3
out vec4 o_color;
// Names that later versions or Vulkan keep for themselves are free in GLSL ES 3.00.
uniform float buffer, precise;
uniform sampler2D texture2D;
float textureGather2(float x) { return x; }
vec4 subpassLoad(sampler2D image, vec2 p) { return texture(image, p); }
void main() {
  float x = 0.0;
#if N > 2 && (N < 4 || !defined(M))
  for (int i = 0; i < N; i++) x += buffer;
#elif N
  syntax error here
#endif
  o_color = vec4(textureGather2(x + precise)) + subpassLoad(texture2D, vec2(0.5));
}
