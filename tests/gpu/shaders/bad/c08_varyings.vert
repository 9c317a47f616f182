#version 300 es
out mat4 v_m[4];
void main() { for (int i = 0; i < 4; i++) v_m[i] = mat4(1.0); gl_Position = vec4(0.0); }
