#version 450
// No driver of the tests has tile images: the validator and this text say that they are read right.
// RUN: polyshade blend %s --equations screen --destination tile-image -o %t.spv
// CHECK: OpCapability TileImageColorReadAccessEXT
// CHECK: OpExtension "SPV_EXT_shader_tile_image"
// CHECK: OpDecorate %polyshade_destination_2 Location 2
// CHECK: OpColorAttachmentReadEXT %v4float

layout(location = 2) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
