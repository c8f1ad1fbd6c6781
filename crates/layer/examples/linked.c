/* An application that links the layer, without a Vulkan loader:
 *
 *     linked /usr/lib/x86_64-linux-gnu/libvulkan_lvp.so
 *
 * It loads the driver of the argument and creates a device with VK_EXT_transform_feedback. The layer logs whether it
 * provides the extension if POLYSHADE_LAYER_LOG_LEVEL=info is set. A driver such as MoltenVK can also be linked. */

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "polyshade_layer.h"

#define FEEDBACK VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME

static VkInstance instance;

static PFN_vkVoidFunction command(const char *name)
{
    return polyshade_layer_vkGetInstanceProcAddr(instance, name);
}

/* Links the layer to the driver. */
static int link_driver(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    if (!library) {
        fprintf(stderr, "linked: %s\n", dlerror());
        return 0;
    }
    /* Drivers that are made for a loader negotiate the version of the loader interface first. */
    VkResult (*negotiate)(uint32_t *);
    PFN_vkGetInstanceProcAddr next;
    *(void **)&negotiate = dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
    *(void **)&next = dlsym(library, "vk_icdGetInstanceProcAddr");
    uint32_t version = 5;
    if (negotiate && negotiate(&version) != VK_SUCCESS)
        return 0;
    return polyshade_layer_link(next) == VK_SUCCESS;
}

static int has_feedback(VkPhysicalDevice physical)
{
    VkExtensionProperties listed[512];
    uint32_t count = 512;
    PFN_vkEnumerateDeviceExtensionProperties list =
        (PFN_vkEnumerateDeviceExtensionProperties)command("vkEnumerateDeviceExtensionProperties");
    if (list(physical, NULL, &count, listed) < VK_SUCCESS)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(listed[i].extensionName, FEEDBACK) == 0)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2 || !link_driver(argv[1])) {
        fprintf(stderr, "usage: linked DRIVER\n");
        return 2;
    }
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    PFN_vkCreateInstance create_instance = (PFN_vkCreateInstance)command("vkCreateInstance");
    if (create_instance(&info, NULL, &instance) != VK_SUCCESS)
        return 1;

    VkPhysicalDevice physical;
    uint32_t count = 1;
    PFN_vkEnumeratePhysicalDevices enumerate = (PFN_vkEnumeratePhysicalDevices)command("vkEnumeratePhysicalDevices");
    if (enumerate(instance, &count, &physical) < VK_SUCCESS || count == 0)
        return 1;
    VkPhysicalDeviceProperties properties;
    ((PFN_vkGetPhysicalDeviceProperties)command("vkGetPhysicalDeviceProperties"))(physical, &properties);
    printf("%s\n%s: %s\n", properties.deviceName, FEEDBACK, has_feedback(physical) ? "yes" : "no");

    const float priority = 1.0f;
    const char *names[] = {FEEDBACK};
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkPhysicalDeviceTransformFeedbackFeaturesEXT feature = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT, .transformFeedback = VK_TRUE};
    VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                      .pNext = &feature,
                                      .queueCreateInfoCount = 1,
                                      .pQueueCreateInfos = &queue,
                                      .enabledExtensionCount = 1,
                                      .ppEnabledExtensionNames = names};
    VkDevice device;
    if (((PFN_vkCreateDevice)command("vkCreateDevice"))(physical, &device_info, NULL, &device) != VK_SUCCESS)
        return 1;
    PFN_vkGetDeviceProcAddr of_device = (PFN_vkGetDeviceProcAddr)command("vkGetDeviceProcAddr");
    int found = of_device(device, "vkCmdBeginTransformFeedbackEXT") != NULL;
    ((PFN_vkDestroyDevice)of_device(device, "vkDestroyDevice"))(device, NULL);
    ((PFN_vkDestroyInstance)command("vkDestroyInstance"))(instance, NULL);
    return found ? 0 : 1;
}
