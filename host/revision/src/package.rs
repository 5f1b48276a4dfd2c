//! A package of cargo among the files of a revision.

use super::checkout::Checkout;
use super::error::RevisionError;
use super::paths::within;
use bakeoff_files::Folder;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// The largest manifest that is read, in bytes.
const MANIFEST_BYTES_MAX: u64 = 256 << 10;
/// The largest lock that is read, in bytes.
const LOCK_BYTES_MAX: u64 = 1 << 20;
/// The most packages that an error names.
const NAMED_MAX: usize = 10;

/// A package of cargo among the files of a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its folder, from that of the revision.
    pub folder: PathBuf,
    /// The name by which sources call its library.
    pub library: String,
    /// The file at the root of its library, from the folder of the revision.
    pub root: PathBuf,
    /// The text of the nearest lock at or above its folder.
    pub lock: Option<String>,
}

/// The part of a manifest that matters here.
struct Manifest {
    name: String,
    library: Option<String>,
    root: Option<String>,
    is_macro: bool,
}

impl Package {
    /// Finds a package by its name; without one, the package at the top of the repository, or the only one there is.
    ///
    /// # Errors
    /// There is none, or it has no library.
    pub fn find(checkout: &Checkout, name: Option<&str>) -> Result<Self, RevisionError> {
        let files = Folder::named_by_user(checkout.folder()).map_err(|error| {
            RevisionError::Machine(format!("a temporary folder cannot be read: {error}"))
        })?;
        let manifests = checkout.manifests().iter().filter_map(|path| {
            let bytes = files.read(path, MANIFEST_BYTES_MAX).ok()??;
            let manifest = Manifest::read(&String::from_utf8(bytes).ok()?)?;
            Some((Path::new(path).parent()?.to_owned(), manifest))
        });
        let packages: Vec<(PathBuf, Manifest)> = manifests.collect();
        let found = match (name, packages.as_slice()) {
            // Copies of a package, such as those of tests, lie deeper than it.
            (Some(name), all) => all
                .iter()
                .filter(|(_, manifest)| manifest.name == name)
                .min_by_key(|(folder, _)| folder.components().count()),
            (None, [only]) => Some(only),
            (None, all) => all.iter().find(|(folder, _)| folder == Path::new("")),
        };
        let Some((folder, manifest)) = found else {
            return Err(RevisionError::NoPackage {
                name: name.unwrap_or_default().chars().take(80).collect(),
                commit: checkout.commit.chars().take(12).collect(),
                others: others(&packages),
            });
        };
        let lock = nearest_lock(&files, folder).map_err(|reason| RevisionError::Package {
            name: manifest.name.clone(),
            reason,
        })?;
        Ok(Self {
            name: manifest.name.clone(),
            folder: folder.clone(),
            library: manifest.library_name(),
            root: manifest.root_in(&files, folder)?,
            lock,
        })
    }
}

/// Returns the text of the nearest lock at or above a folder.
fn nearest_lock(files: &Folder, folder: &Path) -> Result<Option<String>, String> {
    let mut paths = folder.ancestors().map(|folder| folder.join("Cargo.lock"));
    let Some(path) = paths.find(|path| files.has(path)) else {
        return Ok(None);
    };
    let failed = |reason: &str| format!("its lock {path:?} {reason}");
    let read = files.read(&path, LOCK_BYTES_MAX);
    let bytes = read
        .map_err(|error| failed(&format!("cannot be read: {error}")))?
        .ok_or_else(|| failed("has more than 1 MiB"))?;
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|_| failed("is no text in UTF-8"))
}

/// Returns the packages that are there, in words.
fn others(packages: &[(PathBuf, Manifest)]) -> String {
    let mut names: Vec<String> = packages
        .iter()
        .map(|(_, manifest)| manifest.name.clone())
        .collect();
    names.sort();
    let more = names.len().saturating_sub(NAMED_MAX);
    names.truncate(NAMED_MAX);
    match (names.is_empty(), more) {
        (true, _) => ": it has no Cargo.toml of a package".to_owned(),
        (false, 0) => format!("; there are: {}", names.join(", ")),
        (false, more) => format!("; there are: {} and {more} more", names.join(", ")),
    }
}

impl Manifest {
    /// Reads a manifest; `None` if it is not that of a package with a plain name.
    fn read(text: &str) -> Option<Self> {
        let table = DeTable::parse(text).ok()?;
        let table = table.get_ref();
        let section = |name: &str| match table.get(name)?.get_ref() {
            DeValue::Table(section) => Some(section),
            _ => None,
        };
        let text = |name: &str, key: &str| match section(name)?.get(key)?.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            _ => None,
        };
        let is_on = |key: &str| {
            let value = section("lib").and_then(|lib| lib.get(key));
            value.is_some_and(|value| matches!(value.get_ref(), DeValue::Boolean(true)))
        };
        let is_plain = |name: &String| {
            let usual = |c: char| c.is_alphanumeric() || "-_".contains(c);
            (1..=64).contains(&name.len()) && name.chars().all(usual)
        };
        Some(Self {
            name: text("package", "name").filter(is_plain)?,
            library: text("lib", "name").filter(is_plain),
            root: text("lib", "path"),
            is_macro: is_on("proc-macro") || is_on("proc_macro"),
        })
    }

    fn library_name(&self) -> String {
        let name = self.library.as_ref().unwrap_or(&self.name);
        name.replace('-', "_")
    }

    /// Returns the file at the root of the library.
    fn root_in(&self, files: &Folder, folder: &Path) -> Result<PathBuf, RevisionError> {
        let failed = |reason: &str| RevisionError::Package {
            name: self.name.clone(),
            reason: reason.to_owned(),
        };
        if self.is_macro {
            return Err(failed("it is a macro, which no function can be called of"));
        }
        let root = self.root.as_deref().unwrap_or("src/lib.rs");
        within(folder, Path::new(root))
            .filter(|root| files.has(root))
            .ok_or_else(|| {
                failed("it has no library (src/lib.rs, or the `path` of [lib]), whose functions could be compared")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_files::Scratch;

    fn checkout(files: &[(&str, &str)]) -> Checkout {
        let folder = Scratch::new().unwrap();
        for (path, text) in files {
            let path = folder.work().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let manifests = files.iter().map(|(path, _)| *path);
        let manifests: Vec<&str> = manifests
            .filter(|path| path.ends_with("Cargo.toml"))
            .collect();
        Checkout::of_files(folder, &manifests)
    }

    #[test]
    fn a_package_is_found_by_its_name_wherever_it_lies() {
        let checkout = checkout(&[
            ("Cargo.toml", "[workspace]\n"),
            ("Cargo.lock", "version = 4\n"),
            ("a/Cargo.toml", "[package]\nname = \"a\"\n"),
            ("a/src/lib.rs", ""),
            (
                "b/Cargo.toml",
                "[package]\nname = \"b-b\"\n[lib]\nname = \"bee\"\npath = \"../a/src/lib.rs\"\n",
            ),
            ("broken/Cargo.toml", "[package\n"),
            ("main/Cargo.toml", "[package]\nname = \"main\"\n"),
            (
                "out/Cargo.toml",
                "[package]\nname = \"out\"\n[lib]\npath = \"../../../etc/passwd\"\n",
            ),
            (
                "mac/Cargo.toml",
                "[package]\nname = \"mac\"\n[lib]\nproc-macro = true\n",
            ),
            ("mac/src/lib.rs", ""),
        ]);
        let found = Package::find(&checkout, Some("b-b")).unwrap();
        assert_eq!(found.library, "bee");
        assert_eq!(found.root, Path::new("a/src/lib.rs"));
        assert_eq!(found.folder, Path::new("b"));
        assert_eq!(found.lock.as_deref(), Some("version = 4\n"));
        for (name, part) in [
            ("main", "no library"),
            ("out", "no library"),
            ("mac", "macro"),
            ("other", "there are: a, b-b, mac, main, out"),
        ] {
            let said = Package::find(&checkout, Some(name))
                .unwrap_err()
                .to_string();
            assert!(said.contains(part), "{name}: {said}");
        }
        assert!(Package::find(&checkout, None).is_err());
    }

    #[test]
    fn of_copies_the_one_nearest_to_the_top_is_taken() {
        let checkout = checkout(&[
            ("a/copies/x/Cargo.toml", "[package]\nname = \"x\"\n"),
            ("a/copies/x/src/lib.rs", ""),
            ("x/Cargo.toml", "[package]\nname = \"x\"\n"),
            ("x/src/lib.rs", ""),
        ]);
        let found = Package::find(&checkout, Some("x")).unwrap();
        assert_eq!(found.folder, Path::new("x"));
    }

    #[test]
    fn a_lock_that_cannot_be_used_is_not_passed_over() {
        let lock = "#".repeat(usize::try_from(LOCK_BYTES_MAX).unwrap() + 1);
        let checkout = checkout(&[
            ("Cargo.lock", "version = 4\n"),
            ("a/Cargo.lock", &lock),
            ("a/Cargo.toml", "[package]\nname = \"a\"\n"),
            ("a/src/lib.rs", ""),
        ]);
        let refused = Package::find(&checkout, None).unwrap_err().to_string();
        assert!(refused.contains("more than 1 MiB"), "{refused}");
    }

    #[test]
    fn without_a_name_it_is_the_one_at_the_top_or_the_only_one() {
        let top = checkout(&[
            ("Cargo.toml", "[package]\nname = \"top\"\n"),
            ("src/lib.rs", ""),
            ("a/Cargo.toml", "[package]\nname = \"a\"\n"),
        ]);
        assert_eq!(Package::find(&top, None).unwrap().name, "top");
        let only = checkout(&[
            ("a/Cargo.toml", "[package]\nname = \"a\"\n"),
            ("a/src/lib.rs", ""),
        ]);
        assert_eq!(Package::find(&only, None).unwrap().name, "a");
    }
}
