#version 300 es
precision highp float;
out vec4 o;
float f(float x) { return f(x); }
void main() {
  o = vec4(f(1.0));
}
