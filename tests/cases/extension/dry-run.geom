#version 450
// A dry run says what the device must have, and which outputs are added.
// RUN: polyshade capture %s --path extension --varyings g_list[1],gl_NextBuffer,g_other --dry-run
// CHECK: transform_feedback_extension of main (geometry)
// CHECK: buffer 0: 8 bytes a vertex
// CHECK: buffer 1 captures vertex stream 1
// CHECK: added outputs at locations 2
// CHECK: VK_EXT_transform_feedback
// CHECK: geometryStreams
// CHECK: maxGeometryOutputComponents of at least 16
// CHECK: maxTransformFeedbackBufferDataStride of at least 12
// CHECK: maxTransformFeedbackBuffers of at least 2
// CHECK: maxTransformFeedbackStreams of at least 2
layout(points) in;
layout(points, max_vertices = 2) out;
layout(location = 0, stream = 0) out vec2 g_list[2];
layout(location = 3, stream = 1) out vec3 g_other;

void main() {
    g_list[0] = g_list[1] = vec2(1.0);
    EmitStreamVertex(0);
    g_other = vec3(2.0);
    EmitStreamVertex(1);
}
