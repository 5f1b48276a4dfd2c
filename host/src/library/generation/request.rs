//! The request for approaches, which a model or agents beside it answer: from the experiment to the files that are written
//! into it.

use super::cores::cores_of;
use super::error::GenerationError;
use super::events::GenerationEvents;
use super::ideas::Ideas;
use super::outcome::{self, Ending, own_approaches};
use super::places::PLACES;
use super::record;
use super::research::with_research;
use super::result::Generation;
use super::wishes::{self, WishRequest};
use super::writing::WritingOptions;
use crate::library::written_files::check_places;
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_domain::ids::slug;
use bakeoff_propose::{Answers, OwnApproach, Proposals, Proposer, prompts_identity};
use bakeoff_provider::AskError;
use bakeoff_render::escape::Plain;
use bakeoff_run::{HostOptions, Survey};
use bakeoff_store::events::Envelope;
use std::path::Path;

/// Request for approaches to the problem of an experiment.
pub(crate) struct GenerationRequest<'a> {
    /// Number of approaches whose ideas the model names.
    pub(crate) approaches: u32,
    /// Ideas of the user's own, which are written before those.
    pub(crate) ideas: &'a Ideas,
    pub(crate) writing: &'a WritingOptions,
    /// Name of the option of files that the model is told, for messages.
    pub(crate) context_option: &'a str,
    /// A text that identifies whoever writes beside the model; empty if it writes itself.
    pub(crate) writer: &'a str,
}

/// Whoever answers a request, and the machine on which answers are tried out.
pub(crate) struct GenerationSetting<'a> {
    /// The experiment file.
    pub(crate) file: &'a Path,
    pub(crate) answers: &'a Answers,
    pub(crate) policy: &'a Policy,
    pub(crate) host: &'a HostOptions,
    pub(crate) events: &'a GenerationEvents,
}

/// Checks that the outcome of a request can be written beside an experiment, and sets a record aside that this user's bakeoff
/// did not write: `set_aside` is told of it. To be called before anybody is asked.
///
/// # Errors
/// The outcome could not be written.
pub(crate) fn clear_places(
    loaded: &LoadedExperiment,
    set_aside: &mut dyn FnMut(&str),
) -> Result<(), GenerationError> {
    check_places(&loaded.dir, &PLACES)?;
    record::set_foreign_aside(&loaded.dir, set_aside)?;
    Ok(())
}

/// Begins the events of a request for so many approaches, beside the wishes of the experiment.
pub(crate) fn begin_events(
    loaded: &LoadedExperiment,
    approaches: u32,
    tell: impl Fn(&Envelope) + Send + 'static,
    say: &mut dyn FnMut(&str),
) -> GenerationEvents {
    let criteria = loaded.experiment.criteria.iter();
    let criteria = criteria.map(|one| one.name.clone()).collect();
    let all = approaches + loaded.wished.len() as u32;
    GenerationEvents::begin(&loaded.dir, (all, criteria), tell, say)
}

impl GenerationRequest<'_> {
    /// Returns the number of approaches that are asked for beside the wishes of the experiment.
    pub(crate) fn count(&self) -> u32 {
        self.approaches + self.ideas.count()
    }

    /// Returns a text that identifies the request: an unfinished generation goes on only if its text is the same.
    fn identity(&self, loaded: &LoadedExperiment) -> String {
        format!(
            "approaches {}, {}{}{}{}",
            self.approaches,
            self.writing.identity(),
            self.ideas.identity(),
            self.writer,
            prompts_identity(&loaded.prompts)
        )
    }

    /// Refuses an idea by the name of an approach that is there.
    ///
    /// # Errors
    /// There is such an idea.
    pub(crate) fn refuse_known(&self, loaded: &LoadedExperiment) -> Result<(), GenerationError> {
        let before = record::before(loaded, &self.identity(loaded));
        let wishes = wishes::ideas(loaded);
        for idea in self.ideas.wished() {
            let name = &idea.idea.name;
            let approaches = before.experiment.approaches.iter().map(|one| &one.name);
            let mut known = approaches.chain(wishes.iter().map(|one| &one.idea.name));
            if let Some(other) = known.find(|other| slug(other) == slug(name)) {
                return Err(GenerationError::Usage(format!(
                    "the experiment has an approach {} already: leave the idea {} out, or give it another name",
                    Plain(other),
                    Plain(name)
                )));
            }
        }
        Ok(())
    }

    /// Has the approaches written, the wishes of the experiment first, and writes those that pass into it. Progress goes to
    /// `say`.
    ///
    /// # Errors
    /// A file cannot be read or written, or something fails that does not depend on whoever answers.
    pub(crate) async fn perform(
        &self,
        loaded: &LoadedExperiment,
        setting: &GenerationSetting<'_>,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Generation, GenerationError> {
        let models = setting.answers.ideas().map(|models| &**models);
        let (problem, unanswered) = self.problem(loaded, setting, say).await?;
        let (again, mut wishes) = if unanswered.is_none() && !loaded.wished.is_empty() {
            let wishing = WishRequest {
                loaded,
                file: setting.file,
                answers: setting.answers,
                host: setting.host,
                problem: &problem,
            };
            let options = (self.writing).propose(0, (1, &loaded.prompts), setting.events);
            let made = wishing.write(&options, say).await?;
            let again = wishes::read_again(loaded, setting.file, setting.policy)?;
            (again, Some(made))
        } else {
            (loaded.clone(), None)
        };
        let ended = wishes.as_mut().and_then(|made| made.ended.take());
        let proposals = match unanswered.or(ended) {
            None if self.count() > 0 => self.propose(&again, &problem, setting, say).await?,
            ended => Proposals {
                proposals: Vec::new(),
                ended,
            },
        };
        let mut made = match &wishes {
            // Nothing more was asked for, and the outcomes of the wishes are kept already.
            Some(made) if proposals.proposals.is_empty() => made.generation.clone(),
            _ => outcome::finish(Ending {
                loaded: &again,
                file: setting.file,
                proposals: &proposals.proposals,
                models,
                planning: None,
                not_started: &[],
                wanted: self.identity(&again),
                is_complete: proposals.ended.is_none(),
                say,
            })?,
        };
        setting.events.end(proposals.ended.is_none());
        if let Some(written) = wishes.filter(|_| !proposals.proposals.is_empty()) {
            made.approaches.splice(0..0, written.generation.approaches);
        }
        Ok(Generation::new(made, models, proposals.ended))
    }

    /// Returns the problem as the model is told of it, with the error of a model that does not say what is known of it.
    async fn problem(
        &self,
        loaded: &LoadedExperiment,
        setting: &GenerationSetting<'_>,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(String, Option<AskError>), GenerationError> {
        let problem = &loaded.experiment.problem;
        let told = self.writing.told(problem, self.context_option)?;
        let Some(models) = setting.answers.ideas().filter(|_| self.writing.research) else {
            return Ok((told, None));
        };
        let asked = (told.as_str(), &loaded.prompts);
        Ok(
            match with_research(models, &loaded.dir, asked, say).await? {
                Ok(told) => (told, None),
                Err(error) => (String::new(), Some(error)),
            },
        )
    }

    /// Has the ideas of the user's own written, and those that the model names.
    async fn propose(
        &self,
        loaded: &LoadedExperiment,
        problem: &str,
        setting: &GenerationSetting<'_>,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Proposals, GenerationError> {
        let loaded = &record::before(loaded, &self.identity(loaded));
        let survey = Survey::open(loaded, setting.host, say).await?;
        let own = own_approaches(loaded);
        let ideas = self.ideas.wished();
        let mut wished = wishes::told(loaded);
        wished.extend(ideas.iter().map(|one| OwnApproach {
            name: &one.idea.name,
            description: Some(&one.idea.description),
        }));
        let cores = cores_of(loaded.experiment.measure.workers);
        let machine = (cores, &loaded.prompts);
        let options = (self.writing).propose(self.approaches, machine, setting.events);
        let known = (&own[..], &wished[..]);
        let proposer = Proposer::open(setting.answers, survey, problem, known, &options);
        let mut proposer = proposer.await?;
        let mut all = proposer.write_wished(ideas.clone(), say).await?;
        if all.ended.is_none() {
            let more = proposer.propose(say).await?;
            all.proposals.extend(more.proposals);
            all.ended = more.ended;
        }
        Ok(all)
    }
}
