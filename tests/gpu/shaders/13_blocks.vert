#version 300 es
layout(std140, row_major) uniform;
struct Bone { mat4 pose; mat3x2 uv; bool on; };
layout(std140) uniform Bones { Bone bones[2]; mat2 spin; layout(column_major) mat2x3 lean; bvec3 mask; };
uniform Shared { mat4 view; float ages[3]; } shared_block;
layout(std140) uniform Part { vec3 center; float radius; mat4x2 m; } parts[2];
in vec4 a_pos;
in int a_part;
out vec3 v_c;
void main() {
  Bone b = bones[a_part];
  v_c = b.on ? lean * spin[a_part] : vec3(b.uv[1], mask.y ? 1.0 : 0.0);
  v_c += parts[0].center * parts[1].radius + vec3(parts[1].m * a_pos, shared_block.ages[a_part]);
  gl_Position = shared_block.view * b.pose * a_pos;
}
