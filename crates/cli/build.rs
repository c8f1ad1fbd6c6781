//! Passes the build's features to the program. `batch` runs shaders again when the features change.

use std::env;

fn main() {
    let mut features: Vec<String> = env::vars_os()
        .filter_map(|(name, _)| {
            let name = name.into_string().ok()?;
            name.strip_prefix("CARGO_FEATURE_").map(str::to_lowercase)
        })
        .collect();
    features.sort();
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=POLYSHADE_FEATURES={}", features.join(","));
}
