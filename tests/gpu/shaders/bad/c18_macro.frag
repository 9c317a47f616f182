#version 300 es
precision highp float;
out vec4 o;
#define BODY(x) \
  vec3 y = x; \
  o = vec4(y)
void main() {
  BODY(vec3(1.0));
}
