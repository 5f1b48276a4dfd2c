//! The exploration of a question that no function answers, for a program: texts are developed, and nothing is run.

use super::super::generation::GenerateOptions;
use super::error::ExplorationError;
use super::of_statement::Exploration;
use super::question::{JudgeInFile, QuestionRequest};
use super::question_plan::PlannedQuestion;
use super::request::GivenParts;
use super::result::ExplorationResult;
use super::sketch::Sketch;
use crate::library::generation::GenerationError;
use crate::library::generation::events::GenerationEvents;
use bakeoff_propose::{OpinionOptions, PlanError, develop, plan_in_words};
use bakeoff_provider::Models;
use std::sync::Arc;

/// A question whose model was opened.
struct OpenedQuestion {
    options: OpinionOptions,
    models: Arc<Models>,
    events: GenerationEvents,
    warnings: Vec<String>,
}

impl Exploration {
    /// Asks for the plan of an answer in words.
    pub(super) async fn planned_in_words(
        &self,
        options: &GenerateOptions,
        given: &GivenParts,
        sketch: Sketch,
    ) -> Result<PlannedQuestion, ExplorationError> {
        let request = self.question(options, given, sketch)?;
        let opened = self.open_question(&request, options)?;
        let plan = plan_in_words(&opened.models, &opened.options).await;
        Ok(PlannedQuestion {
            question: self.statement.clone(),
            plan: plan.map_err(PlanError::Ask)?,
        })
    }

    /// Has an answer in words developed, and writes it.
    pub(super) async fn explored_in_words(
        &self,
        options: &GenerateOptions,
        given: &GivenParts,
        sketch: Sketch,
    ) -> Result<ExplorationResult, ExplorationError> {
        let request = self.question(options, given, sketch)?;
        let judge = JudgeInFile {
            judge: options.model().named_judge(),
            replies: options.model().cassette_text("`ModelOptions::replay`")?,
        };
        let opened = self.open_question(&request, options)?;
        let models = &opened.models;
        let plan = plan_in_words(models, &opened.options).await;
        let plan = plan.map_err(PlanError::Ask)?;
        let on_step = opened.events.on_step();
        let developed = develop(models, &opened.options, &plan, &on_step).await;
        opened.events.end(developed.ended.is_none());
        let made = request.write((&opened.options, &plan), developed, judge, models)?;
        Ok(made.after(opened.warnings))
    }

    /// Returns the request for an answer in words.
    ///
    /// # Errors
    /// Something is set that has no meaning where nothing is run.
    fn question<'a>(
        &'a self,
        options: &GenerateOptions,
        given: &'a GivenParts,
        sketch: Sketch,
    ) -> Result<QuestionRequest<'a>, ExplorationError> {
        let without_meaning = [
            ("`Exploration::like`", given.like.is_some()),
            ("`GenerateOptions::research`", given.writing.research),
            (
                "`ModelOptions::repair_model`",
                options.model().options().repairs.is_some(),
            ),
        ];
        if let Some((name, _)) = without_meaning.into_iter().find(|(_, is_set)| *is_set) {
            return Err(GenerationError::Usage(format!(
                "{name} has no meaning for an answer in words, of which nothing is run: leave it out"
            ))
            .into());
        }
        Ok(QuestionRequest {
            statement: &self.statement,
            folder: &self.folder,
            approaches: options.wanted_approaches(),
            given,
            sketch: sketch.into(),
            context_option: "`GenerateOptions::context`",
            instructions_option: "`GenerateOptions::instructions`",
        })
    }

    /// Opens the model for a question, once nothing hinders that its answer is written.
    fn open_question(
        &self,
        request: &QuestionRequest<'_>,
        options: &GenerateOptions,
    ) -> Result<OpenedQuestion, ExplorationError> {
        let mut warnings = Vec::new();
        let mut warn = |text: &str| warnings.push(text.to_owned());
        request.clear_places(&mut warn)?;
        let opinions = request.options()?;
        let events = request.begin_events(&opinions, self.teller(), &mut warn);
        let models = options.model().open_in(&self.folder, &events, &mut warn)?;
        Ok(OpenedQuestion {
            options: opinions,
            models,
            events,
            warnings,
        })
    }
}
