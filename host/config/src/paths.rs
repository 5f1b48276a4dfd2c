//! The files that an experiment names, which must lie in its own folder.
//!
//! An experiment may come from somebody else. It must not make bakeoff read, compile or show a file
//! that did not come with it.

use super::error::{ConfigError, Finding, quoted};
use super::section::At;
use bakeoff_domain::language::Language;
use bakeoff_files::{Folder, leaves_folder};
use std::io;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// The longest path, in bytes.
const PATH_BYTES_MAX: usize = 1024;

/// The depth to which a folder of WIT is checked: `deps`, and the packages in it.
const WIT_FOLDERS_DEEP: usize = 2;

/// The most entries of a folder of WIT.
const WIT_ENTRIES_MAX: usize = 1000;

/// The help for a file that is not found.
const CHECK: &str = "paths are relative to the experiment's folder; check the spelling";

/// The help for a program's file that is not found.
const PROGRAM_FILE: &str = "the first word of `command` that begins with no `-` has to be the program's file, in the experiment's folder; \
                            options come before it only if they are one word";

/// The help for a link.
const LINK: &str = "put the file itself there instead of the link";

/// The role of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    /// A Rust file.
    Source,
    /// A source of an approach, in any language that is built.
    Prototype,
    /// A WebAssembly component.
    Component,
    /// A component in a registry: its reference stands where the path of a file would, and there is no file.
    Reference,
    /// The file of a program.
    Program,
    /// A WIT file, or a folder of them.
    Wit,
    /// A file of cases.
    Cases,
    /// A file of names of instances.
    Instances,
    /// Instructions for a model, or a cassette of its replies.
    Told,
    /// A folder of files that a component is granted.
    Granted,
}

/// A file that the experiment names, with the span of its path.
#[derive(Clone, Debug)]
pub(super) struct FileRef {
    pub(super) path: PathBuf,
    pub(super) span: Range<usize>,
    pub(super) kind: FileKind,
}

/// Normalises a path, and refuses one that leaves the folder that it is relative to.
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

/// The reason why a path is refused, and the help.
type Refusal = (&'static str, &'static str);

fn normalise(text: &str, kind: FileKind) -> Result<PathBuf, Refusal> {
    const INSIDE: &str = "copy the file into the experiment's folder, and name it from there";
    const IN_REGISTRY: &str = "copy the file into the experiment's folder, and name it from there; or name a component in \
                               a registry, `oci://registry/name:tag` (docs/plugging-in.md)";
    if text.contains("://") {
        let help = match kind {
            FileKind::Component => IN_REGISTRY,
            _ => INSIDE,
        };
        return Err(("is an address, and only files are read", help));
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
            "this is built from Rust alone: compile anything else to a component, and name it by `component`",
        ));
    }
    if kind == FileKind::Prototype && Language::of(&path).is_none() {
        return Err((
            "does not end in `.rs`, `.c`, `.cc`, `.cpp`, `.cxx` or `.zig`",
            "approaches in Rust, C, C++ and Zig are built from source: compile anything else to a component, and name it by \
             `component`, or start it by `command` (docs/languages.md)",
        ));
    }
    Ok(path)
}

/// Checks that a file exists, has the right kind, and lies inside the folder when all links are
/// followed.
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

/// Refuses the recorded path of a granted folder that leaves the folder it is relative to. The host's policy
/// decides later on absolute paths, which pass here.
///
/// # Errors
/// The path leads elsewhere.
pub(super) fn check_recorded_grant(path: &Path) -> Result<(), ConfigError> {
    let shown = path.display().to_string();
    if path.is_absolute() {
        return Ok(());
    }
    normalise(&shown, FileKind::Granted)
        .map(drop)
        .map_err(|(why, help)| {
            ConfigError::Refused(format!(
                "the recorded path {} {why}: {help}",
                quoted(&shown)
            ))
        })
}

/// Refuses the recorded path of a program that leaves the experiment's folder.
///
/// # Errors
/// The path leads elsewhere, or is no path that an experiment file could have.
pub(super) fn check_recorded_program(path: &Path) -> Result<(), ConfigError> {
    let shown = path.display().to_string();
    match normalise(&shown, FileKind::Program) {
        Ok(normal) if normal == path => Ok(()),
        _ => Err(ConfigError::Refused(format!(
            "the recorded path {} is none of a file in an experiment's folder",
            quoted(&shown)
        ))),
    }
}

/// The reason why a file cannot be used, and the help.
type Fault = (String, &'static str);

fn inspect(folder: &Path, file: &FileRef) -> Result<(), Fault> {
    let unseen = |error: io::Error| (format!("cannot be looked up: {error}"), CHECK);
    let home = Folder::named_by_user(folder).map_err(unseen)?;
    let found = match home.find(&file.path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let help = if file.kind == FileKind::Program {
                PROGRAM_FILE
            } else {
                CHECK
            };
            return Err(("does not exist".into(), help));
        }
        Err(error) if leaves_folder(&error) => {
            return Err((
                "is a link that leaves the experiment's folder, or an absolute one".into(),
                LINK,
            ));
        }
        found => found.map_err(unseen)?,
    };
    match (file.kind, found.is_plain_file(), found.is_folder()) {
        (FileKind::Granted, _, true) => Ok(()),
        (FileKind::Granted, true, _) => Err((
            "is a file, and folders are granted".into(),
            "put it into a folder of its own, and grant that",
        )),
        (FileKind::Wit, _, true) => inspect_folder(&home, &file.path, WIT_FOLDERS_DEEP),
        (_, true, _) => Ok(()),
        (_, _, true) => Err(("is a folder".into(), "name a file in it")),
        _ => {
            let found = found.not_plain().unwrap_or("gone");
            Err((format!("is {found}, not a file"), "name a plain file"))
        }
    }
}

/// Checks that no entry of a folder of WIT leads out of the experiment: the error about a WIT file that
/// does not parse shows its text.
fn inspect_folder(home: &Folder, folder: &Path, folders_deep: usize) -> Result<(), Fault> {
    let unreadable = |error: io::Error| {
        let help = "make the folder readable, or name the WIT file itself";
        (format!("cannot be looked up: {error}"), help)
    };
    let opened = home.below_linked(folder).map_err(unreadable)?;
    let entries = opened.entries(WIT_ENTRIES_MAX).map_err(unreadable)?;
    let entries = entries.ok_or_else(|| {
        (
            format!("has a folder of more than {WIT_ENTRIES_MAX} entries"),
            "keep the WIT files in a folder of their own",
        )
    })?;
    for entry in entries {
        let path = folder.join(&entry.name);
        let Ok(found) = home.find(&path) else {
            let name = entry.name.to_string_lossy();
            return Err((
                format!(
                    "holds {}, a link that leaves the experiment's folder",
                    quoted(&name)
                ),
                LINK,
            ));
        };
        if found.is_folder() && folders_deep > 0 {
            inspect_folder(home, &path, folders_deep - 1)?;
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
        assert!(of("x.c", FileKind::Source).is_err());
        assert!(
            of("x.py", FileKind::Prototype)
                .unwrap_err()
                .contains("`.c`")
        );
        for name in ["x.rs", "x.c", "x.cpp"] {
            assert_eq!(of(name, FileKind::Prototype).unwrap(), name);
        }
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
    fn a_recorded_grant_does_not_leave_the_folder() {
        for path in ["data", "a/../data", "/srv/data"] {
            assert!(check_recorded_grant(Path::new(path)).is_ok(), "{path}");
        }
        for path in ["../x", "a/../../x"] {
            let error = check_recorded_grant(Path::new(path)).unwrap_err();
            assert!(error.to_string().contains("leaves the experiment's folder"));
        }
    }
}
