#version 300 es
precision highp float;
out vec4 o;
#line 100
void main() {
  o = vec4(missing);
}
