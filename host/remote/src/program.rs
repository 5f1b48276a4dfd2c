//! The program that runs at the far end: this one, or one that the user names.

use super::error::RemoteError;
use super::files::digest_of;
use bakeoff_files::{Folder, open_plain};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// First bytes of programs for macOS, of one processor and of several.
const MACH_O: [[u8; 4]; 2] = [[0xcf, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe]];

/// Address of the programs of releases.
const RELEASES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/releases");

/// A program that can be sent, known by its digest.
#[derive(Debug)]
pub(crate) struct SentProgram {
    path: PathBuf,
    /// True if the user named it: it may be for another processor than this one.
    pub(crate) is_named: bool,
    /// SHA-256 of its content, as hexadecimal digits.
    pub(crate) digest: String,
}

impl SentProgram {
    /// Reads the digest of `binary`, or of this program.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn new(binary: Option<&Path>) -> Result<Self, RemoteError> {
        let own = || std::env::current_exe().map_err(RemoteError::Connection);
        let path = binary.map_or_else(own, |binary| Ok(binary.to_owned()))?;
        let fault = |reason: std::io::Error| RemoteError::file(&path.display().to_string(), reason);
        let folder = Folder::of_file(&path).map_err(fault)?;
        let name = path.file_name().and_then(|name| name.to_str());
        let digest = digest_of(&folder, name.unwrap_or_default())?;
        let digest = digest.ok_or_else(|| fault(std::io::ErrorKind::NotFound.into()))?;
        Ok(Self {
            digest: bakeoff_domain::hex(&digest),
            is_named: binary.is_some(),
            path,
        })
    }

    /// Opens it. Whoever takes what is read there checks it by the digest.
    pub(crate) fn open(&self) -> Result<File, RemoteError> {
        let opened = open_plain(&self.path);
        opened.map_err(|error| RemoteError::file(&self.path.display().to_string(), error))
    }

    /// Returns an error unless it runs on a machine, whose system and processor are named as `uname -sm` does.
    pub(crate) fn check_runs_on(&self, name: &str, machine: &str) -> Result<(), RemoteError> {
        if self.is_for_macos()? {
            return Err(RemoteError::Start(format!(
                "{name} is {machine:?}, and {} is a program for macOS: name the program of a release for that machine with \
                 --on-binary ({RELEASES})",
                self.path.display()
            )));
        }
        let own = format!("Linux {}", std::env::consts::ARCH);
        if self.is_named || machine == own {
            return Ok(());
        }
        Err(RemoteError::Start(format!(
            "{name} is {machine:?}, and this program is for {own}: name the program of a release for that machine with \
             --on-binary"
        )))
    }

    fn is_for_macos(&self) -> Result<bool, RemoteError> {
        let mut start = [0; 4];
        let read = self.open()?.read_exact(&mut start);
        Ok(read.is_ok() && MACH_O.contains(&start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(bytes: &[u8]) -> (tempfile::TempDir, SentProgram) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bakeoff");
        std::fs::write(&path, bytes).unwrap();
        let program = SentProgram::new(Some(&path)).unwrap();
        (folder, program)
    }

    #[test]
    fn a_program_for_macos_is_sent_nowhere_even_if_it_is_named() {
        let machine = "Linux aarch64";
        for start in MACH_O {
            let (_folder, program) = program(&[&start[..], b"rest"].concat());
            let refused = program.check_runs_on("fast", machine).unwrap_err();
            let said = refused.to_string();
            assert!(said.contains("--on-binary (https://"), "{said}");
        }
        let (_folder, elf) = program(b"\x7fELF and so on");
        elf.check_runs_on("fast", machine).unwrap();
        let (_folder, short) = program(b"#!");
        short.check_runs_on("fast", machine).unwrap();
    }
}
