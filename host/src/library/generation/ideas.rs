//! Ideas of the user's own, which are written before those that a model names.

use super::error::GenerationError;
use bakeoff_domain::spec::AuthorWords;
use bakeoff_propose::{PROPOSALS_MAX, WishedIdea, is_taken};

/// Ideas of the user's own: the name of each, and what it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ideas(pub(crate) Vec<(String, String)>);

impl Ideas {
    /// Returns the number of ideas.
    pub(crate) fn count(&self) -> u32 {
        self.0.len() as u32
    }

    /// Returns the ideas as a text that identifies them; empty if there are none.
    pub(crate) fn identity(&self) -> String {
        let ideas = self.0.iter();
        ideas
            .map(|(name, text)| format!(", idea {name}={text}"))
            .collect()
    }

    /// Returns the ideas in the form in which they are written.
    pub(crate) fn wished(&self) -> Vec<WishedIdea> {
        let ideas = self.0.iter();
        ideas
            .map(|(name, text)| WishedIdea::new(name, text, &AuthorWords::default()))
            .collect()
    }

    /// Refuses ideas that cannot be told apart, and too many of them and of others.
    ///
    /// # Errors
    /// A name is taken or there twice, or there are too many.
    pub(crate) fn check(&self, more: u32) -> Result<(), GenerationError> {
        let wished = self.wished();
        for (place, one) in wished.iter().enumerate() {
            let name = &one.idea.name;
            if is_taken(name) {
                return Err(GenerationError::Usage(format!(
                    "an idea cannot be called {name}, as an approach is that is written anyway: give it another name"
                )));
            }
            if wished[..place].iter().any(|other| other.idea.name == *name) {
                return Err(GenerationError::Usage(format!(
                    "two ideas would be called {name}: give them other names"
                )));
            }
        }
        let count = self.count() + more;
        if count > PROPOSALS_MAX {
            return Err(GenerationError::Usage(format!(
                "{count} approaches are wished for, and {PROPOSALS_MAX} are the most"
            )));
        }
        Ok(())
    }
}
