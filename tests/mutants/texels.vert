#version 450
// Texels of several mip levels, and of both signs.
layout(location = 0) in vec4 a;
layout(binding = 0) uniform sampler2D colours;
layout(binding = 1) uniform isampler2D numbers;
layout(binding = 2, rgba8_snorm) uniform readonly image2D image;
layout(location = 0) out vec4 v_numbers;

void main() {
    ivec2 at = ivec2(gl_VertexIndex & 1, 1);
    gl_Position = textureLod(colours, a.xy, 0.0) + texelFetch(colours, at, 1);
    gl_Position += imageLoad(image, at);
    gl_PointSize = abs(a.w);
    v_numbers = vec4(texelFetch(numbers, at, 1));
}
