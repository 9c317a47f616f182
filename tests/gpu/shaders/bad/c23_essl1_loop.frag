precision highp float;
uniform int u_n;
void main() {
  float x = 0.0;
  for (int i = 0; i < u_n; i++) x += 1.0;
  gl_FragColor = vec4(x);
}
