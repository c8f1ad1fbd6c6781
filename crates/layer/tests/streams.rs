//! Random streams of captured draws: the layer's captures, counts and images equal lavapipe's results.
//!
//! The streams avoid three cases that lavapipe 22.3 handles wrongly: draws by byte count after indirect draws,
//! indirect draws after draws with a count buffer, and empty draws in a multi-draw
//! (docs/lowerings/transform-feedback.md).

mod case;
mod device;
mod pipelines;
mod record;
mod scene;
mod waits;

use crate::alone::is_alone;
use crate::bare::Bare;
use crate::linked::linked;
use crate::loader::{Instance, LAVAPIPE, SWIFTSHADER, Settings, Validation};
use crate::narrow;
use ash::vk;
use case::{Noise, Stream};
use device::Able;
use scene::{Left, Scene};
use std::ffi::{CStr, CString};
use std::sync::Mutex;

fn run(able: &Able, stream: &Stream) -> Left {
    // SAFETY: all objects are created, used, waited for and destroyed in this order.
    unsafe {
        let scene = Scene::new(able, stream);
        let mut commands = scene.record();
        scene.submit(&commands);
        if stream.mixed {
            commands.splice(1.., scene.record().drain(1..));
            scene.submit(&commands);
        }
        let left = scene.left();
        scene.destroy();
        left
    }
}

const FORCED: Settings<'_> = &[(c"hide", c"VK_EXT_transform_feedback")];

/// The layer counts primitives generated without the driver.
const ALONE: Settings<'_> =
    &[(c"hide", c"VK_EXT_transform_feedback,VK_EXT_primitives_generated_query")];

fn by_driver(instance: &Instance) -> Able {
    Able { is_native: true, ..Able::new(instance, LAVAPIPE) }
}

/// Returns the number of streams: `POLYSHADE_STREAMS`, or a small default.
fn wanted() -> u32 {
    let wanted = std::env::var("POLYSHADE_STREAMS").ok();
    wanted.map_or(150, |wanted| wanted.parse().expect("a number of streams"))
}

/// Returns the random numbers. Their seed is `POLYSHADE_STREAMS_FROM`, or the same in each run.
fn noise() -> Noise {
    let from = std::env::var("POLYSHADE_STREAMS_FROM").ok();
    let from = from.map_or(0, |from| from.parse().expect("a number"));
    Noise(0x9e37_79b9_7f4a_7c15 ^ from)
}

/// The number of threads, which share the devices.
const THREADS: usize = 2;

#[test]
fn random_streams_are_captured_as_by_the_driver() {
    let native = Instance::with_layers(&[], &[]);
    let validated = [FORCED, ALONE, &[]].map(|settings| Instance::new(settings, Validation::Below));
    let [forced, alone, other] = &validated;
    let by_layer = [forced, alone].map(|instance| Able::new(instance, LAVAPIPE));
    let devices = (by_driver(&native), by_layer, Able::new(other, SWIFTSHADER));
    let (by_driver, [by_layer, by_layer_alone], elsewhere) = &devices;
    let noise = Mutex::new((noise(), 0..wanted()));
    let next = || {
        let mut noise = noise.lock().expect("nothing panics that holds it");
        let number = noise.1.next()?;
        Some((number, Stream::random(&mut noise.0)))
    };
    let captured = || {
        let mut captured = 0;
        while let Some((number, stream)) = next() {
            let expected = run(by_driver, &stream);
            captured += u32::from(expected.captured.iter().any(|[written, _]| *written > 0));
            let counts_alone = number % 3 == 0 || stream.has_wrong_indices();
            let mut left = run(if counts_alone { by_layer_alone } else { by_layer }, &stream);
            if stream.has_wrong_indices() {
                left.pixels.clone_from(&expected.pixels);
            }
            let differences = left.differences(&expected);
            assert_eq!(differences, [""; 0], "stream {number}: {stream:#?}");
            if stream.look.divisor.is_some() && !elsewhere.has_divisors
                || stream.look.numbered && !elsewhere.numbers_draws
                || stream.look.geometry.is_some() && !elsewhere.has_geometry
            {
                continue;
            }
            // Drivers may rasterize different pixels for lines.
            let mut left = run(elsewhere, &stream);
            left.pixels.clone_from(&expected.pixels);
            let differences = left.differences(&expected);
            assert_eq!(differences, [""; 0], "stream {number} on {SWIFTSHADER}: {stream:#?}");
        }
        captured
    };
    let captured: u32 = std::thread::scope(|scope| {
        let threads = [(); THREADS].map(|()| scope.spawn(captured));
        threads.into_iter().map(|thread| thread.join().expect("streams are equal")).sum()
    });
    assert!(captured * 2 > wanted(), "{captured} streams have something captured");
    drop(devices);
    validated.iter().for_each(Instance::assert_silent);
}

/// The validation layer below checks synchronization, except for the layer's shader accesses by device address.
#[test]
fn synchronization_is_validated() {
    let forced = Instance::new(FORCED, Validation::Below);
    let device = forced.device(LAVAPIPE, true).expect("a device");
    let mut bare = Bare::new(&device, 0);
    let buffer = bare.buffer(vk::BufferUsageFlags::TRANSFER_DST, 4).buffer;
    bare.submit(|commands| {
        for word in 0..2 {
            // SAFETY: the buffer is alive, and no pass is open.
            unsafe { device.handle.cmd_fill_buffer(commands, buffer, 0, vk::WHOLE_SIZE, word) };
        }
    });
    assert!(forced.messages().iter().any(|message| message.contains("WRITE_AFTER_WRITE")));
}

#[test]
fn a_layer_that_captures_nothing_is_noticed() {
    let native = Instance::with_layers(&[], &[]);
    let null = [(c"mode", c"debug-null"), FORCED[0]];
    let null = Instance::with_layers(&null, &[polyshade_layer::LAYER_NAME]);
    let (by_driver, by_none) = (by_driver(&native), Able::new(&null, LAVAPIPE));
    let mut noise = noise();
    let streams: Vec<Stream> = (0..10).map(|_| Stream::random(&mut noise)).collect();
    let differs = |stream: &&Stream| {
        let differences = run(&by_none, stream).differences(&run(&by_driver, stream));
        !differences.is_empty()
    };
    assert!(streams.iter().filter(differs).count() > 5);
}

/// The layer rewrites the job list of a command buffer that may be pending twice only when it is not pending.
#[test]
fn rendering_resumed_in_one_submission_is_reported_as_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let messages = || std::fs::read_to_string(&log).unwrap_or_default();
    let file = CString::new(log.to_string_lossy().as_bytes()).expect("it has no 0");
    let file: &CStr = Box::leak(file.into_boxed_c_str());
    // Debian's validation layer crashes on such submissions.
    let settings = [FORCED[0], (c"log_file", file)];
    let instance = Instance::with_layers(&settings, &[polyshade_layer::LAYER_NAME]);
    let able = Able::new(&instance, LAVAPIPE);
    let mut noise = noise();
    let mut streams = std::iter::repeat_with(|| Stream::random(&mut noise));
    let mut stream = streams.find(|stream| stream.is_resumed()).expect("there are some");
    (stream.simultaneous, stream.submissions) = (true, 1);
    for together in [false, true] {
        // SAFETY: all objects are created, used, waited for and destroyed in this order.
        unsafe {
            let scene = Scene::new(&able, &stream);
            let commands = scene.record();
            let mixed = [&commands[..1], &scene.record()[1..]].concat();
            if together {
                scene.submit_together(&[&commands, &mixed]);
            } else {
                scene.submit(&commands);
                scene.submit(&mixed);
            }
            scene.destroy();
        }
        let error =
            "error: other command buffers than before resume rendering that may be pending twice";
        assert_eq!(messages().contains(error), together, "{stream:#?} {}", messages());
    }
}

/// With `portability`, applications see a portability driver, and the validation layer checks that they use it as one.
#[test]
fn streams_for_portability_drivers_are_captured_too() {
    let narrow: Settings<'_> = &[FORCED[0], (c"portability", c"on")];
    let native = Instance::with_layers(&[], &[]);
    let narrow = Instance::new(narrow, Validation::Above);
    let devices = (by_driver(&native), Able::new(&narrow, LAVAPIPE));
    let mut noise = noise();
    for number in 0..wanted() / 3 {
        let stream = Stream::random(&mut noise).narrowed();
        let (left, expected) = (run(&devices.1, &stream), run(&devices.0, &stream));
        assert_eq!(left.differences(&expected), [""; 0], "stream {number}: {stream:#?}");
    }
    drop(devices);
    // The newer validation layer wrongly reports counters in buffers that two commands bind.
    let messages = narrow.messages();
    assert!(messages.iter().all(|message| message.contains("firstCounter-09630")), "{messages:#?}");
}

#[test]
fn a_portability_driver_is_asked_for_nothing_that_it_lacks() {
    if !is_alone("streams::a_portability_driver_is_asked_for_nothing_that_it_lacks") {
        return;
    }
    let native = Instance::with_layers(&[], &[]);
    let narrow = linked(narrow::get_instance_proc_addr, FORCED);
    let (by_driver, by_layer) = (by_driver(&native), Able::new(&narrow, LAVAPIPE));
    let mut noise = noise();
    for number in 0..wanted() / 2 {
        let stream = Stream::random(&mut noise).narrowed();
        let (left, expected) = (run(&by_layer, &stream), run(&by_driver, &stream));
        assert_eq!(left.differences(&expected), [""; 0], "stream {number}: {stream:#?}");
        assert_eq!(narrow::faults(), [""; 0], "stream {number}: {stream:#?}");
    }
    let is_fan = |stream: &Stream| stream.look.topology == vk::PrimitiveTopology::TRIANGLE_FAN;
    let mut wide = std::iter::repeat_with(|| Stream::random(&mut noise));
    let wide = wide.find(|stream| is_fan(stream) && !stream.look.libraries);
    run(&by_layer, &wide.expect("there are fans"));
    assert!(narrow::faults().iter().any(|fault| fault == "triangle fans"));
}
