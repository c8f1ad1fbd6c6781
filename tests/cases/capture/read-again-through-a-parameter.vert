#version 450
// An image that a function stores to and another place reads is one image.
// RUN: polyshade capture %s --varyings v --side-effects in-raster -o %t.spv
// EXIT: 3
// CHECK: the shader reads memory that it writes
#extension GL_EXT_shader_image_load_formatted : require
layout(set=0,binding=0) uniform image2D im;
layout(location=0) out vec4 v;
void put(image2D i){ imageStore(i, ivec2(0), vec4(7)); }
void main(){ put(im); v = imageLoad(im, ivec2(0)); gl_Position=vec4(0); }
