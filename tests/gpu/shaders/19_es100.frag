precision mediump float;
varying vec4 v_color;
varying vec2 v_list[2];
uniform sampler2D u_tex;
uniform samplerCube u_cube;
uniform sampler2D u_more[2];
void main() {
  vec4 c = v_color * texture2D(u_tex, v_list[0]) + textureCube(u_cube, vec3(v_list[1], 1.0)) + texture2DProj(u_tex, vec3(v_list[0], 2.0));
  for (int i = 0; i < 2; i++) c += texture2D(u_more[1], v_list[i], 0.5);
  if (c.a < 0.1) discard;
  gl_FragColor = c;
}
