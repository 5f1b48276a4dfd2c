//! Options on the request for approaches and on their code.

use super::error::GenerationError;
use super::events::GenerationEvents;
use crate::library::user_files::read_told;
use bakeoff_config::Prompts;
use bakeoff_domain::generate::{Depth, Diversity};
use bakeoff_propose::{ProposeOptions, WriteOptions, with_context};
use std::path::PathBuf;
use std::time::Duration;

/// The most files that are told.
const FILES_MAX: usize = 8;

/// Options on the request for approaches and on their code.
#[derive(Clone, Debug)]
pub(crate) struct WritingOptions {
    /// The largest number of times that what failed is written anew.
    pub(crate) repairs: u32,
    /// A file with wishes of the user's for every prototype.
    pub(crate) instructions: Option<PathBuf>,
    /// The time for one approach with all its repairs.
    pub(crate) timeout: Duration,
    pub(crate) depth: Depth,
    pub(crate) diversity: Diversity,
    /// Files that the model is told with the problem.
    pub(crate) context: Vec<PathBuf>,
    /// True if it is asked first what is known of the problem.
    pub(crate) research: bool,
    /// A text that identifies the model for repairs; empty where the one that writes repairs as well.
    pub(crate) repairs_by: String,
}

impl Default for WritingOptions {
    fn default() -> Self {
        Self {
            repairs: 2,
            instructions: None,
            timeout: Duration::from_secs(20 * 60),
            depth: Depth::default(),
            diversity: Diversity::default(),
            context: Vec::new(),
            research: false,
            repairs_by: String::new(),
        }
    }
}

impl WritingOptions {
    /// Returns the options that decide which approaches are asked for, as a text that identifies them.
    pub(crate) fn identity(&self) -> String {
        let depth = match self.depth {
            Depth::Sketch => "sketch",
            Depth::ProofOfConcept => "proof-of-concept",
            Depth::ProductionReady => "production-ready",
        };
        let diversity = match self.diversity {
            Diversity::Low => "low",
            Diversity::Medium => "medium",
            Diversity::High => "high",
        };
        let context = self.context.iter();
        let context: String = context
            .map(|file| format!(", context {}", file.display()))
            .collect();
        let research = if self.research { ", research" } else { "" };
        format!(
            "depth {depth}, diversity {diversity}, {} repairs{}{context}{research}",
            self.repairs, self.repairs_by
        )
    }

    /// Returns a problem as a model is told of it: with the files of the context, which messages call by the name of
    /// the `option` that names them.
    ///
    /// # Errors
    /// A file cannot be read, is no text, or is too large, or there are too many.
    pub(crate) fn told(&self, problem: &str, option: &str) -> Result<String, GenerationError> {
        let count = self.context.len();
        if count > FILES_MAX {
            return Err(GenerationError::Usage(format!(
                "{option} is given {count} times, and {FILES_MAX} files are told at most"
            )));
        }
        let mut files = Vec::with_capacity(count);
        for file in &self.context {
            let text = read_told(option, file)?;
            let name = file.file_name().unwrap_or_default().display().to_string();
            files.push((name, text));
        }
        Ok(with_context(problem, &files))
    }

    /// Returns the options for this number of approaches, of which so many are built and tried at once, with the templates
    /// of the experiment.
    pub(crate) fn propose(
        &self,
        approaches: u32,
        (cores, prompts): (usize, &Prompts),
        events: &GenerationEvents,
    ) -> ProposeOptions {
        ProposeOptions {
            approaches,
            diversity: self.diversity,
            write: WriteOptions {
                repairs: self.repairs,
                instructions: self.instructions.clone(),
                instructions_within: None,
                timeout: self.timeout,
                depth: self.depth,
                prompts: prompts.clone(),
                tried_at_once: cores,
                on_step: events.on_step(),
            },
        }
    }
}
