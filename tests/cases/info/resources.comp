// What the host binds and sets: descriptors that are used, push constants, specialization constants, the workgroup.
// The specialization constant of the workgroup's size has its default there.
// RUN: polyshade info %s
// CHECK: capabilities: Shader
// CHECK: specialization constant 1: bool on = true
// CHECK: specialization constant 7: float scale = 2.5
// CHECK: main (compute)
// CHECK: set 0 binding 2: storage buffer source, read
// CHECK: set 0 binding 3: uniform buffer camera
// CHECK: set 0 binding 4: combined image sampler[5] textures
// CHECK: set 0 binding 5: storage image target, write
// CHECK: set 1 binding 0: storage buffer data, read and write
// CHECK-NOT: unused
// CHECK: push constants push: bytes 16 to 72
// CHECK: 16 mat3x3 m
// CHECK: 64 vec2 ab
// CHECK: workgroup of 1 x 4 x 1
#version 450
layout(local_size_x_id = 3, local_size_y = 4) in;
layout(constant_id = 7) const float scale = 2.5;
layout(constant_id = 1) const bool on = true;
struct P { vec3 a; mat3 m; };
layout(set = 1, binding = 0) buffer Data { vec4 values[]; } data;
layout(set = 0, binding = 2) readonly buffer In { P p[]; } source;
layout(set = 0, binding = 3) uniform Camera { mat4 view; } camera;
layout(set = 0, binding = 4) uniform sampler2D textures[5];
layout(set = 0, binding = 5, rgba8) writeonly uniform image2D target;
layout(set = 2, binding = 0) uniform Unused { vec4 value; } unused;
layout(push_constant) uniform Push { layout(offset = 16) mat3 m; vec2 ab; } push;
void main() {
    if (on) {
        vec4 value = vec4(source.p[0].a * push.m, scale) * camera.view;
        data.values[gl_GlobalInvocationID.x] = value + texture(textures[1], push.ab);
    }
    imageStore(target, ivec2(0), vec4(1));
}
