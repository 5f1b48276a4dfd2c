//! The request for an answer in words, to a question that no function answers: what identifies it, and the experiment that is
//! written. Nothing is run.

use super::draft_files::{digests, experiment_name, write_all};
use super::error::ExplorationError;
use super::outcome::ExplorationOutcome;
use super::request::{GivenParts, has_experiment};
use super::result::ExplorationResult;
use crate::library::generation;
use crate::library::generation::events::GenerationEvents;
use crate::library::generation::record::{self, ExplorationRecord};
use crate::library::user_files::read_told;
use crate::library::written_files::check_places;
use bakeoff_domain::report::{GeneratedApproach, Generation, ModelCost};
use bakeoff_propose::{
    APPROACHES, DevelopedQuestion, DraftFile, NamedJudge, OpinionOptions, QuestionPlan, SketchForm,
};
use bakeoff_provider::Models;
use bakeoff_store::events::Envelope;
use std::path::Path;

/// The file of the replies of a replay, in the folder of the experiment.
const CASSETTE: &str = "opinions.jsonl";

/// Request for an answer in words.
pub(crate) struct QuestionRequest<'a> {
    /// The question, as the user states it.
    pub(crate) statement: &'a str,
    /// The folder of the experiment that is written.
    pub(crate) folder: &'a Path,
    /// Number of approaches beside the user's own ideas; `None` leaves it to the plan.
    pub(crate) approaches: Option<u32>,
    pub(crate) given: &'a GivenParts,
    pub(crate) sketch: SketchForm,
    /// Names of the options of files that the model is told and of a file of wishes, for messages.
    pub(crate) context_option: &'a str,
    pub(crate) instructions_option: &'a str,
}

/// The judge of approaches in words, as the experiment file names it, with the replies of a replay.
pub(crate) struct JudgeInFile {
    pub(crate) judge: NamedJudge,
    /// The replies, which are copied into the folder of the experiment.
    pub(crate) replies: Option<String>,
}

impl QuestionRequest<'_> {
    /// Returns a text that identifies the request.
    fn identity(&self) -> String {
        let statement = (self.statement, ", in words");
        self.given.identity(statement, self.approaches)
    }

    /// Checks that the experiment can be written, and sets a record aside that this user's bakeoff did not write: `set_aside`
    /// is told of it. To be called before anybody is asked.
    ///
    /// # Errors
    /// The folder has an experiment, or one could not be written there.
    pub(crate) fn clear_places(
        &self,
        set_aside: &mut dyn FnMut(&str),
    ) -> Result<(), ExplorationError> {
        if has_experiment(self.folder) {
            return Err(ExplorationError::HasOtherQuestion(self.folder.to_owned()));
        }
        check_places(self.folder, &[&format!("{APPROACHES}/"), CASSETTE])?;
        record::set_foreign_aside(self.folder, set_aside)?;
        Ok(())
    }

    /// Returns the options of the questions to the model.
    ///
    /// # Errors
    /// A file that the model is to be told cannot be read, or the criteria cannot be used.
    pub(crate) fn options(&self) -> Result<OpinionOptions, ExplorationError> {
        let GivenParts {
            ideas,
            criteria,
            writing,
            ..
        } = self.given;
        let told = writing.told(self.statement, self.context_option)?;
        let criteria = criteria.in_words()?;
        let instructions = writing.instructions.as_ref();
        let instructions = instructions.map(|file| read_told(self.instructions_option, file));
        Ok(OpinionOptions {
            statement: self.statement.to_owned(),
            told,
            name: experiment_name(self.folder),
            more: self.approaches,
            wished: ideas.wished(),
            criteria,
            diversity: writing.diversity,
            depth: writing.depth,
            sketch: self.sketch,
            instructions: instructions.transpose()?,
            timeout: writing.timeout,
        })
    }

    /// Begins the events of the request with these options. `tell` receives each.
    pub(crate) fn begin_events(
        &self,
        options: &OpinionOptions,
        tell: impl Fn(&Envelope) + Send + 'static,
        say: &mut dyn FnMut(&str),
    ) -> GenerationEvents {
        let wanted = self.given.ideas.count() + self.approaches.unwrap_or(0);
        let criteria = options.criteria.iter().map(|(name, _)| name.clone());
        GenerationEvents::begin(self.folder, (wanted, criteria.collect()), tell, say)
    }

    /// Writes the experiment with the approaches that were developed, and the outcome of all beside it. No experiment is
    /// written if a budget or the model ended it, so that the same request goes on, or if no approach could be developed.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn write(
        &self,
        (options, plan): (&OpinionOptions, &QuestionPlan),
        developed: DevelopedQuestion,
        judge: JudgeInFile,
        models: &Models,
    ) -> Result<ExplorationResult, ExplorationError> {
        let is_written = developed.ended.is_none() && developed.written() > 0;
        let files = if is_written {
            judge.files(options, plan, &developed)
        } else {
            Vec::new()
        };
        let outcome = ExplorationOutcome {
            record: ExplorationRecord {
                wanted: self.identity(),
                files: digests(&files),
                is_complete: developed.ended.is_none(),
            },
            approaches: generated(&developed, models, is_written),
            criteria: None,
            oracle: None,
            not_started: Vec::new(),
            unusable: None,
        };
        if is_written {
            write_all(self.folder, &files.iter().collect::<Vec<_>>())?;
        }
        record::put(self.folder, &outcome)?;
        let approaches = outcome.approaches.clone();
        let generation = generation::Generation::new(approaches, Some(models), developed.ended);
        Ok(ExplorationResult::new(outcome, generation, is_written))
    }
}

impl JudgeInFile {
    /// Returns the files of the experiment, with the replies of a replay first.
    fn files(
        self,
        options: &OpinionOptions,
        plan: &QuestionPlan,
        developed: &DevelopedQuestion,
    ) -> Vec<DraftFile> {
        let replies = self.replies.map(|text| DraftFile {
            name: CASSETTE.to_owned(),
            text,
        });
        let judge = NamedJudge {
            cassette: replies.as_ref().map(|file| file.name.clone()),
            ..self.judge
        };
        let files = developed.files(options, plan, &judge);
        replies.into_iter().chain(files).collect()
    }
}

/// Returns the outcome of each approach, and its cost.
fn generated(developed: &DevelopedQuestion, models: &Models, is_written: bool) -> Generation {
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
