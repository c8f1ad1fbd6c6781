use polyshade_spv::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let bytes = std::fs::read(&a[1]).unwrap();
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
    let n: usize = a[2].parse().unwrap();
    for _ in 0..n {
        let m = Module::parse(&words).unwrap();
        if a.len() > 3 {
            m.uses();
        }
        std::hint::black_box(&m);
    }
    println!("{}", words.len());
}
