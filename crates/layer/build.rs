//! Keeps the library loaded. A loader unloads layers with the last instance, which would lose process-wide state.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if ["linux", "android", "freebsd"].contains(&system.as_str()) {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
