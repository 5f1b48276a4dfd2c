//! `bakeoff generate`: approaches from a model or a proposer, as files of an experiment.

use super::build::code_of;
use super::failure::Failure;
use super::kept::ReportPlace;
use super::models::{self, ModelArguments};
use super::options::{Format, Output, Safety};
use super::writing::Writing;
use super::{Status, counts, show};
use crate::config::{self, FILE_NAME, LoadedExperiment, NewApproach, Policy};
use crate::files::{NewFile, Reach, write_new};
use crate::propose::{
    OwnApproach, PROPOSALS_MAX, Proposal, ProposalOutcome, Proposals, Proposer,
    propose_by_component, proposer_task,
};
use crate::provider::Models;
use crate::render::escape::{Lines, Plain, ShellPath};
use crate::run::{ProposerAnswer, Survey};
use crate::source::read_code;
use bakeoff_domain::spec::Workers;
use clap::Args;
use serde::Serialize;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Asks a model for approaches to an experiment's problem, and writes those that pass into its folder
///
/// The model names ideas that differ from those that the experiment has, and writes a prototype of each.
/// A prototype is built and called in the sandbox; what fails goes back with what was wrong. Those that
/// pass become `approaches/generated-N.rs` and an entry in bakeoff.toml, for you to read and for
/// `bakeoff run` to measure. What is sent: the problem, WIT, workload and cases of the experiment, names
/// and descriptions of its approaches, and what became of prototypes.
///
/// With --proposer, a component of your own names the approaches and writes them: no model is asked, and nothing
/// is sent. It is told what the last run said, too.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff generate my-question --provider anthropic --model claude-sonnet-4-5 --usd 0.50
  bakeoff generate my-question --provider openai --base-url http://127.0.0.1:8080/v1 --model local
  bakeoff generate my-inversions --provider replay --cassette my-inversions/model.jsonl
  bakeoff generate my-question --proposer my-question/proposers/grid.rs
  bakeoff run my-question

Exit status: 0 if all approaches that were asked for passed; 3 if some failed; 1 if none passed; 4 if a
budget ended it, or the model gives no answers (what passed until then is written).")]
pub(super) struct Arguments {
    /// A folder with a bakeoff.toml, or such a file
    #[arg(default_value = ".")]
    experiment: PathBuf,
    /// How many approaches
    #[arg(long, value_name = "N", default_value_t = 3,
          value_parser = clap::value_parser!(u32).range(1..=i64::from(PROPOSALS_MAX)))]
    approaches: u32,
    /// Who proposes, instead of a model: a Rust file, or a component of the world `proposer`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["provider", "instructions"])]
    proposer: Option<PathBuf>,
    #[command(flatten)]
    writing: Writing,
    /// Cores to use at once
    #[arg(long, value_name = "N", value_parser = counts::workers)]
    workers: Option<u32>,
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    safety: Safety,
}

/// Opens the model, with the record in this folder.
pub(super) fn open_models(model: &ModelArguments, dir: &Path) -> Result<Models, Failure> {
    let record = dir.join(RECORD);
    if let Some(folder) = record.parent() {
        refuse_link(folder)?;
        let shown = folder.display().to_string();
        fs::create_dir_all(folder)
            .map_err(|error| Failure::usage(format!("cannot create {}: {error}", Plain(&shown))))?;
    }
    model.open(&record)
}

/// The record of a folder's exchanges with models, from which nothing is paid for twice.
const RECORD: &str = ".bakeoff/models.jsonl";

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let mut loaded = config::load(&arguments.experiment)?;
    let policy = Policy::of_host()?;
    policy.apply_to(&mut loaded)?;
    if let Some(workers) = arguments.workers {
        loaded.experiment.measure.workers = Workers::Exactly(workers);
    }
    let (proposals, models) = match &arguments.proposer {
        Some(file) => {
            let proposed = arguments.ask_component(&loaded, file, policy, output);
            (proposed.await?, None)
        }
        None => {
            let models = Arc::new(open_models(&arguments.model, &loaded.dir)?);
            let proposed = arguments.propose(&loaded, &models, policy, output).await?;
            (proposed, Some(models))
        }
    };
    let file = match arguments.experiment.is_dir() {
        true => arguments.experiment.join(FILE_NAME),
        false => arguments.experiment.clone(),
    };
    let written = write(&loaded, &file, &proposals.proposals)?;
    for warning in models.iter().flat_map(|models| models.warnings()) {
        output.reporter()(&Plain(&warning).to_string());
    }
    let shown = GenerateOutput::of(&proposals.proposals, &written, models.as_deref());
    match output.format {
        Format::Json => show::write_json(&shown)?,
        _ => show::write(&shown.text(Some(&arguments.experiment)))?,
    }
    if let Some(error) = &proposals.ended {
        return Err(models::ended(error));
    }
    Ok(match (written.len(), proposals.proposals.len()) {
        (0, _) => Status::NoAnswer,
        (passed, all) if passed == all => Status::Done,
        _ => Status::SomeFailed,
    })
}

impl Arguments {
    /// Asks a proposer of the user's own.
    async fn ask_component(
        &self,
        loaded: &LoadedExperiment,
        file: &Path,
        policy: Policy,
        output: &Output,
    ) -> Result<Proposals, Failure> {
        let code = read_code(&code_of(file), Path::new(""), Reach::Anywhere);
        let code = code.map_err(|failure| Failure::variant(&failure))?;
        let host = self.safety.host_options(policy)?;
        let mut say = output.reporter();
        // What there is of results is told; without any, the proposer is told that there are none.
        let report = ReportPlace::find(&self.experiment).and_then(|place| place.report());
        let report = report.ok().map(|shown| shown.report);
        let survey = Survey::open(loaded, &host, &mut say).await?;
        let experiment = &loaded.experiment;
        let task = proposer_task(&survey, experiment, report.as_ref(), self.approaches);
        let answer = tokio::select! {
            answer = propose_by_component(&survey, code, task, &mut say) => answer?,
            _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted("interrupted")),
        };
        match answer {
            ProposerAnswer::NotBuilt(failure) => Err(Failure::variant(&failure)),
            ProposerAnswer::Nothing(why) => Err(Failure::no_answer(format!(
                "{} proposes nothing: {why}",
                Plain(&file.display().to_string())
            ))),
            ProposerAnswer::Proposals(proposals) => Ok(Proposals {
                proposals,
                ended: None,
            }),
        }
    }

    async fn propose(
        &self,
        loaded: &LoadedExperiment,
        models: &Arc<Models>,
        policy: Policy,
        output: &Output,
    ) -> Result<Proposals, Failure> {
        let host = self.safety.host_options(policy)?;
        let mut say = output.reporter();
        let survey = Survey::open(loaded, &host, &mut say).await?;
        let own: Vec<OwnApproach<'_>> = loaded
            .experiment
            .approaches
            .iter()
            .map(|approach| OwnApproach {
                name: &approach.name,
                description: approach.description.as_deref(),
            })
            .collect();
        let options = self.writing.options(self.approaches);
        let statement = &loaded.experiment.problem;
        let mut proposer = Proposer::open(models, survey, statement, &own, &options).await?;
        let proposing = proposer.propose(&mut say);
        tokio::select! {
            proposals = proposing => Ok(proposals?),
            _ = tokio::signal::ctrl_c() => Err(Failure::interrupted(
                "interrupted; what the model replied is recorded, and is not paid for again",
            )),
        }
    }
}

/// An approach that was written.
pub(super) struct Written {
    /// Its name.
    name: String,
    /// Its file, relative to the experiment's folder.
    file: String,
}

/// Writes the prototypes that passed, each to a new file, and names them in the experiment file.
pub(super) fn write(
    loaded: &LoadedExperiment,
    experiment: &Path,
    proposals: &[Proposal],
) -> Result<Vec<Written>, Failure> {
    let mut written = Vec::new();
    let mut entries = Vec::new();
    let mut number = 0;
    for proposal in proposals {
        let Some(source) = proposal.passed() else {
            continue;
        };
        let file = new_file(&loaded.dir, source, &mut number)?;
        entries.push(NewApproach {
            name: proposal.idea.name.clone(),
            description: proposal.idea.description.clone(),
            source: file.clone(),
            sweep: proposal.parameters.clone(),
        });
        written.push(Written {
            name: proposal.idea.name.clone(),
            file,
        });
    }
    if !entries.is_empty() {
        let text = config::with_approaches(&loaded.text, &entries);
        replace(experiment, &text).map_err(|error| cannot_write(experiment, &error))?;
    }
    Ok(written)
}

/// Writes a source to the first name that is free, and returns it.
pub(super) fn new_file(dir: &Path, source: &str, number: &mut u32) -> Result<String, Failure> {
    let folder = dir.join("approaches");
    refuse_link(&folder)?;
    fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
    loop {
        *number += 1;
        let name = format!("approaches/generated-{number}.rs");
        let path = dir.join(&name);
        match write_new(&path, source.as_bytes()) {
            Ok(()) => return Ok(name),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(cannot_write(&path, &error)),
        }
    }
}

pub(super) fn refuse_link(folder: &Path) -> Result<(), Failure> {
    match folder.is_symlink() {
        true => Err(Failure::usage(format!(
            "{} is a link, and nothing is written through links",
            Plain(&folder.display().to_string())
        ))),
        false => Ok(()),
    }
}

/// Replaces a file by another of this content, all at once.
pub(super) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let new = NewFile::for_path(path)?;
    let mut file = new.file();
    file.write_all(text.as_bytes())?;
    if let Ok(before) = fs::metadata(path) {
        file.set_permissions(before.permissions())?;
    }
    file.sync_all()?;
    new.put_in_place()
}

pub(super) fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    let shown = path.display().to_string();
    Failure::usage(format!("cannot write {}: {error}", Plain(&shown)))
}

/// What came of it, in JSON.
#[derive(Serialize)]
pub(super) struct GenerateOutput {
    approaches: Vec<ApproachOutput>,
    /// What the model took; nothing of a proposer.
    #[serde(flatten)]
    model: Option<ModelOutput>,
}

#[derive(Serialize)]
struct ModelOutput {
    model: String,
    calls: u64,
    tokens: u64,
    usd: Option<f64>,
    /// True if some replies were cut off: tokens and dollars are the most that they can have taken.
    upper_bound: bool,
    seconds: f64,
    #[serde(skip)]
    cost: String,
}

#[derive(Serialize)]
struct ApproachOutput {
    name: String,
    description: String,
    /// The file, if it passed.
    file: Option<String>,
    /// How often it was written.
    attempts: usize,
    /// `passed`, `duplicate`, or the class of its failure.
    outcome: String,
    message: Option<String>,
}

impl GenerateOutput {
    pub(super) fn of(proposals: &[Proposal], written: &[Written], models: Option<&Models>) -> Self {
        let approaches = proposals.iter().map(|proposal| {
            let (outcome, message) = match &proposal.outcome {
                ProposalOutcome::Passed => ("passed", None),
                ProposalOutcome::Duplicate { of } => {
                    ("duplicate", Some(format!("it does the same work as {of}")))
                }
                ProposalOutcome::Failed { class, message } => (*class, Some(message.clone())),
            };
            let mut written = written.iter();
            let file = written.find(|one| one.name == proposal.idea.name);
            ApproachOutput {
                name: proposal.idea.name.clone(),
                description: proposal.idea.description.clone(),
                file: file.map(|one| one.file.clone()),
                attempts: proposal.attempts.len(),
                outcome: outcome.to_owned(),
                message,
            }
        });
        Self {
            approaches: approaches.collect(),
            model: models.map(ModelOutput::of),
        }
    }

    /// As text; `next` is the experiment to run next, if that is for the user to do.
    pub(super) fn text(&self, next: Option<&Path>) -> String {
        let mut text = String::new();
        for approach in &self.approaches {
            let attempts = match approach.attempts {
                1 => "1 attempt".to_owned(),
                count => format!("{count} attempts"),
            };
            let file = approach.file.as_deref().unwrap_or("not written");
            text += &format!(
                "{}: {}, {attempts}, {file}\n  {}\n",
                approach.name,
                approach.outcome,
                Plain(&approach.description)
            );
            if let Some(message) = &approach.message {
                let short: String = message.chars().take(600).collect();
                text += &format!("  {}\n", Lines(&short).to_string().replace('\n', "\n  "));
            }
        }
        if let Some(model) = &self.model {
            text += &format!("\n{}: {}\n", Plain(&model.model), model.cost);
        }
        let has_file = |approach: &ApproachOutput| approach.file.is_some();
        if let Some(next) = next.filter(|_| self.approaches.iter().any(has_file)) {
            let named = next.display().to_string();
            text += &format!(
                "\nRead them, then measure them:\n  bakeoff run {}\n",
                ShellPath(&named)
            );
        }
        text
    }
}

impl ModelOutput {
    fn of(models: &Models) -> Self {
        let spent = models.spent().total;
        Self {
            model: models.name(),
            calls: spent.calls,
            tokens: spent.usage.tokens(),
            usd: (!spent.usage.unpriced).then_some(spent.usage.microdollars as f64 / 1e6),
            upper_bound: spent.usage.upper_bound,
            seconds: spent.seconds,
            cost: models::cost(&spent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propose::{Attempt, AttemptOutcome, Idea};

    fn proposal(name: &str, source: &str) -> Proposal {
        Proposal {
            idea: Idea {
                name: name.to_owned(),
                description: "A \"quoted\" idea.".to_owned(),
                rationale: String::new(),
                characteristics: Vec::new(),
            },
            parameters: Vec::new(),
            attempts: vec![Attempt {
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
        let loaded = config::load(folder.path()).unwrap();
        let mut failed = proposal("broken", "c");
        failed.outcome = ProposalOutcome::Failed {
            class: "trap",
            message: String::new(),
        };
        let proposals = [proposal("a", "first"), failed, proposal("b", "second")];
        assert_eq!(write(&loaded, &at(FILE_NAME), &proposals).unwrap().len(), 2);
        assert_eq!(
            fs::read_to_string(at("approaches/generated-1.rs")).unwrap(),
            "mine"
        );
        assert_eq!(
            fs::read_to_string(at("approaches/generated-3.rs")).unwrap(),
            "second"
        );
        let after = config::load(folder.path()).unwrap();
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
        let idea = after.experiment.approaches[1].description.as_deref();
        assert_eq!(idea, Some("A \"quoted\" idea."));
    }
}
