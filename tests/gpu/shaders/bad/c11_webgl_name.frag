#version 300 es
precision highp float;
out vec4 o;
float webgl_x;
void main() { o = vec4(webgl_x); }
