#version 300 es
#define ATTR(t, n) in t n
#define PI 3.14159
#if defined(GL_ES) && __VERSION__ == 300
ATTR(vec2, a_pos);
#else
#error wrong
#endif
#define F(x) \
  ((x) * PI)
#line 7 2
void main() { /* a comment
over lines */ gl_Position = vec4(F(a_pos), float(__LINE__), 1.0); }
