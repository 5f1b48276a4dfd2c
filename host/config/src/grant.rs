//! `grant`: the folders of files that a component may read.

use super::error::{Finding, quoted};
use super::fields::approach::{FILES, GRANT, GRANTS_MAX, SOURCE};
use super::paths::{self, FileKind, FileRef};
use super::section::{At, Section};
use bakeoff_domain::spec::Grant;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// The longest path at which a component sees a folder, in bytes.
const AT_BYTES_MAX: usize = 256;

/// The grants of an approach, each with its span.
pub(super) type Grants = Vec<(Grant, Range<usize>)>;

/// Reads `grant = { files = { "/data" = "fixtures" } }`, if it is there; `None` if it is invalid.
pub(super) fn grants(
    approach: &mut Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Grants> {
    if approach.key(&GRANT).is_none() {
        // Read all the same: a key that is not read counts as unknown.
        approach.section(&GRANT, found);
        return Some(Vec::new());
    }
    let place = approach.key(&GRANT).unwrap_or_default();
    let mut grant = approach.section(&GRANT, found)?;
    grant.missing_field(&FILES, "nothing else can be granted", found);
    let folders = grant.section(&FILES, found);
    grant.close(found);
    if approach.key(&SOURCE).is_some() {
        found.push(Finding::new(
            place,
            "`grant` does not fit an approach from source: it imports nothing, and so reads no file",
            "only for `component`",
            "remove it, or name a component",
        ));
        return None;
    }
    let folders = folders?.texts("the path of a folder", found)?;
    if folders.is_empty() || folders.len() > GRANTS_MAX {
        found.push(Finding::new(
            place,
            format!("`files` grants {} folders", folders.len()),
            "impossible value",
            format!(
                "it grants 1 to {GRANTS_MAX} of them, like `{}`",
                FILES.example
            ),
        ));
        return None;
    }
    let mut taken = BTreeSet::new();
    let mut list = Vec::new();
    for (at, folder) in &folders {
        let Some(at) = guest_path(at, &mut taken, found) else {
            continue;
        };
        let Some(folder_path) = host_folder(folder, files, found) else {
            continue;
        };
        let grant = Grant {
            at,
            folder: folder_path,
        };
        list.push((grant, folder.span.clone()));
    }
    (list.len() == folders.len()).then_some(list)
}

/// Reads the path at which a component sees a folder: absolute, normalised, and not taken by another grant.
fn guest_path(
    at: &At<&str>,
    taken: &mut BTreeSet<String>,
    found: &mut Vec<Finding>,
) -> Option<String> {
    let parts: Vec<&str> = at.value.split('/').skip(1).collect();
    let plain =
        |part: &&str| !matches!(*part, "" | "." | "..") && !part.chars().any(char::is_control);
    let is_path = at.value.starts_with('/')
        && at.value.len() <= AT_BYTES_MAX
        && (at.value == "/" || parts.iter().all(plain));
    let why = match is_path {
        true if taken.insert(at.value.to_owned()) => return Some(at.value.to_owned()),
        true => "is granted twice",
        false => "is not where a component can see a folder",
    };
    found.push(Finding::new(
        at.span.clone(),
        format!("{} {why}", quoted(at.value)),
        "this path",
        "write an absolute path of its own for each folder, like \"/data\"",
    ));
    None
}

/// Reads the path of the granted folder on the host. The host's policy decides on an absolute one later.
fn host_folder(
    folder: &At<&str>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<PathBuf> {
    let path = Path::new(folder.value);
    let is_plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
    if path.is_absolute() && path.components().all(is_plain) {
        return Some(path.to_owned());
    }
    let named = paths::relative(folder, FileKind::Granted, found)?;
    files.push(named.clone());
    Some(named.path)
}
