//! The options that say how a model's approaches are asked for and written.

use super::failure::Failure;
use super::models;
use super::repair_arguments::RepairArguments;
use super::told::{Context, read_told};
use crate::library::generation::events::GenerationEvents;
use bakeoff_config::Prompts;
use bakeoff_domain::generate::{Depth, Diversity};
use bakeoff_propose::{ProposeOptions, WriteOptions, with_context};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Depths to which prototypes are worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DepthName {
    /// The shortest form of the idea
    Sketch,
    /// The idea, as well as it can be written
    ProofOfConcept,
    /// The code that would be put into use
    ProductionReady,
}

/// Distances between approaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DiversityName {
    /// Variations of one idea will do
    Low,
    /// Other algorithms or data structures
    Medium,
    /// The most different ones that there are
    High,
}

/// Returns the name of a value on the command line.
fn name(value: &impl ValueEnum) -> String {
    let named = value.to_possible_value();
    named.map_or_else(String::new, |named| named.get_name().to_owned())
}

/// Options on the request for approaches and on their code.
#[derive(Debug, Args)]
pub(super) struct Writing {
    /// How often what failed is written anew
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=10))]
    repairs: u32,
    /// A file with wishes of yours for every prototype, read anew for each
    #[arg(long, value_name = "FILE")]
    instructions: Option<PathBuf>,
    /// The time for one approach with all its repairs: 90s, 10min
    #[arg(long, value_name = "TIME", default_value = "20min", value_parser = models::time)]
    timeout: Duration,
    /// How far prototypes are worked out
    #[arg(long, value_enum, default_value = "proof-of-concept")]
    depth: DepthName,
    /// How far apart approaches are
    #[arg(long, value_enum, default_value = "medium")]
    diversity: DiversityName,
    #[command(flatten)]
    context: Context,
    #[command(flatten)]
    repair: RepairArguments,
    /// Ask first what is known of the problem: algorithms, pitfalls, edge cases. It is one question, whose answer is kept in
    /// .bakeoff/generation.json and told with all others
    #[arg(long)]
    research: bool,
}

impl Writing {
    /// Returns the options that decide which approaches are asked for, as a text that identifies
    /// them.
    pub(super) fn wanted(&self) -> String {
        let context = self.context.identity();
        let research = if self.research { ", research" } else { "" };
        format!(
            "depth {}, diversity {}, {} repairs{}{context}{research}",
            name(&self.depth),
            name(&self.diversity),
            self.repairs,
            self.repair.identity()
        )
    }

    /// Returns a problem as a model is told of it: with the files of `--context`.
    ///
    /// # Errors
    /// A file cannot be told.
    pub(super) fn told(&self, problem: &str) -> Result<String, Failure> {
        Ok(with_context(problem, &self.context.read()?))
    }

    /// Returns how often what failed is written anew.
    pub(super) fn repairs(&self) -> u32 {
        self.repairs
    }

    /// Returns the options of the model for repairs.
    pub(super) fn repair_model(&self) -> &RepairArguments {
        &self.repair
    }

    /// Returns true if it is to be asked first what is known of the problem.
    pub(super) fn research(&self) -> bool {
        self.research
    }

    /// Returns how far apart approaches are.
    pub(super) fn diversity(&self) -> Diversity {
        match self.diversity {
            DiversityName::Low => Diversity::Low,
            DiversityName::Medium => Diversity::Medium,
            DiversityName::High => Diversity::High,
        }
    }

    /// Returns how far approaches are worked out.
    pub(super) fn depth(&self) -> Depth {
        match self.depth {
            DepthName::Sketch => Depth::Sketch,
            DepthName::ProofOfConcept => Depth::ProofOfConcept,
            DepthName::ProductionReady => Depth::ProductionReady,
        }
    }

    /// Returns the time for one approach.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Returns the user's wishes for every approach, if there are some.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn instructions(&self) -> Result<Option<String>, Failure> {
        let read = |file: &PathBuf| read_told("--instructions", file);
        self.instructions.as_ref().map(read).transpose()
    }

    /// Returns the options for this number of approaches, of which so many are built and tried at once, with the templates
    /// of the experiment.
    pub(super) fn options(
        &self,
        approaches: u32,
        (cores, prompts): (usize, &Prompts),
        events: &GenerationEvents,
    ) -> ProposeOptions {
        ProposeOptions {
            approaches,
            diversity: self.diversity(),
            write: WriteOptions {
                repairs: self.repairs,
                instructions: self.instructions.clone(),
                instructions_within: None,
                timeout: self.timeout,
                depth: self.depth(),
                prompts: prompts.clone(),
                tried_at_once: cores,
                on_step: events.on_step(),
            },
        }
    }
}
