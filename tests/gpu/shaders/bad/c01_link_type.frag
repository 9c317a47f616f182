#version 300 es
precision highp float;
out vec4 o;
in vec2 v_a;
void main() { o = vec4(v_a, 0.0, 1.0); }
