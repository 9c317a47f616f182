#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler3D;
precision highp sampler2DArray;
precision highp sampler2DShadow;
precision highp samplerCubeShadow;
precision highp sampler2DArrayShadow;
precision highp usampler2D;
precision highp isampler3D;
precision highp usampler2DArray;
struct Material { sampler2D diffuse; float gain; sampler2D layers[2]; };
uniform Material u_mats[1];
uniform sampler2D u_height;
uniform sampler2D u_list[2];
uniform samplerCube u_cube;
uniform sampler3D u_vol;
uniform sampler2DArray u_arr;
uniform sampler2DShadow u_sh;
uniform samplerCubeShadow u_shc;
uniform sampler2DArrayShadow u_sha;
uniform usampler2D u_u;
uniform isampler3D u_i3;

in vec3 v_dir;
out vec4 o_color;
vec4 one(sampler2D s, vec2 p) { return texture(s, p); }
vec4 pick(const in sampler2D s[2], vec2 p) { return one(s[0], p) + one(s[1], p); }
vec4 shade(Material m, vec2 p) { return one(m.diffuse, p) * m.gain + one(m.layers[1], p); }
float lit(sampler2DShadow s, vec3 p) { return texture(s, p); }
void main() {
  vec2 p = v_dir.xy;
  vec4 c = one(u_height, p) + pick(u_list, p) + shade(u_mats[0], p);
  c += texture(u_cube, v_dir) + texture(u_vol, v_dir, 0.5) + texture(u_arr, v_dir);
  c += textureProj(u_height, v_dir) + textureProj(u_height, vec4(v_dir, 2.0)) + textureProjLod(u_height, v_dir, 1.0);
  c += textureOffset(u_height, p, ivec2(1, -1)) + textureLodOffset(u_height, p, 0.0, ivec2(2)) + texelFetchOffset(u_height, ivec2(3), 0, ivec2(-1));
  c += textureGrad(u_cube, v_dir, dFdx(v_dir), dFdy(v_dir)) + textureGradOffset(u_height, p, p, p, ivec2(1));
  c += textureLod(u_arr, v_dir, 1.0) + texelFetch(u_arr, ivec3(1), 0) + texelFetch(u_vol, ivec3(0), 0);
  c.r += lit(u_sh, v_dir) + texture(u_shc, vec4(v_dir, 0.5)) + texture(u_sha, vec4(v_dir, 0.2)) + textureLod(u_sh, v_dir, 0.0);
  c.g += float(texelFetch(u_u, ivec2(p), 0).x) + float(texelFetch(u_i3, ivec3(1), 0).y);
  c.b += float(textureSize(u_height, 0).x + textureSize(u_vol, 0).z + textureSize(u_arr, 0).z + textureSize(u_cube, 0).y + textureSize(u_sh, 0).x);
  o_color = c;
}
