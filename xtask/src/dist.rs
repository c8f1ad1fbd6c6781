//! `cargo xtask dist`: builds distributions for users without Rust from one tree of files: an archive for any glibc
//! Linux, and a Debian package.

mod tree;

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{TESTED, cargo, output, program, run, target, workspace};
use crate::files::{copy, make, read, remove, write};
use crate::licences;
use crate::root::Root;

/// The crates whose programs and libraries are included.
const PACKED: [&str; 3] = ["polyshade-cli", "polyshade-capi", "polyshade-layer"];

/// The name of a distribution, and the folder in which it is built.
struct Dist {
    /// The name of the distribution, such as `polyshade-0.1.0-x86_64-linux`.
    name: String,
    folder: PathBuf,
}

impl Dist {
    fn tree(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    fn archive(&self) -> PathBuf {
        self.folder.join(format!("{}.tar.gz", self.name))
    }

    fn debian(&self) -> Result<PathBuf, String> {
        let version = env!("CARGO_PKG_VERSION");
        Ok(self.folder.join(format!("polyshade_{version}_{}.deb", architecture()?)))
    }
}

/// Builds in the same configuration as the tests, so that no C++ is compiled again, and packs the stripped files.
/// With `check`, also uses the packages in a system without Rust or a compiler.
pub(crate) fn run_dist(check: bool) -> Result<(), String> {
    let name = format!("polyshade-{}-{}-linux", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
    let dist = Dist { name, folder: target().join("packages") };
    let build = ["build", "--examples", "--bins", "--lib"];
    run(cargo(build).args(TESTED))?;
    let _ = fs::remove_dir_all(&dist.folder);
    tree::fill(&dist.tree(), &target().join("release"))?;
    let licences = licences::of_packages("Cargo.toml", &PACKED)?;
    write(&dist.tree().join("share/doc/polyshade/THIRD-PARTY.txt"), &licences)?;
    pack(&dist)?;
    debian(&dist)?;
    let packed = [dist.archive(), dist.debian()?];
    let names = packed.iter().map(|path| path.file_name().unwrap_or_default());
    let sums = output(program("sha256sum", names).current_dir(&dist.folder))?;
    write(&dist.folder.join("SHA256SUMS"), &sums)?;
    print!("{sums}");
    println!("packed in {}", dist.folder.display());
    if check { use_it(&dist) } else { Ok(()) }
}

/// Writes the archive. Equal files result in equal bytes.
fn pack(dist: &Dist) -> Result<(), String> {
    let time = output(&mut program("git", ["log", "-1", "--format=%ct"]))?;
    let same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=go=u-w"];
    let mut tar = program("tar", same);
    tar.arg(format!("--mtime=@{}", time.trim())).args(["--use-compress-program=gzip -n -9", "-cf"]);
    run(tar.arg(dist.archive()).arg(&dist.name).current_dir(&dist.folder))
}

fn architecture() -> Result<String, String> {
    Ok(output(&mut program("dpkg", ["--print-architecture"]))?.trim().to_owned())
}

/// Writes the Debian package, which contains the tree under `/usr` and depends on the linked libraries.
fn debian(dist: &Dist) -> Result<(), String> {
    let root = dist.folder.join("debian");
    let usr = root.join("usr");
    make(&usr)?;
    run(program("cp", ["-a"]).arg(dist.tree().join(".")).arg(&usr))?;
    let document = usr.join("share/doc/polyshade");
    write(&document.join("copyright"), &copyright()?)?;
    let control = root.join("DEBIAN");
    make(&control)?;
    // The author of the last commit is named as the maintainer of the package.
    let builder = output(&mut program("git", ["log", "-1", "--format=%an <%ae>"]))?;
    let needs = needs(dist, &usr)?;
    let size = output(program("du", ["-sk"]).arg(&usr))?;
    let size = size.split_whitespace().next().unwrap_or("0");
    let text = format!(
        "Package: polyshade\nVersion: {}\nArchitecture: {}\nMaintainer: {}\nInstalled-Size: {size}\n\
         Depends: {needs}\nRecommends: libvulkan1\nSection: graphics\nPriority: optional\n\
         Description: polyfills for GPU features, written into shaders\n \
         The program polyshade rewrites SPIR-V to emulate features that a device, a driver or an API\n \
         lacks, and lists the bindings and draws that the host needs. The package also has the C library,\n \
         its headers, and the Vulkan layer VK_LAYER_POLYSHADE_polyfill, which is enabled where\n \
         POLYSHADE_LAYER_ENABLE=1 is set.\n",
        env!("CARGO_PKG_VERSION"),
        architecture()?,
        builder.trim(),
    );
    write(&control.join("control"), &text)?;
    write(&control.join("triggers"), "activate-noawait ldconfig\n")?;
    run(program("dpkg-deb", ["--root-owner-group", "--build"]).arg(&root).arg(dist.debian()?))?;
    remove(&root)
}

/// Returns the text of the `copyright` file that Debian requires. It contains the licences.
fn copyright() -> Result<String, String> {
    Ok(format!(
        "polyshade is licensed under either of these, as you like. The licences of the libraries in it are in\n\
         THIRD-PARTY.txt.\n\n{}\n{}",
        read(&workspace().join("LICENSE-MIT"))?,
        read(&workspace().join("LICENSE-APACHE"))?
    ))
}

/// Returns the dependencies in the form `libc6 (>= 2.34), …`, computed by Debian's tool.
fn needs(dist: &Dist, usr: &Path) -> Result<String, String> {
    // The tool reads only the names of packages from this file.
    let source = dist.folder.join("shlibs");
    make(&source.join("debian"))?;
    write(
        &source.join("debian/control"),
        "Source: polyshade\n\nPackage: polyshade\nArchitecture: any\n",
    )?;
    let mut asked = program("dpkg-shlibdeps", ["-O"]);
    for file in ["bin/polyshade", "lib/libpolyshade.so.0", "lib/polyshade/libpolyshade_layer.so"] {
        asked.arg(usr.join(file));
    }
    let printed = output(asked.current_dir(&source))?;
    let _ = fs::remove_dir_all(&source);
    let needs = printed.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    needs
        .map(str::to_owned)
        .ok_or_else(|| format!("dpkg-shlibdeps printed no dependencies: {printed}"))
}

/// A script that uses the distribution installed under `$3`. `$1` is the folder of shaders, and `$2` is a C program
/// that is linked with the library. The script also checks that the manifest's path leads to the layer's library.
const USE: &str = r#"
for absent in cargo rustc cc c++ pkg-config; do
    if command -v $absent; then echo "$absent is here: this root is not bare" >&2; exit 1; fi
done
cd "$(mktemp -d)"
polyshade --version
polyshade capture "$1/particles.vert" --varyings v_position,v_velocity --validate -o capture.spv
polyshade info capture.spv
polyshade convert capture.spv -o capture.spvasm
polyshade convert capture.spv -o capture.metal
"$2" "$1/mesh.vert.spv" v_position
cd "$3/share/vulkan/implicit_layer.d"
test -e "$(sed -n 's/.*"library_path": "\(.*\)".*/\1/p' VkLayer_polyshade_polyfill.json)"
"#;

/// Uses the archive and the Debian package in bare Debian systems, as `polyshade --help` describes.
fn use_it(dist: &Dist) -> Result<(), String> {
    let root = Root::bare("dist")?;
    let shaders = root.path().join("shaders");
    make(&shaders)?;
    for file in ["examples/particles.vert", "crates/capi/examples/shaders/mesh.vert.spv"] {
        let name = file.rsplit('/').next().unwrap_or(file);
        copy(&workspace().join(file), &shaders.join(name))?;
    }
    // Compile the C program here, with the options that pkg-config prints for the archive. It runs in
    // the bare system.
    let pkgconfig = dist.tree().join("lib/pkgconfig");
    let mut asked = program("pkg-config", ["--cflags", "--libs", "polyshade"]);
    let flags = output(asked.env("PKG_CONFIG_PATH", pkgconfig))?;
    let example = workspace().join("crates/capi/examples/lower.c");
    let mut compile = program("cc", ["-std=c99"]);
    run(compile.arg(example).args(flags.split_whitespace()).arg("-o").arg(shaders.join("lower")))?;

    println!("the archive, in a separate folder:");
    make(&root.path().join("opt"))?;
    run(program("tar", ["-xzf"]).arg(dist.archive()).arg("-C").arg(root.path().join("opt")))?;
    let prefix = format!("/opt/{}", dist.name);
    let there = format!("PATH={prefix}/bin:$PATH LD_LIBRARY_PATH={prefix}/lib");
    let use_it = format!("export {there}\nset -- /shaders /shaders/lower {prefix}\n{USE}");
    root.run(&use_it)?;
    root.run(&format!("rm -r {prefix}"))?;

    println!("the Debian package:");
    copy(&dist.debian()?, &root.path().join("polyshade.deb"))?;
    root.run(&format!("dpkg -i /polyshade.deb\nset -- /shaders /shaders/lower /usr\n{USE}"))?;
    root.run("dpkg -r polyshade; test ! -e /usr/bin/polyshade")?;
    println!("both packages work without Rust and without a compiler");
    Ok(())
}
