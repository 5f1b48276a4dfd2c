//! Folders and files that an agent names: below a root, or refused.
//!
//! A path is resolved by opening it, step by step, from the open root (`cap_std`): neither `..` nor a link leads out,
//! and the opened file itself is used, whatever takes its place meanwhile.

use super::error::{ToolError, quoted};
use super::limits::{FILE_BYTES_MAX, PATH_BYTES_MAX};
use bakeoff_agents::AgentExperiment;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt as _};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// The folder of all experiments with agents, at the top of a repository.
pub(super) const AGENTS_FOLDER: &str = ".bakeoff";

/// The most folders that a client can send as roots; further ones are ignored.
const CLIENT_ROOTS_MAX: usize = 32;

/// The roots: folders that an agent may name, with all below them.
#[derive(Debug, Default)]
pub(super) struct Roots {
    roots: Vec<Root>,
}

#[derive(Debug)]
struct Root {
    /// Path of the root without links.
    path: PathBuf,
    folder: Dir,
}

impl Roots {
    /// Opens the folders.
    ///
    /// # Errors
    /// One of them cannot be opened; the error names it.
    pub(super) fn open(paths: &[PathBuf]) -> io::Result<Self> {
        let open = |path: &PathBuf| {
            let named = |error: io::Error| {
                let message = format!("--root {}: {error}", path.display());
                io::Error::new(error.kind(), message)
            };
            let real = path.canonicalize().map_err(named)?;
            let folder = Dir::open_ambient_dir(&real, ambient_authority()).map_err(named)?;
            Ok(Root { path: real, folder })
        };
        let roots = paths.iter().map(open).collect::<io::Result<_>>()?;
        Ok(Self { roots })
    }

    /// Opens the folders that a client names by their addresses; those that cannot be opened are left out.
    pub(super) fn of_client<'a>(addresses: impl Iterator<Item = &'a str>) -> Self {
        let paths = addresses.take(CLIENT_ROOTS_MAX).filter_map(path_of);
        let roots = paths.filter_map(|path| Some(Self::open(&[path]).ok()?.roots));
        Self {
            roots: roots.flatten().collect(),
        }
    }

    /// Returns true if there is no root.
    pub(super) fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// Returns handles of all roots.
    ///
    /// # Errors
    /// There are too many open files.
    pub(super) fn handles(&self) -> io::Result<Vec<File>> {
        let roots = self.roots.iter();
        roots
            .map(|root| Ok(root.folder.try_clone()?.into_std_file()))
            .collect()
    }

    /// Opens a folder below a root.
    ///
    /// # Errors
    /// The path is not that of a folder there.
    pub(super) fn folder(&self, path: &str) -> Result<File, ToolError> {
        let folder = self.find(path, "folder", |root, path| root.open_dir(path))?;
        Ok(folder.into_std_file())
    }

    /// Opens the repository of an experiment with agents whose folder below a root, `REPOSITORY/.bakeoff/NAME`, this path
    /// names. Returns it with the path from there; `None` for every other path.
    pub(super) fn repository_of_agents(&self, path: &str) -> Option<(File, PathBuf)> {
        let folder = self.folder(path).ok()?;
        let opened = path_of_opened(&folder)?;
        let path = Path::new(path);
        let (name, above) = (path.file_name()?, path.parent()?);
        if above.file_name()? != AGENTS_FOLDER || AgentExperiment::is_none_of_agents(&opened) {
            return None;
        }
        let repository = match above.parent()?.to_str()? {
            "" => ".",
            repository => repository,
        };
        let below = Path::new(AGENTS_FOLDER).join(name);
        Some((self.folder(repository).ok()?, below))
    }

    /// Opens a folder below a root, which is made where it is missing: below the root that an absolute path begins with,
    /// or else below the first.
    ///
    /// # Errors
    /// The path is not that of a folder there, and none can be made.
    pub(super) fn folder_made(&self, path: &str) -> Result<File, ToolError> {
        let opened = self.folder(path);
        if opened.is_ok() || path.is_empty() || path.len() > PATH_BYTES_MAX || path.contains('\0') {
            return opened;
        }
        let named = Path::new(path);
        let below = if named.is_absolute() {
            self.roots.iter().find_map(|root| {
                let relative = named.strip_prefix(&root.path).ok()?;
                Some((root, relative))
            })
        } else {
            self.roots.first().map(|root| (root, named))
        };
        // What cannot be made is refused in the words of a folder that is not there.
        if let Some((root, relative)) = below {
            let _ = root.folder.create_dir_all(relative);
        }
        self.folder(path).or(opened)
    }

    /// Reads a plain file below a root.
    ///
    /// # Errors
    /// The path is not that of a plain file there, or the file is larger than [`FILE_BYTES_MAX`].
    pub(super) fn read(&self, path: &str) -> Result<Vec<u8>, ToolError> {
        let mut options = OpenOptions::new();
        // Opening a named pipe must not wait for its other end.
        options
            .read(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
        let file = self.find(path, "file", |root, path| root.open_with(path, &options))?;
        let unreadable = |why: &dyn std::fmt::Display| {
            ToolError::new(format!("the file {} cannot be read: {why}", quoted(path)))
        };
        let kind = file.metadata().map_err(|error| unreadable(&error))?;
        if !kind.is_file() {
            return Err(unreadable(&"it is no plain file; name a file"));
        }
        let mut bytes = Vec::new();
        file.take(FILE_BYTES_MAX as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(&error))?;
        if bytes.len() <= FILE_BYTES_MAX {
            Ok(bytes)
        } else {
            Err(unreadable(&format!(
                "it is larger than {} MiB, which is the most for a file",
                FILE_BYTES_MAX >> 20
            )))
        }
    }

    /// Opens the file or folder that a path names, below the first root that has it.
    fn find<T>(
        &self,
        text: &str,
        what: &str,
        open: impl Fn(&Dir, &Path) -> io::Result<T>,
    ) -> Result<T, ToolError> {
        let shown = quoted(text);
        if self.roots.is_empty() {
            return Err(ToolError::new(format!(
                "the {what} {shown} is out of reach: this server has no root. Ask the user to start it as \
                 `bakeoff mcp --root FOLDER`, or give the code inline with `compare`"
            )));
        }
        if text.is_empty() || text.len() > PATH_BYTES_MAX || text.contains('\0') {
            return Err(ToolError::new(format!(
                "the path {shown} is empty, longer than {PATH_BYTES_MAX} bytes or has a NUL: name a {what} below \
                 a root"
            )));
        }
        let mut last = None;
        for root in &self.roots {
            let path = Path::new(text);
            let relative = if path.is_absolute() {
                match path.strip_prefix(&root.path) {
                    Ok(relative) => relative,
                    Err(_) => continue,
                }
            } else {
                path
            };
            let relative = if relative.as_os_str().is_empty() {
                Path::new(".")
            } else {
                relative
            };
            match open(&root.folder, relative) {
                Ok(found) => return Ok(found),
                Err(error) => last = Some(error),
            }
        }
        let why = match last {
            None => "it is not below a root".to_owned(),
            Some(error) if error.kind() == io::ErrorKind::NotFound => "there is none".to_owned(),
            Some(error) => error.to_string(),
        };
        let roots = self.roots.iter();
        let roots: Vec<String> = roots.map(|root| root.path.display().to_string()).collect();
        Err(ToolError::new(format!(
            "the {what} {shown} cannot be opened: {why}. Name one below {}, by its absolute path or relative to \
             there; neither `..` nor a link may lead out",
            roots.join(" or ")
        )))
    }
}

/// Returns a path that leads to an open folder, whatever has its place.
#[cfg(target_os = "linux")]
fn path_of_opened(folder: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd as _;
    let number = folder.as_raw_fd();
    Some(PathBuf::from(format!("/proc/self/fd/{number}")))
}

/// Returns `None`, since other systems have no such path. No agent's command is started there.
#[cfg(not(target_os = "linux"))]
fn path_of_opened(_folder: &File) -> Option<PathBuf> {
    None
}

/// Returns the path in the address of a file: `file:///a%20b`.
fn path_of(address: &str) -> Option<PathBuf> {
    let rest = address.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let mut bytes = Vec::new();
    let mut encoded = rest.bytes();
    while let Some(byte) = encoded.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [encoded.next()?, encoded.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    let is_path = bytes.starts_with(b"/") && bytes.len() <= PATH_BYTES_MAX && !bytes.contains(&0);
    is_path.then(|| OsString::from_vec(bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// Makes a root with a folder in it, and a file beside the root that no path may reach.
    fn roots() -> (tempfile::TempDir, Roots) {
        let outside = tempfile::tempdir().unwrap();
        let at = |name: &str| outside.path().join(name);
        fs::create_dir_all(at("root/in/deep")).unwrap();
        fs::create_dir_all(at("root-beside")).unwrap();
        fs::write(at("secret"), "canary").unwrap();
        fs::write(at("root-beside/secret"), "canary").unwrap();
        fs::write(at("root/in/file.rs"), "text").unwrap();
        symlink("in", at("root/link-in")).unwrap();
        symlink("..", at("root/link-out")).unwrap();
        symlink(at("secret"), at("root/in/link-out.rs")).unwrap();
        let roots = Roots::open(&[at("root")]).unwrap();
        (outside, roots)
    }

    #[test]
    fn what_lies_below_a_root_is_found_by_relative_and_absolute_paths() {
        let (outside, roots) = roots();
        assert_eq!(roots.read("in/file.rs").unwrap(), b"text");
        assert_eq!(roots.read("link-in/file.rs").unwrap(), b"text");
        assert_eq!(roots.read("in/deep/../file.rs").unwrap(), b"text");
        let root = outside.path().canonicalize().unwrap().join("root");
        let absolute = root.join("in/file.rs");
        assert_eq!(roots.read(absolute.to_str().unwrap()).unwrap(), b"text");
        assert!(roots.folder(root.to_str().unwrap()).is_ok());
        assert!(roots.folder(".").is_ok() && roots.folder("in").is_ok());
    }

    #[test]
    fn nothing_leads_out_of_a_root() {
        let (outside, roots) = roots();
        let path = |name: &str| outside.path().join(name).to_str().unwrap().to_owned();
        for file in [
            "../secret",
            "in/../../secret",
            "link-out/secret",
            "in/link-out.rs",
            &path("secret"),
            &path("root/../secret"),
            &path("root-beside/secret"),
            "/etc/passwd",
            "/proc/self/environ",
            "",
            "in/file.rs\0",
            &"a/".repeat(PATH_BYTES_MAX),
            "nowhere.rs",
            "in",
        ] {
            let refused = roots.read(file).unwrap_err();
            assert!(!refused.text().contains("canary"), "{file}");
        }
        for folder in [
            "..",
            "link-out",
            "/",
            "/proc/self/root",
            &path("root-beside"),
            "in/file.rs",
        ] {
            assert!(roots.folder(folder).is_err(), "{folder}");
        }
    }

    #[test]
    fn without_a_root_no_path_is_opened() {
        let refused = Roots::default().folder(".").unwrap_err();
        assert!(refused.text().contains("--root"), "{}", refused.text());
    }

    #[test]
    fn a_pipe_is_refused_at_once_and_a_missing_root_is_named() {
        let (outside, roots) = roots();
        let pipe = outside.path().join("root/pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        assert!(
            roots
                .read("pipe")
                .unwrap_err()
                .text()
                .contains("no plain file")
        );
        let missing = Roots::open(&[outside.path().join("none")]).unwrap_err();
        assert!(missing.to_string().contains("none"), "{missing}");
    }

    #[test]
    fn folders_of_a_client_are_paths_of_this_machine() {
        let path = |address: &str| path_of(address).map(|path| path.display().to_string());
        assert_eq!(path("file:///a%20b/%C3%A4").as_deref(), Some("/a b/ä"));
        assert_eq!(path("file://localhost/a").as_deref(), Some("/a"));
        for no_path in [
            "/a",
            "http://h/a",
            "file://host/a",
            "file:///a%0",
            "file:///a%00",
            "file://",
        ] {
            assert_eq!(path(no_path), None, "{no_path}");
        }
        let (outside, _) = roots();
        let address = format!("file://{}", outside.path().join("root").display());
        let addresses = ["file:///nowhere/at/all", &address];
        let roots = Roots::of_client(addresses.into_iter());
        assert_eq!(roots.read("in/file.rs").unwrap(), b"text");
        assert!(!roots.is_empty() && Roots::of_client(std::iter::empty()).is_empty());
    }
}
