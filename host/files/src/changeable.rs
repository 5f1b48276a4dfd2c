//! Checks whether anybody but the user and the system could change the file or folder at a path.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{Metadata, symlink_metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// The most symbolic links on the way of a path, as for the kernel.
const LINKS_MAX: usize = 40;

/// Groups whose members may change the system anyway. On macOS `admin` (80) is one: it may write to `/Applications` and to
/// Homebrew's folders, and become root.
const SYSTEM_GROUPS: &[u32] = if cfg!(target_os = "macos") {
    &[0, 80]
} else {
    &[0]
};

/// Permissions that are checked on the way of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// The owner alone.
    Owner,
    /// The owner, and write permissions of the group and of everybody.
    OwnerAndWriters,
}

/// Returns why others than the user and the system could change what stands at a path, as a phrase to
/// follow its name; `None` if nobody else can. Every folder and link on the way is looked at.
///
/// # Errors
/// The path does not exist, or is not absolute.
pub fn others_can_change(path: &Path) -> io::Result<Option<String>> {
    walk(path, Rule::OwnerAndWriters)
}

/// Returns why a path, or a folder or link on its way, belongs to others than the user and the system, as
/// [`others_can_change`] does but without regard to write permissions.
///
/// # Errors
/// As for [`others_can_change`].
pub fn owned_by_others(path: &Path) -> io::Result<Option<String>> {
    walk(path, Rule::Owner)
}

fn walk(path: &Path, rule: Rule) -> io::Result<Option<String>> {
    if !path.is_absolute() {
        return Err(io::Error::other("the path is not absolute"));
    }
    let mut here = PathBuf::from("/");
    let mut ahead = parts(path);
    let mut links = 0;
    let user = User::own()?;
    while let Some(part) = ahead.pop_front() {
        match part.to_str() {
            Some("/") => here = PathBuf::from("/"),
            Some("..") => {
                // No link is left in `here`: the target of each was walked instead of its name.
                here.pop();
            }
            _ => here.push(&part),
        }
        let found = symlink_metadata(&here)?;
        if let Some(why) = user.why_not(&found, rule) {
            return Ok(Some(format!("{} {why}", here.display())));
        }
        if found.is_symlink() {
            links += 1;
            if links > LINKS_MAX {
                return Err(io::Error::other("there are too many links on the way"));
            }
            let target = std::fs::read_link(&here)?;
            here.pop();
            for part in parts(&target).into_iter().rev() {
                ahead.push_front(part);
            }
        }
    }
    Ok(None)
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    parts.map(|part| part.as_os_str().to_owned()).collect()
}

/// Ids of the current user and of the system, whose files are trusted.
struct User {
    uid: u32,
    gid: u32,
    /// The owner of the root folder: inside of a container this need not be 0.
    system: u32,
}

impl User {
    fn own() -> io::Result<Self> {
        Ok(Self {
            uid: rustix::process::geteuid().as_raw(),
            gid: rustix::process::getegid().as_raw(),
            system: symlink_metadata("/")?.uid(),
        })
    }

    fn why_not(&self, found: &Metadata, rule: Rule) -> Option<&'static str> {
        if ![self.uid, self.system, 0].contains(&found.uid()) {
            return Some("belongs to another user");
        }
        // In a folder with the sticky bit nobody replaces what belongs to others. A link has no
        // permissions of its own.
        let sticky = found.is_dir() && found.mode() & 0o1000 != 0;
        if rule == Rule::Owner || sticky || found.is_symlink() {
            return None;
        }
        // Many systems give each user a group of the same number, with nobody else in it.
        let private = SYSTEM_GROUPS.contains(&found.gid())
            || (found.gid() == self.gid && self.gid == self.uid);
        match found.mode() {
            mode if mode & 0o002 != 0 => Some("can be written by everybody"),
            mode if mode & 0o020 != 0 && !private => Some("can be written by its group"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, create_dir, set_permissions, write};
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn allow(path: &Path, mode: u32) {
        set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_file_in_folders_of_the_user_and_the_system_is_nobody_elses() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        write(&file, "").unwrap();
        allow(&file, 0o755);
        assert_eq!(others_can_change(&file).unwrap(), None);
        assert_eq!(others_can_change(Path::new("/usr")).unwrap(), None);
        assert!(others_can_change(Path::new("file")).is_err());
        assert!(others_can_change(&folder.path().join("missing")).is_err());
    }

    #[test]
    fn what_everybody_can_write_to_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let open = folder.path().join("open");
        create_dir(&open).unwrap();
        allow(&open, 0o777);
        let inside = open.join("file");
        write(&inside, "").unwrap();
        allow(&inside, 0o755);
        let link = folder.path().join("link");
        symlink("open/../open/file", &link).unwrap();
        for path in [&inside, &link] {
            let why = others_can_change(path).unwrap().unwrap();
            assert!(why.ends_with("open can be written by everybody"), "{why}");
            assert_eq!(owned_by_others(path).unwrap(), None);
        }
        // As in the folder for temporary files: what is in there belongs to whoever made it.
        allow(&open, 0o1777);
        assert_eq!(others_can_change(&inside).unwrap(), None);
        allow(&inside, 0o666);
        let why = others_can_change(&link).unwrap().unwrap();
        assert!(why.ends_with("file can be written by everybody"), "{why}");
    }

    #[test]
    fn a_group_of_one_is_nobody_else_and_another_owner_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        write(&file, "").unwrap();
        allow(&file, 0o775);
        let found = symlink_metadata(&file).unwrap();
        let (uid, gid, system) = (found.uid(), found.gid(), found.uid());
        let user = User { uid, gid, system };
        let alone = gid == 0 || gid == uid;
        let why = user.why_not(&found, Rule::OwnerAndWriters);
        assert_eq!(why.is_none(), alone, "{why:?}");
        let other = User {
            uid: uid + 1,
            gid,
            system: uid + 1,
        };
        let why = other.why_not(&found, Rule::Owner);
        // Root is the system everywhere.
        let expected = (uid != 0).then_some("belongs to another user");
        assert_eq!(why, expected);
    }

    #[test]
    fn links_in_a_circle_end() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("link", &link).unwrap();
        assert!(others_can_change(&link).is_err());
    }
}
