//! The lock of an experiment's crates: their exact versions, with all crates that they need.

use bakeoff_domain::crates::{AllowedCrate, LockedCrate, PACKAGE};
use bakeoff_domain::spec::Experiment;
use bakeoff_files::Reach;
use std::collections::BTreeSet;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// The name of the lock in the experiment's folder.
pub const LOCK_FILE: &str = "bakeoff.lock";
/// The largest lock, in bytes.
pub const LOCK_BYTES_MAX: u64 = 1 << 20;
/// The most crates of a lock, dependencies included.
const LOCKED_MAX: usize = 256;

/// The most packages in the lock of a package of the user's.
const PACKAGE_LOCKED_MAX: usize = 1_024;
/// The source of crates in a lock.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The content of a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageLock {
    /// The crates that the user allows, in their exact versions.
    pub allowed: Vec<LockedCrate>,
    /// The allowed crates and all their dependencies.
    pub all: Vec<LockedCrate>,
}

/// The reason why a lock cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{LOCK_FILE} {0}")]
pub struct LockError(String);

/// Reads the lock in the folder of an experiment that allows crates, and adds it to the experiment.
///
/// # Errors
/// There is no lock, or it is not for these crates; the text says so.
pub(super) fn add_lock(experiment: &mut Experiment, dir: &Path) -> Result<(), String> {
    if experiment.crates.is_empty() {
        return Ok(());
    }
    let read = Reach::Within(dir).read_bounded(&dir.join(LOCK_FILE), LOCK_BYTES_MAX);
    let text = match read {
        Ok(Some(bytes)) => {
            String::from_utf8(bytes).map_err(|_| format!("{LOCK_FILE} is no text"))?
        }
        Ok(None) => return Err(format!("{LOCK_FILE} is larger than {LOCK_BYTES_MAX} bytes")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(format!(
                "which versions of the crates are used is not known: there is no {LOCK_FILE}"
            ));
        }
        Err(error) => return Err(format!("{LOCK_FILE} cannot be read: {error}")),
    };
    read_lock(&text, &experiment.crates.allowed).map_err(|error| error.to_string())?;
    experiment.crates.lock = text;
    Ok(())
}

fn unreadable() -> LockError {
    LockError("cannot be read as a lock of cargo".to_owned())
}

/// Returns the list of crates in a lock.
fn packages<'a, 'text>(
    table: &'a Spanned<DeTable<'text>>,
) -> Result<&'a DeArray<'text>, LockError> {
    let packages = table.get_ref().get("package").map(|value| value.get_ref());
    packages.and_then(DeValue::as_array).ok_or_else(unreadable)
}

/// Returns an error unless a text has the form of a lock, for whatever crates.
///
/// # Errors
/// The text is no lock.
pub fn check_lock_form(text: &str) -> Result<(), LockError> {
    let table = DeTable::parse(text).map_err(|_| unreadable())?;
    packages(&table).map(|_| ())
}

/// Reads the crates of crates.io in the lock of a package of the user's.
///
/// # Errors
/// The text is no lock, or names a crate that comes from somewhere else.
pub fn read_package_lock(text: &str) -> Result<Vec<LockedCrate>, String> {
    let unreadable = || "its Cargo.lock cannot be read as a lock of cargo".to_owned();
    let table = DeTable::parse(text).map_err(|_| unreadable())?;
    let Some(packages) = table.get_ref().get("package") else {
        return Ok(Vec::new());
    };
    let packages = packages.get_ref().as_array().ok_or_else(unreadable)?;
    if packages.len() > PACKAGE_LOCKED_MAX {
        let count = packages.len();
        return Err(format!(
            "its Cargo.lock has {count} packages, and {PACKAGE_LOCKED_MAX} is the most"
        ));
    }
    let mut crates = Vec::new();
    for package in packages.iter() {
        let package = package.get_ref().as_table().ok_or_else(unreadable)?;
        let text = |key: &str| Some(package.get(key)?.get_ref().as_str()?.to_owned());
        let Some(source) = text("source") else {
            // A package of the repository.
            continue;
        };
        let (Some(name), Some(version), Some(checksum)) =
            (text("name"), text("version"), text("checksum"))
        else {
            return Err(elsewhere(&text("name").unwrap_or_default()));
        };
        let usual = |text: &str, more: &str| {
            (1..=64).contains(&text.len())
                && text
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || more.contains(c))
        };
        let is_usual = usual(&name, "-_")
            && usual(&version, ".-+")
            && checksum.len() == 64
            && checksum.chars().all(|c| c.is_ascii_hexdigit());
        if source != CRATES_IO || !is_usual {
            return Err(elsewhere(&name));
        }
        crates.push(LockedCrate {
            name,
            version,
            checksum,
        });
    }
    Ok(crates)
}

fn elsewhere(name: &str) -> String {
    let name: String = name
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c))
        .take(64)
        .collect();
    format!(
        "it needs the crate {name}, which does not come from crates.io: only crates from there, and packages of the \
         repository itself, are built"
    )
}

/// Reads the text of a lock for these crates.
///
/// # Errors
/// The text is no lock, has something else than crates of a registry, or is for other crates.
pub fn read_lock(text: &str, allowed: &[AllowedCrate]) -> Result<PackageLock, LockError> {
    let table = DeTable::parse(text).map_err(|_| unreadable())?;
    let packages = packages(&table)?;
    if packages.len() > LOCKED_MAX {
        let count = packages.len();
        return Err(LockError(format!(
            "has {count} crates, and {LOCKED_MAX} is the most"
        )));
    }
    let (mut all, mut wanted) = (Vec::new(), Vec::new());
    for package in packages.iter() {
        // The file may be somebody's second name for any other: an error names a line, and quotes none.
        let start = package.span().start;
        let line = || text[..start].matches('\n').count() + 1;
        let package = package.get_ref().as_table().ok_or_else(unreadable)?;
        let text = |key: &str| Some(package.get(key)?.get_ref().as_str()?.to_owned());
        let name = text("name").ok_or_else(unreadable)?;
        if name == PACKAGE {
            let needs = package
                .get("dependencies")
                .and_then(|list| list.get_ref().as_array());
            let needs = needs.into_iter().flat_map(|list| list.iter());
            wanted.extend(needs.filter_map(|one| one.get_ref().as_str().map(str::to_owned)));
            continue;
        }
        let (Some(version), Some(checksum)) = (text("version"), text("checksum")) else {
            return Err(LockError(format!(
                "has no version and checksum for the crate at line {}",
                line()
            )));
        };
        if checksum.len() != 64 || checksum.chars().any(|c| !c.is_ascii_hexdigit()) {
            return Err(LockError(format!(
                "has no SHA-256 for the crate at line {}",
                line()
            )));
        }
        all.push(LockedCrate {
            name,
            version,
            checksum,
        });
    }
    // `name`, or `name version` where there are several of that name.
    let of = |need: &String| {
        let (name, version) = need
            .split_once(' ')
            .map_or((need.as_str(), None), |(name, version)| {
                (name, Some(version))
            });
        let mut named = all.iter().filter(|one| one.name == name);
        named
            .find(|one| version.is_none_or(|version| one.version == version))
            .cloned()
    };
    let direct: Vec<LockedCrate> = wanted.iter().filter_map(of).collect();
    let names =
        |list: &mut dyn Iterator<Item = &str>| list.map(str::to_owned).collect::<BTreeSet<_>>();
    let locked = names(&mut direct.iter().map(|one| one.name.as_str()));
    if locked != names(&mut allowed.iter().map(|one| one.name.as_str())) {
        return Err(LockError(
            "is for other crates than the experiment allows".to_owned(),
        ));
    }
    Ok(PackageLock {
        allowed: direct,
        all,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "version = 4\n[[package]]\nname = \"bakeoff-crates\"\nversion = \"0.0.0\"\n\
        dependencies = [\"a 1.0.2\", \"b-c\"]\n\
        [[package]]\nname = \"a\"\nversion = \"0.9.0\"\nsource = \"r\"\nchecksum = \"SUM\"\n\
        [[package]]\nname = \"a\"\nversion = \"1.0.2\"\nsource = \"r\"\nchecksum = \"SUM\"\n\
        [[package]]\nname = \"b-c\"\nversion = \"2.0.0\"\nsource = \"r\"\nchecksum = \"SUM\"\ndependencies = [\"a 0.9.0\"]\n";

    fn lock() -> String {
        LOCK.replace("SUM", &"0f".repeat(32))
    }

    fn crates(list: &[&str]) -> Vec<AllowedCrate> {
        let each = list.iter().filter_map(|text| text.split_once('@'));
        each.map(|(name, version)| AllowedCrate::new(name, version))
            .collect()
    }

    #[test]
    fn a_lock_says_which_versions_are_used() {
        let read = read_lock(&lock(), &crates(&["a@1", "b-c@2"])).unwrap();
        let shown = |list: &[LockedCrate]| {
            let each = list
                .iter()
                .map(|one| format!("{} {}", one.name, one.version));
            each.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(shown(&read.allowed), "a 1.0.2, b-c 2.0.0");
        assert_eq!(shown(&read.all), "a 0.9.0, a 1.0.2, b-c 2.0.0");
    }

    #[test]
    fn a_lock_of_anything_else_is_refused() {
        let refused =
            |text: &str, list: &[&str]| read_lock(text, &crates(list)).unwrap_err().to_string();
        let both = ["a@1", "b-c@2"];
        assert!(refused(&lock(), &["a@1"]).contains("other crates"));
        assert!(refused(&lock(), &["a@1", "b-d@2"]).contains("other crates"));
        // A crate of a repository or a folder has no checksum.
        let without = lock().replacen("checksum", "other", 1);
        assert!(refused(&without, &both).contains("no version and checksum"));
        let short = lock().replacen("0f", "0", 1);
        assert!(refused(&short, &both).contains("no SHA-256"));
        assert!(refused("package = 1", &both).contains("lock of cargo"));
        assert!(refused("[", &both).contains("lock of cargo"));
        let one = "[[package]]\nname = \"bakeoff-crates\"\n";
        assert!(refused(&one.repeat(257), &both).contains("257 crates"));
    }
}
