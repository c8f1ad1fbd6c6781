//! Plans draws and blending for any device, pipeline and draw. Planning must return an equal plan each time, or an
//! error. In any sequence of draws, the plans must wait for the data that they depend on.

#![no_main]

use libfuzzer_sys::fuzz_target;
use polyshade_fuzz::seed;
use polyshade_planner::{plan, plan_blending};
use polyshade_testing::{Choices, hazards, planner};

fuzz_target!(|bytes: &[u8]| {
    let mut choices = Choices::seeded(seed(bytes));
    let device = planner::any_device(&mut choices);
    let pipeline = planner::any_pipeline(&mut choices);
    let draw = planner::any_draw(&mut choices);
    let planned = plan(&device, &pipeline, &draw);
    assert_eq!(planned.as_ref().ok(), plan(&device, &pipeline, &draw).as_ref().ok());
    if let Ok(plan) = planned {
        assert!(!plan.to_string().is_empty());
    }
    let checked = hazards::check(&hazards::any_sequence(&mut choices));
    assert_eq!(checked, Ok(()));
    let blending = planner::any_blending(&mut choices);
    let planned = plan_blending(&device, &blending);
    assert_eq!(planned.as_ref().ok(), plan_blending(&device, &blending).as_ref().ok());
    if let Ok(plan) = planned {
        assert!(!plan.to_string().is_empty());
    }
});
