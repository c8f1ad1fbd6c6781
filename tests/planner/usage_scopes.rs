//! Plans follow WebGPU's rules for usage scopes. `tests/execution/webgpu/usage_scopes.rs` checks the same rules with
//! wgpu.

use polyshade_planner::Api;
use polyshade_testing::Choices;
use polyshade_testing::hazards::{
    DependencyMode, any_sequence, executed, usage_scopes, without_ends,
};

#[test]
fn every_sequence_keeps_to_usage_scopes() {
    let mut choices = Choices::seeded(3);
    let mut captures = [0; 2];
    let mut broken_without_ends = 0;
    for _ in 0..20_000 {
        let sequence = any_sequence(&mut choices);
        if sequence.device.api != Api::WebGpu {
            continue;
        }
        for mode in DependencyMode::ALL {
            let mut items = executed(&sequence, mode);
            for scope in usage_scopes(&items) {
                assert_eq!(scope.conflict(), None, "{scope:#?}\n{items:#?}");
                captures[usize::from(scope.is_dispatch)] += scope.captures();
            }
            without_ends(&mut items);
            let conflicts = usage_scopes(&items).iter().any(|scope| scope.conflict().is_some());
            broken_without_ends += u32::from(conflicts);
        }
    }
    assert!(captures.iter().all(|count| *count > 2000), "{captures:?}");
    // A plan that does not end the pass is detected.
    assert!(broken_without_ends > 500, "{broken_without_ends}");
}
