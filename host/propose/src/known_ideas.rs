//! Ideas that are known, and how new ones are asked for.

use super::idea::Idea;
use super::prompt;
use super::replies::Ideas;
use super::writer::read;
use bakeoff_domain::generate::Diversity;
use bakeoff_provider::{AskError, Models};

/// How often ideas are asked for, where some of them, or the work of their prototypes, were known already.
const ROUNDS_MAX: u32 = 3;

/// Ideas that are known, the user's own first, and the rounds in which others are asked for.
#[derive(Clone, Debug)]
pub(super) struct KnownIdeas {
    known: Vec<Idea>,
    diversity: Diversity,
    /// How often others were asked for.
    rounds: u32,
}

impl KnownIdeas {
    pub(super) fn new(known: Vec<Idea>, diversity: Diversity) -> Self {
        Self {
            known,
            diversity,
            rounds: 0,
        }
    }

    /// Adds an idea under a name that is free, unless it is known.
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

    /// Asks for ideas that are not known yet, so many at most; `None` once that was done in every round there is.
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
        let request = prompt::ideas(problem, count, self.rounds, self.diversity, &self.known);
        let written: Ideas = read(models.ask(&request).await?)?;
        let written = written.approaches.iter().take(count as usize);
        Ok(Some(
            written.filter_map(|written| self.add(written)).collect(),
        ))
    }
}
