//! Render passes: their dependencies and view masks.

use super::barriers::{Mapped, Masked};
use super::masks::{Reach, accesses, accesses_2, sources, stages, stages_2, wide};
use crate::device::Device;
use crate::emulation::render_passes::RenderPassInfo;
use crate::log::Level;
use crate::pnext::{Change, Copied, find};
use crate::settings::slice;
use ash::vk::{self, Handle as _, PipelineStageFlags as Stage, TaggedStructure as _};

impl Masked for vk::SubpassDependency {
    type Around = Reach;

    fn mapped(mut self, reach: Reach) -> Self {
        let (src, dst) = reaches(reach, self.src_subpass, self.dst_subpass);
        self.src_access_mask = accesses(src, self.src_stage_mask, self.src_access_mask);
        self.dst_access_mask = accesses(dst, self.dst_stage_mask, self.dst_access_mask);
        self.src_stage_mask = stages(src, self.src_stage_mask);
        self.dst_stage_mask = stages(dst, self.dst_stage_mask);
        self
    }

    fn is_like(&self, other: &Self) -> bool {
        let masks = |one: &Self| {
            ((one.src_stage_mask, one.src_access_mask), (one.dst_stage_mask, one.dst_access_mask))
        };
        masks(self) == masks(other)
    }
}

/// Returns the reach of each side of a dependency. Subpasses have no compute stages.
fn reaches(reach: Reach, src: u32, dst: u32) -> (Reach, Reach) {
    let side = |subpass| match subpass {
        vk::SUBPASS_EXTERNAL => reach,
        _ => reach.in_subpass(),
    };
    (side(src), side(dst))
}

pub(crate) unsafe extern "system" fn create_render_pass(
    device: vk::Device,
    info: *const vk::RenderPassCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pass: *mut vk::RenderPass,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(device) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.create_render_pass else { return vk::Result::ERROR_UNKNOWN };
        if !device.has_feedback {
            return next(device.handle, info, allocator, pass);
        }
        let mut changed = *info;
        let reach = Reach::whole(device);
        let dependencies = Mapped::new(changed.p_dependencies, changed.dependency_count, reach);
        changed.p_dependencies = dependencies.as_ptr();
        let result = next(device.handle, &raw const changed, allocator, pass);
        let views = find::<vk::RenderPassMultiviewCreateInfo<'static>>((*info).p_next);
        let masks =
            views.map_or(&[][..], |views| slice((*views).p_view_masks, (*views).subpass_count));
        let mut kept = RenderPassInfo { view_masks: masks.to_vec(), sources: Stage::empty() };
        for one in slice((*info).p_dependencies, (*info).dependency_count) {
            let (src, dst) = (wide(one.src_stage_mask), wide(one.dst_stage_mask));
            kept.sources |= sources(reach, one.src_subpass, src, dst);
        }
        keep(device, result, pass, kept);
        result
    }
}

pub(crate) unsafe extern "system" fn create_render_pass_2(
    device: vk::Device,
    info: *const vk::RenderPassCreateInfo2<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pass: *mut vk::RenderPass,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(device) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.create_render_pass_2 else {
            return vk::Result::ERROR_UNKNOWN;
        };
        if !device.has_feedback {
            return next(device.handle, info, allocator, pass);
        }
        // Replace the extension's masks in all dependencies.
        let mut changed = *info;
        let dependencies = slice(changed.p_dependencies, changed.dependency_count);
        let (mut mapped, mut chains) = (Vec::new(), Vec::new());
        let mut sources = Stage::empty();
        for dependency in dependencies {
            sources |= sources_2(device, dependency);
            let (dependency, chain) = map(device, dependency);
            mapped.push(dependency);
            chains.push(chain);
        }
        changed.p_dependencies = mapped.as_ptr();
        let result = next(device.handle, &raw const changed, allocator, pass);
        drop(chains);
        let subpasses = slice((*info).p_subpasses, (*info).subpass_count);
        let view_masks = subpasses.iter().map(|one| one.view_mask).collect();
        keep(device, result, pass, RenderPassInfo { view_masks, sources });
        result
    }
}

/// Stores the parts of a render pass that captures depend on. Queries count the primitives of each view.
///
/// # Safety
///
/// The pointer is valid.
unsafe fn keep(
    device: &Device,
    result: vk::Result,
    pass: *const vk::RenderPass,
    info: RenderPassInfo,
) {
    let is_needed = info.view_masks.iter().any(|mask| *mask != 0) || !info.sources.is_empty();
    let is_needed = is_needed && result == vk::Result::SUCCESS;
    if let Some(emulator) = device.emulator.get().filter(|_| is_needed) {
        // SAFETY: guaranteed by the caller.
        emulator.render_passes.insert(unsafe { (*pass).as_raw() }, Box::new(info));
    }
}

noted_on_device! {
    destroy_render_pass(pass: vk::RenderPass, allocator: *const vk::AllocationCallbacks<'_>)
        |device, emulator| drop(emulator.render_passes.remove(pass.as_raw()));
}

/// Returns [`sources`] of a dependency. A chained barrier replaces the stages of the dependency.
///
/// # Safety
///
/// The dependency is valid.
unsafe fn sources_2(device: &Device, dependency: &vk::SubpassDependency2<'_>) -> Stage {
    // SAFETY: guaranteed by the caller.
    let barrier = unsafe { find::<vk::MemoryBarrier2<'static>>(dependency.p_next) };
    let (src, dst) = match barrier {
        // SAFETY: guaranteed by the caller.
        Some(barrier) => unsafe { ((*barrier).src_stage_mask, (*barrier).dst_stage_mask) },
        None => (wide(dependency.src_stage_mask), wide(dependency.dst_stage_mask)),
    };
    sources(Reach::whole(device), dependency.src_subpass, src, dst)
}

/// Returns the dependency for the driver, and the chain that the dependency points to.
///
/// # Safety
///
/// The dependency is valid, and its chain lives for as long as the result is used.
unsafe fn map<'d>(
    device: &Device,
    dependency: &vk::SubpassDependency2<'d>,
) -> (vk::SubpassDependency2<'d>, Option<Copied>) {
    let mut mapped = *dependency;
    let reach = Reach::whole(device);
    let (src, dst) = reaches(reach, mapped.src_subpass, mapped.dst_subpass);
    // Accesses first: their replacement depends on the original stages.
    mapped.src_access_mask = accesses(src, mapped.src_stage_mask, mapped.src_access_mask);
    mapped.dst_access_mask = accesses(dst, mapped.dst_stage_mask, mapped.dst_access_mask);
    mapped.src_stage_mask = stages(src, mapped.src_stage_mask);
    mapped.dst_stage_mask = stages(dst, mapped.dst_stage_mask);

    // A chained barrier replaces the masks of the dependency.
    type Barrier = vk::MemoryBarrier2<'static>;
    let edits = |s_type| (s_type == Barrier::STRUCTURE_TYPE).then_some(Change::Edit);
    // SAFETY: guaranteed by the caller.
    let mut chain = match unsafe { Copied::new(mapped.p_next, edits) } {
        Ok(chain) => chain,
        Err(unknown) => {
            device.log.say(
                Level::Error,
                format_args!(
                    "vkCreateRenderPass2: cannot change the barriers that follow a structure of type {unknown:?}"
                ),
            );
            return (mapped, None);
        }
    };
    if let Some(barrier) = chain.copy::<Barrier>() {
        barrier.src_access_mask = accesses_2(src, barrier.src_stage_mask, barrier.src_access_mask);
        barrier.dst_access_mask = accesses_2(dst, barrier.dst_stage_mask, barrier.dst_access_mask);
        barrier.src_stage_mask = stages_2(src, barrier.src_stage_mask);
        barrier.dst_stage_mask = stages_2(dst, barrier.dst_stage_mask);
    }
    mapped.p_next = chain.first();
    (mapped, Some(chain))
}
