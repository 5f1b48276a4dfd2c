//! `bakeoff vendor`: fetches the crates that an experiment allows, and the components in registries that it names.

use super::Status;
use super::failure::Failure;
use super::options::{Format, Output};
use super::registry_options::{RegistryArguments, not_a_reference};
use super::show;
use super::vendor_components::{VendoredComponent, vendor_components};
use crate::library::{cannot_write, replace};
use bakeoff_compile::{Cache, Toolchain};
use bakeoff_config::{
    DeclaredExperiment, LOCK_BYTES_MAX, LOCK_FILE, References, check_lock_form, read_lock,
};
use bakeoff_domain::crates::LockedCrate;
use bakeoff_domain::reference::ComponentReference;
use bakeoff_files::{Folder, Reach};
use bakeoff_render::escape::Plain;
use bakeoff_source::VendoredComponents;
use clap::Args;
use serde::Serialize;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Fetch what an experiment needs from outside: crates, and components in registries
///
/// Nothing of it is run. The crates that `[build]` allows come by the Rust toolchain's cargo, and their exact versions and checksums are
/// written into `bakeoff.lock` beside the experiment: `bakeoff run` builds them, inside the fence. Versions of an earlier
/// bakeoff.lock stay where they still fit; remove it for newer ones.
///
/// Components in registries (`component = "oci://registry/name:tag"`) are kept in the folder of the cache by their digests,
/// which are written into the experiment file where they are missing. If a tag was moved since, that is said, and the
/// digest counts. Credentials are those of `docker login`, or of BAKEOFF_REGISTRY, BAKEOFF_REGISTRY_USER and
/// BAKEOFF_REGISTRY_PASSWORD.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff vendor my-question
  bakeoff vendor oci://ghcr.io/team/heap:1          one component, and the digest to name it by")]
pub(super) struct Arguments {
    /// An experiment's folder or file, or a component in a registry
    #[arg(default_value = ".", value_name = "DIR|FILE|REFERENCE")]
    from: PathBuf,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    safety: super::options::Safety,
}

/// The output in JSON.
#[derive(Default, Serialize)]
struct VendorOutput {
    /// The lock of the crates; `null` if there are none.
    lock: Option<String>,
    crates: Vec<LockedCrate>,
    components: Vec<VendoredComponent>,
    /// The experiment file, if digests were written into it.
    pinned_in: Option<String>,
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let named = arguments.from.to_str();
    if let Some(named) = named.filter(|named| ComponentReference::is_meant(named)) {
        let reference = ComponentReference::parse(named);
        let reference = reference.map_err(not_a_reference)?;
        let components = components([&reference], arguments).await?;
        return print(
            &VendorOutput {
                components,
                ..VendorOutput::default()
            },
            output,
        );
    }
    let declared = bakeoff_config::declared(&arguments.from)?;
    let references = bakeoff_config::references(&arguments.from)?;
    let allowed = &declared.experiment.crates.allowed;
    if allowed.is_empty() && references.list.is_empty() {
        return Err(Failure::usage(
            "this experiment allows no crate, and names no component in a registry: add a line like \
             `crates = [\"hashbrown@0.15\"]` to a section `[build]`, or `component = \"oci://registry/name:tag\"` to an approach",
        ));
    }
    let mut vendored = VendorOutput::default();
    if !references.list.is_empty() {
        let list = references.list.iter().map(|one| &one.reference);
        vendored.components = components(list, arguments).await?;
        vendored.pinned_in = pin(&references, &vendored.components)?;
    }
    if !allowed.is_empty() {
        (vendored.lock, vendored.crates) = crates(&declared, arguments, output).await?;
    }
    print(&vendored, output)
}

/// Fetches components that are not here yet.
async fn components(
    references: impl IntoIterator<Item = &ComponentReference>,
    arguments: &Arguments,
) -> Result<Vec<VendoredComponent>, Failure> {
    let here = VendoredComponents::of_cache(arguments.safety.cache()?);
    vendor_components(references, &here, &arguments.registry.options()?).await
}

/// Writes digests into the experiment file where they are missing; returns its name if one was.
fn pin(
    references: &References,
    components: &[VendoredComponent],
) -> Result<Option<String>, Failure> {
    let with_digests: Vec<ComponentReference> =
        components.iter().map(|one| one.reference.clone()).collect();
    let file = &references.file;
    let written = references.rewritten(&with_digests).map_err(|wanted| {
        Failure::usage(format!(
            "the digest of a reference cannot be written into {}, where it is not written plainly: write {wanted} there",
            Plain(&file.display().to_string())
        ))
    })?;
    let Some(text) = written else {
        return Ok(None);
    };
    replace(file, &text).map_err(|error| cannot_write(file, &error))?;
    Ok(Some(file.display().to_string()))
}

/// Fetches the crates that an experiment allows, and writes their lock; returns its name, and what it has.
async fn crates(
    declared: &DeclaredExperiment,
    arguments: &Arguments,
    output: &Output,
) -> Result<(Option<String>, Vec<LockedCrate>), Failure> {
    let allowed = &declared.experiment.crates.allowed;
    let file = declared.dir.join(LOCK_FILE);
    let earlier = earlier(&declared.dir, &file)?;
    let cache = arguments
        .safety
        .cache()?
        .map_or_else(Cache::open_default, Cache::open);
    let cache = cache.map_err(Failure::infrastructure)?;
    let toolchain = Toolchain::find(&mut output.reporter()).await;
    let toolchain = toolchain.map_err(Failure::infrastructure)?;
    let crates = bakeoff_compile::vendor(&toolchain, &cache, allowed, earlier.as_deref()).await;
    let crates = crates.map_err(|error| Failure::usage(error.to_string()))?;
    let unwritten = |error: std::io::Error| {
        Failure::infrastructure(format!("cannot write {}: {error}", file.display()))
    };
    let folder = Folder::named_by_user(&declared.dir).map_err(unwritten)?;
    let written = folder.new_file(LOCK_FILE).map_err(unwritten)?;
    written
        .file()
        .write_all(crates.lock.as_bytes())
        .map_err(unwritten)?;
    written.put_in_place().map_err(unwritten)?;
    let lock = read_lock(&crates.lock, allowed);
    let lock = lock.map_err(|error| Failure::infrastructure(error.to_string()))?;
    Ok((Some(file.display().to_string()), lock.all))
}

/// Returns the text of the lock that is there.
fn earlier(dir: &Path, file: &Path) -> Result<Option<String>, Failure> {
    let unreadable = |why: &str| {
        Failure::usage(format!(
            "{} cannot be read: {why}; remove it",
            file.display()
        ))
    };
    match Reach::Within(dir).read_bounded(file, LOCK_BYTES_MAX) {
        Ok(Some(bytes)) => match String::from_utf8(bytes) {
            Ok(text) => {
                check_lock_form(&text).map_err(|_| unreadable("it is no lock of cargo"))?;
                Ok(Some(text))
            }
            Err(_) => Err(unreadable("it is no text")),
        },
        Ok(None) => Err(unreadable("it is larger than 1 MiB")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(&error.to_string())),
    }
}

fn print(vendored: &VendorOutput, output: &Output) -> Result<Status, Failure> {
    match output.format {
        Format::Json => show::write_json(vendored)?,
        _ => {
            let mut text: String = vendored.components.iter().map(|one| one.lines()).collect();
            if let Some(file) = &vendored.pinned_in {
                text.push_str(&format!("wrote the digests into {}\n", Plain(file)));
            }
            if let Some(lock) = &vendored.lock {
                text.push_str(&format!("wrote {}\n", Plain(lock)));
            }
            for one in &vendored.crates {
                let line = format!("{} {}  {}", one.name, one.version, one.checksum);
                text.push_str(&format!("  {}\n", Plain(&line)));
            }
            show::write(&text)?;
        }
    }
    Ok(Status::Done)
}
