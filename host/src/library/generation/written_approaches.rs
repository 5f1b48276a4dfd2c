//! Prototypes that passed, as files of an experiment.

use crate::library::written_files::{PlaceError, cannot_write};
use bakeoff_config::NewApproach;
use bakeoff_domain::spec::Approach;
use bakeoff_files::Folder;
use bakeoff_propose::Proposal;
use bakeoff_source::SOURCE_BYTES_MAX;
use std::path::Path;

/// An approach that was written into the experiment.
pub(crate) struct WrittenApproach {
    /// Name of the approach.
    pub(crate) name: String,
    /// Path of its file, relative to the experiment's folder.
    pub(crate) file: String,
}

/// Writes the prototypes that passed, each to a new file.
pub(crate) fn write_files(
    dir: &Path,
    approaches: &[Approach],
    proposals: &[Proposal],
) -> Result<Vec<WrittenApproach>, PlaceError> {
    let mut written = Vec::new();
    let mut number = 0;
    for proposal in proposals {
        let Some(source) = proposal.passed() else {
            continue;
        };
        let name = proposal.idea.name.clone();
        let file = match declared(approaches, &name) {
            Some(approach) => approach.code.path().display().to_string(),
            None => new_file(dir, approaches, source, &mut number)?,
        };
        written.push(WrittenApproach { name, file });
    }
    Ok(written)
}

/// Returns the text of an experiment file with the written approaches added, unless it names them already.
pub(crate) fn with_written(
    text: &str,
    approaches: &[Approach],
    proposals: &[Proposal],
    written: &[WrittenApproach],
) -> String {
    let mut entries = Vec::new();
    for one in written {
        let mut made = proposals.iter();
        let Some(proposal) = made.find(|proposal| proposal.idea.name == one.name) else {
            continue;
        };
        if declared(approaches, &one.name).is_none() {
            entries.push(NewApproach {
                name: one.name.clone(),
                description: proposal.idea.description.clone(),
                words: proposal.idea.words(),
                source: one.file.clone(),
                sweep: proposal.parameters.clone(),
            });
        }
    }
    if entries.is_empty() {
        text.to_owned()
    } else {
        bakeoff_config::with_approaches(text, &entries)
    }
}

/// Returns the approach with this name.
fn declared<'a>(approaches: &'a [Approach], name: &str) -> Option<&'a Approach> {
    approaches.iter().find(|one| one.name == name)
}

/// Writes the source of an approach to a file of its name, or of that name with a number.
pub(crate) fn write_to(
    dir: &Path,
    approaches: &[Approach],
    name: &str,
    source: &str,
) -> Result<String, PlaceError> {
    let with_number = |number: u32| match number {
        1 => format!("approaches/{name}.rs"),
        more => format!("approaches/{name}-{more}.rs"),
    };
    first_free(dir, approaches, source, &mut 0, &with_number)
}

fn new_file(
    dir: &Path,
    approaches: &[Approach],
    source: &str,
    number: &mut u32,
) -> Result<String, PlaceError> {
    let with_number = |number: u32| format!("approaches/generated-{number}.rs");
    first_free(dir, approaches, source, number, &with_number)
}

/// Writes a source to the first name that is free, and returns that name. A file that has this source already, and that
/// no approach names, is taken as written: a process wrote it that was killed.
fn first_free(
    dir: &Path,
    approaches: &[Approach],
    source: &str,
    number: &mut u32,
    with_number: &dyn Fn(u32) -> String,
) -> Result<String, PlaceError> {
    let folder = Folder::named_by_user(dir);
    let folder = folder.map_err(|error| cannot_write(dir, &error))?;
    loop {
        *number += 1;
        let name = with_number(*number);
        match folder.write_new(&name, source.as_bytes()) {
            Ok(()) => return Ok(name),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                let is_named = approaches
                    .iter()
                    .any(|one| one.code.path() == Path::new(&name));
                let has = folder.read(&name, SOURCE_BYTES_MAX as u64);
                let is_same = has.is_ok_and(|has| has.as_deref() == Some(source.as_bytes()));
                if is_same && !is_named {
                    return Ok(name);
                }
            }
            Err(error) => return Err(cannot_write(&dir.join(name), &error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_config::FILE_NAME;
    use bakeoff_propose::{AttemptOutcome, Idea, ProposalOutcome, PrototypeAttempt};
    use std::fs;

    fn proposal(name: &str, source: &str) -> Proposal {
        Proposal {
            idea: Idea {
                name: name.to_owned(),
                description: "A \"quoted\" idea.".to_owned(),
                rationale: "Where \"k\" is small.".to_owned(),
                pros: vec!["short".to_owned()],
                ..Idea::default()
            },
            subject: String::new(),
            parameters: Vec::new(),
            attempts: vec![PrototypeAttempt {
                source: source.to_owned(),
                outcome: AttemptOutcome::Passed { fuel: Vec::new() },
            }],
            outcome: ProposalOutcome::Passed,
        }
    }

    #[test]
    fn what_passed_is_in_the_experiment_and_no_file_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("wit")).unwrap();
        fs::create_dir_all(at("approaches")).unwrap();
        fs::write(at("approaches/generated-1.rs"), "mine").unwrap();
        fs::write(at("wit/x.wit"), "").unwrap();
        fs::write(at("workload.rs"), "").unwrap();
        let before = "name = \"x\"\nproblem = \"y\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n\
                      [workload]\nsource = \"workload.rs\"\nsizes = [9]\n\
                      [[approach]]\nname = \"own\"\nsource = \"approaches/generated-1.rs\"\n# the end";
        fs::write(at(FILE_NAME), before).unwrap();
        let loaded = bakeoff_config::load(folder.path()).unwrap();
        let mut failed = proposal("broken", "c");
        failed.outcome = ProposalOutcome::Failed {
            class: "trap",
            message: String::new(),
        };
        let proposals = [proposal("a", "first"), failed, proposal("b", "second")];
        let own = &loaded.experiment.approaches;
        let written = write_files(folder.path(), own, &proposals).unwrap();
        assert_eq!(written.len(), 2);
        // Killed before the experiment names them, and once more: the same files.
        let again = write_files(folder.path(), own, &proposals).unwrap();
        let files =
            |all: &[WrittenApproach]| all.iter().map(|one| one.file.clone()).collect::<Vec<_>>();
        assert_eq!(files(&again), files(&written));
        let text = with_written(&loaded.text, own, &proposals, &written);
        fs::write(at(FILE_NAME), text).unwrap();
        assert_eq!(
            fs::read_to_string(at("approaches/generated-1.rs")).unwrap(),
            "mine"
        );
        assert_eq!(
            fs::read_to_string(at("approaches/generated-3.rs")).unwrap(),
            "second"
        );
        let after = bakeoff_config::load(folder.path()).unwrap();
        assert!(after.text.starts_with(before));
        let names: Vec<&str> = after
            .experiment
            .approaches
            .iter()
            .map(|one| &*one.name)
            .collect();
        assert_eq!(names, ["own", "a", "b"]);
        let file = after.experiment.approaches[2].code.path();
        assert_eq!(file, Path::new("approaches/generated-3.rs"));
        // And once it names them, nothing is added.
        let own = &after.experiment.approaches;
        let same = write_files(folder.path(), own, &proposals).unwrap();
        assert_eq!(
            with_written(&after.text, own, &proposals, &same),
            after.text
        );
        let idea = after.experiment.approaches[1].description.as_deref();
        assert_eq!(idea, Some("A \"quoted\" idea."));
        let words = &after.experiment.approaches[1].words;
        assert_eq!(words.rationale.as_deref(), Some("Where \"k\" is small."));
        assert_eq!(words.pros, ["short"]);
    }
}
