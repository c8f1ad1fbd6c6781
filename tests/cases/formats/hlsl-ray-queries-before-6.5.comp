#version 460
#extension GL_EXT_ray_query : require
// RUN: polyshade convert %s -o %t.hlsl
// EXIT: 3
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: shader models before 6.5 have no ray queries (RayQueryKHR)

layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1) buffer B { uint hit; } b;

void main() {
    rayQueryEXT query;
    rayQueryInitializeEXT(query, scene, 0, 0xff, vec3(0), 0, vec3(1), 9);
    b.hit = rayQueryProceedEXT(query) ? 1 : 0;
}
