//! `bakeoff vendor`: fetches the crates that an experiment allows.

use super::Status;
use super::failure::Failure;
use super::options::{Format, Output};
use super::show;
use bakeoff_compile::{Cache, Toolchain};
use bakeoff_config::{LOCK_BYTES_MAX, LOCK_FILE, check_lock_form, read_lock};
use bakeoff_domain::crates::LockedCrate;
use bakeoff_files::{Folder, Reach};
use bakeoff_render::escape::Plain;
use clap::Args;
use serde::Serialize;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Fetches the crates that `[build]` of an experiment allows, with the Rust toolchain's cargo, and
/// writes their exact versions and checksums into `bakeoff.lock` beside the experiment. Nothing of
/// them is run: `bakeoff run` builds them, inside the fence. Versions of an earlier bakeoff.lock stay
/// where they still fit; remove it for newer ones.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff vendor examples/top-k")]
pub(super) struct Arguments {
    /// An experiment's folder or file
    #[arg(default_value = ".", value_name = "DIR|FILE")]
    from: PathBuf,
    #[command(flatten)]
    safety: super::options::Safety,
}

/// The output in JSON.
#[derive(Serialize)]
struct VendorOutput {
    lock: String,
    crates: Vec<LockedCrate>,
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let declared = bakeoff_config::declared(&arguments.from)?;
    let allowed = &declared.experiment.crates.allowed;
    if allowed.is_empty() {
        return Err(Failure::usage(
            "this experiment allows no crate: add a line like `crates = [\"hashbrown@0.15\"]` to a section \
             `[build]`",
        ));
    }
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
    print(&file, lock.all, output)
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

fn print(file: &Path, crates: Vec<LockedCrate>, output: &Output) -> Result<Status, Failure> {
    let lock = file.display().to_string();
    match output.format {
        Format::Json => show::write_json(&VendorOutput { lock, crates })?,
        _ => {
            let mut text = format!("wrote {}\n", Plain(&lock));
            for one in &crates {
                let line = format!("{} {}  {}", one.name, one.version, one.checksum);
                text.push_str(&format!("  {}\n", Plain(&line)));
            }
            show::write(&text)?;
        }
    }
    Ok(Status::Done)
}
