/* The layer VK_LAYER_POLYSHADE_polyfill, linked into an application: libpolyshade_layer.a, with -lpthread -ldl -lm.
 *
 *     polyshade_layer_link(vkGetInstanceProcAddr);   // of MoltenVK, or vk_icdGetInstanceProcAddr of a driver
 *     PFN_vkCreateInstance create =
 *         (PFN_vkCreateInstance)polyshade_layer_vkGetInstanceProcAddr(NULL, "vkCreateInstance");
 *
 * docs/layer.md lists the settings, in the environment or as VkLayerSettingsCreateInfoEXT in the chain of
 * VkInstanceCreateInfo.
 */

#ifndef POLYSHADE_LAYER_H
#define POLYSHADE_LAYER_H

#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Places the layer above a driver or a loader for the rest of the process. Any thread may call it, before any other
 * function of the layer. next is the vkGetInstanceProcAddr of the driver or loader, or vk_icdGetInstanceProcAddr of a
 * driver made for a loader. Returns VK_ERROR_INITIALIZATION_FAILED if next is NULL, or if the layer is already linked
 * to another function. */
VkResult VKAPI_CALL polyshade_layer_link(PFN_vkGetInstanceProcAddr next);

/* vkGetInstanceProcAddr of the layer, from which all other commands are found. Returns NULL for every name before
 * polyshade_layer_link. */
PFN_vkVoidFunction VKAPI_CALL polyshade_layer_vkGetInstanceProcAddr(VkInstance instance, const char *name);

#ifdef __cplusplus
}
#endif

#endif
