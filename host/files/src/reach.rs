//! The place where a file must lie to be read: anywhere if the user named it, otherwise in one folder.

use super::folder::{Folder, outside};
use super::plain::{bounded, open_plain};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The place where a file must lie to be read.
#[derive(Clone, Copy, Debug)]
pub enum Reach<'a> {
    /// Anywhere: the user named it.
    Anywhere,
    /// A place in this folder, also when all links are followed: an experiment or a record named the file.
    Within(&'a Path),
}

impl Reach<'_> {
    /// Opens a plain file for reading. Where it has to lie in a folder, the way to it is walked from that open folder,
    /// through links that stay there: nothing outside is opened, also if a part of the path is replaced meanwhile.
    ///
    /// # Errors
    /// As for [`open_plain`], or the file does not lie in the folder.
    pub fn open(self, path: &Path) -> io::Result<File> {
        match self.from_folder(path)? {
            Some((folder, below)) => folder.open_linked(below),
            None => open_plain(path),
        }
    }

    /// Returns the open folder that a path has to lie in, and the path relative to it; `None` if it may lie anywhere.
    ///
    /// # Errors
    /// As for opening folders, or the path does not begin with the folder.
    pub fn from_folder(self, path: &Path) -> io::Result<Option<(Folder, PathBuf)>> {
        let Self::Within(folder) = self else {
            return Ok(None);
        };
        let is_here = folder.as_os_str().is_empty() || folder == Path::new(".");
        let below = match path.strip_prefix(folder) {
            Ok(below) => below.to_owned(),
            Err(_) if is_here && path.is_relative() => path.to_owned(),
            Err(_) => {
                let (path, folder) = (std::path::absolute(path)?, std::path::absolute(folder)?);
                let below = path.strip_prefix(folder).map(Path::to_owned);
                below.map_err(|_| outside())?
            }
        };
        Ok(Some((Folder::named_by_user(folder)?, below)))
    }

    /// Reads a plain file; `None` if it has more than `bytes_max` bytes.
    ///
    /// # Errors
    /// As for [`Reach::open`], or the file cannot be read.
    pub fn read_bounded(self, path: &Path, bytes_max: u64) -> io::Result<Option<Vec<u8>>> {
        bounded(self.open(path)?, bytes_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_as_long_as_they_stay_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let home = at("home");
        std::fs::create_dir_all(home.join("below")).unwrap();
        std::fs::write(at("secret"), "secret").unwrap();
        std::fs::write(at("home2"), "secret").unwrap();
        std::fs::write(home.join("below/own"), "own").unwrap();
        for (name, to) in [
            ("up", "../secret"),
            ("beside", "../home2"),
            ("in", "below/own"),
        ] {
            symlink(to, home.join(name)).unwrap();
        }
        symlink(at("secret"), home.join("below/far")).unwrap();
        let within = Reach::Within(&home);
        for name in ["up", "beside", "below/far", "../secret"] {
            let refused = within.open(&home.join(name)).unwrap_err().to_string();
            assert!(refused.contains("leaves the folder"), "{name}: {refused}");
            let named_by_user = Reach::Anywhere.read_bounded(&home.join(name), 9).unwrap();
            assert_eq!(named_by_user.as_deref(), Some(&b"secret"[..]));
        }
        for name in ["in", "below/own"] {
            let read = within.read_bounded(&home.join(name), 9).unwrap();
            assert_eq!(read.as_deref(), Some(&b"own"[..]));
        }
    }

    /// A link that leads out and in by turns, while it is read.
    #[test]
    fn nothing_outside_is_read_while_somebody_changes_what_a_link_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let home = at("home");
        std::fs::create_dir(&home).unwrap();
        std::fs::write(at("secret"), "secret").unwrap();
        std::fs::write(home.join("own"), "own").unwrap();
        symlink("own", home.join("named")).unwrap();
        std::thread::scope(|scope| {
            let changing = scope.spawn(|| {
                for number in 0..2_000 {
                    let target = ["../secret", "own"][number % 2];
                    symlink(target, home.join("next")).unwrap();
                    std::fs::rename(home.join("next"), home.join("named")).unwrap();
                }
            });
            while !changing.is_finished() {
                match Reach::Within(&home).read_bounded(&home.join("named"), 9) {
                    Ok(read) => assert_eq!(read.unwrap(), b"own"),
                    Err(error) => {
                        let said = error.to_string();
                        assert!(said.contains("leaves the folder"), "{said}");
                    }
                }
            }
        });
    }

    #[test]
    fn a_folder_is_entered_through_links_that_stay_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("home/real")).unwrap();
        std::fs::create_dir(at("outside")).unwrap();
        std::fs::write(at("home/real/own"), "own").unwrap();
        symlink("real", at("home/in")).unwrap();
        symlink("../outside", at("home/out")).unwrap();
        symlink("/proc/self/fd/0", at("home/magic")).unwrap();
        let home = Folder::named_by_user(&at("home")).unwrap();
        let below = home.below_linked("in").unwrap();
        assert_eq!(below.read("own", 3).unwrap().unwrap(), b"own");
        assert!(
            home.find("in").unwrap().is_folder() && home.find("in/own").unwrap().is_plain_file()
        );
        for name in ["out", "magic", ".."] {
            let refused = home.below_linked(name).unwrap_err();
            assert!(crate::leaves_folder(&refused), "{name}: {refused}");
        }
        let missing = home.find("out/none").unwrap_err();
        assert!(crate::leaves_folder(&missing));
    }
}
