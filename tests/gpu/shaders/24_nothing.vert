#version 300 es
in vec4 a_unused;
out vec4 v_unwritten;
uniform vec4 u_unused;
void main() {}
