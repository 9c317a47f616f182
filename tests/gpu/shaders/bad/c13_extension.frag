#version 300 es
#extension GL_EXT_gpu_shader5 : require
precision highp float;
out vec4 o;
void main() { o = vec4(1.0); }
