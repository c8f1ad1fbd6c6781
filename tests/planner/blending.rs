//! Plans for blending: plans as committed text, plans for any state, and refusals.

use crate::goldens::{add, golden};
use polyshade::ErrorKind;
use polyshade::advanced_blend::{
    Alpha, BlendComponent, Equation, Factor, FixedFunctionBlend, LogicOperation, Overlap,
};
use polyshade::host::Feature;
use polyshade_planner::{
    self as planner, Action, AdvancedBlending, Api, AttachmentBlending, Blending, BlendingOrder,
    BlendingPath, BlendingPlan, BlendingState, Change, Device, Interlock, NativeBlending,
    Overlapping, PassScope, Preset,
};
use polyshade_testing::Choices;
use polyshade_testing::planner::{any_blending, any_device};
use std::collections::{HashMap, HashSet};

fn advanced(equations: &[Equation]) -> Option<AttachmentBlending> {
    Some(AttachmentBlending::Advanced(AdvancedBlending {
        equations: equations.to_vec(),
        ..AdvancedBlending::default()
    }))
}

fn fixed_function() -> Option<AttachmentBlending> {
    let over = BlendComponent::add(Factor::One, Factor::OneMinusSrcAlpha);
    Some(AttachmentBlending::FixedFunction(FixedFunctionBlend::both(over)))
}

/// A target with advanced blending, one without blending, and one with fixed-function blending.
fn mixed() -> BlendingState {
    BlendingState {
        attachments: vec![advanced(&[Equation::Multiply]), None, fixed_function()],
        early_tests: true,
        plain_attachments: true,
        ..BlendingState::default()
    }
}

fn one(equation: Equation) -> BlendingState {
    BlendingState { attachments: vec![advanced(&[equation])], ..mixed() }
}

const NATIVE: NativeBlending = NativeBlending {
    coherent: true,
    max_attachments: 8,
    independent: true,
    straight_source: true,
    straight_destination: true,
    correlated_overlap: true,
    all_operations: true,
    clamped_results: false,
};

/// Returns a device with render pass objects and these blending features.
fn device(blending: Blending) -> Device {
    let independent = Blending { independent_blend: true, sample_shading: true, ..blending };
    Device { blending: independent, ..Device::default() }
}

fn rendering(blending: Blending) -> Device {
    Device { dynamic_rendering: true, ..device(blending) }
}

fn none() -> Blending {
    Blending::default()
}

/// Returns devices ordered by their features. Each device lacks one feature of another.
fn devices() -> Vec<(&'static str, Device)> {
    let native = Some(NATIVE);
    let incoherent = Some(NativeBlending { coherent: false, ..NATIVE });
    let both = Some(Interlock { pixel: true, sample: true });
    vec![
        ("native, coherent", device(Blending { native, ..none() })),
        (
            "native, not coherent, and ordered attachments",
            device(Blending { native: incoherent, ordered_attachments: true, ..none() }),
        ),
        ("ordered attachments", device(Blending { ordered_attachments: true, ..none() })),
        (
            "ordered attachments with local read",
            rendering(Blending { ordered_attachments: true, local_read: true, ..none() }),
        ),
        ("tile images", rendering(Blending { tile_images: true, ..none() })),
        ("interlock", device(Blending { interlock: both, ..none() })),
        ("native, not coherent", device(Blending { native: incoherent, ..none() })),
        (
            "native, not coherent, local read",
            rendering(Blending { native: incoherent, local_read: true, ..none() }),
        ),
        ("nothing, render passes", device(none())),
        ("nothing, dynamic rendering", rendering(none())),
        ("local read", rendering(Blending { local_read: true, ..none() })),
        ("metal", Device::from(Preset::Metal)),
        ("metal without framebuffer fetch", {
            let mut device = Device::from(Preset::Metal);
            device.blending.framebuffer_fetch = false;
            device
        }),
        ("webgpu", Device::from(Preset::WebGpu)),
    ]
}

fn section(text: &mut String, heading: &str, device: &Device, state: &BlendingState) {
    add(text, heading, planner::plan_blending(device, state));
}

#[test]
fn every_way_to_blend() {
    let mut text = String::new();
    for (name, device) in devices() {
        section(&mut text, name, &device, &mixed());
    }
    // Multisampled targets.
    let samples = BlendingState { multisampled: true, ..one(Equation::HslHue) };
    for name in ["ordered attachments", "tile images", "interlock", "nothing, render passes"] {
        let devices = devices();
        let (_, device) = devices.iter().find(|(other, _)| *other == name).expect("it is there");
        section(&mut text, &format!("{name}, several samples"), device, &samples);
    }
    // Dynamic rendering only.
    let kept = BlendingState { rendering_only: true, ..mixed() };
    section(&mut text, "nothing, dynamic rendering only", &rendering(none()), &kept);
    let incoherent = Some(NativeBlending { coherent: false, ..NATIVE });
    let native = rendering(Blending { native: incoherent, ..none() });
    section(&mut text, "native, not coherent, dynamic rendering only", &native, &kept);
    // Other overlaps and attachments.
    for (name, overlap) in
        [("between draws", Overlapping::BetweenDraws), ("never", Overlapping::Never)]
    {
        let state = BlendingState { overlap, ..mixed() };
        section(&mut text, &format!("nothing, overlap {name}"), &device(none()), &state);
    }
    let logic = Some(AttachmentBlending::Logic(LogicOperation::Xor));
    let with_logic =
        BlendingState { attachments: vec![logic.clone(), fixed_function()], ..mixed() };
    section(&mut text, "a logic operation beside blending", &device(none()), &with_logic);
    let native = Device::from(Preset::Vulkan);
    let plain = BlendingState { attachments: vec![fixed_function(), None], ..mixed() };
    section(&mut text, "no advanced equation", &native, &plain);
    golden("blending.txt", &text);
}

/// The planner chooses the first supported path in its order of preference.
#[test]
fn the_first_way_that_is_there_is_taken() {
    let all = Blending {
        native: Some(NATIVE),
        ordered_attachments: true,
        tile_images: true,
        interlock: Some(Interlock { pixel: true, sample: true }),
        local_read: true,
        ..none()
    };
    let mut device = rendering(all);
    let path = |device: &Device| {
        planner::plan_blending(device, &one(Equation::Screen)).expect("it has a plan").path
    };
    // Remove the feature of the chosen path each time.
    let mut taken = vec![path(&device)];
    let less: [fn(&mut Blending); 6] = [
        |has| has.native = Some(NativeBlending { coherent: false, ..NATIVE }),
        |has| has.ordered_attachments = false,
        |has| has.tile_images = false,
        |has| has.interlock = None,
        |has| has.native = None,
        |has| has.max_input_attachments = 0,
    ];
    for less in less {
        less(&mut device.blending);
        taken.push(path(&device));
    }
    assert_eq!(taken, BlendingPath::ALL[1..]);
}

#[test]
fn native_equations_are_held_to_their_limits() {
    let state = |edit: fn(&mut AdvancedBlending)| {
        let mut one =
            AdvancedBlending { equations: vec![Equation::Multiply], ..AdvancedBlending::default() };
        edit(&mut one);
        let attachments = vec![Some(AttachmentBlending::Advanced(one))];
        BlendingState { attachments, path: Some(BlendingPath::Native), ..BlendingState::default() }
    };
    let least = device(Blending { native: Some(NativeBlending::default()), ..none() });
    assert!(planner::plan_blending(&least, &state(|_| {})).is_ok());
    let refused = |state: &BlendingState, name: &str| {
        let error = planner::plan_blending(&least, state).expect_err(name);
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains(name), "{error}, not {name}");
    };
    refused(&state(|one| one.equations = vec![Equation::Plus]), "advancedBlendAllOperations");
    refused(&state(|one| one.source = Alpha::Straight), "NonPremultipliedSrcColor");
    refused(&state(|one| one.destination = Alpha::Straight), "NonPremultipliedDstColor");
    refused(&state(|one| one.overlap = Overlap::Conjoint), "CorrelatedOverlap");
    refused(&state(|one| one.clamp_results = true), "extendedDynamicState3ColorBlendAdvanced");
    // The limit counts attachments without blending, too.
    let mut two = state(|_| {});
    two.attachments.push(None);
    refused(&two, "advancedBlendMaxColorAttachments");
    let coherent = BlendingState { path: Some(BlendingPath::NativeCoherent), ..state(|_| {}) };
    refused(&coherent, "advancedBlendCoherentOperations");
    let several = device(Blending {
        native: Some(NativeBlending { max_attachments: 2, ..NativeBlending::default() }),
        ..none()
    });
    let attachments = vec![advanced(&[Equation::Multiply]), advanced(&[Equation::Screen])];
    let state = BlendingState { attachments, ..state(|_| {}) };
    let error = planner::plan_blending(&several, &state).expect_err("they have to be alike");
    assert!(error.message().contains("advancedBlendIndependentBlend"), "{error}");
}

#[test]
fn contradictions_are_refused() {
    for (attachments, why) in [
        (vec![advanced(&[])], "its list of advanced equations is empty"),
        (vec![None; 9], "maxColorAttachments"),
    ] {
        let state = BlendingState { attachments, ..BlendingState::default() };
        let error = planner::plan_blending(&device(none()), &state).expect_err(why);
        assert_eq!(error.kind(), ErrorKind::Options);
        assert!(error.message().contains(why), "{error}");
    }
    let samples = BlendingState { multisampled: true, ..one(Equation::Multiply) };
    let mut pixels = device(none());
    pixels.blending.sample_shading = false;
    let error = planner::plan_blending(&pixels, &samples).expect_err("samples have to be read");
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("sampleRateShading"), "{error}");
    let layers = BlendingState { layered: true, ..one(Equation::Multiply) };
    let error = planner::plan_blending(&Device::from(Preset::WebGpu), &layers);
    let error = error.expect_err("passes of WebGPU have one layer");
    assert!(error.message().contains("one layer"), "{error}");
}

/// Returns the name of the rule that a plan breaks, if any.
fn broken(device: &Device, state: &BlendingState, plan: &BlendingPlan) -> Option<&'static str> {
    let is_advanced = |one: &&AttachmentBlending| matches!(one, AttachmentBlending::Advanced(_));
    let advanced = state.attachments.iter().flatten().filter(is_advanced).count();
    let off = plan.changes.iter().filter(|one| matches!(one, Change::BlendingOff(_))).count();
    let has = |wanted: Change| plan.changes.contains(&wanted);
    let depends = plan.changes.iter().any(|one| matches!(one, Change::SelfDependency(..)));
    match () {
        () if plan.path.is_lowered() && plan.lowered.len() < advanced => Some("all are blended"),
        () if off != plan.lowered.len() => Some("blended once"),
        () if has(Change::AlphaUnchanged)
            != (plan.lowered.contains(&0) || plan.path == BlendingPath::Interlock) =>
        {
            Some("alpha to coverage and to one see the alpha that the shader wrote")
        }
        () if !plan.path.is_lowered() && !plan.lowered.is_empty() => Some("fixed function blends"),
        () if (plan.order == BlendingOrder::Coherent) != plan.path.is_ordered() => {
            Some("the path determines the order")
        }
        () if plan.path.is_ordered() && plan.between.is_some() => {
            Some("an ordered path needs no barrier between draws")
        }
        () if plan.order == BlendingOrder::BetweenDraws
            && state.overlap == Overlapping::WithinDraws =>
        {
            Some("one barrier a draw is not coherent inside a draw")
        }
        () if plan.path.is_lowered() && state.multisampled != has(Change::SampleShading) => {
            Some("samples are read one by one")
        }
        () if depends && plan.scope != PassScope::RenderPass => {
            Some("subpasses depend on themselves")
        }
        () if device.api != Api::Vulkan
            && (depends || !plan.extensions.is_empty() || !plan.features.is_empty()) =>
        {
            Some("extensions are Vulkan's")
        }
        () if matches!(plan.between, Some(one) if matches!(one.action, Action::Barrier(..)))
            && !depends
            && plan.scope == PassScope::RenderPass =>
        {
            Some("a barrier in a subpass wants its dependency")
        }
        () => None,
    }
}

#[test]
fn every_state_of_blending_has_a_plan_or_a_reason() {
    let mut choices = Choices::seeded(2);
    let (mut paths, mut keys) = (HashMap::<BlendingPath, u32>::new(), HashSet::new());
    let mut reasons: HashSet<String> = HashSet::new();
    for _ in 0..100_000 {
        let (device, state) = (any_device(&mut choices), any_blending(&mut choices));
        match planner::plan_blending(&device, &state) {
            Ok(plan) => {
                assert_eq!(broken(&device, &state, &plan), None, "{device:?}\n{state:?}\n{plan}");
                assert_eq!(planner::plan_blending(&device, &state).as_ref(), Ok(&plan));
                assert!(!plan.to_string().is_empty());
                *paths.entry(plan.path).or_default() += 1;
                keys.insert(plan);
            }
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::Options | ErrorKind::Unsupported));
                reasons.insert(error.message().chars().filter(|c| !c.is_ascii_digit()).collect());
            }
        }
    }
    assert_eq!(paths.len(), BlendingPath::ALL.len(), "{paths:?}");
    assert!(keys.len() > 200 && reasons.len() > 20, "{} plans, {reasons:?}", keys.len());
}

/// Each broken plan must be detected by a rule.
#[test]
fn rules_of_blending_notice_broken_plans() {
    let mut found = HashSet::new();
    let mut note = |device: Device, state: BlendingState, edit: fn(&mut BlendingPlan)| {
        let mut plan = planner::plan_blending(&device, &state).expect("it has a plan");
        assert_eq!(broken(&device, &state, &plan), None);
        edit(&mut plan);
        let rule = broken(&device, &state, &plan).expect("a rule is broken");
        assert!(found.insert(rule), "it has been broken before: {plan}");
    };
    let samples = BlendingState { multisampled: true, ..mixed() };
    note(device(none()), mixed(), |plan| plan.lowered.clear());
    note(device(none()), mixed(), |plan| plan.changes.clear());
    note(device(none()), mixed(), |plan| plan.order = BlendingOrder::Coherent);
    note(device(none()), mixed(), |plan| plan.order = BlendingOrder::BetweenDraws);
    note(device(none()), mixed(), |plan| {
        plan.changes.retain(|one| !matches!(one, Change::SelfDependency(..)));
    });
    note(device(none()), mixed(), |plan| plan.scope = PassScope::Rendering);
    note(device(none()), samples, |plan| plan.changes.retain(|one| *one != Change::SampleShading));
    note(Device::from(Preset::WebGpu), mixed(), |plan| plan.features.push(Feature::GeometryShader));
}
