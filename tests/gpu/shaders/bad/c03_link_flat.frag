#version 300 es
precision highp float;
in vec2 v_a;
out vec4 o;
void main() { o = vec4(v_a, 0.0, 1.0); }
