#version 300 es
precision highp float;
out vec4 o;
vec4 color(float x);
void main() {
  o = color(1.0);
}
