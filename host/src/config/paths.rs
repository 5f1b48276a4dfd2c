//! The files that an experiment names: all inside its own folder.
//!
//! An experiment may be something that a user was sent. It must not make anyone read, compile or
//! show a file that did not come with it.

use super::error::{ConfigError, Finding, quoted};
use super::section::At;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// Bytes a path has at most.
const PATH_BYTES_MAX: usize = 1024;

/// How far down a folder of WIT is looked through: `deps`, and the packages in it.
const WIT_FOLDERS_DEEP: usize = 2;

/// Entries a folder of WIT has at most.
const WIT_ENTRIES_MAX: usize = 1000;

/// What to do about a link.
const LINK: &str = "put the file itself there instead of the link";

/// What a file is named for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    /// A Rust file.
    Source,
    /// A WebAssembly component.
    Component,
    /// A WIT file, or a folder of them.
    Wit,
    /// A file of cases.
    Cases,
    /// A folder of files that a component is granted.
    Granted,
}

/// A file that the experiment names, and where it does.
#[derive(Clone, Debug)]
pub(super) struct FileRef {
    pub(super) path: PathBuf,
    pub(super) span: Range<usize>,
    pub(super) kind: FileKind,
}

/// The path without `.` and `..`, if it stays inside the folder it is relative to.
pub(super) fn relative(
    text: &At<&str>,
    kind: FileKind,
    found: &mut Vec<Finding>,
) -> Option<FileRef> {
    match normalise(text.value, kind) {
        Ok(path) => Some(FileRef {
            path,
            span: text.span.clone(),
            kind,
        }),
        Err((why, help)) => {
            found.push(Finding::new(
                text.span.clone(),
                format!("the path {} {why}", quoted(text.value)),
                "this path",
                help,
            ));
            None
        }
    }
}

/// Why a path is refused, and what to do.
type Refusal = (&'static str, &'static str);

fn normalise(text: &str, kind: FileKind) -> Result<PathBuf, Refusal> {
    const INSIDE: &str = "copy the file into the experiment's folder, and name it from there";
    if text.contains("://") {
        return Err(("is an address, and only files are read", INSIDE));
    }
    if text.len() > PATH_BYTES_MAX || text.chars().any(char::is_control) {
        return Err((
            "is longer than 1024 bytes or holds control characters",
            "rename the file",
        ));
    }
    if text.contains('\\') {
        return Err(("holds a backslash", "separate folders by `/`"));
    }
    let mut path = PathBuf::new();
    for component in Path::new(text).components() {
        match component {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !path.pop() {
                    return Err(("leaves the experiment's folder", INSIDE));
                }
            }
            Component::RootDir | Component::Prefix(_) => {
                return Err(("is absolute", INSIDE));
            }
        }
    }
    if path.as_os_str().is_empty() {
        if kind == FileKind::Wit && !text.is_empty() {
            return Ok(PathBuf::from("."));
        }
        return Err(("names no file", "name a file in the experiment's folder"));
    }
    if kind == FileKind::Source && path.extension().is_none_or(|extension| extension != "rs") {
        return Err((
            "does not end in `.rs`",
            "only Rust is built from source: compile anything else to a component, and name it by \
             `component`",
        ));
    }
    Ok(path)
}

/// Looks the file up. It must be there, of the right kind, and inside the folder even when every
/// link on its way is followed.
pub(super) fn look_up(folder: &Path, file: &FileRef, found: &mut Vec<Finding>) {
    if let Err((why, help)) = inspect(folder, file) {
        found.push(Finding::new(
            file.span.clone(),
            format!("{} {why}", quoted(&file.path.display().to_string())),
            "named here",
            help,
        ));
    }
}

/// Holds a path that a run recorded to the rules for an experiment file. One difference: it may be
/// absolute if it leads into the folder, since `bakeoff compare` records the user's own words. A file
/// that is gone is missed where it is read, and a folder that is granted by an absolute path is the
/// policy's to permit.
///
/// `also` are more folders that the user named: what leads into one of them is as good.
///
/// # Errors
/// The path leads elsewhere, or to something of another kind.
pub(super) fn hold_recorded(
    folder: &Path,
    also: &[PathBuf],
    path: &Path,
    kind: FileKind,
) -> Result<(), ConfigError> {
    const ELSEWHERE: &str = "what a run recorded is read from the folder that you name, and from \
                             nowhere else; if you ran it yourself, name the folder of that file \
                             too, by --also";
    let shown = path.display().to_string();
    let refused = |why: &str, help: &str| {
        ConfigError::Refused(format!(
            "the recorded path {} {why}: {help}",
            quoted(&shown)
        ))
    };
    let real = folder.join(path).canonicalize();
    if kind != FileKind::Granted
        && let Ok(real) = &real
        && let Some(home) = containing(also, real)
    {
        return of_kind(real, &home, kind).map_err(|(why, help)| refused(&why, help));
    }
    if path.is_absolute() {
        if kind == FileKind::Granted {
            return Ok(());
        }
        let home = folder.canonicalize().ok();
        let is_inside = |real: &PathBuf| home.as_ref().is_some_and(|home| real.starts_with(home));
        if !real.as_ref().is_ok_and(is_inside) {
            return Err(refused("is absolute and leads elsewhere", ELSEWHERE));
        }
    } else if let Err((why, _)) = normalise(&shown, kind) {
        return Err(refused(why, ELSEWHERE));
    }
    if real.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Ok(());
    }
    let file = FileRef {
        path: path.to_owned(),
        span: 0..0,
        kind,
    };
    inspect(folder, &file).map_err(|(why, help)| refused(&why, help))
}

/// The first of these folders that a file lies in, every link followed.
fn containing(folders: &[PathBuf], real: &Path) -> Option<PathBuf> {
    let mut homes = folders
        .iter()
        .filter_map(|folder| folder.canonicalize().ok());
    homes.find(|home| real.starts_with(home))
}

/// What is wrong with a file, and what to do.
type Fault = (String, &'static str);

fn inspect(folder: &Path, file: &FileRef) -> Result<(), Fault> {
    const CHECK: &str = "paths are relative to the experiment's folder; check the spelling";
    let real = match folder.join(&file.path).canonicalize() {
        Ok(real) => real,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(("does not exist".into(), CHECK));
        }
        Err(error) => return Err((format!("cannot be looked up: {error}"), CHECK)),
    };
    let home = folder
        .canonicalize()
        .map_err(|error| (format!("cannot be looked up: {error}"), CHECK))?;
    if !real.starts_with(&home) {
        return Err(("is a link that leaves the experiment's folder".into(), LINK));
    }
    of_kind(&real, &home, file.kind)
}

/// Whether what lies there is what it is taken for; `home` is what nothing may lead out of.
fn of_kind(real: &Path, home: &Path, kind: FileKind) -> Result<(), Fault> {
    match (kind, real.is_file(), real.is_dir()) {
        (FileKind::Granted, _, true) => Ok(()),
        (FileKind::Granted, true, _) => Err((
            "is a file, and folders are granted".into(),
            "put it into a folder of its own, and grant that",
        )),
        (FileKind::Wit, _, true) => inspect_folder(real, home, WIT_FOLDERS_DEEP),
        (_, true, _) => Ok(()),
        (_, _, true) => Err(("is a folder".into(), "name a file in it")),
        _ => Err(("is not a regular file".into(), "name a regular file")),
    }
}

/// No entry of a folder of WIT may lead out of the experiment either: a WIT file that does not
/// parse is shown in the error.
fn inspect_folder(folder: &Path, home: &Path, folders_deep: usize) -> Result<(), Fault> {
    let unreadable = |error: std::io::Error| {
        let help = "make the folder readable, or name the WIT file itself";
        (format!("cannot be looked up: {error}"), help)
    };
    for (count, entry) in folder.read_dir().map_err(unreadable)?.enumerate() {
        let entry = entry.map_err(unreadable)?.path();
        if count == WIT_ENTRIES_MAX {
            return Err((
                format!("has a folder of more than {WIT_ENTRIES_MAX} entries"),
                "keep the WIT files in a folder of their own",
            ));
        }
        let inside = entry
            .canonicalize()
            .is_ok_and(|real| real.starts_with(home));
        if !inside {
            let name = entry.file_name().unwrap_or_default().to_string_lossy();
            return Err((
                format!(
                    "holds {}, a link that leaves the experiment's folder",
                    quoted(&name)
                ),
                LINK,
            ));
        }
        if entry.is_dir() && folders_deep > 0 {
            inspect_folder(&entry, home, folders_deep - 1)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, kind: FileKind) -> Result<String, &'static str> {
        normalise(text, kind)
            .map(|path| path.display().to_string())
            .map_err(|(why, _)| why)
    }

    #[test]
    fn a_path_is_normalised_and_stays_inside() {
        assert_eq!(of("./a/../b/x.rs", FileKind::Source).unwrap(), "b/x.rs");
        assert_eq!(of(".", FileKind::Wit).unwrap(), ".");
        assert_eq!(of("a/..", FileKind::Wit).unwrap(), ".");
        for path in [
            "../x.rs",
            "a/../../x.rs",
            "/etc/x.rs",
            "a\\x.rs",
            "a\0.rs",
            "",
            ".",
            "oci://x.rs",
        ] {
            assert!(of(path, FileKind::Source).is_err(), "{path:?}");
        }
        assert!(of("x.py", FileKind::Source).unwrap_err().contains("`.rs`"));
        assert!(of(&"a/".repeat(600), FileKind::Component).is_err());
    }

    #[test]
    fn a_link_out_of_the_folder_is_refused() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret.rs"), "").unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("real.rs"), "").unwrap();
        let link = |target: &Path, name: &str| {
            std::os::unix::fs::symlink(target, folder.path().join(name)).unwrap();
        };
        link(&outside.path().join("secret.rs"), "out.rs");
        link(Path::new("real.rs"), "in.rs");
        std::fs::create_dir_all(folder.path().join("wit/deps")).unwrap();
        std::fs::write(folder.path().join("wit/a.wit"), "").unwrap();
        let of_kind = |name: &str, kind: FileKind| {
            let file = FileRef {
                path: name.into(),
                span: 0..0,
                kind,
            };
            inspect(folder.path(), &file).map_err(|(why, _)| why)
        };
        let check = |name: &str| of_kind(name, FileKind::Source);
        assert_eq!(of_kind("wit", FileKind::Wit), Ok(()));
        link(outside.path(), "wit/deps/stolen");
        let stolen = of_kind("wit", FileKind::Wit).unwrap_err();
        assert!(
            stolen.contains("holds `stolen`, a link that leaves"),
            "{stolen}"
        );
        assert_eq!(check("real.rs"), Ok(()));
        assert_eq!(check("in.rs"), Ok(()));
        assert!(check("out.rs").unwrap_err().contains("link that leaves"));
        assert!(check("none.rs").unwrap_err().contains("does not exist"));
        assert!(check(".").unwrap_err().contains("is a folder"));
    }

    #[test]
    fn a_recorded_path_stays_in_the_folder_and_may_be_gone() {
        let outside = tempfile::tempdir().unwrap();
        let secret = outside.path().join("secret.rs");
        std::fs::write(&secret, "").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("real.rs");
        std::fs::write(&inside, "").unwrap();
        std::os::unix::fs::symlink(&secret, folder.path().join("out.rs")).unwrap();
        let held = |path: &Path| {
            hold_recorded(folder.path(), &[], path, FileKind::Source)
                .map_err(|error| error.to_string())
        };
        assert_eq!(held(Path::new("real.rs")), Ok(()));
        assert_eq!(held(Path::new("gone.rs")), Ok(()));
        assert_eq!(held(&inside), Ok(()));
        for (path, why) in [
            (secret.as_path(), "is absolute and leads elsewhere"),
            (
                Path::new("/nonexistent/x.rs"),
                "is absolute and leads elsewhere",
            ),
            (Path::new("../secret.rs"), "leaves the experiment's folder"),
            (Path::new("a/../../x.rs"), "leaves the experiment's folder"),
            (Path::new("out.rs"), "link that leaves"),
        ] {
            let said = held(path).unwrap_err();
            assert!(said.contains(why), "{path:?}: {said}");
        }
        let granted = hold_recorded(folder.path(), &[], Path::new("../x"), FileKind::Granted);
        assert!(granted.is_err());
    }

    #[test]
    fn a_recorded_path_may_lead_into_a_folder_that_is_named_too_and_not_beside_it() {
        let outside = tempfile::tempdir().unwrap();
        let also = outside.path().join("mine");
        let folder = outside.path().join("here");
        for folder in [&also, &folder, &also.join("wit")] {
            std::fs::create_dir(folder).unwrap();
        }
        for file in ["mine/a.rs", "mine/wit/a.wit", "secret.rs", "mine-not.rs"] {
            std::fs::write(outside.path().join(file), "").unwrap();
        }
        let secret = outside.path().join("secret.rs");
        std::os::unix::fs::symlink(&secret, also.join("out.rs")).unwrap();
        std::os::unix::fs::symlink(&secret, also.join("wit/out.wit")).unwrap();
        let held = |path: &str, kind: FileKind| {
            let also = std::slice::from_ref(&also);
            hold_recorded(&folder, also, Path::new(path), kind).map_err(|error| error.to_string())
        };
        let absolute = also.join("a.rs").display().to_string();
        for path in ["../mine/a.rs", "../here/../mine/a.rs", &absolute] {
            assert_eq!(held(path, FileKind::Source), Ok(()), "{path}");
        }
        let secret = secret.display().to_string();
        for path in ["../secret.rs", "../mine-not.rs", "../mine/out.rs", &secret] {
            let said = held(path, FileKind::Source).unwrap_err();
            assert!(said.contains("--also"), "{path}: {said}");
        }
        assert!(held("../mine/wit", FileKind::Source).is_err());
        let said = held("../mine/wit", FileKind::Wit).unwrap_err();
        assert!(said.contains("a link that leaves"), "{said}");
        // A grant is the policy's to permit, whatever else the user names.
        assert!(held("../mine", FileKind::Granted).is_err());
    }
}
