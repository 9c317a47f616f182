#version 300 es
precision highp float;
struct Surface { vec3 normal; vec2 uv; mat2 basis; float area; };
in Surface v_surface;
in vec4 v_list[3];
in mat2 v_mats[2];
flat in highp ivec3 v_ids[2];
flat in highp uint v_mask;
centroid in vec2 v_center;
in vec3 v_inv;
in float v_unread;
out vec4 o_color;
void main() {
  Surface s = v_surface;
  vec4 c = vec4(s.normal, s.area);
  for (int i = 0; i < 3; ++i) c += v_list[i];
  c.xy += v_mats[v_ids[1].x & 1] * v_inv.xy;
  c.xy += s.basis * v_center + float(v_mask) * v_surface.uv;
  o_color = c;
}
