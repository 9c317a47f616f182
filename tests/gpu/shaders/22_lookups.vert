#version 300 es
out vec3 v_at;
uniform bool u_far;
void main() { v_at = vec3(0.5); gl_Position = u_far ? vec4(0, 0, 1, 1) : vec4(0); }
