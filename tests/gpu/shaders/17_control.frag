#version 300 es
precision highp float;
precision highp int;
in vec2 v_p;
uniform int u_n;
uniform sampler2D u_tex;
out vec4 o_color;
int fall(int x) {
  int r = 0;
  switch (x) {
    case 0: r += 1;
    case 1: r += 2; break;
    case 2: { for (int i = 0; i < 4; i++) { if (i == x) continue; if (r > 5) break; r += i; } }
    case -3: return r;
    default: r = 9;
  }
  return r;
}
float early(float x) { if (x < 0.0) return -1.0; else if (x > 1.0) return 1.0; for (;;) { x *= 2.0; if (x > 10.0) return x; } }
void main() {
  int n = 0;
  while (n < u_n) { n++; if (n == 3) continue; if (n > 7) break; }
  do { --n; } while (n > 0 && n != 5);
  for (int i = 0, j = 10; i < j; i++, j--) { for (int k = 0; k < 2; ++k) { if (k == i) break; n += k; } }
  vec4 c = vec4(fall(n), early(v_p.x), 0, 1);
  if (v_p.x > 0.5) { c += texture(u_tex, v_p); if (v_p.y > 0.9) discard; }
  bool b = (n > 1 && v_p.x > 0.1) ^^ (n < 0 || v_p.y < 0.2);
  float a[4]; a[n & 3] = 1.0; a[0] += b ? 1.0 : a[3];
  c[n & 3] = a[1];
  c.zw = (n == 2, c.xy);
  o_color = c;
}
