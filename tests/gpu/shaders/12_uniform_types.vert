#version 300 es
in vec4 a_pos;
uniform vec4 u_offset[4];
void main() { gl_Position = a_pos + u_offset[gl_VertexID & 3] + u_offset[gl_InstanceID % 4]; }
