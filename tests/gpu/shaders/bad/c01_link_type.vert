#version 300 es
out vec3 v_a;
void main() { v_a = vec3(1.0); gl_Position = vec4(0.0); }
