#version 300 es
// Falling through in every form: green where each case ran as it must.
precision highp float;
precision highp int;
uniform int u_zero;
out vec4 o_color;
int shared_label(int x) { int r = 0; switch (x) { case 0: case 1: r += 1; default: r += 10; } return r; }
int middle(int x) { int r = 0; switch (x) { case 5: r += 1; default: r += 10; case 7: r += 100; break; case 8: r += 1000; } return r; }
int chain(int x) { int r = 0; switch (x) { case 0: r += 1; case 1: r += 2; case 2: if (r > 2) break; r += 4; case 3: r += 8; } return r; }
int nested(int x) {
  int r = 0;
  switch (x) {
    case 0: case 1:
      switch (r) { case 0: r = 2; default: r += 5; }
    case 2:
      for (int i = 0; i < 3; i++) { if (i == 1) continue; switch (i) { case 0: r += 10; case 9: r += 20; break; default: r += 40; } }
    default: r += 100;
  }
  return r;
}
int looped() {
  int r = 0;
  for (int i = 0; i < 4; i++) switch (i + u_zero) { case 0: r += 1; continue; case 1: r += 10; case 2: r += 100; break; default: r += 1000; }
  return r;
}
int returned(int x) { switch (x) { case 0: if (x > u_zero) return 1; case 1: return 2; default: break; } return 3; }
void main() {
  int z = u_zero;
  bool ok = shared_label(z) == 11 && shared_label(z + 1) == 11 && shared_label(z + 2) == 10;
  ok = ok && middle(z + 5) == 111 && middle(z) == 110 && middle(z + 7) == 100 && middle(z + 8) == 1000;
  ok = ok && chain(z) == 3 && chain(z + 1) == 14 && chain(z + 2) == 12 && chain(z + 3) == 8 && chain(z + 4) == 0;
  ok = ok && nested(z) == 177 && nested(z + 1) == 177 && nested(z + 2) == 170 && nested(z + 3) == 100;
  ok = ok && looped() == 1211;
  ok = ok && returned(z) == 2 && returned(z + 1) == 2 && returned(z + 2) == 3;
  o_color = vec4(0.0, ok ? 1.0 : 0.0, 1.0, 1.0);
}
