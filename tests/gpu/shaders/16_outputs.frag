#version 300 es
precision highp float;
layout(location = 1) out vec3 o_pair[2];
layout(location = 0) out uvec2 o_ids;
layout(location = 3) out float o_last;
void main() {
  o_pair[0] = gl_FragCoord.xyz; o_pair[1] = vec3(gl_FragCoord.w, gl_DepthRange.near, gl_DepthRange.diff);
  o_ids = uvec2(gl_FrontFacing ? 1u : 2u, 7u);
  o_last = float(gl_MaxDrawBuffers);
  gl_FragDepth = gl_FragCoord.z * 0.5;
  if (gl_FragCoord.x < 1.0) discard;
}
