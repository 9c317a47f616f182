#version 300 es
in mat4 a_1, a_2, a_3, a_4;
in float a_5;
void main() { gl_Position = (a_1 + a_2 + a_3 + a_4)[0] * a_5; }
