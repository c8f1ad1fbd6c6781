//! The image that the example hosts draw: a ring of many colors with a hole.

use std::path::Path;

const SIZE: usize = 512;

/// Asserts that the file contains the ring.
pub(crate) fn assert_drawn(picture: &Path) {
    let file = std::io::BufReader::new(std::fs::File::open(picture).expect("it was written"));
    let mut reader = png::Decoder::new(file).read_info().expect("it is a picture");
    let mut pixels = vec![0; reader.output_buffer_size().expect("it is small")];
    let frame = reader.next_frame(&mut pixels).expect("it is whole");
    assert_eq!((frame.width as usize, frame.height as usize), (SIZE, SIZE));
    let bytes = frame.color_type.samples();
    let background = [23, 26, 33];
    let at = |x: usize, y: usize| {
        let pixel = &pixels[bytes * (SIZE * y + x)..][..3];
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
