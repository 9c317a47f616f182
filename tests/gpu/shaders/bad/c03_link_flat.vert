#version 300 es
flat out vec2 v_a;
void main() { v_a = vec2(1.0); gl_Position = vec4(0.0); }
