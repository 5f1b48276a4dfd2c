//! Approaches that a proposer, a component of the user's own, names and writes.

use crate::cli::failure::Failure;
use crate::cli::models::ModelArguments;
use crate::cli::options::Output;
use bakeoff_compare::code_of;
use bakeoff_config::LoadedExperiment;
use bakeoff_domain::report::Report;
use bakeoff_files::Reach;
use bakeoff_propose::{Proposals, ProposerAnswer, propose_by_component, proposer_task};
use bakeoff_provider::Models;
use bakeoff_render::escape::{Lines, Plain};
use bakeoff_run::{HostOptions, Survey};
use bakeoff_source::read_code_or_vendored;
use std::path::Path;

/// Proposer with what it is told.
pub(super) struct AskedComponent<'a> {
    pub(super) loaded: &'a LoadedExperiment,
    pub(super) file: &'a Path,
    /// Model that it may ask.
    pub(super) models: Option<&'a Models>,
    pub(super) host: HostOptions,
    /// Report of the last run, if there is one.
    pub(super) report: Option<Report>,
    /// Number of approaches that are wanted.
    pub(super) approaches: u32,
}

/// Refuses a model that a proposer cannot be given.
///
/// # Errors
/// See above; without a model there is nothing to refuse.
pub(super) fn check(model: &ModelArguments) -> Result<(), Failure> {
    if !model.is_named() {
        return Ok(());
    }
    if model.is_command() {
        return Err(Failure::usage(
            "the words of a proposer's questions are its own, and --provider command would give them to a \
             program that has your rights: name a provider that only answers, such as anthropic, openai, \
             ollama or replay",
        ));
    }
    if model.is_manual() {
        return Err(Failure::usage(
            "a proposer's questions are not given out as tasks: name a provider that answers while it runs, such as \
             anthropic, openai, ollama or replay",
        ));
    }
    if !model.is_bounded() {
        return Err(Failure::usage(
            "a proposer decides itself what it asks a model: say what that may cost, with --usd or --tokens",
        ));
    }
    Ok(())
}

impl AskedComponent<'_> {
    /// Asks for approaches.
    ///
    /// # Errors
    /// It cannot be read or built, or proposes nothing and has cost nothing.
    pub(super) async fn ask(&self, output: &Output) -> Result<Proposals, Failure> {
        let place = (Path::new(""), Reach::Anywhere);
        let code = read_code_or_vendored(&code_of(self.file)?, place, &self.host.vendored());
        let code = code.map_err(|failure| Failure::variant(&failure))?;
        let mut say = output.reporter();
        let survey = Survey::open(self.loaded, &self.host, &mut say).await?;
        let experiment = &self.loaded.experiment;
        let task = proposer_task(&survey, experiment, self.report.as_ref(), self.approaches);
        let models = self.models;
        let answer = tokio::select! {
            answer = propose_by_component(&survey, code, task, models, &mut say) => answer?,
            _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(
                "interrupted; what a model replied is recorded, and is not paid for again",
            )),
        };
        let (answer, ended) = answer;
        match answer {
            ProposerAnswer::NotBuilt(failure) => Err(Failure::variant(&failure)),
            // The cost of the model is kept and shown without proposals, too.
            ProposerAnswer::Nothing(why) if models.is_some() => {
                say(&format!("the proposer proposes nothing: {}", Lines(&why)));
                Ok(Proposals {
                    proposals: Vec::new(),
                    ended,
                })
            }
            ProposerAnswer::Nothing(why) => Err(Failure::no_answer(format!(
                "{} proposes nothing: {why}",
                Plain(&self.file.display().to_string())
            ))),
            ProposerAnswer::Proposals(proposals) => Ok(Proposals { proposals, ended }),
        }
    }
}
