//! Paths in a tree of git, which may be any bytes.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The longest path in a tree, in bytes.
const PATH_BYTES_MAX: usize = 1_024;
/// The longest name in a tree, in bytes.
const NAME_BYTES_MAX: usize = 200;

/// Returns a path of a tree if it leads to a file below the folder of the tree, by names that are no special ones.
pub(super) fn checked(path: &[u8]) -> Option<&str> {
    let path = std::str::from_utf8(path).ok()?;
    let is_name = |name: &str| {
        (1..=NAME_BYTES_MAX).contains(&name.len())
            && ![".", ".."].contains(&name)
            && !name.eq_ignore_ascii_case(".git")
            && !name.chars().any(char::is_control)
    };
    (path.len() <= PATH_BYTES_MAX && path.split('/').all(is_name)).then_some(path)
}

/// Returns true for settings of the build's tools, which the repository does not make here.
pub(super) fn is_setting(path: &str) -> bool {
    let mut names = path.rsplit('/');
    let name = names.next().unwrap_or_default();
    let folder = names.next().unwrap_or_default();
    (folder == ".cargo" && ["config", "config.toml"].contains(&name))
        || ["rust-toolchain", "rust-toolchain.toml"].contains(&name)
}

/// Returns the file of a tree that a link in it leads to, if it is one. `files` are the plain files, by path.
pub(super) fn linked<'a, T>(
    files: &'a BTreeMap<String, T>,
    link: &str,
    target: &[u8],
) -> Option<&'a T> {
    let target = std::str::from_utf8(target).ok()?;
    let folder = Path::new(link).parent()?;
    files.get(within(folder, Path::new(target))?.to_str()?)
}

/// Returns a path from a folder of a tree, without `.` and `..`; `None` if it leads out of the tree.
pub(super) fn within(folder: &Path, path: &Path) -> Option<PathBuf> {
    let mut found = PathBuf::new();
    for component in folder.components().chain(path.components()) {
        match component {
            Component::Normal(name) => found.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !found.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_below_the_tree_are_taken() {
        for path in ["a", "src/lib.rs", ".github/x.yml", "a b/ä.rs"] {
            assert_eq!(checked(path.as_bytes()), Some(path));
        }
        for path in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../x",
            "a/../b",
            "a//b",
            "./a",
            "a/.",
            ".git/config",
            "a/.GIT/x",
            "a\nb",
            "a\u{1b}b",
            "a/",
        ] {
            assert_eq!(checked(path.as_bytes()), None, "{path:?}");
        }
        assert_eq!(checked(b"a\xff"), None);
        assert_eq!(checked("a".repeat(201).as_bytes()), None);
        assert_eq!(checked("a/".repeat(600).as_bytes()), None);
    }

    #[test]
    fn settings_of_tools_are_known_by_their_names() {
        for path in [
            ".cargo/config.toml",
            "a/.cargo/config",
            "rust-toolchain",
            "a/rust-toolchain.toml",
        ] {
            assert!(is_setting(path), "{path}");
        }
        for path in ["cargo/config.toml", ".cargo/other", "src/config"] {
            assert!(!is_setting(path), "{path}");
        }
    }

    #[test]
    fn a_link_leads_to_a_file_of_the_tree_or_nowhere() {
        let files: BTreeMap<String, u8> =
            [("LICENSE".to_owned(), 1), ("a/b.rs".to_owned(), 2)].into();
        assert_eq!(linked(&files, "a/LICENSE", b"../LICENSE"), Some(&1));
        assert_eq!(linked(&files, "c.rs", b"./a/b.rs"), Some(&2));
        for target in [
            &b"../../LICENSE"[..],
            b"/LICENSE",
            b"a",
            b"",
            b"\xff",
            b"missing",
        ] {
            assert_eq!(linked(&files, "a/x", target), None);
        }
    }
}
