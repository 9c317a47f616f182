#version 300 es
precision highp float;
out vec4 o;
float gl_x = 1.0;
void main() { o = vec4(gl_x); }
