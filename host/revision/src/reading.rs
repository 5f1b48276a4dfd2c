//! The files of a revision, which the child takes from git into a folder.

use super::git::{self, Objects};
use super::paths::{checked, is_setting, linked};
use super::protocol::{
    BYTES_MAX, FILE_BYTES_MAX, FILES_MAX, GitAnswer, GitTask, LEFT_OUT_MAX, MANIFESTS_MAX, ROLE,
    SOURCES_MAX, WrittenTree, is_id,
};
use super::special;
use bakeoff_confine::{Frames, Role};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

/// The most bytes of the list of a revision's files.
const LIST_BYTES_MAX: u64 = 32 << 20;
/// The longest target of a link, in bytes.
const TARGET_BYTES_MAX: u64 = 4 << 10;

/// Returns the role of children in which git runs, for [`enter_if_child`](bakeoff_confine::enter_if_child).
pub fn git_role() -> Role {
    Role {
        before_fence: Role::nothing,
        name: ROLE,
        run: serve,
    }
}

fn serve(payload: &[u8], frames: &mut Frames) -> Result<(), String> {
    let task: GitTask = postcard::from_bytes(payload).map_err(|error| error.to_string())?;
    let answer = read(&task).unwrap_or_else(GitAnswer::Failed);
    let bytes = postcard::to_stdvec(&answer).map_err(|error| error.to_string())?;
    frames.send(&bytes).map_err(|error| error.to_string())
}

/// An entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    id: String,
    bytes: u64,
}

/// The entries of a tree by their kind and path.
#[derive(Debug, Default, PartialEq, Eq)]
struct Entries {
    files: BTreeMap<String, Entry>,
    links: BTreeMap<String, Entry>,
    left_out: Vec<String>,
}

fn read(task: &GitTask) -> Result<GitAnswer, String> {
    let unstarted = |error: io::Error| format!("git cannot be run: {error}");
    let too_long = || {
        format!(
            "its list of files has more than {} MiB, the most that is read: compare files instead of revisions",
            LIST_BYTES_MAX >> 20
        )
    };
    special::refuse(task)?;
    git::write_settings(task)?;
    let commit = format!("{}^{{commit}}", task.revision);
    // Git says nothing then if there is just no such commit.
    let arguments = [
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &commit,
    ];
    let found = git::output(task, &arguments, 256).map_err(unstarted)?;
    let found = found.ok_or_else(too_long)?;
    let commit = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    if !found.succeeded || !is_id(&commit) {
        return Ok(if found.said.is_empty() {
            GitAnswer::NoCommit
        } else {
            GitAnswer::Failed(format!("git says: {}", found.said))
        });
    }
    let arguments = ["ls-tree", "-r", "-z", "-l", "--full-tree", &commit];
    let list = git::output(task, &arguments, LIST_BYTES_MAX).map_err(unstarted)?;
    let list = list.ok_or_else(too_long)?;
    if !list.succeeded {
        return Ok(GitAnswer::Failed(format!("git says: {}", list.said)));
    }
    let entries = entries(&list.stdout)?;
    let mut objects = Objects::open(task).map_err(unstarted)?;
    let written = write(&entries, &mut objects, &task.tree);
    objects.close();
    written.map(|left_out| {
        let is_manifest =
            |path: &&String| path.as_str() == "Cargo.toml" || path.ends_with("/Cargo.toml");
        let paths = entries.files.keys();
        let manifests = paths.clone().filter(is_manifest);
        let sources = paths.filter(|path| path.ends_with(".rs"));
        GitAnswer::Written(WrittenTree {
            commit,
            left_out,
            manifests: manifests.take(MANIFESTS_MAX).cloned().collect(),
            sources: sources.take(SOURCES_MAX).cloned().collect(),
        })
    })
}

/// Reads the list of a tree: `MODE TYPE ID BYTES<tab>PATH`, each with a null byte behind it.
fn entries(list: &[u8]) -> Result<Entries, String> {
    let mut entries = Entries::default();
    let mut bytes_in_all = 0_u64;
    for line in list
        .split(|byte| *byte == 0)
        .filter(|line| !line.is_empty())
    {
        let tab = line.iter().position(|byte| *byte == b'\t');
        let (head, path) = line.split_at(tab.ok_or("git's list of files cannot be read")?);
        let shown = String::from_utf8_lossy(&path[1..]).into_owned();
        let Some(path) = checked(&path[1..]) else {
            return Err(format!(
                "{shown:?} is no path that a file of a package can have: no `..`, no `.git`, no control characters, \
                 200 bytes for a name"
            ));
        };
        let head = String::from_utf8_lossy(head);
        let words: Vec<&str> = head.split_whitespace().collect();
        let [mode, _, id, bytes] = words.as_slice() else {
            return Err("git's list of files cannot be read".to_owned());
        };
        let entry = Entry {
            id: (*id).to_owned(),
            bytes: bytes.parse().unwrap_or(0),
        };
        let mut is_second = false;
        match *mode {
            _ if is_setting(path) => {}
            "100644" | "100755" | "100664" if entry.bytes <= FILE_BYTES_MAX => {
                bytes_in_all += entry.bytes;
                is_second = entries.files.insert(path.to_owned(), entry).is_some();
            }
            "120000" if entry.bytes <= TARGET_BYTES_MAX => {
                is_second = entries.links.insert(path.to_owned(), entry).is_some();
            }
            // A submodule, or what is too large.
            _ => entries.left_out.push(path.to_owned()),
        }
        if is_second {
            return Err(format!(
                "its tree has {path:?} twice, which git itself does not write: `git fsck` says what else is wrong with it"
            ));
        }
        if entries.files.len() + entries.links.len() > FILES_MAX {
            return Err(format!(
                "it has more than {FILES_MAX} files, the most that are read: compare files instead of revisions"
            ));
        }
        if bytes_in_all > BYTES_MAX {
            return Err(format!(
                "its files have more than {} MiB together, the most that is read: compare files instead of revisions",
                BYTES_MAX >> 20
            ));
        }
    }
    Ok(entries)
}

/// Writes the files below a folder. A link to a file of the tree becomes that file. Returns the paths that were left out.
fn write(entries: &Entries, objects: &mut Objects, tree: &Path) -> Result<Vec<String>, String> {
    let mut left_out = entries.left_out.clone();
    let failed = |path: &str, why: String| format!("the file {path:?} cannot be read: {why}");
    let missing =
        "the repository lacks it, as a partial clone or one with alternates may: fetch it first";
    let mut read = |path: &str, id: &str, bytes_max: u64| {
        let found = objects.read(id, bytes_max);
        let found = found.map_err(|error| failed(path, error.to_string()))?;
        found.ok_or_else(|| failed(path, missing.to_owned()))
    };
    for (path, entry) in &entries.files {
        let contents = read(path, &entry.id, FILE_BYTES_MAX)?;
        write_new(tree, path, &contents)?;
    }
    let mut bytes_in_all: u64 = entries.files.values().map(|entry| entry.bytes).sum();
    for (path, link) in &entries.links {
        let target = read(path, &link.id, TARGET_BYTES_MAX)?;
        let found = linked(&entries.files, path, &target);
        let Some(entry) = found.filter(|entry| bytes_in_all + entry.bytes <= BYTES_MAX) else {
            left_out.push(path.clone());
            continue;
        };
        bytes_in_all += entry.bytes;
        let contents = read(path, &entry.id, FILE_BYTES_MAX)?;
        write_new(tree, path, &contents)?;
    }
    left_out.truncate(LEFT_OUT_MAX);
    Ok(left_out)
}

fn write_new(tree: &Path, path: &str, contents: &[u8]) -> Result<(), String> {
    write_file(&tree.join(path), contents).map_err(|error| {
        let is_taken = [io::ErrorKind::AlreadyExists, io::ErrorKind::NotADirectory];
        if is_taken.contains(&error.kind()) {
            format!(
                "{path:?} cannot be written: another entry of the tree has that name or a part of it, perhaps in other case"
            )
        } else {
            format!("{path:?} cannot be written: {error}; make room among temporary files")
        }
    })
}

fn write_file(file: &Path, contents: &[u8]) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    // Nothing in the folder is a link, since nothing but this writes there.
    let mut options = OpenOptions::new();
    let mut open = options.write(true).create_new(true).open(file)?;
    open.write_all(contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef01234567";

    fn list(rows: &[(&str, &str, &str)]) -> Vec<u8> {
        let rows = rows
            .iter()
            .map(|(mode, bytes, path)| format!("{mode} blob {ID} {bytes:>7}\t{path}\0"));
        rows.collect::<String>().into_bytes()
    }

    #[test]
    fn entries_are_files_links_or_left_out() {
        let read = entries(&list(&[
            ("100644", "12", "src/lib.rs"),
            ("100755", "3", "run me.sh"),
            ("120000", "8", "link"),
            ("160000", "-", "sub"),
            ("100644", "99999999", "large"),
            ("100644", "5", ".cargo/config.toml"),
        ]))
        .unwrap();
        let names: Vec<&str> = read.files.keys().map(String::as_str).collect();
        assert_eq!(names, ["run me.sh", "src/lib.rs"]);
        assert_eq!(read.links.len(), 1);
        assert_eq!(read.left_out, ["sub", "large"]);
    }

    #[test]
    fn a_path_that_a_tree_has_twice_is_refused() {
        for mode in ["100644", "120000"] {
            let twice = list(&[(mode, "1", "a"), (mode, "2", "a")]);
            let refused = entries(&twice).unwrap_err();
            assert!(refused.contains("\"a\" twice"), "{refused}");
        }
        let folder = tempfile::tempdir().unwrap();
        write_new(folder.path(), "a", b"1").unwrap();
        for path in ["a", "a/b"] {
            let refused = write_new(folder.path(), path, b"2").unwrap_err();
            assert!(refused.contains("another entry"), "{refused}");
        }
    }

    #[test]
    fn a_tree_that_leads_elsewhere_is_refused_as_a_whole() {
        for path in ["../x", "a/.git/config", "/etc/x", "a\n"] {
            let refused = entries(&list(&[("100644", "1", path)])).unwrap_err();
            assert!(refused.contains("no path"), "{refused}");
        }
        let many: Vec<String> = (0..=FILES_MAX).map(|number| number.to_string()).collect();
        let many: Vec<(&str, &str, &str)> = many
            .iter()
            .map(|name| ("100644", "1", name.as_str()))
            .collect();
        assert!(entries(&list(&many)).unwrap_err().contains("50000 files"));
        let large: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        let large: Vec<(&str, &str, &str)> = large
            .iter()
            .map(|name| ("100644", "33000000", name.as_str()))
            .collect();
        assert!(entries(&list(&large)).unwrap_err().contains("512 MiB"));
    }
}
