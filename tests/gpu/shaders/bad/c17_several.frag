#version 300 es
precision highp float;
out vec4 o;
float half_of(float x) {
  return x / two;
}
/* void decoy() { */
#define OPEN {
void main() OPEN
  o = vec4(half_of(one));
}
