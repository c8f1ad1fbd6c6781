use polyshade_spv::*;
fn main() {
    let mut n = 0; let mut bad = 0;
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let words: Vec<u32> = bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
        n += 1;
        match Module::parse(&words) { Err(e) => { bad += 1; println!("{path}: {e}") }, Ok(m) => {
            let r = m.rewrite(|_, _| Ok(())).unwrap(); assert_eq!(r.module.words(), &words[..]);
            let total: usize = (1..m.bound()).filter_map(Id::new).map(|i| m.uses_of(i).count()).sum(); std::hint::black_box(total);
        } }
    }
    println!("{n} {bad}");
}
