#version 300 es
struct Surface { vec3 normal; vec2 uv; mat2 basis; float area; };
in vec3 a_pos;
out Surface v_surface;
out vec4 v_list[3];
out mat2 v_mats[2];
flat out ivec3 v_ids[2];
flat out uint v_mask;
centroid out vec2 v_center;
smooth out float v_unread;
invariant out vec3 v_inv;
invariant gl_Position;
void fill(out Surface s, inout vec4 list[3]) { s = Surface(vec3(1.0), vec2(0.5), mat2(1.0), 2.0); list[1] += vec4(1.0); }
void main() {
  v_list[0] = vec4(0.0); v_list[1] = v_list[0]; v_list[2] = v_list[1];
  fill(v_surface, v_list);
  for (int i = 0; i < 2; i++) { v_mats[i] = mat2(float(i)); v_ids[i] = ivec3(i); }
  v_mask = uint(gl_VertexID);
  v_center = a_pos.xy;
  v_inv = a_pos;
  v_unread = 1.0;
  gl_Position = vec4(a_pos, 1.0);
  gl_PointSize = 1.0;
}
