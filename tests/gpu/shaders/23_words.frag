#version 300 es
#extension GL_OES_standard_derivatives : enable
#extension all : warn
precision highp float;
#if 0
#extension GL_EXT_required : require
#endif
out vec4 o_color;
uniform float buffer;
void main() { o_color = vec4(dFdx(buffer)); }
