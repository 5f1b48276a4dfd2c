//! The program that runs at the far end: this one, or one that the user names.

use super::error::RemoteError;
use super::files::digest_of;
use bakeoff_files::{Folder, open_plain};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The beginning of every program of Linux.
const ELF: [u8; 4] = *b"\x7fELF";

/// Address of the programs of releases.
const RELEASES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/releases");

/// A program that can be sent, known by its digest.
#[derive(Debug)]
pub(crate) struct SentProgram {
    path: PathBuf,
    /// True if the user named it: it may be for another processor than this one.
    pub(crate) is_named: bool,
    /// False for this program on another system than Linux.
    is_of_linux: bool,
    /// SHA-256 of its content, as hexadecimal digits.
    pub(crate) digest: String,
}

impl SentProgram {
    /// Reads the digest of `binary`, or of this program.
    ///
    /// # Errors
    /// It cannot be read, or is no program: a shell there would take any text for one.
    pub(crate) fn new(binary: Option<&Path>) -> Result<Self, RemoteError> {
        let own = || std::env::current_exe().map_err(RemoteError::Connection);
        let path = binary.map_or_else(own, |binary| Ok(binary.to_owned()))?;
        let fault = |reason: std::io::Error| RemoteError::file(&path.display().to_string(), reason);
        let mut beginning = Vec::new();
        let opened = open_plain(&path).map_err(fault)?;
        let mut opened = opened.take(ELF.len() as u64);
        opened.read_to_end(&mut beginning).map_err(fault)?;
        let is_of_linux = beginning == ELF;
        if binary.is_some() && !is_of_linux {
            let reason =
                "this is no program of Linux: --on-binary names that of a release, `bakeoff`";
            return Err(RemoteError::file(&path.display().to_string(), reason));
        }
        let folder = Folder::of_file(&path).map_err(fault)?;
        let name = path.file_name().and_then(|name| name.to_str());
        let digest = digest_of(&folder, name.unwrap_or_default())?;
        let digest = digest.ok_or_else(|| fault(std::io::ErrorKind::NotFound.into()))?;
        Ok(Self {
            digest: bakeoff_domain::hex(&digest),
            is_named: binary.is_some(),
            is_of_linux,
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
        if !self.is_of_linux {
            return Err(RemoteError::Start(format!(
                "{name} is {machine:?}, and this program is for another system: name the program of a release for that machine \
                 with --on-binary ({RELEASES})"
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_program_is_not_sent() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("README.md");
        for (content, is_program) in [
            ("# A text", false),
            ("#!/bin/sh\n", false),
            ("\u{fffd}program of another system", false),
            ("", false),
            ("\x7fELF…", true),
        ] {
            std::fs::write(&path, content).unwrap();
            match SentProgram::new(Some(&path)) {
                Ok(_) => assert!(is_program, "{content}"),
                Err(error) => {
                    assert!(
                        !is_program && error.to_string().contains("--on-binary"),
                        "{error}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_program_of_another_system_is_not_sent() {
        let own = SentProgram::new(None).unwrap();
        let machine = format!("Linux {}", std::env::consts::ARCH);
        own.check_runs_on("fast", &machine).unwrap();
        let other = SentProgram {
            is_of_linux: false,
            ..own
        };
        let said = other.check_runs_on("fast", &machine).unwrap_err();
        assert!(said.to_string().contains("--on-binary (https://"), "{said}");
    }
}
