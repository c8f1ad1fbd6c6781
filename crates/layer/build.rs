//! Keeps the library loaded: a loader unloads layers with the last instance, and the layer's process-wide state would
//! be lost.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if ["linux", "android", "freebsd"].contains(&system.as_str()) {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
