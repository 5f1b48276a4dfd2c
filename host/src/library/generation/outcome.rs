//! Result of asking a model or a proposer for approaches: the files that are written, and the text that is shown.

use super::cost::cost;
use super::error::GenerationError;
use super::experiment_change;
use super::planning::Planning;
use super::record::{GenerationRecord, put, with_earlier, write};
use super::written_approaches::{WrittenApproach, with_written, write_files};
use bakeoff_config::LoadedExperiment;
use bakeoff_domain::report::{
    ATTEMPTS_MAX, GeneratedApproach, GeneratedIteration, Generation, ModelCost,
};
use bakeoff_propose::{
    AttemptOutcome, OwnApproach, Proposal, ProposalOutcome, PrototypeAttempt, generation_prompts,
};
use bakeoff_provider::Models;
use bakeoff_render::escape::{Lines, Plain, ShellPath};
use bakeoff_source::content_address;
use std::path::Path;

/// The folder of the attempts' sources, in the folder of an experiment.
const ATTEMPTS: &str = ".bakeoff/generation.attempts";

/// The most characters of a failure that are shown to a person.
const MESSAGE_CHARS_MAX: usize = 600;

/// Keeps the source of every attempt beside the experiment. Returns the outcomes of all proposals, with their costs.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn keep(
    dir: &Path,
    proposals: &[Proposal],
    written: &[WrittenApproach],
    models: Option<&Models>,
    planning: Option<&Planning>,
) -> Result<Generation, GenerationError> {
    let mut approaches = Vec::with_capacity(proposals.len());
    for proposal in proposals {
        approaches.push(approach(dir, proposal, written, models)?);
    }
    Ok(Generation {
        approaches,
        model: models.map(Models::name).unwrap_or_default(),
        spent: models.map_or_else(ModelCost::default, |models| (&models.spent().total).into()),
        expected: planning.map(|one| one.expected),
        plan: planning.zip(models).map(|(one, models)| one.kept(models)),
        prompts: Vec::new(),
    })
}

fn approach(
    dir: &Path,
    proposal: &Proposal,
    written: &[WrittenApproach],
    models: Option<&Models>,
) -> Result<GeneratedApproach, GenerationError> {
    let name = &proposal.idea.name;
    let (outcome, message) = match &proposal.outcome {
        ProposalOutcome::Passed => ("passed", None),
        ProposalOutcome::Duplicate { of } => {
            ("duplicate", Some(format!("it does the same work as {of}")))
        }
        ProposalOutcome::Failed { class, message } => (*class, Some(message.clone())),
    };
    let counting = proposal
        .counting()
        .filter(|_| proposal.outcome == ProposalOutcome::Passed);
    let mut iterations = Vec::new();
    for (place, attempt) in proposal.attempts.iter().take(ATTEMPTS_MAX).enumerate() {
        iterations.push(iteration(dir, name, place, attempt, counting)?);
    }
    let mut written = written.iter();
    let asked = models.filter(|_| !proposal.subject.is_empty());
    let spent = asked.and_then(|models| models.spent().by_subject.get(&proposal.subject).copied());
    Ok(GeneratedApproach {
        name: name.clone(),
        description: proposal.idea.description.clone(),
        file: written
            .find(|one| one.name == *name)
            .map(|one| one.file.clone()),
        attempts: proposal.attempts.len() as u64,
        outcome: outcome.to_owned(),
        message,
        cost: spent.as_ref().map(ModelCost::from).unwrap_or_default(),
        iterations,
    })
}

fn iteration(
    dir: &Path,
    name: &str,
    place: usize,
    attempt: &PrototypeAttempt,
    counting: Option<usize>,
) -> Result<GeneratedIteration, GenerationError> {
    let number = place as u32 + 1;
    let file = format!("{ATTEMPTS}/{name}/{number}.rs");
    write(dir, &file, &attempt.source)?;
    let (outcome, message) = match &attempt.outcome {
        AttemptOutcome::Passed { .. } => ("passed", None),
        AttemptOutcome::Failed { class, message } => (class.name(), Some(message.clone())),
    };
    Ok(GeneratedIteration {
        number,
        source: content_address(attempt.source.as_bytes()),
        file: Some(file),
        outcome: outcome.to_owned(),
        message,
        counts: counting == Some(place),
    })
}

/// Returns the approaches of an experiment in the form that a model is told.
pub(crate) fn own_approaches(loaded: &LoadedExperiment) -> Vec<OwnApproach<'_>> {
    let told = loaded.experiment.approaches.iter();
    told.map(|approach| OwnApproach {
        name: &approach.name,
        description: approach.description.as_deref(),
    })
    .collect()
}

/// Result of a generation that is to be written, with the experiment that it belongs to.
pub(crate) struct Ending<'a> {
    pub(crate) loaded: &'a LoadedExperiment,
    /// The experiment file.
    pub(crate) file: &'a Path,
    pub(crate) proposals: &'a [Proposal],
    pub(crate) models: Option<&'a Models>,
    pub(crate) planning: Option<&'a Planning>,
    pub(crate) not_started: &'a [String],
    pub(crate) wanted: String,
    /// False if a budget or the model ended the generation: the same request can go on later.
    pub(crate) is_complete: bool,
    /// Receiver of what the user should know.
    pub(crate) say: &'a mut dyn FnMut(&str),
}

/// Writes the prototypes that passed into an experiment, and the outcomes of all beside it. If the process is killed at
/// any moment, the same call made again comes to the same end.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn finish(ending: Ending<'_>) -> Result<Generation, GenerationError> {
    let dir = &ending.loaded.dir;
    let approaches = &ending.loaded.experiment.approaches;
    let written = write_files(dir, approaches, ending.proposals)?;
    let mut made = keep(
        dir,
        ending.proposals,
        &written,
        ending.models,
        ending.planning,
    )?;
    if ending.models.is_some() {
        made.prompts = generation_prompts(&ending.loaded.prompts);
    }
    let mut kept = GenerationRecord {
        generation: with_earlier(dir, made.clone()),
        not_started: ending.not_started.to_vec(),
        wanted: ending.wanted,
        names: written.iter().map(|one| one.name.clone()).collect(),
        is_complete: false,
    };
    // Before the experiment names the approaches: a generation that goes on must leave them out of its question.
    put(dir, &kept)?;
    if !written.is_empty() {
        experiment_change::change(ending.file, ending.loaded, ending.say, |now| {
            let approaches = &now.experiment.approaches;
            with_written(&now.text, approaches, ending.proposals, &written)
        })?;
    }
    if ending.is_complete {
        kept.is_complete = true;
        put(dir, &kept)?;
    }
    Ok(made)
}

/// Returns the outcomes of a generation as text, with the cost of the models if any were asked.
pub(crate) fn text(generation: &Generation, models: Option<&Models>) -> String {
    let mut text = String::new();
    for approach in &generation.approaches {
        let attempts = match approach.attempts {
            1 => "1 attempt".to_owned(),
            count => format!("{count} attempts"),
        };
        let file = approach.file.as_deref().unwrap_or("not written");
        text += &format!(
            "{}: {}, {attempts}, {}\n  {}\n",
            Plain(&approach.name),
            Plain(&approach.outcome),
            Plain(file),
            Plain(&approach.description)
        );
        if let Some(message) = &approach.message {
            let short: String = message.chars().take(MESSAGE_CHARS_MAX).collect();
            text += &format!("  {}\n", Lines(&short).to_string().replace('\n', "\n  "));
        }
    }
    if let Some(models) = models {
        let spent = cost(&models.spent().total);
        text += &format!("\n{}: {spent}\n", Plain(&models.name()));
    }
    text
}

/// Returns the next step with approaches that were written into an experiment as text, which is for the user to do; empty if
/// there are none.
pub(crate) fn next_step(generation: &Generation, experiment: &Path) -> String {
    let has_file = |approach: &GeneratedApproach| approach.file.is_some();
    if !generation.approaches.iter().any(has_file) {
        return String::new();
    }
    let named = experiment.display().to_string();
    format!(
        "\nRead them, then measure them:\n  bakeoff run {}\n",
        ShellPath(&named)
    )
}

#[cfg(test)]
mod tests {
    use super::super::record::kept;
    use super::*;
    use bakeoff_domain::failure::FailureClass;
    use bakeoff_propose::Idea;
    use std::fs;

    fn attempt(source: &str, passes: bool) -> PrototypeAttempt {
        let outcome = if passes {
            AttemptOutcome::Passed { fuel: Vec::new() }
        } else {
            AttemptOutcome::Failed {
                class: FailureClass::Trap,
                message: "\u{1b}[2J".to_owned(),
            }
        };
        PrototypeAttempt {
            source: source.to_owned(),
            outcome,
        }
    }

    fn proposal(name: &str, attempts: Vec<PrototypeAttempt>) -> Proposal {
        Proposal {
            idea: Idea {
                name: name.to_owned(),
                ..Idea::default()
            },
            subject: String::new(),
            parameters: Vec::new(),
            attempts,
            outcome: ProposalOutcome::Passed,
        }
    }

    #[test]
    fn each_attempt_has_its_source_and_the_first_that_passed_counts() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let tried = ["one", "two", "three"].map(|source| attempt(source, source == "two"));
        let made = keep(dir, &[proposal("a", tried.to_vec())], &[], None, None).unwrap();
        put(dir, &made).unwrap();
        let read: Generation = kept(dir).unwrap().unwrap();
        assert_eq!(read, made);
        let counts: Vec<(u32, bool)> = read.approaches[0]
            .iterations
            .iter()
            .map(|one| (one.number, one.counts))
            .collect();
        assert_eq!(counts, [(1, false), (2, true), (3, false)]);
        let third = fs::read_to_string(dir.join(".bakeoff/generation.attempts/a/3.rs")).unwrap();
        assert_eq!(third, "three");
        assert!(!text(&read, None).contains('\u{1b}'));

        let more = keep(dir, &[proposal("b", Vec::new())], &[], None, None).unwrap();
        let names = with_earlier(dir, more).approaches;
        let names: Vec<&str> = names.iter().map(|one| &*one.name).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn case_149_attempts_are_not_written_through_links() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(folder.path().join(".bakeoff")).unwrap();
        std::os::unix::fs::symlink(other.path(), folder.path().join(ATTEMPTS)).unwrap();
        let made = [proposal("a", vec![attempt("one", true)])];
        assert!(keep(folder.path(), &made, &[], None, None).is_err());
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
    }
}
