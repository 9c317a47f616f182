#version 300 es
precision highp float;
out vec4 o;
void draw() { o = vec4(1.0); }
