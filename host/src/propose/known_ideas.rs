//! Ideas that are known, and how new ones are asked for.

use super::idea::Idea;
use super::prompt;
use super::replies::Ideas;
use super::writer::read;
use crate::provider::{AskError, Models};
use bakeoff_domain::generate::Diversity;

/// Ideas that are known, the user's own first.
#[derive(Clone, Debug)]
pub(super) struct KnownIdeas {
    known: Vec<Idea>,
    diversity: Diversity,
}

impl KnownIdeas {
    pub(super) fn new(known: Vec<Idea>, diversity: Diversity) -> Self {
        Self { known, diversity }
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

    /// Asks for ideas that are not known yet, so many at most.
    ///
    /// # Errors
    /// See [`AskError`].
    pub(super) async fn ask(
        &mut self,
        models: &Models,
        problem: &str,
        count: u32,
        round: u32,
    ) -> Result<Vec<Idea>, AskError> {
        let request = prompt::ideas(problem, count, round, self.diversity, &self.known);
        let written: Ideas = read(models.ask(&request).await?)?;
        let written = written.approaches.iter().take(count as usize);
        Ok(written.filter_map(|written| self.add(written)).collect())
    }
}
