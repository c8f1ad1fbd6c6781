//! Random streams of captured draws: what the layer captures and counts is what lavapipe's own feature does.
//!
//! Left out is what lavapipe 22.3 has wrong itself: draws by byte count behind indirect ones, and indirect draws with
//! indices (docs/lowerings/transform-feedback.md).

mod case;
mod scene;

use crate::loader::{Device, Instance, LAVAPIPE, SWIFTSHADER, Settings, Validation};
use case::{Noise, Stream};
use scene::{Left, Scene};

/// What comes of a stream on a device.
fn run(device: &Device, stream: &Stream) -> Left {
    // SAFETY: everything is created, used, waited for and destroyed in this order.
    unsafe {
        let scene = Scene::new(device, stream);
        let left = scene.run();
        scene.destroy();
        left
    }
}

const FORCED: Settings<'_> = &[(c"hide", c"VK_EXT_transform_feedback")];

/// How many streams are drawn: `POLYSHADE_STREAMS`, or few.
fn wanted() -> u32 {
    let wanted = std::env::var("POLYSHADE_STREAMS").ok();
    wanted.map_or(150, |wanted| wanted.parse().expect("a number of streams"))
}

#[test]
fn random_streams_are_captured_as_by_the_driver() {
    let native = Instance::with_layers(&[], &[]);
    let forced = Instance::new(FORCED, Validation::Below);
    let other = Instance::new(&[], Validation::Below);
    let native = native.device(LAVAPIPE, true).map(|device| (device, native)).expect("a device");
    let devices = [
        forced.device(LAVAPIPE, true).expect("a device"),
        other.device(SWIFTSHADER, true).expect("a device"),
    ];
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let mut captured = 0;
    for number in 0..wanted() {
        let stream = Stream::random(&mut noise);
        let expected = run(&native.0, &stream);
        captured += u32::from(expected.1.iter().any(|count| *count > 0));
        for device in &devices {
            assert_eq!(run(device, &stream), expected, "stream {number}: {stream:?}");
        }
    }
    assert!(captured * 2 > wanted(), "{captured} streams have something captured");
    drop(devices);
    forced.assert_silent();
    other.assert_silent();
}

#[test]
fn a_layer_that_captures_nothing_is_noticed() {
    let native = Instance::with_layers(&[], &[]);
    let null = [(c"mode", c"debug-null"), FORCED[0]];
    let null = Instance::with_layers(&null, &[polyshade_layer::LAYER_NAME]);
    let (native_device, null_device) =
        (native.device(LAVAPIPE, true).expect("one"), null.device(LAVAPIPE, true).expect("one"));
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let streams: Vec<Stream> = (0..10).map(|_| Stream::random(&mut noise)).collect();
    let differs = |stream: &&Stream| run(&native_device, stream) != run(&null_device, stream);
    assert!(streams.iter().filter(differs).count() > 5);
}
