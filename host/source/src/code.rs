//! The code of a prototype or a workload, read once, with its content address.

use super::bounds::{COMPONENT_BYTES_MAX, SOURCE_BYTES_MAX};
use super::module_lines::in_own_files;
use super::neighbours::with_modules;
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::hex;
use bakeoff_domain::language::Language;
use bakeoff_domain::reference::ComponentReference;
use bakeoff_domain::spec::Code;
use bakeoff_files::Reach;
use sha2::{Digest as _, Sha256};
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

/// Returns the content address of bytes: their SHA-256, as 64 hexadecimal digits.
pub fn content_address(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Returns the SHA-256 over byte strings with their lengths, so that no two different lists are
/// hashed as the same bytes, as 64 hexadecimal digits.
pub fn digest_of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hex(&hasher.finalize())
}

/// Code that can be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildInput {
    /// A Rust file.
    Source {
        /// The file, as the user names it; for messages.
        path_shown: String,
        /// The text of the file.
        text: Arc<str>,
    },
    /// A component.
    Component {
        /// The file, as the user names it; for messages.
        path_shown: String,
        /// The bytes of the file.
        bytes: Arc<[u8]>,
    },
    /// A program in any language, for which a component stands that does nothing.
    Program {
        /// The file, as the user names it; for messages.
        path_shown: String,
        /// The bytes of the file.
        bytes: Arc<[u8]>,
    },
    /// The calibrator: a no-op component of the interface, whose functions ignore their arguments
    /// and return zeros. The cost of calling it is the least cost of any call of this interface.
    Calibrator,
}

impl BuildInput {
    /// Returns the file, as messages name it.
    pub fn path_shown(&self) -> &str {
        match self {
            Self::Source { path_shown, .. }
            | Self::Component { path_shown, .. }
            | Self::Program { path_shown, .. } => path_shown,
            Self::Calibrator => "the calibrator",
        }
    }

    /// Returns the same source under another name in messages; anything else as it is.
    #[must_use]
    pub fn shown_as(self, shown: &str) -> Self {
        match self {
            Self::Source { text, .. } => Self::Source {
                path_shown: shown.to_owned(),
                text,
            },
            other => other,
        }
    }

    /// Returns the language of a source; `None` for anything else.
    pub fn language(&self) -> Option<Language> {
        match self {
            Self::Source { path_shown, .. } => {
                Some(Language::of(Path::new(path_shown)).unwrap_or_default())
            }
            _ => None,
        }
    }

    /// Returns the bytes of the file; none for the calibrator.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Source { text, .. } => text.as_bytes(),
            Self::Component { bytes, .. } | Self::Program { bytes, .. } => bytes,
            Self::Calibrator => &[],
        }
    }

    /// Returns the text of a source; `None` for anything else.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Source { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns the text of a source or of a program, to be shown; `None` for anything else, and for a program that is
    /// no text, or a long one.
    pub fn shown_text(&self) -> Option<&str> {
        match self {
            Self::Program { bytes, .. } if bytes.len() <= SOURCE_BYTES_MAX => {
                str::from_utf8(bytes).ok()
            }
            _ => self.text(),
        }
    }

    /// Returns a message with its places in the text of a source as places in the files of the source's modules.
    pub fn in_own_files(&self, message: String) -> String {
        match self {
            Self::Source { path_shown, text } => in_own_files(&message, path_shown, text),
            _ => message,
        }
    }

    /// Returns the content address of the file.
    pub fn content_address(&self) -> String {
        content_address(self.bytes())
    }

    /// Returns code of the kind that an experiment declares, from stored bytes.
    ///
    /// # Errors
    /// The bytes are those of a source file and not UTF-8.
    pub fn from_kept(code: &Code, bytes: Vec<u8>) -> Result<Self, Failure> {
        let path_shown = code.path().display().to_string();
        match code {
            Code::Component(_) | Code::Reference(_) => Ok(Self::Component {
                path_shown,
                bytes: bytes.into(),
            }),
            Code::Program(_) => Ok(Self::Program {
                path_shown,
                bytes: bytes.into(),
            }),
            Code::Source(_) => match String::from_utf8(bytes) {
                Ok(text) => Ok(Self::Source {
                    path_shown,
                    text: text.into(),
                }),
                Err(_) => Err(unreadable_source(&path_shown, "it is not UTF-8 text")),
            },
            Code::Text(_) => Err(unreadable_source(&path_shown, ONLY_WORDS)),
        }
    }
}

/// Returns the language of the source that an experiment names; `None` for anything else.
pub fn language_of(code: &Code) -> Option<Language> {
    match code {
        Code::Source(path) => Some(Language::of(path).unwrap_or_default()),
        Code::Component(_) | Code::Reference(_) | Code::Program(_) | Code::Text(_) => None,
    }
}

/// The reason why there is no code of a question in words.
const ONLY_WORDS: &str = "it says in words how something would work, which is never built";

/// Reads a file of code, up to its largest size, if it lies within `reach`.
///
/// # Errors
/// `build-failed` for source that cannot be read, is larger than [`SOURCE_BYTES_MAX`] or is not
/// UTF-8, its modules included, and for a program that cannot be read; for a component, the errors of [`read_component`].
pub fn read_code(code: &Code, dir: &Path, reach: Reach<'_>) -> Result<BuildInput, Failure> {
    let path_shown = code.path().display().to_string();
    if let (true, Err(why)) = (
        ComponentReference::is_meant(&path_shown),
        ComponentReference::parse(&path_shown),
    ) {
        // It may hold a password.
        return Err(unreadable_source(
            "oci://…",
            &format!("the reference {why}"),
        ));
    }
    let path = dir.join(code.path());
    match code {
        Code::Text(_) => Err(unreadable_source(&path_shown, ONLY_WORDS)),
        Code::Component(_) => read_component(&path, &path_shown, reach),
        Code::Reference(_) => Err(Failure {
            class: FailureClass::InvalidComponent,
            message: format!("{path_shown} is in a registry, and a file is needed here"),
            phase: Phase::Load,
            limit: None,
        }),
        Code::Source(_) => match read_source(&path, reach) {
            Ok(text) => Ok(BuildInput::Source {
                path_shown,
                text: text.into(),
            }),
            Err(reason) => Err(unreadable_source(&path_shown, &reason)),
        },
        Code::Program(_) => match read_program(&path, reach) {
            Ok(bytes) => Ok(BuildInput::Program {
                path_shown,
                bytes: bytes.into(),
            }),
            Err(reason) => Err(unreadable_source(&path_shown, &reason)),
        },
    }
}

pub(super) fn unreadable_source(path_shown: &str, reason: &str) -> Failure {
    Failure {
        class: FailureClass::BuildFailed,
        message: format!("cannot read the source {path_shown}: {reason}"),
        phase: Phase::Build,
        limit: None,
    }
}

/// Reads a source, a Rust file with the modules that lie beside it.
fn read_source(path: &Path, reach: Reach<'_>) -> Result<String, String> {
    let text = read_text(path, reach)?;
    match Language::of(path).unwrap_or_default() {
        Language::Rust => with_modules(text, path),
        _ => Ok(text),
    }
}

fn read_text(path: &Path, reach: Reach<'_>) -> Result<String, String> {
    let bytes = reach.read_bounded(path, SOURCE_BYTES_MAX as u64);
    let bytes = bytes.map_err(|error| error.to_string())?;
    let bytes = bytes.ok_or_else(|| {
        format!("it is larger than the {SOURCE_BYTES_MAX} bytes that a source may have")
    })?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

fn read_program(path: &Path, reach: Reach<'_>) -> Result<Vec<u8>, String> {
    let bytes = reach.read_bounded(path, COMPONENT_BYTES_MAX as u64);
    let bytes = bytes.map_err(|error| error.to_string())?;
    bytes.ok_or_else(|| {
        format!("it is larger than the {COMPONENT_BYTES_MAX} bytes that a program may have")
    })
}

/// Reads a component's file without parsing it.
///
/// # Errors
/// `oversize-component` beyond [`COMPONENT_BYTES_MAX`], `invalid-component` for a file that cannot
/// be read.
pub fn read_component(
    path: &Path,
    path_shown: &str,
    reach: Reach<'_>,
) -> Result<BuildInput, Failure> {
    let unreadable = |error: io::Error| Failure {
        class: FailureClass::InvalidComponent,
        message: format!("cannot read the component {path_shown}: {error}"),
        phase: Phase::Load,
        limit: None,
    };
    let file = reach.open(path).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    let mut bytes = Vec::new();
    file.take(COMPONENT_BYTES_MAX as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() > COMPONENT_BYTES_MAX {
        return Err(oversize_component(path_shown, size));
    }
    Ok(BuildInput::Component {
        path_shown: path_shown.to_owned(),
        bytes: bytes.into(),
    })
}

/// Returns the failure of a component that is too large to be read.
pub fn oversize_component(path_shown: &str, bytes: u64) -> Failure {
    Failure {
        class: FailureClass::OversizeComponent,
        message: format!(
            "{path_shown} has {bytes} bytes, and a component may have {COMPONENT_BYTES_MAX}"
        ),
        phase: Phase::Load,
        limit: Some(format!("component = {COMPONENT_BYTES_MAX} bytes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_with_its_content_address() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.wasm");
        std::fs::write(&path, b"abc").unwrap();
        let component = read_component(&path, "a.wasm", Reach::Anywhere).unwrap();
        assert_eq!(component.bytes(), b"abc");
        assert!(component.content_address().starts_with("ba7816bf8f01cfea"));
    }

    #[test]
    fn what_is_too_large_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.wasm");
        // A sparse file: it has the size, and takes no space.
        std::fs::File::create(&path)
            .unwrap()
            .set_len(COMPONENT_BYTES_MAX as u64 + 1)
            .unwrap();
        let failure = read_component(&path, "big.wasm", Reach::Anywhere).unwrap_err();
        assert_eq!(failure.class, FailureClass::OversizeComponent);
        let message = &failure.message;
        assert!(
            message.starts_with("big.wasm has 33554433 bytes"),
            "{message}"
        );
    }

    #[test]
    fn what_is_no_file_is_refused() {
        for path in ["/dev/zero", "/nonexistent", "/"] {
            let failure = read_component(Path::new(path), path, Reach::Anywhere).unwrap_err();
            assert_eq!(failure.class, FailureClass::InvalidComponent);
            assert!(failure.message.contains(path), "{}", failure.message);
            let source =
                read_code(&Code::Source(path.into()), Path::new(""), Reach::Anywhere).unwrap_err();
            assert_eq!(source.class, FailureClass::BuildFailed);
        }
    }

    #[test]
    fn a_pipe_is_refused_without_waiting_for_a_writer() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.rs");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        let failure = read_code(&Code::Source(pipe), Path::new(""), Reach::Anywhere).unwrap_err();
        assert!(
            failure.message.contains("it is a pipe, not a file"),
            "{}",
            failure.message
        );
    }
}
