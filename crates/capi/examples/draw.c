/*
 * A host that captures the mesh of a vertex shader once into a storage buffer, and draws the captured mesh to an image
 * file. The device does not need VK_EXT_transform_feedback, and the program does not need a window.
 *
 *     draw FOLDER-OF-SHADERS OUT.png
 *
 *     cc -std=c99 draw.c $(pkg-config --cflags --libs polyshade vulkan) -o draw
 */
#include "picture.h"
#include <polyshade.h>
#include <vulkan/vulkan.h>

#define SIZE 512
#define ELEMENTS(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

/* The strip that mesh.vert makes: 48 windings of 96 steps, and one step to close it. */
#define VERTICES (2 * (96 * 48 + 1))
/* The offset of the host parameters: after the shader's own push constants. */
#define WORDS_AT 16

static polyshade_error error;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandBuffer commands;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void check(polyshade_status status) {
    if (status != POLYSHADE_OK) {
        fail(error.message);
    }
}

static void vk(VkResult result) {
    if (result != VK_SUCCESS) {
        fprintf(stderr, "VkResult %d\n", (int)result);
        exit(1);
    }
}

static polyshade_module *read_module(const char *folder, const char *name) {
    char path[1024];
    static uint8_t bytes[1 << 16];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail(path);
    }
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    polyshade_module *module = NULL;
    check(polyshade_module_parse_bytes(bytes, count, &module, &error));
    return module;
}

/* Makes a shader stage from a module, and releases the module. */
static VkPipelineShaderStageCreateInfo shader(VkShaderStageFlagBits stage, polyshade_module *module) {
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    VkPipelineShaderStageCreateInfo made = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = stage, .pName = "main"};
    size_t count = 0;
    info.pCode = polyshade_module_words(module, &count);
    info.codeSize = 4 * count;
    vk(vkCreateShaderModule(device, &info, NULL, &made.module));
    polyshade_module_release(module);
    return made;
}

/* Opens the first device, with dynamic rendering and the feature that captures into storage buffers need. */
static void open_device(void) {
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo instance_info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    vk(vkCreateInstance(&instance_info, NULL, &instance));
    uint32_t count = 1;
    VkResult result = vkEnumeratePhysicalDevices(instance, &count, &physical);
    if (count == 0 || (result != VK_SUCCESS && result != VK_INCOMPLETE)) {
        fail("there is no device");
    }
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);
    printf("on %s\n", properties.deviceName);

    float priority = 1;
    VkDeviceQueueCreateInfo queue_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkPhysicalDeviceVulkan13Features newer = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .dynamicRendering = VK_TRUE};
    VkPhysicalDeviceFeatures features = {.vertexPipelineStoresAndAtomics = VK_TRUE};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &newer,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue_info,
                               .pEnabledFeatures = &features};
    vk(vkCreateDevice(physical, &info, NULL, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);

    VkCommandPool pool;
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    vk(vkCreateCommandPool(device, &pool_info, NULL, &pool));
    VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    vk(vkAllocateCommandBuffers(device, &allocate, &commands));
}

static VkDeviceMemory memory(VkMemoryRequirements needs, VkMemoryPropertyFlags wanted) {
    VkPhysicalDeviceMemoryProperties properties;
    vkGetPhysicalDeviceMemoryProperties(physical, &properties);
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size};
    for (uint32_t type = 0; type < properties.memoryTypeCount; type++) {
        VkMemoryPropertyFlags flags = properties.memoryTypes[type].propertyFlags;
        if (needs.memoryTypeBits >> type & 1 && (flags & wanted) == wanted) {
            info.memoryTypeIndex = type;
            break;
        }
    }
    VkDeviceMemory allocated;
    vk(vkAllocateMemory(device, &info, NULL, &allocated));
    return allocated;
}

static VkBuffer buffer(VkDeviceSize size, VkBufferUsageFlags usage, VkDeviceMemory *bound) {
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
    VkBuffer made;
    vk(vkCreateBuffer(device, &info, NULL, &made));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, made, &needs);
    *bound = memory(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    vk(vkBindBufferMemory(device, made, *bound, 0));
    return made;
}

static VkImageView attachment(VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect, VkImage *image) {
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = format,
                              .extent = {SIZE, SIZE, 1},
                              .mipLevels = 1,
                              .arrayLayers = 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .usage = usage};
    vk(vkCreateImage(device, &info, NULL, image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, *image, &needs);
    vk(vkBindImageMemory(device, *image, memory(needs, 0), 0));
    VkImageViewCreateInfo view_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                       .image = *image,
                                       .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                       .format = format,
                                       .subresourceRange = {aspect, 0, 1, 0, 1}};
    VkImageView view;
    vk(vkCreateImageView(device, &view_info, NULL, &view));
    return view;
}

/* Makes a pipeline from the state that both pipelines share. */
static VkPipeline pipeline(VkPipelineLayout layout, const VkPipelineShaderStageCreateInfo *stages, uint32_t stage_count,
                           VkPrimitiveTopology topology, const VkPipelineVertexInputStateCreateInfo *input) {
    VkBool32 is_drawn = stage_count > 1;
    VkFormat color = VK_FORMAT_R8G8B8A8_UNORM;
    VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                               .colorAttachmentCount = is_drawn,
                                               .pColorAttachmentFormats = &color,
                                               .depthAttachmentFormat = is_drawn ? VK_FORMAT_D32_SFLOAT : VK_FORMAT_UNDEFINED};
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = topology};
    VkViewport viewport = {0, 0, SIZE, SIZE, 0, 1};
    VkRect2D scissor = {{0, 0}, {SIZE, SIZE}};
    VkPipelineViewportStateCreateInfo viewports = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                   .viewportCount = 1,
                                                   .pViewports = &viewport,
                                                   .scissorCount = 1,
                                                   .pScissors = &scissor};
    VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .rasterizerDiscardEnable = !is_drawn, .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineDepthStencilStateCreateInfo depth = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                                                   .depthTestEnable = VK_TRUE,
                                                   .depthWriteEnable = VK_TRUE,
                                                   .depthCompareOp = VK_COMPARE_OP_LESS};
    VkPipelineColorBlendAttachmentState written = {.colorWriteMask = 15};
    VkPipelineColorBlendStateCreateInfo blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                 .attachmentCount = is_drawn,
                                                 .pAttachments = &written};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .pNext = &rendering,
                                         .stageCount = stage_count,
                                         .pStages = stages,
                                         .pVertexInputState = input,
                                         .pInputAssemblyState = &assembly,
                                         .pViewportState = &viewports,
                                         .pRasterizationState = &raster,
                                         .pMultisampleState = &samples,
                                         .pDepthStencilState = &depth,
                                         .pColorBlendState = &blend,
                                         .layout = layout};
    VkPipeline made;
    vk(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &made));
    return made;
}

/* The captured mesh: its buffer, the number of its vertices, and its layout. */
typedef struct mesh {
    VkBuffer buffer;
    uint32_t vertex_count;
    polyshade_layout *layout;
} mesh;

/* Binds the descriptor that the lowering added, and returns the pipeline layout. */
static VkPipelineLayout bind(const polyshade_result *result, uint32_t push_constants, VkBuffer to) {
    polyshade_descriptor wanted = polyshade_descriptor_init();
    check(polyshade_result_descriptor(result, 0, 0, &wanted, &error));
    VkDescriptorSetLayoutBinding binding = {wanted.binding, (VkDescriptorType)wanted.descriptor_type, 1,
                                            (VkShaderStageFlags)wanted.stage, NULL};
    VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    VkDescriptorSetLayout set_layout;
    vk(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout));
    VkPushConstantRange range = {VK_SHADER_STAGE_VERTEX_BIT, 0, push_constants};
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .setLayoutCount = 1,
                                       .pSetLayouts = &set_layout,
                                       .pushConstantRangeCount = 1,
                                       .pPushConstantRanges = &range};
    VkPipelineLayout layout;
    vk(vkCreatePipelineLayout(device, &info, NULL, &layout));

    VkDescriptorPoolSize size = {(VkDescriptorType)wanted.descriptor_type, 1};
    VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                            .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VkDescriptorPool pool;
    vk(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &set_layout};
    VkDescriptorSet set;
    vk(vkAllocateDescriptorSets(device, &allocate, &set));
    VkDescriptorBufferInfo bound = {to, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = set,
                                  .dstBinding = wanted.binding,
                                  .descriptorCount = 1,
                                  .descriptorType = (VkDescriptorType)wanted.descriptor_type,
                                  .pBufferInfo = &bound};
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, wanted.set, 1, &set, 0, NULL);
    return layout;
}

/* Records the capture: the vertices of the draw as points, with rasterization off, and a barrier. */
static mesh capture(const char *folder) {
    const char *varyings[] = {"v_position", "v_normal", "v_color"};
    polyshade_capture_options options = polyshade_capture_options_init(POLYSHADE_OPTIONS_CAPTURE_STORAGE);
    options.varyings = varyings;
    options.varying_count = ELEMENTS(varyings);
    options.flags = POLYSHADE_CAPTURE_HAS_SET | POLYSHADE_CAPTURE_HAS_BINDING;
    options.params.kind = POLYSHADE_SOURCE_PUSH_CONSTANT;
    options.params.number = WORDS_AT;
    polyshade_module *module = read_module(folder, "mesh.vert.spv"), *lowered = NULL;
    polyshade_result *result = NULL;
    mesh made = {0};
    check(polyshade_lower(module, NULL, &options.base, &result, &error));
    check(polyshade_result_module(result, 0, &lowered, &error));
    check(polyshade_result_layout(result, 0, &made.layout, &error));
    polyshade_module_release(module);

    /* The range has as many bytes as the draw stores: each triangle of a strip is stored separately. */
    polyshade_draw draw = polyshade_draw_init();
    draw.topology = POLYSHADE_TOPOLOGY_TRIANGLE_STRIP;
    draw.vertex_count = VERTICES;
    draw.instance_count = 1;
    polyshade_buffer_layout held = polyshade_buffer_layout_init();
    check(polyshade_layout_buffer(made.layout, 0, &held, &error));
    polyshade_range range = {0, 0, 3 * (VERTICES - 2) * held.stride, 0, 0};
    uint64_t written = 0, generated = 0;
    check(polyshade_layout_primitives(made.layout, &draw, &range, 1, &written, &generated, &error));
    printf("%u of %u triangles are captured\n", (unsigned)written, (unsigned)generated);
    made.vertex_count = 3 * (uint32_t)written;

    VkDeviceMemory unused;
    VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;
    made.buffer = buffer(range.length, usage, &unused);
    uint32_t constants[WORDS_AT / 4 + 16] = {0};
    size_t words = 16;
    check(polyshade_layout_host_params(made.layout, &draw, &range, 1, constants + WORDS_AT / 4, &words, &error));
    uint32_t bytes = WORDS_AT + 4 * (uint32_t)words;
    VkPipelineLayout layout = bind(result, bytes, made.buffer);
    polyshade_result_release(result);

    VkPipelineShaderStageCreateInfo stage = shader(VK_SHADER_STAGE_VERTEX_BIT, lowered);
    VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipeline capturing = pipeline(layout, &stage, 1, VK_PRIMITIVE_TOPOLOGY_POINT_LIST, &input);
    VkRenderingInfo nothing = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = {{0, 0}, {1, 1}}, .layerCount = 1};
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, bytes, constants);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, capturing);
    vkCmdBeginRendering(commands, &nothing);
    vkCmdDraw(commands, draw.vertex_count, draw.instance_count, draw.first_vertex, draw.first_instance);
    vkCmdEndRendering(commands);
    VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_SHADER_WRITE_BIT,
                               VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_VERTEX_SHADER_BIT, VK_PIPELINE_STAGE_VERTEX_INPUT_BIT, 0, 1,
                         &barrier, 0, NULL, 0, NULL);
    return made;
}

/* Makes the pipeline that draws the mesh, with attributes at the offsets of the layout. */
static VkPipeline drawing(const char *folder, const mesh *drawn) {
    VkVertexInputAttributeDescription attributes[3];
    for (uint32_t index = 0; index < ELEMENTS(attributes); index++) {
        polyshade_captured captured = polyshade_captured_init();
        check(polyshade_layout_captured(drawn->layout, 0, index, &captured, &error));
        attributes[index] = (VkVertexInputAttributeDescription){index, 0, VK_FORMAT_R32G32B32_SFLOAT, captured.offset};
    }
    polyshade_buffer_layout held = polyshade_buffer_layout_init();
    check(polyshade_layout_buffer(drawn->layout, 0, &held, &error));
    VkVertexInputBindingDescription binding = {0, held.stride, VK_VERTEX_INPUT_RATE_VERTEX};
    VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
                                                  .vertexBindingDescriptionCount = 1,
                                                  .pVertexBindingDescriptions = &binding,
                                                  .vertexAttributeDescriptionCount = ELEMENTS(attributes),
                                                  .pVertexAttributeDescriptions = attributes};
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    VkPipelineLayout layout;
    vk(vkCreatePipelineLayout(device, &info, NULL, &layout));
    const VkPipelineShaderStageCreateInfo stages[] = {
        shader(VK_SHADER_STAGE_VERTEX_BIT, read_module(folder, "draw.vert.spv")),
        shader(VK_SHADER_STAGE_FRAGMENT_BIT, read_module(folder, "draw.frag.spv"))};
    return pipeline(layout, stages, 2, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, &input);
}

static void move_image(VkImage image, VkImageAspectFlags aspect, VkImageLayout from, VkImageLayout to) {
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                    .oldLayout = from,
                                    .newLayout = to,
                                    .image = image,
                                    .subresourceRange = {aspect, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                         NULL, 1, &barrier);
}

/* Draws the mesh and copies the image to `to`. */
static void draw_mesh(const mesh *drawn, VkPipeline with, VkBuffer to) {
    const VkImageLayout colored = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                        tested = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                        copied = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    VkImage color, depth;
    VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    VkRenderingAttachmentInfo colors = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = attachment(VK_FORMAT_R8G8B8A8_UNORM, usage, VK_IMAGE_ASPECT_COLOR_BIT, &color),
        .imageLayout = colored,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .clearValue = {.color = {.float32 = {0.09f, 0.10f, 0.13f, 1}}}};
    VkRenderingAttachmentInfo depths = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                        .imageView = attachment(VK_FORMAT_D32_SFLOAT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                                                                VK_IMAGE_ASPECT_DEPTH_BIT, &depth),
                                        .imageLayout = tested,
                                        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                        .clearValue = {.depthStencil = {1, 0}}};
    VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                 .renderArea = {{0, 0}, {SIZE, SIZE}},
                                 .layerCount = 1,
                                 .colorAttachmentCount = 1,
                                 .pColorAttachments = &colors,
                                 .pDepthAttachment = &depths};
    move_image(color, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED, colored);
    move_image(depth, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_UNDEFINED, tested);
    vkCmdBeginRendering(commands, &rendering);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, with);
    VkDeviceSize start = 0;
    vkCmdBindVertexBuffers(commands, 0, 1, &drawn->buffer, &start);
    vkCmdDraw(commands, drawn->vertex_count, 1, 0, 0);
    vkCmdEndRendering(commands);
    move_image(color, VK_IMAGE_ASPECT_COLOR_BIT, colored, copied);
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {SIZE, SIZE, 1}};
    vkCmdCopyImageToBuffer(commands, color, copied, to, 1, &region);
    VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fail("usage: draw FOLDER-OF-SHADERS OUT.png");
    }
    error = polyshade_error_init();
    open_device();
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    vk(vkBeginCommandBuffer(commands, &begin));
    mesh captured = capture(argv[1]);
    VkDeviceMemory picture;
    VkBuffer to = buffer(4 * SIZE * SIZE, VK_BUFFER_USAGE_TRANSFER_DST_BIT, &picture);
    draw_mesh(&captured, drawing(argv[1], &captured), to);
    polyshade_layout_release(captured.layout);
    vk(vkEndCommandBuffer(commands));

    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    vk(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    vk(vkDeviceWaitIdle(device));
    void *pixels = NULL;
    vk(vkMapMemory(device, picture, 0, VK_WHOLE_SIZE, 0, &pixels));
    if (!write_picture(argv[2], pixels, SIZE)) {
        fail(argv[2]);
    }
    /* The process ends here, and the system frees the device's objects. */
    return 0;
}
