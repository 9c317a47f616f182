#version 300 es
layout(location = 3) in vec2 a_pos;
in float a_w;
void main() { gl_Position = vec4(a_pos, 0.0, a_w); }
