#version 300 es
precision highp float;
precision highp int;
in vec3 v_p;
uniform ivec3 u_i; uniform uvec3 u_u;
out vec4 o_color;
void main() {
  vec3 p = v_p, q = v_p.zyx, r;
  r = radians(p) + degrees(q) + sin(p) + cos(p) + tan(p) + asin(p) + acos(p) + atan(p, q) + atan(p);
  r += sinh(p) + cosh(p) + tanh(p) + asinh(p) + acosh(p) + atanh(p);
  r += pow(p, q) + exp(p) + log(p) + exp2(p) + log2(p) + sqrt(p) + inversesqrt(p);
  r += abs(p) + sign(p) + floor(p) + trunc(p) + round(p) + roundEven(p) + ceil(p) + fract(p) + mod(p, q) + mod(p, 2.0);
  vec3 whole; r += modf(p, whole) + whole; float w1; r.x += modf(p.x, w1) + w1;
  r += min(p, q) + max(p, 1.0) + clamp(p, 0.0, 1.0) + mix(p, q, 0.5) + mix(p, q, bvec3(true, false, true)) + step(p, q) + step(0.5, p) + smoothstep(p, q, p);
  r += vec3(isnan(p)) + vec3(isinf(p)) + float(isnan(p.x)) + float(isinf(p.y));
  r += vec3(floatBitsToInt(p) + floatBitsToInt(q.x)) + vec3(floatBitsToUint(p)) + intBitsToFloat(u_i) + uintBitsToFloat(u_u);
  r.xy += unpackSnorm2x16(packSnorm2x16(p.xy)) + unpackUnorm2x16(packUnorm2x16(p.xy)) + unpackHalf2x16(packHalf2x16(p.xy));
  r += length(p) + distance(p, q) + dot(p, q) + cross(p, q) + normalize(p) + faceforward(p, q, p) + reflect(p, q) + refract(p, q, 0.5);
  mat3 m = outerProduct(p, q); r += matrixCompMult(m, transpose(m)) * p + inverse(m)[0] + determinant(m);
  r += vec3(lessThan(p, q)) + vec3(greaterThanEqual(u_i, ivec3(1))) + vec3(equal(u_u, uvec3(2u))) + vec3(not(notEqual(p, q)));
  r += dFdx(p) + dFdy(q) + fwidth(p);
  ivec3 i = abs(u_i) + sign(u_i) + min(u_i, 3) + max(u_i, ivec3(4)) + clamp(u_i, 0, 9) + u_i / 3 + u_i % 4 + (u_i << 2) + (u_i >> 1) + (u_i & 7) + (u_i | 8) + (u_i ^ 3) + ~u_i - (-u_i);
  uvec3 u = min(u_u, 3u) + max(u_u, 2u) + clamp(u_u, 1u, 5u) + u_u / 3u + u_u % 4u + (u_u << 2) + (u_u >> 1u) + (u_u & 7u) + (u_u | 8u) + (u_u ^ 3u) + ~u_u + (-u_u);
  i += ivec3(u); i.x++; --i.y; i.z -= 1; i <<= 1; i %= 5;
  o_color = vec4(r + vec3(i), 1.0);
}
