#version 300 es
precision highp float;
out vec4 o;
void main() {
  int i = bitCount(7);
  o = vec4(textureGather(i));
}
