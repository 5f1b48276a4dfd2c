//! What came of asking for approaches: kept beside the experiment, with each attempt, read again by a run, shown.

use super::failure::Failure;
use super::models;
use super::placing::{cannot_write, refuse_link, replace};
use super::written::{Written, with_written, write_files};
use crate::config::LoadedExperiment;
use crate::files::{Reach, parse_json_of};
use crate::propose::{
    Attempt, AttemptOutcome, OwnApproach, Plan, PlannedTask, Proposal, ProposalOutcome,
};
use crate::provider::{Models, Spent};
use crate::render::escape::{Lines, Plain, ShellPath};
use crate::source::content_address;
use bakeoff_domain::report::{
    ATTEMPTS_MAX, ExpectedCost, GENERATED_MAX, GeneratedApproach, GeneratedIteration, Generation,
    ModelCost,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// What came of it, in the folder of an experiment.
const FILE: &str = ".bakeoff/generation.json";

/// The folder of the attempts' sources, in the folder of an experiment.
const ATTEMPTS: &str = ".bakeoff/generation.attempts";

/// The record of a folder's exchanges with models, from which nothing is paid for twice.
const RECORD: &str = ".bakeoff/models.jsonl";

/// The largest record that is read, in bytes, and the most values of it.
const FILE_BYTES_MAX: u64 = 16 << 20;
const FILE_VALUES_MAX: usize = 1 << 16;

/// Tokens of a prompt that are expected for each task, where nothing is known yet: the problem, the interface and
/// a source.
const PROMPT_TOKENS: u64 = 3_000;

/// The most characters of a failure that are shown to a person.
const MESSAGE_CHARS_MAX: usize = 600;

/// Keeps the source of every attempt beside the experiment, and returns what came of all.
///
/// # Errors
/// A file cannot be written.
pub(super) fn keep(
    dir: &Path,
    proposals: &[Proposal],
    written: &[Written],
    models: Option<&Models>,
    expected: Option<ExpectedCost>,
) -> Result<Generation, Failure> {
    let mut approaches = Vec::with_capacity(proposals.len());
    for proposal in proposals {
        approaches.push(approach(dir, proposal, written, models)?);
    }
    Ok(Generation {
        approaches,
        model: models.map(Models::name).unwrap_or_default(),
        spent: models.map_or_else(ModelCost::default, |models| cost(&models.spent().total)),
        expected,
    })
}

fn approach(
    dir: &Path,
    proposal: &Proposal,
    written: &[Written],
    models: Option<&Models>,
) -> Result<GeneratedApproach, Failure> {
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
        cost: spent.map_or_else(ModelCost::default, |spent| cost(&spent)),
        iterations,
    })
}

fn iteration(
    dir: &Path,
    name: &str,
    place: usize,
    attempt: &Attempt,
    counting: Option<usize>,
) -> Result<GeneratedIteration, Failure> {
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

/// Writes a file of ours below the folder of an experiment. No folder on the way may be a link.
fn write(dir: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let path = dir.join(name);
    let mut folder = PathBuf::from(dir);
    for part in Path::new(name).parent().into_iter().flatten() {
        folder.push(part);
        refuse_link(&folder)?;
    }
    fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
    replace(&path, text).map_err(|error| cannot_write(&path, &error))
}

/// What questions took, as reports have it.
fn cost(spent: &Spent) -> ModelCost {
    ModelCost {
        calls: spent.calls,
        tokens: spent.usage.tokens(),
        usd: (!spent.usage.unpriced).then_some(spent.usage.microdollars as f64 / 1e6),
        upper_bound: spent.usage.upper_bound,
        seconds: spent.seconds,
    }
}

/// What the tasks of a plan are expected to take, without repairs.
pub(super) fn expected(plan: &Plan, models: &Models) -> ExpectedCost {
    let written = |task: &PlannedTask| u64::from(task.output_tokens);
    let output = plan.tasks.iter().map(written).sum::<u64>();
    let input = PROMPT_TOKENS * plan.tasks.len() as u64;
    let money = plan
        .tasks
        .iter()
        .map(|task| models.expected_microdollars(PROMPT_TOKENS, written(task)));
    let money: Option<u64> = money.sum();
    ExpectedCost {
        calls: plan.tasks.len() as u64,
        tokens: input + output,
        usd: money.map(|microdollars| microdollars as f64 / 1e6),
    }
}

/// Writes what came of it beside the experiment, all at once.
///
/// # Errors
/// It cannot be written.
pub(super) fn record(dir: &Path, came_of_it: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(came_of_it).map_err(Failure::infrastructure)?;
    write(dir, FILE, &format!("{json}\n"))
}

/// What is kept of one generation.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct GenerationRecord {
    #[serde(flatten)]
    pub(super) generation: Generation,
    /// Tasks that were never done, since something that they wait for has no result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) not_started: Vec<String>,
    /// What was asked for, as a text that stays the same.
    #[serde(default)]
    pub(super) wanted: String,
    /// The names that this generation wrote into the experiment.
    #[serde(default)]
    pub(super) names: Vec<String>,
    /// True once nothing is left to ask for.
    #[serde(default)]
    pub(super) is_complete: bool,
}

impl GenerationRecord {
    /// The record of an experiment, if it is about this.
    pub(super) fn of(dir: &Path, wanted: &str) -> Option<Self> {
        let kept: Option<Self> = kept(dir).ok().flatten();
        kept.filter(|one| one.wanted == wanted)
    }
}

/// The names of approaches that an unfinished generation wrote. A model that is asked once more is not told of them,
/// so that it is asked the same, and what it replied is not paid for again.
fn unfinished_names(dir: &Path, wanted: &str) -> Vec<String> {
    let record = GenerationRecord::of(dir, wanted).filter(|one| !one.is_complete);
    record.map(|one| one.names).unwrap_or_default()
}

/// An experiment as it was before an unfinished generation of this.
pub(super) fn before(loaded: &LoadedExperiment, wanted: &str) -> LoadedExperiment {
    let names = unfinished_names(&loaded.dir, wanted);
    let mut before = loaded.clone();
    let approaches = &mut before.experiment.approaches;
    approaches.retain(|one| !names.contains(&one.name));
    before
}

/// The approaches of an experiment, as a model is told of them.
pub(super) fn own_approaches(loaded: &LoadedExperiment) -> Vec<OwnApproach<'_>> {
    let told = loaded.experiment.approaches.iter();
    told.map(|approach| OwnApproach {
        name: &approach.name,
        description: approach.description.as_deref(),
    })
    .collect()
}

/// The place of the record of a folder's exchanges, in a folder that is there.
pub(super) fn record_in(dir: &Path) -> Result<PathBuf, Failure> {
    let record = dir.join(RECORD);
    if let Some(folder) = record.parent() {
        refuse_link(folder)?;
        let shown = folder.display().to_string();
        fs::create_dir_all(folder)
            .map_err(|error| Failure::usage(format!("cannot create {}: {error}", Plain(&shown))))?;
    }
    Ok(record)
}

/// What is to be written, and whose it is.
pub(super) struct Ending<'a> {
    pub(super) loaded: &'a LoadedExperiment,
    /// The experiment file.
    pub(super) file: &'a Path,
    pub(super) proposals: &'a [Proposal],
    pub(super) models: Option<&'a Models>,
    pub(super) expected: Option<ExpectedCost>,
    pub(super) not_started: &'a [String],
    pub(super) wanted: String,
    /// False if a budget or the model ended it: the same can go on later.
    pub(super) is_complete: bool,
}

/// Writes what passed into an experiment, and what came of all beside it. Killed at any moment, the same once more
/// comes to the same end.
///
/// # Errors
/// A file cannot be written.
pub(super) fn finish(ending: Ending<'_>) -> Result<Generation, Failure> {
    let dir = &ending.loaded.dir;
    let approaches = &ending.loaded.experiment.approaches;
    let written = write_files(dir, approaches, ending.proposals)?;
    let made = keep(
        dir,
        ending.proposals,
        &written,
        ending.models,
        ending.expected,
    )?;
    let mut kept = GenerationRecord {
        generation: with_earlier(dir, made.clone()),
        not_started: ending.not_started.to_vec(),
        wanted: ending.wanted,
        names: written.iter().map(|one| one.name.clone()).collect(),
        is_complete: false,
    };
    record(dir, &kept)?;
    let before = &ending.loaded.text;
    let text = with_written(before, approaches, ending.proposals, &written);
    if text != *before {
        replace(ending.file, &text).map_err(|error| cannot_write(ending.file, &error))?;
    }
    if ending.is_complete {
        kept.is_complete = true;
        record(dir, &kept)?;
    }
    Ok(made)
}

/// Adds what was kept of earlier approaches, so that a second generation does not hide the first.
fn with_earlier(dir: &Path, mut generation: Generation) -> Generation {
    let Ok(Some(earlier)) = kept::<Generation>(dir) else {
        return generation;
    };
    let is_new = |one: &GeneratedApproach| {
        let mut now = generation.approaches.iter();
        !now.any(|other| other.name == one.name)
    };
    let mut all: Vec<GeneratedApproach> = earlier.approaches.into_iter().filter(is_new).collect();
    all.append(&mut generation.approaches);
    all.drain(..all.len().saturating_sub(GENERATED_MAX));
    generation.approaches = all;
    generation
}

/// Reads what was kept beside an experiment; `None` if nothing was. It may have come with the experiment, from
/// anybody.
///
/// # Errors
/// It is no such record: the reason.
fn kept<T: DeserializeOwned>(dir: &Path) -> Result<Option<T>, String> {
    let path = dir.join(FILE);
    let read = match Reach::Within(dir).read_bounded(&path, FILE_BYTES_MAX) {
        Ok(read) => read,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let bytes = read.ok_or_else(|| format!("it has more than {FILE_BYTES_MAX} bytes"))?;
    let parsed: serde_json::Value =
        parse_json_of(&bytes, FILE_VALUES_MAX).map_err(|error| error.to_string())?;
    let of_it: Generation =
        serde_json::from_value(parsed.clone()).map_err(|error| error.to_string())?;
    of_it.check()?;
    let kept = serde_json::from_value(parsed).map_err(|error| error.to_string())?;
    Ok(Some(kept))
}

/// Reads what a report says of generated approaches. A record that cannot be read is said, and left out.
pub(super) fn for_report(dir: &Path, say: &mut dyn FnMut(&str)) -> Option<Generation> {
    match kept(dir) {
        Ok(generation) => generation,
        Err(reason) => {
            let path = dir.join(FILE).display().to_string();
            say(&format!(
                "{} is left out of the report: {}",
                Plain(&path),
                Plain(&reason)
            ));
            None
        }
    }
}

/// What came of it, as text; `next` is the experiment to run next, if that is for the user to do.
pub(super) fn text(
    generation: &Generation,
    models: Option<&Models>,
    next: Option<&Path>,
) -> String {
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
        let spent = models::cost(&models.spent().total);
        text += &format!("\n{}: {spent}\n", Plain(&models.name()));
    }
    let has_file = |approach: &GeneratedApproach| approach.file.is_some();
    if let Some(next) = next.filter(|_| generation.approaches.iter().any(has_file)) {
        let named = next.display().to_string();
        text += &format!(
            "\nRead them, then measure them:\n  bakeoff run {}\n",
            ShellPath(&named)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propose::Idea;
    use bakeoff_domain::failure::FailureClass;

    fn attempt(source: &str, passes: bool) -> Attempt {
        let outcome = match passes {
            true => AttemptOutcome::Passed { fuel: Vec::new() },
            false => AttemptOutcome::Failed {
                class: FailureClass::Trap,
                message: "\u{1b}[2J".to_owned(),
            },
        };
        Attempt {
            source: source.to_owned(),
            outcome,
        }
    }

    fn proposal(name: &str, attempts: Vec<Attempt>) -> Proposal {
        Proposal {
            idea: Idea {
                name: name.to_owned(),
                description: String::new(),
                rationale: String::new(),
                characteristics: Vec::new(),
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
        record(dir, &made).unwrap();
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
        assert!(!text(&read, None, None).contains('\u{1b}'));

        let more = keep(dir, &[proposal("b", Vec::new())], &[], None, None).unwrap();
        let names = with_earlier(dir, more).approaches;
        let names: Vec<&str> = names.iter().map(|one| &*one.name).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn case_147_a_record_that_was_sent_is_no_more_than_text() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let mut said = Vec::new();
        assert_eq!(
            for_report(dir, &mut |text| said.push(text.to_owned())),
            None
        );
        assert!(said.is_empty());
        for forged in [
            "{",
            "{\"approaches\": [], \"tokens\": 18446744073709551615}",
            "{\"approaches\": [], \"seconds\": -1}",
            "{\"approaches\": 7}",
        ] {
            fs::create_dir_all(dir.join(".bakeoff")).unwrap();
            fs::write(dir.join(FILE), forged).unwrap();
            said.clear();
            assert_eq!(
                for_report(dir, &mut |text| said.push(text.to_owned())),
                None
            );
            assert_eq!(said.len(), 1, "{forged}");
        }
        // One that leads elsewhere is not read.
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("x"), "{\"approaches\": []}").unwrap();
        fs::remove_file(dir.join(FILE)).unwrap();
        std::os::unix::fs::symlink(outside.path().join("x"), dir.join(FILE)).unwrap();
        assert_eq!(
            for_report(dir, &mut |text| said.push(text.to_owned())),
            None
        );
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
