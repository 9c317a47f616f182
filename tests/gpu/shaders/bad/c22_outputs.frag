#version 300 es
precision highp float;
out vec4 o_one;
out vec4 o_other;
void main() { o_one = o_other = vec4(1.0); }
