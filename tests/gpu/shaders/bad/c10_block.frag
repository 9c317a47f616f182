#version 300 es
precision highp float;
out vec4 o;
layout(std140) uniform Large { vec4 large[1025]; };
void main() { o = large[1024]; }
