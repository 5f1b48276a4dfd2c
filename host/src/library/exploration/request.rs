//! The request for an experiment from a statement: what identifies it, the plan of a model for it, and what comes of that
//! plan.

use super::chosen_criteria::ChosenCriteria;
use super::draft_files::experiment_name;
use super::error::ExplorationError;
use super::like_experiment::LikeExperiment;
use super::new_criteria::{CriteriaOrigin, NewCriteria};
use crate::library::generation::events::GenerationEvents;
use crate::library::generation::ideas::Ideas;
use crate::library::generation::planning::{Planning, planned};
use crate::library::generation::record::{self, ExplorationRecord};
use crate::library::generation::{GenerationError, WritingOptions, research};
use crate::library::written_files::check_places;
use bakeoff_config::{FILE_NAME, LoadedExperiment, PROSE_CHARS_MAX, Prompts};
use bakeoff_domain::spec::Criterion;
use bakeoff_files::Folder;
use bakeoff_propose::{
    APPROACHES, ExplorationParts, ExploreOptions, NewExperiment, PROPOSALS_MAX, PlanBounds,
    PlanError, PlanRequest, PlanScope, ProposeOptions,
};
use bakeoff_provider::Models;
use bakeoff_render::escape::Lines;
use bakeoff_run::HostOptions;
use bakeoff_source::content_address;
use bakeoff_store::events::Envelope;
use std::path::Path;
use std::sync::Arc;

/// Request for an experiment from a statement alone.
pub(crate) struct ExplorationRequest<'a> {
    /// The problem, as the user states it.
    pub(crate) statement: &'a str,
    /// The folder of the experiment that is written.
    pub(crate) folder: &'a Path,
    /// Number of approaches beside the user's own ideas; `None` leaves it to the plan.
    pub(crate) approaches: Option<u32>,
    pub(crate) given: &'a GivenParts,
    /// Names of the options of files that the model is told and of a file of criteria, for messages.
    pub(crate) context_option: &'a str,
    pub(crate) criteria_option: &'a str,
}

/// The parts that the user gives with a statement.
pub(crate) struct GivenParts {
    /// Ideas of the user's own, which are written before those of the model.
    pub(crate) ideas: Ideas,
    pub(crate) criteria: ChosenCriteria,
    /// An earlier experiment, which the new one is to be like.
    pub(crate) like: Option<LikeExperiment>,
    pub(crate) writing: WritingOptions,
    /// A text that identifies the model.
    pub(crate) model: String,
}

impl GivenParts {
    /// Returns a text that identifies a request with these parts: for a statement, which may be answered in a form of its own,
    /// and a number of approaches.
    pub(super) fn identity(&self, (statement, form): (&str, &str), more: Option<u32>) -> String {
        let like = self.like.as_ref().map(LikeExperiment::identity);
        format!(
            "statement {}{form}, approaches {}{}{}{}, {}, {}",
            content_address(statement.as_bytes()),
            more.map_or("auto".to_owned(), |count| count.to_string()),
            self.ideas.identity(),
            self.criteria.identity(),
            like.unwrap_or_default(),
            self.writing.identity(),
            self.model,
        )
    }
}

/// The model that is asked, and the machine on which its answers are tried out.
pub(crate) struct ExplorationSetting<'a> {
    pub(crate) models: &'a Arc<Models>,
    pub(crate) host: &'a HostOptions,
    /// Number of prototypes that are built and tried at once.
    pub(crate) cores: usize,
    pub(crate) events: &'a GenerationEvents,
}

/// A plan for a request, with what was decided by it.
pub(crate) struct PlannedExploration {
    pub(crate) planning: Planning,
    pub(super) criteria: NewCriteria,
    /// The problem as the model is told of it: with the files of the context.
    told: String,
}

/// Refuses a problem that is empty or too long.
///
/// # Errors
/// It is one of the two.
pub(crate) fn check_statement(statement: &str) -> Result<(), GenerationError> {
    let chars = statement.chars().count();
    if statement.trim().is_empty() || chars > PROSE_CHARS_MAX {
        return Err(GenerationError::Usage(format!(
            "the problem has {chars} characters, and it may have 1 to {PROSE_CHARS_MAX}"
        )));
    }
    Ok(())
}

/// Returns true if something has the name of an experiment's file in this folder.
pub(crate) fn has_experiment(folder: &Path) -> bool {
    let found = Folder::named_by_user(folder).and_then(|folder| folder.look(FILE_NAME));
    found.is_ok_and(|found| found.is_some())
}

impl ExplorationRequest<'_> {
    /// Returns a text that identifies the request: an unfinished exploration goes on only if its text is the same.
    pub(super) fn identity(&self) -> String {
        self.given.identity((self.statement, ""), self.approaches)
    }

    /// Returns the criteria that are decided before a plan: those of the user, or those of an earlier experiment.
    fn decided(&self) -> Result<Option<(CriteriaOrigin, Vec<Criterion>)>, ExplorationError> {
        let of_user = self.given.criteria.decided(self.criteria_option)?;
        let like = self.given.like.as_ref();
        Ok(of_user.or_else(|| like.and_then(LikeExperiment::decided)))
    }

    /// Returns the experiment that an unfinished exploration of the same request left in the folder; `None` if there is no
    /// experiment.
    ///
    /// # Errors
    /// The folder has another experiment, or a file was changed since.
    pub(crate) fn unfinished(&self) -> Result<Option<LoadedExperiment>, ExplorationError> {
        if !has_experiment(self.folder) {
            return Ok(None);
        }
        let folder = self.folder.to_owned();
        let Some(record) = ExplorationRecord::unfinished(&folder, &self.identity()) else {
            return Err(ExplorationError::HasExperiment(folder));
        };
        if let Some(changed) = record.changed_file(&folder) {
            let file = changed.to_owned();
            return Err(ExplorationError::Changed { folder, file });
        }
        Ok(Some(bakeoff_config::load(&folder)?))
    }

    /// Checks that the experiment can be written, and sets a record aside that this user's bakeoff did not write: `set_aside`
    /// is told of it. To be called before anybody is asked.
    ///
    /// # Errors
    /// The experiment could not be written.
    pub(crate) fn clear_places(
        &self,
        set_aside: &mut dyn FnMut(&str),
    ) -> Result<(), ExplorationError> {
        let approaches = format!("{APPROACHES}/");
        check_places(self.folder, &["wit/", &approaches, "workload.rs"])?;
        record::set_foreign_aside(self.folder, set_aside)?;
        Ok(())
    }

    /// Begins the events of the request. `tell` receives each.
    ///
    /// # Errors
    /// The criteria that the user chose cannot be used.
    pub(crate) fn begin_events(
        &self,
        tell: impl Fn(&Envelope) + Send + 'static,
        say: &mut dyn FnMut(&str),
    ) -> Result<GenerationEvents, ExplorationError> {
        let wanted = self.given.ideas.count() + self.approaches.unwrap_or(0);
        // The plan decides the others.
        let criteria = self.decided()?.map(|(_, criteria)| criteria);
        let criteria = criteria.unwrap_or_default().into_iter();
        let names = criteria.map(|one| one.name).collect();
        Ok(GenerationEvents::begin(
            self.folder,
            (wanted, names),
            tell,
            say,
        ))
    }

    /// Asks for a plan, or takes the one that is kept for the same request.
    ///
    /// # Errors
    /// There is no plan, or it cannot be kept, or a file that the model is to be told cannot be read.
    pub(crate) async fn plan(
        &self,
        setting: &ExplorationSetting<'_>,
        say: &mut dyn FnMut(&str),
    ) -> Result<PlannedExploration, ExplorationError> {
        let GivenParts { ideas, writing, .. } = self.given;
        let propose = self.propose_options(setting);
        let told = writing.told(self.statement, self.context_option)?;
        let own = ideas.count();
        let wanted = match self.approaches {
            Some(more) => Some(own + more),
            None if own > 0 => Some(own),
            None => None,
        };
        let decided = self.decided()?;
        let prompts = &propose.write.prompts;
        let asks_research = writing.research && research::is_open(self.folder, &told, prompts);
        let request = PlanRequest {
            statement: &told,
            scope: PlanScope::Statement,
            approaches: wanted,
            diversity: propose.diversity,
            criteria: decided.as_ref().map(|(_, criteria)| &criteria[..]),
            bounds: PlanBounds::of(setting.models, setting.cores, propose.write.timeout),
            prompts,
        };
        let names = ideas.wished().into_iter().map(|one| one.idea.name);
        let planning = planned(
            setting.models,
            (self.folder, &self.identity()),
            request,
            (asks_research, names.collect()),
            say,
        )
        .await?;
        Ok(PlannedExploration {
            criteria: NewCriteria::choose(decided, &planning.plan),
            planning,
            told,
        })
    }

    /// Carries a plan out. Progress goes to `say`. Nothing of it is written before [`write`](Self::write) is called.
    ///
    /// # Errors
    /// The model does not say what is known of the problem, if that is asked for, or something fails that does not depend on
    /// the model.
    pub(crate) async fn carry_out(
        &self,
        planned: &PlannedExploration,
        setting: &ExplorationSetting<'_>,
        mut say: impl FnMut(&str) + Send + 'static,
    ) -> Result<ExplorationParts, ExplorationError> {
        let propose = self.propose_options(setting);
        let told = if self.given.writing.research {
            let asked = (planned.told.as_str(), &propose.write.prompts);
            let told = research::with_research(setting.models, self.folder, asked, &mut say);
            told.await?.map_err(PlanError::Ask)?
        } else {
            planned.told.clone()
        };
        let criteria = &planned.criteria;
        let experiment = NewExperiment {
            criteria: criteria.criteria.clone(),
            comment: criteria.comment(),
            ..NewExperiment::usual(&experiment_name(self.folder))
        };
        let like = self.given.like.as_ref();
        let options = ExploreOptions {
            statement: self.statement.to_owned(),
            told,
            like: like.map(|like| like.example.clone()),
            experiment: match like {
                Some(like) => like.applied_to(experiment),
                None => experiment,
            },
            propose,
            wished: self.given.ideas.wished(),
        };
        // Progress may quote a panic or a compiler.
        let escaped = move |text: &str| say(&Lines(text).to_string());
        let plan = &planned.planning.plan;
        let explored =
            bakeoff_propose::explore(setting.models, plan, setting.host, &options, escaped);
        Ok(explored.await?)
    }

    fn propose_options(&self, setting: &ExplorationSetting<'_>) -> ProposeOptions {
        let approaches = self.approaches.unwrap_or(PROPOSALS_MAX);
        let machine = (setting.cores, &Prompts::default());
        (self.given.writing).propose(approaches, machine, setting.events)
    }
}
