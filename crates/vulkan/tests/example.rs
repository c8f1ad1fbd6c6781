//! The example of a host: it captures a mesh by a plan and draws it, under the validation layer.

use std::path::Path;
use std::process::Command;

const SIZE: usize = 512;

/// A ring of many colours with a hole, as the host in C draws it.
#[test]
fn the_host_draws_what_it_captured_by_a_plan() {
    let test = std::env::current_exe().expect("the system knows which program runs");
    let folder = test.ancestors().nth(2).expect("cargo puts tests two folders deep");
    let shaders = Path::new(env!("CARGO_MANIFEST_DIR")).join("../capi/examples/shaders");
    let out = tempfile::tempdir().expect("there is room");
    let picture = out.path().join("mesh.png");
    let mut host = Command::new(folder.join("examples/mesh"));
    host.arg(shaders).arg(&picture);
    let output = host.env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation").output();
    let output = output.expect("cargo builds examples before tests");
    let (said, complaints) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}{complaints}");
    assert!(said.contains("\n9216 of 9216 triangles are captured\n"), "{said}");
    assert!(
        !said.contains("Validation Error") && !complaints.contains("Validation Error"),
        "{said}"
    );

    let file = std::io::BufReader::new(std::fs::File::open(picture).expect("it was written"));
    let mut reader = png::Decoder::new(file).read_info().expect("it is a picture");
    let mut pixels = vec![0; reader.output_buffer_size().expect("it is small")];
    reader.next_frame(&mut pixels).expect("it is whole");
    let background = [23, 26, 33];
    let at = |x: usize, y: usize| {
        let pixel = &pixels[4 * (SIZE * y + x)..][..3];
        let near = pixel.iter().zip(background).all(|(one, other)| one.abs_diff(other) < 2);
        (!near).then_some([pixel[0], pixel[1], pixel[2]])
    };
    assert_eq!([at(4, 4), at(256, 256), at(508, 508)], [None; 3]);
    let drawn = (0..SIZE * SIZE).filter(|pixel| at(pixel % SIZE, pixel / SIZE).is_some()).count();
    assert!((105_000..116_000).contains(&drawn), "{drawn}");
    let green = at(220, 110).expect("the ring is there");
    assert!(green[1] > green[0] && green[1] > green[2], "{green:?}");
    let blue = at(120, 320).expect("the ring is there");
    assert!(blue[2] > blue[0] && blue[2] > blue[1], "{blue:?}");
}
