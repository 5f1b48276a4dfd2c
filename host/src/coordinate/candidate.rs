//! A variant on its way: what is known of it so far.

use crate::artifact::{Artifact, PackedFolders};
use crate::build::limits::SOURCE_BYTES_MAX;
use crate::build::{Built, CodeBytes};
use crate::measure::GateRecord;
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::ids;
use bakeoff_domain::spec::{Approach, Code};
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

/// A variant on its way.
#[derive(Debug)]
pub struct Candidate {
    /// Safe as a file name, unique.
    pub id: String,
    /// As the user wrote it.
    pub name: String,
    /// The idea, if one was given.
    pub description: Option<String>,
    /// The file, relative to the experiment's folder, as the user wrote it.
    pub file: String,
    /// What was read from it, if it could be.
    pub code: Option<CodeBytes>,
    /// The files that it is granted, if any.
    pub files: Option<PackedFolders>,
    /// The component, once built.
    pub built: Option<Arc<Built>>,
    /// What the gate found out, once passed or failed.
    pub gate: Option<GateRecord>,
    /// Why it has no result.
    pub failure: Option<Failure>,
    /// An earlier variant with the same component: the two tie without being run.
    pub twin_of: Option<usize>,
}

impl Candidate {
    /// Reads every approach's code. What cannot be read is a failure of that variant alone.
    pub fn read_all(approaches: &[Approach], dir: &Path) -> Vec<Self> {
        let mut candidates = Self::declared(approaches);
        for (candidate, approach) in candidates.iter_mut().zip(approaches) {
            match read_code(&approach.code, dir) {
                Ok(code) => candidate.code = Some(code),
                Err(failure) => candidate.failure = Some(failure),
            }
        }
        candidates
    }

    /// Every approach as it was declared: nothing is read.
    pub(super) fn declared(approaches: &[Approach]) -> Vec<Self> {
        let ids = ids::unique(approaches.iter().map(|approach| approach.name.as_str()));
        let declare = |(approach, id): (&Approach, String)| Self {
            id,
            name: approach.name.clone(),
            description: approach.description.clone(),
            file: approach.code.path().display().to_string(),
            code: None,
            files: None,
            built: None,
            gate: None,
            failure: None,
            twin_of: None,
        };
        approaches.iter().zip(ids).map(declare).collect()
    }

    /// The indexes of those who take part in the race itself.
    pub(super) fn racing(candidates: &[Self]) -> Vec<usize> {
        let races = |index: &usize| candidates[*index].races();
        (0..candidates.len()).filter(races).collect()
    }

    /// The bytes that decide what is built.
    pub fn code_bytes(&self) -> &[u8] {
        self.code.as_ref().map_or(&[], bytes)
    }

    /// The text of its source, if that is what it came as.
    pub fn source(&self) -> Option<&str> {
        self.code.as_ref().and_then(source)
    }

    /// What decides what it does: its component, and the files that it is granted. `None` before it
    /// is built.
    pub fn identity(&self) -> Option<String> {
        let built = self.built.as_ref()?;
        Some(match &self.files {
            Some(files) => format!("{} with {}", built.digest, files.digest),
            None => built.digest.clone(),
        })
    }

    /// Whether it passed everything so far.
    pub fn is_alive(&self) -> bool {
        self.failure.is_none()
    }

    /// Whether it takes part in the race itself.
    pub fn races(&self) -> bool {
        self.is_alive() && self.twin_of.is_none() && self.built.is_some()
    }
}

/// Reads a file of code, bounded.
///
/// # Errors
/// The file cannot be read, is too large, or is source that is not text.
pub fn read_code(code: &Code, dir: &Path) -> Result<CodeBytes, Failure> {
    let path_shown = code.path().display().to_string();
    match code {
        Code::Component(path) => Ok(Artifact::load(&dir.join(path), &path_shown)?.code()),
        Code::Source(path) => {
            let text = read_text(&dir.join(path)).map_err(|reason| Failure {
                class: FailureClass::BuildFailed,
                message: format!("cannot read the source {path_shown}: {reason}"),
                phase: Phase::Build,
                limit: None,
            })?;
            Ok(CodeBytes::Source { path_shown, text })
        }
    }
}

/// Reads a source file, bounded.
pub(super) fn read_text(path: &Path) -> Result<String, String> {
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    let most = SOURCE_BYTES_MAX as u64 + 1;
    file.take(most)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 == most {
        return Err(format!(
            "it is larger than the {SOURCE_BYTES_MAX} bytes that a source may have"
        ));
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

/// The text of source code.
pub(super) fn source(code: &CodeBytes) -> Option<&str> {
    match code {
        CodeBytes::Source { text, .. } => Some(text),
        _ => None,
    }
}

/// The bytes that decide what is built.
pub(super) fn bytes(code: &CodeBytes) -> &[u8] {
    match code {
        CodeBytes::Source { text, .. } => text.as_bytes(),
        CodeBytes::Component { bytes, .. } => bytes,
        CodeBytes::Calibrator => &[],
    }
}
