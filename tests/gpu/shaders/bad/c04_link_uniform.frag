#version 300 es
precision highp float;
out vec4 o;
uniform vec4 u_a;
void main() { o = u_a; }
