//! A finished run with everything that it was made from, read from a folder of results or from a
//! bundle. No file of the experiment's folder is read.

use super::report::natively_of;
use crate::{Evidence, EvidenceError};
use bakeoff_config::{ConfigError, LoadedExperiment};
use bakeoff_domain::report::Report;
use bakeoff_domain::spec::Code;
use bakeoff_source::{BuildInput, COMPONENT_BYTES_MAX, RestoreError, RunFiles};
use bakeoff_store::{Contents, RunId, Store, StoreError};
use std::path::{Path, PathBuf};

/// The most bytes that are read of the files that a run was made from, all together. A run may name
/// one file many times over.
const CONTENTS_BYTES_MAX: u64 = 1 << 30;

/// A finished run with everything that it was made from.
#[derive(Debug)]
pub struct KeptRun {
    /// The evidence of the run.
    pub evidence: Evidence,
    /// The stored report.
    pub report: Report,
    /// The files that the run was made from.
    pub files: RunFiles,
    /// The store of the files' contents, and of the components that ran.
    pub(super) contents: Contents,
}

/// The reason why a run cannot be restored.
#[derive(Debug, thiserror::Error)]
pub enum KeptRunError {
    /// There is no finished run.
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A stored file is missing, or is none that a run can be made from.
    #[error(
        "run {run} cannot be put together again: {reason}; `bakeoff run --fresh` measures again"
    )]
    Files {
        /// The number of the run.
        run: i64,
        /// The reason why the run cannot be restored.
        reason: String,
    },
    /// The experiment needs folders of this machine that it may not read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The run is of a question in words.
    #[error(
        "run {run} is of a question in words: nothing of it was built or run, so nothing can be made again; `bakeoff \
         report` concludes it from the votes that were kept"
    )]
    InWords {
        /// The number of the run.
        run: i64,
    },
    /// The stored file of cases cannot be parsed.
    #[error("the file of cases that run {run} kept cannot be understood")]
    Cases {
        /// The number of the run.
        run: i64,
    },
}

impl KeptRun {
    /// Reads a finished run from its store, or the last one that is finished.
    ///
    /// # Errors
    /// See [`KeptRunError`].
    pub fn read(store: &Store, run: Option<RunId>) -> Result<Self, KeptRunError> {
        let run = Evidence::find_finished(store, run)?;
        let unfinished = || EvidenceError::NothingFinished {
            folder: store.files().folder().display().to_string(),
        };
        let report = store.report(Some(run))?.ok_or_else(unfinished)?;
        let evidence = Evidence {
            natively: natively_of(store, run)?,
            ..Evidence::read(store, run, report.cost.seconds)?
        };
        Self::put_together(evidence, report, store.files().contents())
    }

    /// Returns the run that evidence and contents describe.
    pub(super) fn put_together(
        evidence: Evidence,
        report: Report,
        contents: Contents,
    ) -> Result<Self, KeptRunError> {
        let record = &evidence.record;
        let run = record.run;
        if record.experiment.is_in_words() {
            return Err(KeptRunError::InWords { run });
        }
        let get = bounded(&contents, CONTENTS_BYTES_MAX);
        let files = RunFiles::restore(&record.manifest, &record.experiment, &record.variants, get);
        let files = files.map_err(|error: RestoreError<StoreError>| KeptRunError::Files {
            run,
            reason: error.to_string(),
        })?;
        Ok(Self {
            evidence,
            report,
            files,
            contents,
        })
    }

    /// Returns the experiment as it was run. The paths of granted folders are relative to `dir`.
    ///
    /// # Errors
    /// [`KeptRunError::Cases`], [`KeptRunError::Config`].
    pub fn loaded(&self, dir: &Path) -> Result<LoadedExperiment, KeptRunError> {
        let record = &self.evidence.record;
        let cases = self.files.parse_cases("the kept file of cases");
        let cases = cases.map_err(|_| KeptRunError::Cases { run: record.run })?;
        let experiment = record.experiment.clone();
        Ok(LoadedExperiment::recorded(
            experiment,
            PathBuf::from(dir),
            cases,
        )?)
    }

    /// Returns the component of a digest, if it was stored.
    pub(super) fn component(&self, digest: &str) -> Option<BuildInput> {
        let found = self.contents.get(digest, COMPONENT_BYTES_MAX as u64);
        let code = Code::Component(format!("the component {digest}").into());
        BuildInput::from_kept(&code, found.ok()??).ok()
    }
}

/// Returns a function that gets contents by their digest, with a limit on the bytes of each, and
/// one on all together.
fn bounded(
    contents: &Contents,
    all_bytes_max: u64,
) -> impl FnMut(&str, u64) -> Result<Option<Vec<u8>>, StoreError> {
    let mut left = all_bytes_max;
    move |sha256, bytes_max| {
        let found = contents.get(sha256, bytes_max.min(left))?;
        left -= found.as_ref().map_or(0, |bytes| bytes.len() as u64);
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_store::Files;

    #[test]
    fn a_content_that_is_named_many_times_over_counts_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let contents = Files::named_by_user(folder.path()).unwrap().contents();
        let digest = contents.put(b"12345").unwrap();
        let mut get = bounded(&contents, 12);
        assert!(get(&digest, 4).is_err());
        for _ in 0..2 {
            assert_eq!(get(&digest, 100).unwrap().unwrap(), b"12345");
        }
        assert!(get(&digest, 100).is_err());
    }
}
