#version 300 es
precision highp float;
#include "other.glsl"
out vec4 o;
void main() { o = vec4(1.0); }
