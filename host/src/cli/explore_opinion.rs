//! `bakeoff explore --opinion`: a question that no function answers, developed in words and judged. Nothing is run.

use super::asked::INTERRUPTED;
use super::criteria_options::CriteriaOptions;
use super::explore_output::ExploreOutput;
use super::failure::Failure;
use super::generate;
use super::ideas::OwnIdeas;
use super::models::ModelArguments;
use super::on_event::Listener;
use super::open_tasks;
use super::options::{Format, Output, Safety};
use super::planned::{goes_on, question_text};
use super::run::{QuestionPlace, ask_question};
use super::writing::{CONTEXT, Writing};
use super::{Status, show};
use crate::library::exploration::{ExplorationOutcome, experiment_name, write_all};
use crate::library::generation::events::GenerationEvents;
use crate::library::generation::outcome;
use crate::library::generation::record::{self, ExplorationRecord};
use crate::library::{self, check_places};
use bakeoff_config::Policy;
use bakeoff_domain::report::{GeneratedApproach, Generation, ModelCost};
use bakeoff_propose::{
    APPROACHES, Developed, DraftFile, ModelJudge, OpinionOptions, QuestionPlan, SketchForm,
    develop, plan_in_words,
};
use bakeoff_provider::Models;
use bakeoff_render::escape::{Plain, ShellPath};
use bakeoff_source::content_address;
use bakeoff_store::Start;
use clap::ValueEnum;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// The file of the replies of a replay, in the folder of the experiment.
const CASSETTE: &str = "opinions.jsonl";

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
    fn form(self) -> SketchForm {
        match self {
            Self::Code => SketchForm::Code,
            Self::Pseudocode => SketchForm::Pseudocode,
            Self::Mermaid => SketchForm::Mermaid,
            Self::None => SketchForm::None,
        }
    }
}

/// Request for an answer in words.
pub(super) struct OpinionRequest<'a> {
    pub(super) statement: &'a str,
    /// The folder of the experiment.
    pub(super) out: &'a Path,
    /// True if the folder has an experiment already.
    pub(super) has_experiment: bool,
    /// The number of approaches beside the user's own; `None` leaves it to the plan.
    pub(super) more: Option<u32>,
    pub(super) own: &'a OwnIdeas,
    pub(super) criteria: &'a CriteriaOptions,
    pub(super) writing: &'a Writing,
    pub(super) model: &'a ModelArguments,
    pub(super) sketch: SketchName,
    pub(super) dry_run: bool,
    pub(super) yes: bool,
    pub(super) no_run: bool,
    pub(super) safety: &'a Safety,
}

/// A plan in words, in JSON.
#[derive(Serialize)]
struct PlanInWords<'a> {
    question: &'a str,
    approaches: Vec<PlannedApproach<'a>>,
    #[serde(flatten)]
    plan: &'a QuestionPlan,
}

/// An approach of a plan in words, in JSON.
#[derive(Serialize)]
struct PlannedApproach<'a> {
    name: &'a str,
    description: &'a str,
}

/// Develops a question in words, writes it as an experiment, and asks for opinions.
pub(super) async fn run(
    request: &OpinionRequest<'_>,
    output: &Output,
    listener: &Listener,
) -> Result<Status, Failure> {
    let named = request.out.display().to_string();
    if request.has_experiment {
        return Err(Failure::usage(format!(
            "{} has an experiment already: `bakeoff run {} --judge` asks for opinions of a question in words, and \
             another one needs a folder of its own",
            Plain(&named),
            ShellPath(&named)
        )));
    }
    if request.model.is_manual() {
        return Err(Failure::usage(
            "--provider manual gives no opinions, which a model has to be asked for again later: name another provider",
        ));
    }
    let folder = format!("{APPROACHES}/");
    check_places(request.out, &[&folder, CASSETTE])?;
    record::set_foreign_aside(request.out, &mut output.reporter())?;
    let options = request.options()?;
    let cassette = request.model.cassette_text()?;
    let wanted = options.wished.len() as u32 + options.more.unwrap_or(0);
    let criteria = options.criteria.iter().map(|(name, _)| name.clone());
    let events = GenerationEvents::begin(
        request.out,
        (wanted, criteria.collect()),
        listener.teller(),
        &mut output.reporter(),
    );
    let models = Arc::new(generate::open_models(
        (request.model, None),
        request.out,
        output,
        &events,
    )?);
    let developing = request.develop(&models, &options, output, &events);
    let developed = tokio::select! {
        developed = developing => developed,
        _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(INTERRUPTED)),
    };
    let Some((plan, developed)) = developed? else {
        return Ok(Status::Done);
    };
    events.end(developed.ended.is_none());
    let files = developed.files(
        &options,
        &plan,
        &request.model.judge(cassette.is_some().then_some(CASSETTE)),
    );
    let cassette = cassette.map(|text| DraftFile {
        name: CASSETTE.to_owned(),
        text,
    });
    let files: Vec<DraftFile> = cassette.into_iter().chain(files).collect();
    request
        .finish((&developed, &files), &models, (output, listener))
        .await
}

impl OpinionRequest<'_> {
    fn options(&self) -> Result<OpinionOptions, Failure> {
        let writing = self.writing.options();
        Ok(OpinionOptions {
            statement: self.statement.to_owned(),
            told: writing.told(self.statement, CONTEXT)?,
            name: experiment_name(self.out),
            more: self.more,
            wished: self.own.ideas().wished(),
            criteria: self.criteria.in_words()?,
            diversity: writing.diversity,
            depth: writing.depth,
            sketch: self.sketch.form(),
            instructions: self.writing.instructions()?,
            timeout: writing.timeout,
        })
    }

    /// Returns a text that identifies the request.
    fn wanted(&self) -> String {
        let more = self
            .more
            .map_or("auto".to_owned(), |count| count.to_string());
        format!(
            "statement {}, in words, approaches {more}{}, {}, {}",
            content_address(self.statement.as_bytes()),
            self.own.ideas().identity() + &self.criteria.chosen().identity(),
            self.writing.options().identity(),
            self.model.wanted()
        )
    }

    /// Asks for a plan, and develops its approaches. Returns `None` if it ends with the plan.
    async fn develop(
        &self,
        models: &Arc<Models>,
        options: &OpinionOptions,
        output: &Output,
        events: &GenerationEvents,
    ) -> Result<Option<(QuestionPlan, Developed)>, Failure> {
        let mut say = output.reporter();
        say(&format!(
            "asking {} for approaches and criteria",
            models.name()
        ));
        let plan = plan_in_words(models, options).await;
        let plan = plan.map_err(|error| Failure::unanswered(&error))?;
        if self.dry_run {
            match output.format {
                Format::Json => show::write_json(&PlanInWords {
                    question: self.statement,
                    approaches: plan
                        .approaches
                        .iter()
                        .map(|one| PlannedApproach {
                            name: &one.name,
                            description: &one.description,
                        })
                        .collect(),
                    plan: &plan,
                })?,
                _ => show::write(&question_text(&plan))?,
            }
            return Ok(None);
        }
        say(question_text(&plan).trim_end());
        if !self.yes && !goes_on(models)? {
            return Ok(None);
        }
        let developed = develop(models, options, &plan, &events.on_step()).await;
        Ok(Some((plan, developed)))
    }

    /// Writes the experiment, and asks for opinions unless `--no-run` is set. What a budget ended is not written: the
    /// same command goes on.
    async fn finish(
        &self,
        (developed, files): (&Developed, &[DraftFile]),
        models: &Arc<Models>,
        (output, listener): (&Output, &Listener),
    ) -> Result<Status, Failure> {
        for warning in models.warnings() {
            output.reporter()(&Plain(&warning).to_string());
        }
        let is_written = developed.ended.is_none() && developed.written() > 0;
        let digest = |file: &DraftFile| {
            let digest = content_address(file.text.as_bytes());
            (file.name.clone(), digest)
        };
        let kept = if is_written { files } else { &[] };
        let made = ExplorationOutcome {
            record: ExplorationRecord {
                wanted: self.wanted(),
                files: kept.iter().map(digest).collect(),
                is_complete: developed.ended.is_none(),
            },
            approaches: generated(developed, models, is_written),
            criteria: None,
            oracle: None,
            not_started: Vec::new(),
            unusable: None,
        };
        if is_written {
            let files: Vec<&DraftFile> = files.iter().collect();
            write_all(self.out, &files)?;
        }
        record::put(self.out, &made)?;
        let is_judged = is_written && !self.no_run;
        let written = ExploreOutput {
            outcome: &made,
            tasks: None,
        };
        let approaches = outcome::text(&made.approaches, Some(models));
        written.write(&approaches, "", (output, is_judged))?;
        if let Some(error) = &developed.ended {
            return open_tasks::ending(error);
        }
        if !is_written {
            return Ok(Status::NoAnswer);
        }
        if is_judged {
            return self.judge(models, output, listener).await;
        }
        let has_failed = developed.written() < developed.approaches.len();
        Ok(if has_failed {
            Status::SomeFailed
        } else {
            Status::Done
        })
    }

    /// Asks the same model for its opinions, as `bakeoff run --judge` does.
    async fn judge(
        &self,
        models: &Arc<Models>,
        output: &Output,
        listener: &Listener,
    ) -> Result<Status, Failure> {
        let loaded = bakeoff_config::load_any(self.out)?;
        let policy = Policy::of_host()?;
        let place = QuestionPlace {
            folder: library::results_folder(&loaded.dir, &loaded.experiment)?,
            start: Start::Resume,
            seed: None,
            resume: format!(
                "bakeoff run {} --judge",
                ShellPath(&self.out.display().to_string())
            ),
        };
        let judge = Arc::new(ModelJudge::new(models));
        let experiment = (&loaded, policy);
        ask_question(
            experiment,
            place,
            Some(judge),
            self.safety,
            output,
            listener,
        )
        .await
    }
}

/// Returns what came of each approach, and what it took.
fn generated(developed: &Developed, models: &Models, is_written: bool) -> Generation {
    let spent = models.spent();
    let approaches = developed.approaches.iter().map(|one| {
        let cost = spent.by_subject.get(&one.subject);
        let failure = one.text.as_ref().err();
        GeneratedApproach {
            name: one.idea.name.clone(),
            description: one.idea.description.clone(),
            file: one.file().filter(|_| is_written),
            attempts: 1,
            outcome: failure.map_or("written", |(class, _)| class).to_owned(),
            message: failure.map(|(_, message)| message.clone()),
            cost: cost.map(ModelCost::from).unwrap_or_default(),
            iterations: Vec::new(),
        }
    });
    Generation {
        approaches: approaches.collect(),
        model: models.name(),
        spent: (&spent.total).into(),
        expected: None,
        plan: None,
        prompts: Vec::new(),
    }
}
