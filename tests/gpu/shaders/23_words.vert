#version 300 es
uniform float shared;
layout(shared) uniform Block { float precise; };
float textureGather(float x) { return x * 2.0; }
#ifdef GL_OES_standard_derivatives
this is not compiled
#endif
void main() { gl_Position = vec4(textureGather(shared) * precise); }
