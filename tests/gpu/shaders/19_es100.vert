attribute vec2 a_pos;
attribute vec4 a_color;
uniform mat4 u_m;
varying vec4 v_color;
varying vec2 v_list[2];
void main() { v_color = a_color; v_list[0] = a_pos; v_list[1] = -a_pos; gl_Position = u_m * vec4(a_pos, 0.0, 1.0); gl_PointSize = 1.0; }
