//! The places of files that came: each in its own, or all of them in a folder beside them. What they replace is kept.

use super::error::RemoteError;
use super::files::digest_of;
use super::messages::Digest;
use super::returned_files::BEFORE;
use bakeoff_files::Folder;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read as _};

/// The folder into which files come whose place was taken meanwhile; a number follows.
const ASIDE: &str = "bakeoff-from-elsewhere";

/// The most such folders.
const ASIDE_MAX: u32 = 1_000;

/// Name of the database in a folder of results, and the beginning of one.
const DATABASE: &str = "bakeoff.db";
const DATABASE_HEADER: &[u8] = b"SQLite format 3\0";

/// The place of the files that came back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// The folder that all of them are in, because others changed here meanwhile.
    pub aside: Option<String>,
    /// The folder of what they replaced or removed, as it was before.
    pub before: Option<String>,
}

/// Puts the files that came in their places, all of them, and removes what is gone, once a copy of what that replaces is
/// complete. Where one of them was changed here meanwhile, puts them into a folder of their own instead.
pub(crate) fn place(
    folder: &Folder,
    (came, arrived): (&Folder, &BTreeMap<String, Digest>),
    sent: &BTreeMap<String, Digest>,
    gone: &BTreeSet<String>,
) -> Result<Placed, RemoteError> {
    for path in arrived.keys() {
        refuse_other_database(came, path)?;
    }
    // A file that cannot be read is another one than was sent.
    let is_as_sent =
        |path: &String| digest_of(folder, path).is_ok_and(|found| found.as_ref() == sent.get(path));
    if !arrived.keys().chain(gone).all(is_as_sent) {
        return Ok(Placed {
            aside: Some(put_aside(folder, came, arrived)?),
            before: None,
        });
    }
    let replaced = arrived.keys().chain(gone).filter(|path| folder.has(path));
    let before = keep_before(folder, replaced.collect())?;
    let mut copies = Copies::new(came, folder);
    for path in arrived.keys() {
        copies.copy(path)?;
    }
    for path in gone {
        let removed = folder.remove(path);
        removed.map_err(|error| RemoteError::file(path, error))?;
    }
    Ok(Placed {
        aside: None,
        before,
    })
}

/// Refuses a file in the place of a database that is none: results that are here would be lost in it.
fn refuse_other_database(came: &Folder, path: &str) -> Result<(), RemoteError> {
    if path.rsplit('/').next() != Some(DATABASE) {
        return Ok(());
    }
    let read = || {
        let mut header = Vec::new();
        let length = DATABASE_HEADER.len() as u64;
        came.open(path)?.take(length).read_to_end(&mut header)?;
        Ok(header)
    };
    let header = read().map_err(|error: io::Error| RemoteError::file(path, error))?;
    if header == DATABASE_HEADER {
        return Ok(());
    }
    Err(RemoteError::Unasked(format!(
        "{path:?}, which is no database"
    )))
}

/// Copies these files into the folder of what was before, in place of the one of the last command.
fn keep_before(folder: &Folder, paths: Vec<&String>) -> Result<Option<String>, RemoteError> {
    if paths.is_empty() {
        return Ok(None);
    }
    let fault = |error| RemoteError::file(BEFORE, error);
    // Whoever is killed meanwhile has replaced nothing yet.
    let new = format!("{BEFORE}-new");
    folder.remove_folder(&new).map_err(fault)?;
    let made = folder.make_new(&new).map_err(fault)?;
    let mut copies = Copies::new(folder, &made);
    for path in paths {
        copies.copy(path)?;
    }
    folder.remove_folder(BEFORE).map_err(fault)?;
    folder.rename(&new, BEFORE).map_err(fault)?;
    Ok(Some(BEFORE.to_owned()))
}

fn put_aside(
    folder: &Folder,
    came: &Folder,
    arrived: &BTreeMap<String, Digest>,
) -> Result<String, RemoteError> {
    for number in 1..=ASIDE_MAX {
        let name = format!("{ASIDE}-{number}");
        match folder.make_new(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => {
                let aside = made.map_err(|error| RemoteError::file(&name, error))?;
                let mut copies = Copies::new(came, &aside);
                for path in arrived.keys() {
                    copies.copy(path)?;
                }
                return Ok(name);
            }
        }
    }
    let reason = format!("there are {ASIDE_MAX} such folders: remove some");
    Err(RemoteError::file(ASIDE, reason))
}

/// Copies of files from one folder to another.
struct Copies<'a> {
    from: &'a Folder,
    to: &'a Folder,
    /// Folders in which a file was written already.
    folders: BTreeSet<String>,
}

impl<'a> Copies<'a> {
    fn new(from: &'a Folder, to: &'a Folder) -> Self {
        Self {
            from,
            to,
            folders: BTreeSet::new(),
        }
    }

    fn copy(&mut self, path: &str) -> Result<(), RemoteError> {
        let above = path.rsplit_once('/').map_or("", |(above, _)| above);
        let is_first = self.folders.insert(above.to_owned());
        let copied = || {
            let mut source = self.from.open(path)?;
            // What killed writers left is looked for once in each folder: that takes the longer the more files it has.
            let new = if is_first {
                self.to.new_file(path)?
            } else {
                self.to.further_new_file(path)?
            };
            io::copy(&mut source, &mut new.file())?;
            new.put_in_place()
        };
        copied().map_err(|error| RemoteError::file(path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest as _, Sha256};
    use std::fs;
    use std::path::PathBuf;

    /// A folder here, and one with files that came.
    struct Places {
        home: tempfile::TempDir,
        here: Folder,
        came: Folder,
        sent: BTreeMap<String, Digest>,
        arrived: BTreeMap<String, Digest>,
    }

    impl Places {
        fn new() -> Self {
            let home = tempfile::tempdir().unwrap();
            let folder = |name: &str| {
                let path = home.path().join(name);
                fs::create_dir(&path).unwrap();
                Folder::named_by_user(&path).unwrap()
            };
            let (here, came) = (folder("here"), folder("came"));
            Self {
                home,
                here,
                came,
                sent: BTreeMap::new(),
                arrived: BTreeMap::new(),
            }
        }

        fn at(&self, name: &str) -> PathBuf {
            self.home.path().join("here").join(name)
        }

        fn read(&self, name: &str) -> Option<String> {
            fs::read_to_string(self.at(name)).ok()
        }

        /// A file that is here, and was sent.
        fn sent(&mut self, name: &str, text: &str) {
            fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
            fs::write(self.at(name), text).unwrap();
            let digest = Sha256::digest(text).into();
            self.sent.insert(name.to_owned(), digest);
        }

        /// A file that came.
        fn came(&mut self, name: &str, text: &str) {
            let new = self.came.new_file(name).unwrap();
            io::Write::write_all(&mut new.file(), text.as_bytes()).unwrap();
            new.put_in_place().unwrap();
            self.arrived.insert(name.to_owned(), [1; 32]);
        }

        fn place(&self, gone: &[&str]) -> Result<Placed, RemoteError> {
            let gone = gone.iter().map(|path| (*path).to_owned()).collect();
            place(&self.here, (&self.came, &self.arrived), &self.sent, &gone)
        }
    }

    #[test]
    fn files_that_changed_here_meanwhile_are_kept_and_those_that_came_stand_beside_them() {
        let mut places = Places::new();
        places.sent(".bakeoff/x/report.json", "before");
        fs::write(places.at(".bakeoff/x/report.json"), "here").unwrap();
        places.came(".bakeoff/x/report.json", "there");
        for number in 1..=2 {
            let placed = places.place(&[]).unwrap();
            let name = format!("{ASIDE}-{number}");
            assert_eq!(
                (placed.aside.as_deref(), placed.before),
                (Some(&*name), None)
            );
            let kept = places.read(&format!("{name}/.bakeoff/x/report.json"));
            assert_eq!(kept.as_deref(), Some("there"));
        }
        let kept = places.read(".bakeoff/x/report.json");
        assert_eq!(kept.as_deref(), Some("here"));
    }

    #[test]
    fn case_312_what_is_replaced_or_removed_is_kept_until_the_next_time() {
        let mut places = Places::new();
        places.came(".bakeoff/x/new", "new");
        assert_eq!(places.place(&[]).unwrap(), Placed::default());
        for round in ["first", "second"] {
            places.arrived.clear();
            places.sent(".bakeoff/x/bakeoff.db", round);
            places.sent(".bakeoff/y/old", round);
            places.sent(".bakeoff/y/untouched", round);
            places.came(".bakeoff/x/bakeoff.db", "SQLite format 3\0…");
            // What a killed process left of its copy is no part of it.
            fs::create_dir_all(places.at("bakeoff-before-elsewhere-new/half")).unwrap();
            let placed = places.place(&[".bakeoff/y/old"]).unwrap();
            assert_eq!(placed.before.as_deref(), Some(BEFORE));
            let before = |path: &str| places.read(&format!("{BEFORE}/.bakeoff/{path}"));
            assert_eq!(before("x/bakeoff.db").as_deref(), Some(round));
            assert_eq!(before("y/old").as_deref(), Some(round));
            assert_eq!(before("y/untouched"), None);
            assert!(!places.at(BEFORE).join("half").exists());
            assert!(!places.at("bakeoff-before-elsewhere-new").exists());
            assert!(!places.at(".bakeoff/y/old").exists());
        }
    }

    #[test]
    fn case_312_what_is_no_database_replaces_none() {
        for content in ["", "SQLite format 3", "garbage that is long enough"] {
            let mut places = Places::new();
            places.sent(".bakeoff/x/bakeoff.db", "SQLite format 3\0finished");
            places.came(".bakeoff/a", "a");
            places.came(".bakeoff/x/bakeoff.db", content);
            let refused = places.place(&[]).unwrap_err();
            assert!(refused.to_string().contains("is no database"), "{refused}");
            assert!(!places.at(".bakeoff/a").exists());
            assert!(!places.at(BEFORE).exists());
            let kept = places.read(".bakeoff/x/bakeoff.db").unwrap();
            assert_eq!(kept, "SQLite format 3\0finished");
        }
    }
}
