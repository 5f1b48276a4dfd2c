//! The end of an exploration: the files of the experiment, and the record beside it.

use super::draft_files::{digests, write_all};
use super::error::ExplorationError;
use super::outcome::{ExplorationOutcome, UnusableAnswer};
use super::request::{ExplorationRequest, PlannedExploration};
use super::result::ExplorationResult;
use crate::library::generation::record::{self, ExplorationRecord};
use crate::library::generation::{Generation, experiment_change, outcome, written_approaches};
use bakeoff_config::{FILE_NAME, LoadedExperiment};
use bakeoff_propose::DraftFile;
use bakeoff_provider::Models;

impl ExplorationRequest<'_> {
    /// Writes what passed into the folder, and the outcome of all beside it. `earlier` is the experiment that an unfinished
    /// exploration left there. If the process is killed at any moment, the same request comes to the same end.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn write(
        &self,
        (planned, explored): (PlannedExploration, bakeoff_propose::ExplorationParts),
        models: &Models,
        earlier: Option<&LoadedExperiment>,
        say: &mut dyn FnMut(&str),
    ) -> Result<ExplorationResult, ExplorationError> {
        let dir = self.folder;
        let (experiment, others): (Vec<&DraftFile>, Vec<&DraftFile>) =
            (explored.files.iter()).partition(|file| file.name == FILE_NAME);
        write_all(dir, &others)?;
        let declared = earlier.map_or(&[][..], |loaded| &loaded.experiment.approaches);
        let proposals = &explored.proposals;
        let written = if explored.files.is_empty() {
            Vec::new()
        } else {
            written_approaches::write_files(dir, declared, proposals)?
        };
        let planning = Some(&planned.planning);
        let unusable = explored.unusable.clone();
        let mut made = ExplorationOutcome {
            record: ExplorationRecord {
                wanted: self.identity(),
                files: digests(others),
                is_complete: false,
            },
            approaches: outcome::keep(dir, proposals, &written, Some(models), planning)?,
            criteria: Some(planned.criteria.or_of_file(earlier)),
            oracle: explored.oracle.clone(),
            not_started: explored.not_started.clone(),
            unusable: unusable.map(|(task, reason)| UnusableAnswer { task, reason }),
        };
        record::put(dir, &made)?;
        // The experiment file, by which a folder is one, comes last, and with all approaches: until then, the same
        // request goes on.
        for file in experiment {
            match earlier {
                Some(loaded) => {
                    let path = dir.join(&file.name);
                    experiment_change::change(&path, loaded, say, |now| {
                        let declared = &now.experiment.approaches;
                        written_approaches::with_written(&now.text, declared, proposals, &written)
                    })?;
                }
                None => {
                    let text =
                        written_approaches::with_written(&file.text, declared, proposals, &written);
                    let name = file.name.clone();
                    write_all(dir, &[&DraftFile { name, text }])?;
                }
            }
        }
        if explored.ended.is_none() {
            made.record.is_complete = true;
            record::put(dir, &made)?;
        }
        let ended = explored.ended;
        let generation = Generation::new(made.approaches.clone(), Some(models), ended);
        Ok(ExplorationResult::new(
            made,
            generation,
            !explored.files.is_empty(),
        ))
    }
}
