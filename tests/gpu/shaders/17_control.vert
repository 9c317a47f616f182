#version 300 es
in vec2 a_pos; out vec2 v_p;
void main() { v_p = a_pos; gl_Position = vec4(a_pos, 0, 1); }
