//! Ideas that are known already, and requests for new ones.

use super::idea::Idea;
use super::prompt;
use super::replies::Ideas;
use super::writer::{PrototypeWriter, read};
use bakeoff_config::Prompts;
use bakeoff_domain::generate::Diversity;
use bakeoff_provider::{AskError, Models};

/// The most rounds of asking for ideas. Another round is needed where ideas, or the work of their prototypes, were
/// known already.
const ROUNDS_MAX: u32 = 3;

/// Ideas that are known already, the user's own first, and the rounds in which new ones were asked for.
#[derive(Clone, Debug)]
pub(super) struct KnownIdeas {
    known: Vec<Idea>,
    diversity: Diversity,
    /// The sentence on which ideas are wanted.
    preference: &'static str,
    /// Templates of the experiment's own for the questions.
    prompts: Prompts,
    /// Number of rounds so far.
    rounds: u32,
}

impl KnownIdeas {
    pub(super) fn new(known: Vec<Idea>, diversity: Diversity, writer: &PrototypeWriter) -> Self {
        Self {
            known,
            diversity,
            preference: writer.preference(),
            prompts: writer.options.prompts.clone(),
            rounds: 0,
        }
    }

    /// Takes ideas of the user's own as known.
    pub(super) fn take(&mut self, ideas: &[Idea]) {
        self.known.extend_from_slice(ideas);
    }

    /// Adds an idea under a name that is free, and returns it; `None` if it is known.
    pub(super) fn add(&mut self, written: &super::replies::WrittenIdea) -> Option<Idea> {
        let taken: Vec<String> = self.known.iter().map(|idea| idea.name.clone()).collect();
        let as_named = Idea::of(written, self.known.len() + 1, &[]);
        if self.known.iter().any(|known| known.is_like(&as_named)) {
            return None;
        }
        let idea = Idea::of(written, self.known.len() + 1, &taken);
        self.known.push(idea.clone());
        Some(idea)
    }

    /// Returns true if a name is taken.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.known.iter().any(|idea| idea.name == name)
    }

    /// Asks for at most `count` ideas that are not known yet; `None` once all rounds are over.
    ///
    /// # Errors
    /// See [`AskError`].
    pub(super) async fn ask(
        &mut self,
        models: &Models,
        problem: &str,
        count: u32,
    ) -> Result<Option<Vec<Idea>>, AskError> {
        if self.rounds == ROUNDS_MAX {
            return Ok(None);
        }
        self.rounds += 1;
        let request = prompt::ideas(
            &self.prompts,
            (problem, self.preference),
            count,
            self.rounds,
            self.diversity,
            &self.known,
        );
        let written: Ideas = read(models.ask(&request).await?)?;
        let written = written.approaches.iter().take(count as usize);
        Ok(Some(
            written.filter_map(|written| self.add(written)).collect(),
        ))
    }
}
