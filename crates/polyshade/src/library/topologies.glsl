// The values of VkPrimitiveTopology, and a value for OpenGL's line loops. Topologies with adjacency are greater by
// ADJACENCY.
const uint POINT_LIST = 0u;
const uint LINE_LIST = 1u;
const uint LINE_STRIP = 2u;
const uint TRIANGLE_LIST = 3u;
const uint TRIANGLE_STRIP = 4u;
const uint TRIANGLE_FAN = 5u;
const uint LINE_LOOP = 16u;
const uint ADJACENCY = 5u;
