#version 300 es
precision highp float;
layout(location = 4) out vec4 o;
void main() { o = vec4(1.0); }
