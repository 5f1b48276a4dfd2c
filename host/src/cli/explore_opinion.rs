//! `bakeoff explore --opinion`: a question that no function answers, developed in words and judged. Nothing is run.

use super::confirmation::goes_on;
use super::explore_output::{ExploreOutput, status};
use super::failure::Failure;
use super::generate;
use super::generation_consent::INTERRUPTED;
use super::models::ModelArguments;
use super::on_event::Listener;
use super::options::{Format, Output, Safety};
use super::run_request::{RunRequest, perform_and_show};
use super::{Status, show};
use crate::library;
use crate::library::exploration::{PlannedQuestion, QuestionRequest};
use crate::library::generation::events::GenerationEvents;
use bakeoff_config::Policy;
use bakeoff_propose::{
    DevelopedQuestion, ModelJudge, OpinionOptions, QuestionPlan, SketchForm, develop, plan_in_words,
};
use bakeoff_provider::Models;
use bakeoff_render::escape::{Plain, ShellPath};
use bakeoff_run::KnownMachine;
use clap::ValueEnum;
use std::sync::Arc;

/// Forms of the sketch in each text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SketchName {
    /// A short example or a configuration, which nobody runs
    Code,
    /// Pseudocode
    Pseudocode,
    /// The source of a Mermaid diagram
    Mermaid,
    /// None
    None,
}

impl SketchName {
    pub(super) fn form(self) -> SketchForm {
        match self {
            Self::Code => SketchForm::Code,
            Self::Pseudocode => SketchForm::Pseudocode,
            Self::Mermaid => SketchForm::Mermaid,
            Self::None => SketchForm::None,
        }
    }
}

/// Request for an answer in words, as the command line has it.
pub(super) struct OpinionArguments<'a> {
    pub(super) request: QuestionRequest<'a>,
    pub(super) model: &'a ModelArguments,
    pub(super) dry_run: bool,
    pub(super) yes: bool,
    pub(super) no_run: bool,
    pub(super) safety: &'a Safety,
}

/// Develops a question in words, writes it as an experiment, and asks for opinions.
pub(super) async fn run(
    arguments: &OpinionArguments<'_>,
    output: &Output,
    listener: &Listener,
) -> Result<Status, Failure> {
    let request = &arguments.request;
    if arguments.model.is_manual() {
        return Err(Failure::usage(
            "--provider manual gives no opinions, which a model has to be asked for again later: name another provider",
        ));
    }
    let mut say = output.reporter();
    request.clear_places(&mut say)?;
    let options = request.options()?;
    let judge = arguments.model.judge()?;
    let events = request.begin_events(&options, listener.teller(), &mut say);
    let models = Arc::new(generate::open_models(
        (arguments.model, None),
        request.folder,
        output,
        &events,
    )?);
    let developing = arguments.develop(&models, &options, output, &events);
    let developed = tokio::select! {
        developed = developing => developed,
        _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(INTERRUPTED)),
    };
    let Some((plan, developed)) = developed? else {
        return Ok(Status::Done);
    };
    events.end(developed.ended.is_none());
    for warning in models.warnings() {
        say(&Plain(&warning).to_string());
    }
    let made = request.write((&options, &plan), developed, judge, &models)?;
    let is_judged = made.has_experiment() && !arguments.no_run;
    let written = ExploreOutput {
        outcome: made.outcome(),
        tasks: None,
    };
    let approaches = made.generation().text();
    written.write(&approaches, "", (output, is_judged))?;
    if is_judged {
        return arguments.judge(&models, output, listener).await;
    }
    status(&made)
}

impl OpinionArguments<'_> {
    /// Asks for a plan, and develops its approaches. Returns `None` if it ends with the plan.
    async fn develop(
        &self,
        models: &Arc<Models>,
        options: &OpinionOptions,
        output: &Output,
        events: &GenerationEvents,
    ) -> Result<Option<(QuestionPlan, DevelopedQuestion)>, Failure> {
        let mut say = output.reporter();
        say(&format!(
            "asking {} for approaches and criteria",
            models.name()
        ));
        let plan = plan_in_words(models, options).await;
        let planned = PlannedQuestion {
            question: self.request.statement.to_owned(),
            plan: plan.map_err(|error| Failure::unanswered(&error))?,
        };
        if self.dry_run {
            match output.format {
                Format::Json => show::write(&planned.json())?,
                _ => show::write(&planned.text())?,
            }
            return Ok(None);
        }
        say(planned.text().trim_end());
        if !self.yes && !goes_on(models)? {
            return Ok(None);
        }
        let developed = develop(models, options, &planned.plan, &events.on_step()).await;
        Ok(Some((planned.plan, developed)))
    }

    /// Asks the same model for its opinions, as `bakeoff run --judge` does.
    async fn judge(
        &self,
        models: &Arc<Models>,
        output: &Output,
        listener: &Listener,
    ) -> Result<Status, Failure> {
        let loaded = bakeoff_config::load_any(self.request.folder)?;
        let policy = Policy::of_host()?;
        let job = RunRequest {
            judge: Some(Arc::new(ModelJudge::new(models))),
            ..RunRequest::for_declared(
                &loaded,
                library::results_folder(&loaded.dir, &loaded.experiment)?,
                (self.safety, KnownMachine::default(), policy),
                (output, listener),
                format!(
                    "bakeoff run {} --judge",
                    ShellPath(&self.request.folder.display().to_string())
                ),
            )
        };
        perform_and_show(job, output).await
    }
}
