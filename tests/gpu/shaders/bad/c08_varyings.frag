#version 300 es
precision highp float;
out vec4 o;
in mat4 v_m[4];
void main() { o = v_m[3][0]; }
