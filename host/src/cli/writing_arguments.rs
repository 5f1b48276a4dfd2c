//! The options that say how a model's approaches are asked for and written.

use super::models;
use super::repair_arguments::RepairArguments;
use crate::library::generation::WritingOptions;
use bakeoff_domain::generate::{Depth, Diversity};
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

/// Options on the request for approaches and on their code.
#[derive(Debug, Args)]
pub(super) struct WritingArguments {
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
    /// A file that the model is told with the problem: notes, code it has to fit. Repeated for each
    #[arg(long, value_name = "FILE")]
    context: Vec<PathBuf>,
    #[command(flatten)]
    repair: RepairArguments,
    /// Ask first what is known of the problem: algorithms, pitfalls, edge cases. It is one question, whose answer is kept in
    /// .bakeoff/generation.json and told with all others
    #[arg(long)]
    research: bool,
}

/// The option of files that a model is told.
pub(super) const CONTEXT: &str = "--context";

/// The option of a file of wishes.
pub(super) const INSTRUCTIONS: &str = "--instructions";

impl WritingArguments {
    /// Returns the options as the library has them.
    pub(super) fn options(&self) -> WritingOptions {
        WritingOptions {
            repairs: self.repairs,
            instructions: self.instructions.clone(),
            timeout: self.timeout,
            depth: match self.depth {
                DepthName::Sketch => Depth::Sketch,
                DepthName::ProofOfConcept => Depth::ProofOfConcept,
                DepthName::ProductionReady => Depth::ProductionReady,
            },
            diversity: match self.diversity {
                DiversityName::Low => Diversity::Low,
                DiversityName::Medium => Diversity::Medium,
                DiversityName::High => Diversity::High,
            },
            context: self.context.clone(),
            research: self.research,
            repairs_by: self.repair.identity(),
        }
    }

    /// Returns the options of the model for repairs.
    pub(super) fn repair_model(&self) -> &RepairArguments {
        &self.repair
    }
}
