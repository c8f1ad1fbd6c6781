//! Ways of capturing: combinations of driver, path, passes and owner of the counters.

use crate::drivers::Driver;
use polyshade_planner::{CounterOwner, Device, PassScope, Path};

/// A way of capturing: the driver, the path, the passes and the owner of the counters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    pub(crate) driver: Driver,
    pub(crate) path: Path,
    pub(crate) scope: PassScope,
    pub(crate) counter_owner: CounterOwner,
}

impl Way {
    const fn new(driver: Driver, path: Path, scope: PassScope) -> Way {
        Way { driver, path, scope, counter_owner: CounterOwner::Host }
    }

    /// Creates a way with device-owned counters.
    const fn kept(driver: Driver, scope: PassScope) -> Way {
        Way { driver, path: Path::Storage, scope, counter_owner: CounterOwner::Device }
    }

    /// Returns the device for the planner.
    pub(crate) fn device(self) -> Device {
        let device = self.driver.device().capabilities().planner();
        assert!(device.dynamic_rendering, "{self:?}");
        Device { dynamic_rendering: self.scope == PassScope::Rendering, ..device }
    }
}

pub(crate) const WAYS: [Way; 4] = [
    Way::new(Driver::Lavapipe, Path::Extension, PassScope::RenderPass),
    Way::new(Driver::Lavapipe, Path::Extension, PassScope::Rendering),
    Way::new(Driver::Lavapipe, Path::Storage, PassScope::Rendering),
    Way::new(Driver::SwiftShader, Path::Storage, PassScope::RenderPass),
];

/// The ways that capture in a compute stage.
pub(crate) const DISPATCHED_WAYS: [Way; 3] = [
    Way::new(Driver::Lavapipe, Path::Compute, PassScope::RenderPass),
    Way::new(Driver::Lavapipe, Path::Compute, PassScope::Rendering),
    Way::new(Driver::SwiftShader, Path::Compute, PassScope::Rendering),
];

/// Returns the ways with host-owned counters and the ways of the extension.
pub(crate) fn ways() -> impl Iterator<Item = Way> {
    WAYS.into_iter().chain(DISPATCHED_WAYS)
}

pub(crate) const KEPT_WAYS: [Way; 2] = [
    Way::kept(Driver::Lavapipe, PassScope::RenderPass),
    Way::kept(Driver::SwiftShader, PassScope::Rendering),
];
