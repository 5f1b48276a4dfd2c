//! Grants of the variants, files and the values of parameters, which are read before any variant is
//! built.

use super::error::RunError;
use bakeoff_config::units::show_bytes;
use bakeoff_config::{ConfigError, ConfigPlace, LoadedExperiment, Policy};
use bakeoff_domain::failure::Failure;
use bakeoff_domain::variant::{Variant, approach_indexes};
use bakeoff_files::{FoundProgram, SearchPath};
use bakeoff_source::{
    BuildInput, FolderProgram, Folders, GRANTED_BYTES_MAX, GrantedFolder, PackedFolders,
};
use std::collections::BTreeMap;

/// The most bytes that names and places of files, beside their contents, may take for all grants.
const TREES_BYTES_MAX: u64 = 8 << 20;

/// Returns the grant of each variant, if it has one: files, and the values of its parameters. Equal
/// grants are held in memory once.
///
/// # Errors
/// A folder cannot be granted, or the folders have more than [`GRANTED_BYTES_MAX`] in all. The
/// error points at the grant.
pub(super) fn read_granted(
    loaded: &LoadedExperiment,
    policy: &Policy,
    variants: &[Variant],
    code: &[Result<BuildInput, Failure>],
) -> Result<Vec<Option<PackedFolders>>, RunError> {
    let approaches = &loaded.experiment.approaches;
    let mut held = GrantsByDigest::default();
    let mut granted = Vec::with_capacity(variants.len());
    let mut of_approach: Option<(usize, Folders)> = None;
    for (variant, approach) in variants.iter().zip(approach_indexes(approaches)) {
        if of_approach
            .as_ref()
            .is_none_or(|(known, _)| *known != approach)
        {
            let granted = read(loaded, policy, approach)?;
            let code = code.get(approach).and_then(|code| code.as_ref().ok());
            let granted = with_program(loaded, policy, approach, code, granted)?;
            of_approach = Some((approach, granted));
        }
        let Some((_, folders)) = &of_approach else {
            continue;
        };
        let is_plain = folders.is_empty() && folders.program().is_none();
        if is_plain && variant.parameters.is_empty() {
            granted.push(None);
            continue;
        }
        let wrong = |reason: &str| {
            let place = if folders.is_empty() {
                ConfigPlace::Approach(approach)
            } else {
                ConfigPlace::Grant(approach, 0)
            };
            loaded.wrong(place, reason, "granted here", "grant less")
        };
        let packed = folders.with_parameters(&variant.parameters).pack();
        let packed = packed.map_err(|error| wrong(&error.to_string()))?;
        granted.push(Some(held.hold(packed).map_err(|reason| wrong(&reason))?));
    }
    Ok(granted)
}

/// Returns the grant of a program: its file, its command, and the interpreter as it is on this machine.
fn with_program(
    loaded: &LoadedExperiment,
    policy: &Policy,
    approach: usize,
    code: Option<&BuildInput>,
    granted: Folders,
) -> Result<Folders, ConfigError> {
    let (Some(program), Some(code)) = (loaded.experiment.approaches[approach].code.program(), code)
    else {
        return Ok(granted);
    };
    let place = ConfigPlace::Approach(approach);
    if !policy.allows_programs() {
        let message = "the approach is a program, and nobody has allowed that it runs";
        let help = "read it, and allow it with --programs, or in the host's policy with `allow = true` in [programs]: it \
                    runs behind a fence, without a network, but as what it is";
        return Err(loaded.wrong(place, message, "this program", help));
    }
    let interpreter = program.interpreter().map(|name| {
        let found = interpreter(name);
        found.ok_or_else(|| {
            let message = format!("there is no program {name:?} on the search path");
            let help = "install it, or name another; folders that others can write to, and `shims`, are passed over";
            loaded.wrong(place, &message, "this program", help)
        })
    });
    Ok(granted.with_program(FolderProgram {
        command: program.command.clone(),
        file: program.file.display().to_string(),
        bytes: code.bytes().to_vec(),
        interpreter: interpreter.transpose()?,
        timing: program.timing,
    }))
}

/// Returns the interpreter of this name: the first on the user's search path that is none of a version manager's
/// scripts, which start other programs to choose one.
fn interpreter(name: &str) -> Option<FoundProgram> {
    // What was recorded may name anything.
    if name.contains('/') {
        return None;
    }
    let path = SearchPath::of_user().without(|folder| folder.ends_with("shims"));
    path.find_now(name)
}

/// Grants so far, by their digest.
#[derive(Default)]
struct GrantsByDigest {
    granted: BTreeMap<String, PackedFolders>,
    bytes: u64,
}

impl GrantsByDigest {
    /// Returns the grant of the same digest, if there is one already; otherwise adds this one.
    fn hold(&mut self, packed: PackedFolders) -> Result<PackedFolders, String> {
        if let Some(same) = self.granted.get(&packed.digest) {
            return Ok(same.clone());
        }
        self.bytes += packed.bytes.len() as u64;
        if self.bytes > GRANTED_BYTES_MAX + TREES_BYTES_MAX {
            return Err(format!(
                "the files of all grants, once for each combination of a sweep, are beyond the {} that an \
                 experiment may be granted",
                show_bytes(GRANTED_BYTES_MAX)
            ));
        }
        self.granted.insert(packed.digest.clone(), packed.clone());
        Ok(packed)
    }
}

fn read(
    loaded: &LoadedExperiment,
    policy: &Policy,
    approach: usize,
) -> Result<Folders, ConfigError> {
    let grants = &loaded.experiment.approaches[approach].grants;
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
    bakeoff_source::read_granted(&folders).map_err(|error| {
        let help = "a grant is a folder of plain files";
        wrong(error.index, &error.to_string(), help)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_all_grants_are_bounded_and_the_same_count_once() {
        let files = |digest: &str| PackedFolders {
            bytes: vec![0; 40 << 20].into(),
            digest: digest.to_owned(),
            program: None,
        };
        let mut held = GrantsByDigest::default();
        held.hold(files("a")).unwrap();
        held.hold(files("a")).unwrap();
        assert_eq!(held.granted.len(), 1);
        let said = held.hold(files("b")).unwrap_err();
        assert!(said.contains("64 MiB"), "{said}");
    }
}
