//! Approaches of an experiment with `write = true`: a model writes them first, each into its own entry.

use super::cores::cores_of;
use super::error::GenerationError;
use super::experiment_change;
use super::outcome::{self, own_approaches};
use super::record;
use super::written_approaches::{WrittenApproach, write_to};
use bakeoff_config::{
    APPROACHES_MAX, LoadedExperiment, Policy, WishedApproach, with_wishes_written,
};
use bakeoff_domain::report::Generation;
use bakeoff_propose::{
    Answers, OwnApproach, Proposal, ProposeOptions, Proposer, WishFile, WishedIdea,
    generation_prompts,
};
use bakeoff_provider::AskError;
use bakeoff_render::escape::{Lines, Plain};
use bakeoff_run::{HostOptions, Survey};
use std::path::Path;

/// Everything that writing wishes takes.
pub(crate) struct WishRequest<'a> {
    pub(crate) loaded: &'a LoadedExperiment,
    /// The experiment file.
    pub(crate) file: &'a Path,
    pub(crate) answers: &'a Answers,
    pub(crate) host: &'a HostOptions,
    /// The problem as the model is told of it.
    pub(crate) problem: &'a str,
}

/// Outcomes of writing wishes.
pub(crate) struct WishesMade {
    pub(crate) generation: Generation,
    /// The error that ended it early: a spent budget, or a model that gives no answers at all.
    pub(crate) ended: Option<AskError>,
}

/// Returns the approaches without code in the form that a model is told.
pub(crate) fn told(loaded: &LoadedExperiment) -> Vec<OwnApproach<'_>> {
    let told = loaded.wished.iter();
    told.map(|wished| OwnApproach {
        name: &wished.name,
        description: wished.description.as_deref(),
    })
    .collect()
}

/// Returns the ideas of the approaches without code.
pub(crate) fn ideas(loaded: &LoadedExperiment) -> Vec<WishedIdea> {
    let ideas = loaded.wished.iter().map(|wished| {
        let description = wished.description.as_deref().unwrap_or_default();
        let idea = WishedIdea::new(&wished.name, description, &wished.words);
        WishedIdea {
            instructions: wished.instructions.as_ref().map(|file| WishFile {
                file: loaded.dir.join(file),
                within: loaded.dir.clone(),
            }),
            ..idea
        }
    });
    ideas.collect()
}

/// Refuses to ask for more approaches than an experiment may have.
///
/// # Errors
/// With as many more, it would have too many.
pub(crate) fn has_room(loaded: &LoadedExperiment, more: u32) -> Result<(), GenerationError> {
    let all = loaded.experiment.approaches.len() + loaded.wished.len();
    if all + more as usize > APPROACHES_MAX {
        return Err(GenerationError::Usage(format!(
            "the experiment has {all} approaches, and with {more} more it would have more than {APPROACHES_MAX}, the most: \
             remove some, or ask for fewer"
        )));
    }
    Ok(())
}

/// Says which approaches have no code, and what to do.
pub(crate) fn say_unwritten(loaded: &LoadedExperiment, say: &mut dyn FnMut(&str)) {
    for wished in &loaded.wished {
        say(&format!(
            "{} has no code yet, and is left out: `bakeoff generate`, or `bakeoff run --generate` with [generate], has a \
             model write it",
            Plain(&wished.name)
        ));
    }
}

/// Reads an experiment again after wishes were written into its file, with what the command line said of it.
pub(crate) fn read_again(
    before: &LoadedExperiment,
    file: &Path,
    policy: &Policy,
) -> Result<LoadedExperiment, GenerationError> {
    let mut loaded = bakeoff_config::load(file)?;
    policy.apply_to(&mut loaded)?;
    loaded.experiment.measure = before.experiment.measure;
    Ok(loaded)
}

impl WishRequest<'_> {
    /// Has the model write each approach without code, and writes those that pass into the experiment: the file stands
    /// where `write = true` stood. Whatever fails stays a wish.
    ///
    /// # Errors
    /// A file cannot be written, or something fails that does not depend on the model.
    pub(crate) async fn write(
        &self,
        options: &ProposeOptions,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<WishesMade, GenerationError> {
        let survey = Survey::open(self.loaded, self.host, say).await?;
        let own = own_approaches(self.loaded);
        let mut options = options.clone();
        options.write.tried_at_once = cores_of(self.loaded.experiment.measure.workers);
        let known = (&own[..], &[][..]);
        let proposer = Proposer::open(self.answers, survey, self.problem, known, &options);
        let mut proposer = proposer.await?;
        let ideas = ideas(self.loaded);
        let names: Vec<String> = ideas.iter().map(|one| one.idea.name.clone()).collect();
        // Progress may quote a panic or a compiler.
        let mut escaped = |text: &str| say(&Lines(text).to_string());
        let made = proposer.write_wished(ideas, &mut escaped).await?;
        let generation = self.finish(&names, &made.proposals, say)?;
        Ok(WishesMade {
            generation,
            ended: made.ended,
        })
    }

    /// Writes the prototypes that passed, then what came of all, then the experiment file.
    fn finish(
        &self,
        names: &[String],
        proposals: &[Proposal],
        say: &mut dyn FnMut(&str),
    ) -> Result<Generation, GenerationError> {
        let dir = &self.loaded.dir;
        let (mut written, mut left) = (Vec::new(), Vec::new());
        let mut changes: Vec<(&WishedApproach, String)> = Vec::new();
        for (wished, name) in self.loaded.wished.iter().zip(names) {
            let mut made = proposals.iter();
            let Some(source) = made
                .find(|one| one.idea.name == *name)
                .and_then(Proposal::passed)
            else {
                continue;
            };
            let file = write_to(dir, &self.loaded.experiment.approaches, name, source)?;
            changes.push((wished, file.clone()));
            let name = name.clone();
            written.push(WrittenApproach { name, file });
        }
        let models = self.answers.ideas().map(|models| &**models);
        let made = Generation {
            prompts: generation_prompts(&self.loaded.prompts),
            ..outcome::keep(dir, proposals, &written, models, None)?
        };
        record::add(dir, made.clone())?;
        if !changes.is_empty() {
            experiment_change::change(self.file, self.loaded, say, |now| {
                let is_as_it_was = |one: &&WishedApproach, was: &WishedApproach| {
                    one.name == was.name && one.description == was.description
                };
                let mut still = Vec::new();
                for (was, file) in &changes {
                    match now.wished.iter().find(|one| is_as_it_was(one, was)) {
                        Some(wished) => still.push((wished, file.clone())),
                        None => left.push(format!("{} is in {file}", was.name)),
                    }
                }
                with_wishes_written(&now.text, &still)
            })?;
        }
        for one in left {
            say(&format!(
                "what was written for {}: the wish was changed or removed meanwhile",
                Plain(&one)
            ));
        }
        for (wished, name) in self.loaded.wished.iter().zip(names) {
            if !written.iter().any(|one| one.name == *name) {
                say(&format!(
                    "{} stays a wish: change what it says, and it is asked for anew; unchanged, the same question is \
                     answered from the record",
                    Plain(&wished.name)
                ));
            }
        }
        Ok(made)
    }
}
