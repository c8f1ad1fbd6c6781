/* The layer VK_LAYER_POLYSHADE_polyfill, linked into an application: libpolyshade_layer.a, with -lpthread -ldl -lm.
 *
 *     polyshade_layer_link(vkGetInstanceProcAddr);   // of MoltenVK, or vk_icdGetInstanceProcAddr of a driver
 *     PFN_vkCreateInstance create =
 *         (PFN_vkCreateInstance)polyshade_layer_vkGetInstanceProcAddr(NULL, "vkCreateInstance");
 *
 * Settings are those of docs/layer.md: VkLayerSettingsCreateInfoEXT behind VkInstanceCreateInfo, and the environment.
 */

#ifndef POLYSHADE_LAYER_H
#define POLYSHADE_LAYER_H

#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Puts the layer above a driver, or above a loader, for the rest of the process. Any thread may call it; before anything
 * else of the layer. next: its vkGetInstanceProcAddr, of drivers that are made for a loader vk_icdGetInstanceProcAddr.
 * VK_ERROR_INITIALIZATION_FAILED where next is NULL, or the layer is above something else already. */
VkResult VKAPI_CALL polyshade_layer_link(PFN_vkGetInstanceProcAddr next);

/* vkGetInstanceProcAddr of the layer and what it is above: all commands are to be found from here. NULL, for every name,
 * before polyshade_layer_link. */
PFN_vkVoidFunction VKAPI_CALL polyshade_layer_vkGetInstanceProcAddr(VkInstance instance, const char *name);

#ifdef __cplusplus
}
#endif

#endif
