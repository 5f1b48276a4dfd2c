//! The ideas of an exploration, in the order of the approaches that are made of them.

use super::draft;
use super::idea::Idea;
use super::known_ideas::KnownIdeas;
use bakeoff_provider::{AskError, Models};

/// How the names of what is made of two others begin.
pub(super) const COMBINATION: &str = "combination-";

/// The ideas of an exploration.
#[derive(Debug)]
pub(super) struct Sketch {
    ideas: Vec<Idea>,
    known: KnownIdeas,
}

impl Sketch {
    /// Asks for so many ideas, again while some of them are known already.
    ///
    /// # Errors
    /// There is no idea at all: see [`AskError`].
    pub(super) async fn ask(
        models: &Models,
        problem: &str,
        known: KnownIdeas,
        wanted: u32,
    ) -> Result<Self, AskError> {
        let ideas = Vec::new();
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
                Err(_) => break,
            }
        }
        Ok(sketch)
    }

    /// Asks for so many more, in the place of approaches that do the work of others, and returns how many it
    /// adds: none once that was done in every round there is.
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

    /// Returns how many ideas there are.
    pub(super) fn len(&self) -> usize {
        self.ideas.len()
    }

    /// Returns the idea of an approach, whose number is counted from 1.
    pub(super) fn idea(&self, number: usize) -> Option<&Idea> {
        self.ideas.get(number - 1)
    }

    /// Adds ideas under names that are left for them: `plain` is that of the solution which comes with a workload,
    /// and combinations have their own.
    fn add(&mut self, ideas: Vec<Idea>) {
        for mut idea in ideas {
            if idea.name == draft::PLAIN || idea.name.starts_with(COMBINATION) {
                let number = self.ideas.len() + 1;
                let base = format!("approach-{number}");
                idea.name = match self.known.has_name(&base) {
                    true => format!("{base}-{number}"),
                    false => base,
                };
            }
            self.ideas.push(idea);
        }
    }
}
