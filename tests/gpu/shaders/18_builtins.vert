#version 300 es
in vec3 a_pos; out vec3 v_p;
void main() { v_p = a_pos; gl_Position = vec4(a_pos, 1); }
