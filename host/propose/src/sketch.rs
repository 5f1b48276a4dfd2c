//! The ideas of an exploration, in the order of the approaches that are made of them.

use super::draft;
use super::idea::Idea;
use super::known_ideas::KnownIdeas;
use bakeoff_provider::{AskError, Models};

/// Prefix of the names of combinations, which are made of two approaches.
pub(super) const COMBINATION: &str = "combination-";

/// Returns true for names that ideas of an exploration may not have: that of the solution that comes with a workload, and
/// those of combinations.
pub fn is_taken(name: &str) -> bool {
    name == draft::PLAIN || name.starts_with(COMBINATION)
}

/// The ideas of an exploration.
#[derive(Debug)]
pub(super) struct Sketch {
    ideas: Vec<Idea>,
    known: KnownIdeas,
}

impl Sketch {
    /// Asks for `wanted` ideas with those of the user's own, which come first, and again while some of them are known
    /// already.
    ///
    /// # Errors
    /// There is no idea at all: see [`AskError`].
    pub(super) async fn ask(
        models: &Models,
        problem: &str,
        (ideas, mut known): (Vec<Idea>, KnownIdeas),
        wanted: u32,
    ) -> Result<Self, AskError> {
        known.take(&ideas);
        let mut sketch = Self { ideas, known };
        loop {
            let lacks = wanted.saturating_sub(sketch.ideas.len() as u32);
            if lacks == 0 {
                break;
            }
            match sketch.known.ask(models, problem, lacks).await {
                Ok(Some(more)) => sketch.add(more),
                Ok(None) => break,
                Err(error) if sketch.ideas.is_empty() => return Err(error),
                // Its answer comes with a later call.
                Err(error @ AskError::NotAnswered { .. }) => return Err(error),
                // Some ideas are enough to go on with, and an error that lasts ends the next question as well.
                Err(_) => break,
            }
        }
        Ok(sketch)
    }

    /// Asks for `missing` more ideas, in the place of approaches that do the work of others. Returns the number that it
    /// adds, which is 0 once all rounds are over.
    ///
    /// # Errors
    /// See [`AskError`].
    pub(super) async fn ask_again(
        &mut self,
        models: &Models,
        problem: &str,
        missing: u32,
    ) -> Result<usize, AskError> {
        let more = self.known.ask(models, problem, missing).await?;
        let more = more.unwrap_or_default();
        let count = more.len();
        self.add(more);
        Ok(count)
    }

    /// Returns the number of ideas.
    pub(super) fn len(&self) -> usize {
        self.ideas.len()
    }

    /// Returns the idea of an approach, whose number is counted from 1.
    pub(super) fn idea(&self, number: usize) -> Option<&Idea> {
        self.ideas.get(number - 1)
    }

    /// Adds ideas under names that they may have: `plain` is kept for the solution that comes with a workload, and
    /// names that begin with [`COMBINATION`] for combinations.
    fn add(&mut self, ideas: Vec<Idea>) {
        for mut idea in ideas {
            if is_taken(&idea.name) {
                let number = self.ideas.len() + 1;
                let base = format!("approach-{number}");
                idea.name = if self.known.has_name(&base) {
                    format!("{base}-{number}")
                } else {
                    base
                };
            }
            self.ideas.push(idea);
        }
    }
}
