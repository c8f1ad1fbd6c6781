fn main() {
    let a: Vec<String> = std::env::args().collect();
    let bytes = std::fs::read(&a[1]).unwrap();
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
    for _ in 0..a[2].parse::<usize>().unwrap() {
        let m = polyshade::Module::parse(&words).unwrap();
        let o = polyshade::transform_feedback::Options::new("main").interleaved([a[3].clone()]);
        let c = polyshade::transform_feedback::capture(&m, &o).unwrap();
        std::hint::black_box(c.both.words().len());
    }
}
