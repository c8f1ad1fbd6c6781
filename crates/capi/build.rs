//! Sets the SONAME of the shared library, with the number of its binary interface.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if target == "linux" {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libpolyshade.so.0");
    }
}
