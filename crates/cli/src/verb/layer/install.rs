//! Installs and removes the layer.

use super::places::{Files, files, library, write};
use super::{Install, Place};
use crate::Done;
use crate::failure::Failure;
use crate::output::print_text;
use polyshade_layer::manifest::{self, DISABLE, ENABLE, LayerKind};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Copies the library, then writes the manifest, so that the loader never finds an incomplete layer.
pub(super) fn install(install: &Install) -> Done {
    let from = library(&install.library)?;
    let Files { library, manifest } = files(&install.place)?;
    let bytes = fs::read(&from).map_err(|error| Failure::file(&from, error))?;
    let kind = if install.always { LayerKind::Implicit } else { LayerKind::ImplicitWhenEnabled };
    let was_there = library.exists();
    write(&library, &bytes, 0o755)?;
    let text = manifest::manifest(&library, kind);
    if let Err(failure) = write(&manifest, text.as_bytes(), 0o644) {
        if !was_there {
            // Report the first failure, and ignore a failure of this removal.
            let _ = fs::remove_file(&library);
        }
        return Err(failure);
    }
    let when = match install.always {
        true => format!("enabled for every application unless {DISABLE} is set"),
        false => format!("enabled where {ENABLE}=1 is set"),
    };
    print_text(&format!("{}\n{}\n{when}", library.display(), manifest.display()))
}

/// Removes the manifest, then the library.
pub(super) fn uninstall(place: &Place) -> Done {
    let Files { library, manifest } = files(place)?;
    let removed = [(&manifest, remove(&manifest)?), (&library, remove(&library)?)];
    let lines = removed.iter().filter(|(_, was_there)| *was_there);
    let lines: Vec<String> = lines.map(|(path, _)| format!("removed {}", path.display())).collect();
    if lines.is_empty() {
        return print_text(&format!("not installed: {} does not exist", manifest.display()));
    }
    print_text(&lines.join("\n"))
}

/// Removes a file, and returns whether it existed.
fn remove(path: &Path) -> Result<bool, Failure> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Failure::file(path, error)),
    }
}
