#version 300 es
uniform vec3 u_a;
void main() { gl_Position = vec4(u_a, 1.0); }
