//! The package that stands for the crates of an experiment: it is empty, and depends on all of them.

use bakeoff_domain::crates::{AllowedCrate, LockedCrate, PACKAGE};
use std::io;
use std::path::Path;

/// The release profile of cargo by which the crates are compiled, the same as for prototypes.
const PROFILE: &str = "[profile.release]\nopt-level = 3\npanic = \"abort\"\ncodegen-units = 1\ndebug = false\n\
                       incremental = false\noverflow-checks = false\n\n[workspace]\n";

/// Returns the manifest up to its dependencies.
fn head() -> String {
    format!(
        "[package]\nname = \"{PACKAGE}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\n"
    )
}

/// Returns the manifest. Names, versions and features were checked, and need no escape.
pub(super) fn manifest(crates: &[AllowedCrate]) -> String {
    let mut text = head();
    for one in crates {
        let AllowedCrate {
            name,
            version,
            features,
            default_features,
        } = one;
        text.push_str(&format!(
            "{name} = {{ version = {version:?}, features = {features:?}, default-features = {default_features} }}\n"
        ));
    }
    format!("{text}\n{PROFILE}")
}

/// Writes a package into a folder that depends on crates in exact versions, of which some may have one name. Names and
/// versions were checked.
pub(super) fn write_exact(folder: &Path, crates: &[LockedCrate]) -> io::Result<()> {
    let mut text = head();
    for (number, LockedCrate { name, version, .. }) in crates.iter().enumerate() {
        text.push_str(&format!(
            "c{number} = {{ package = {name:?}, version = \"={version}\", default-features = false }}\n"
        ));
    }
    write_manifest(folder, &format!("{text}\n{PROFILE}"))
}

fn write_manifest(folder: &Path, text: &str) -> io::Result<()> {
    std::fs::create_dir_all(folder.join("src"))?;
    std::fs::write(folder.join("src/lib.rs"), "")?;
    std::fs::write(folder.join("Cargo.toml"), text)
}

/// Writes the package into a folder, with its lock if there is one.
pub(super) fn write(folder: &Path, crates: &[AllowedCrate], lock: Option<&str>) -> io::Result<()> {
    write_manifest(folder, &manifest(crates))?;
    match lock {
        Some(lock) => std::fs::write(folder.join("Cargo.lock"), lock),
        None => Ok(()),
    }
}
