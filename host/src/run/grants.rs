//! Reading the files that approaches are granted, before any of them is built.

use super::error::RunError;
use crate::config::units::show_bytes;
use crate::config::{ConfigError, ConfigPlace, LoadedExperiment, Policy};
use crate::source::{GRANTED_BYTES_MAX, GrantedFolder, PackedFolders, read_granted};

/// The most bytes that names and places of files, beside their contents, may take for all grants.
const TREES_BYTES_MAX: u64 = 8 << 20;

/// Returns the files that each approach is granted, if any. Files granted to several are held once.
///
/// # Errors
/// A folder cannot be granted, or the folders have more than [`GRANTED_BYTES_MAX`] in all. The
/// error points at the grant.
pub(super) fn read_granted_files(
    loaded: &LoadedExperiment,
    policy: &Policy,
) -> Result<Vec<Option<PackedFolders>>, RunError> {
    let mut held: Vec<PackedFolders> = Vec::new();
    let mut granted = Vec::new();
    for approach in 0..loaded.experiment.approaches.len() {
        let files = read(loaded, policy, approach)?;
        granted.push(match files {
            None => None,
            Some(files) => Some(hold(files, &mut held).map_err(|reason| {
                let place = ConfigPlace::Grant(approach, 0);
                loaded.wrong(place, &reason, "granted here", "grant less")
            })?),
        });
    }
    Ok(granted)
}

/// Returns the same files if they are held already; otherwise holds these.
fn hold(files: PackedFolders, held: &mut Vec<PackedFolders>) -> Result<PackedFolders, String> {
    if let Some(same) = held.iter().find(|other| other.digest == files.digest) {
        return Ok(same.clone());
    }
    held.push(files.clone());
    let bytes: usize = held.iter().map(|files| files.bytes.len()).sum();
    match bytes as u64 <= GRANTED_BYTES_MAX + TREES_BYTES_MAX {
        true => Ok(files),
        false => Err(format!(
            "the files of all grants are beyond the {} that an experiment may be granted",
            show_bytes(GRANTED_BYTES_MAX)
        )),
    }
}

fn read(
    loaded: &LoadedExperiment,
    policy: &Policy,
    approach: usize,
) -> Result<Option<PackedFolders>, ConfigError> {
    let grants = &loaded.experiment.approaches[approach].grants;
    if grants.is_empty() {
        return Ok(None);
    }
    let wrong = |index: usize, message: &str, help: &str| {
        loaded.wrong(
            ConfigPlace::Grant(approach, index),
            message,
            "granted here",
            help,
        )
    };
    let mut folders = Vec::new();
    for (index, grant) in grants.iter().enumerate() {
        let refuse = |message: &str, help: &str| wrong(index, message, help);
        let permitted = policy.permit(&grant.folder, &loaded.dir, refuse)?;
        folders.push(GrantedFolder {
            at: grant.at.clone(),
            home: permitted.home,
            folder: permitted.folder,
            shown: grant.folder.clone(),
        });
    }
    let copy = read_granted(&folders).map_err(|error| {
        let help = "a grant is a folder of plain files";
        wrong(error.index, &error.to_string(), help)
    })?;
    let packed = copy
        .pack()
        .map_err(|error| wrong(0, &error.to_string(), ""))?;
    Ok(Some(packed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_all_grants_are_bounded_and_the_same_count_once() {
        let files = |digest: &str| PackedFolders {
            bytes: vec![0; 40 << 20].into(),
            digest: digest.to_owned(),
        };
        let mut held = Vec::new();
        hold(files("a"), &mut held).unwrap();
        hold(files("a"), &mut held).unwrap();
        assert_eq!(held.len(), 1);
        let said = hold(files("b"), &mut held).unwrap_err();
        assert!(said.contains("64 MiB"), "{said}");
    }
}
