#version 300 es
precision lowp float;
in vec4 v_unwritten;
in float v_unused;
out vec4 o_color;
void main() { o_color = v_unwritten; }
