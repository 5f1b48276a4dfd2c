//! Options on the variants of a task: those of the user's own, and those that a model names.

use crate::cli::Status;
use crate::cli::failure::Failure;
use crate::cli::model_news;
use crate::cli::models::ModelArguments;
use crate::cli::open_tasks::{self, OpenTasks};
use crate::cli::options::Output;
use crate::library::generation::cost;
use bakeoff_agents::VariantRequest;
use bakeoff_config::is_branch_part;
use bakeoff_propose::name_variants;
use bakeoff_provider::Models;
use bakeoff_render::escape::Plain;
use clap::Args;
use std::path::Path;
use std::sync::Arc;

/// The most variants of an experiment.
pub(super) const VARIANTS_MAX: usize = 16;
/// The file with the exchanges with a model in the folder of an experiment.
const RECORD: &str = "model.jsonl";

/// Options on variants.
#[derive(Debug, Args)]
pub(super) struct VariantArguments {
    /// A variant and the idea that its agent is told
    #[arg(long = "variant", required_unless_present = "count", value_name = "NAME=IDEA", value_parser = variant)]
    own: Vec<VariantRequest>,
    /// The number of variants that a model names, beside those of --variant
    #[arg(id = "count", long = "variants", requires = "provider", value_name = "N", value_parser = clap::value_parser!(u8).range(1..=VARIANTS_MAX as i64))]
    count: Option<u8>,
    #[command(flatten)]
    model: ModelArguments,
}

/// Variants, or the end of a command that has none yet.
pub(super) enum FoundVariants {
    /// All of them.
    Variants(Vec<VariantRequest>),
    /// Status of a command whose question waits for an answer.
    Unanswered(Status),
}

/// Parses a variant of the user's own.
fn variant(text: &str) -> Result<VariantRequest, String> {
    let (name, idea) = text.split_once('=').unwrap_or((text, ""));
    if is_branch_part(name) {
        Ok(VariantRequest {
            name: name.to_owned(),
            idea: idea.to_owned(),
        })
    } else {
        Err(format!(
            "{name:?} is no name: letters, digits, `-`, `_` and single dots, at most 64"
        ))
    }
}

impl VariantArguments {
    /// Refuses too many variants, two of one name, and a model without a question.
    /// `has_question` says that the model is asked for something else, too.
    pub(super) fn check(&self, has_question: bool) -> Result<(), Failure> {
        if self.own.len() + usize::from(self.count.unwrap_or(0)) > VARIANTS_MAX {
            return Err(Failure::usage(format!(
                "at most {VARIANTS_MAX} variants are worked on"
            )));
        }
        if self.count.is_none() && self.model.is_named() && !has_question {
            return Err(Failure::usage(
                "--provider names the model that --variants N and --opinion ask: say how many variants it is to name or what is \
                 asked of it, or leave it out",
            ));
        }
        let names = self.own.iter();
        let mut names: Vec<String> = names
            .map(|variant| variant.name.to_ascii_lowercase())
            .collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => Err(Failure::usage(format!(
                "two variants are named {:?}",
                pair[0]
            ))),
        }
    }

    /// Opens the model, if one is named. It is asked once for each question: its answers are recorded in the folder of the
    /// experiment.
    pub(super) fn open_model(
        &self,
        folder: &Path,
        output: &Output,
    ) -> Result<Option<Arc<Models>>, Failure> {
        if !self.model.is_named() {
            return Ok(None);
        }
        let opened = self.model.open(&folder.join(RECORD), None)?;
        Ok(Some(Arc::new(model_news::told(opened, output, None))))
    }

    /// Returns the variants of the user's own, and those that a model names.
    pub(super) async fn find(
        &self,
        task: &str,
        asked: Option<&Arc<Models>>,
        output: &Output,
    ) -> Result<FoundVariants, Failure> {
        let mut variants = self.own.clone();
        let Some((count, asked)) = self.count.zip(asked) else {
            return Ok(FoundVariants::Variants(variants));
        };
        let there = self.own.iter();
        let there: Vec<(&str, &str)> = there
            .map(|variant| (variant.name.as_str(), variant.idea.as_str()))
            .collect();
        let named = tokio::select! {
            named = name_variants(asked, task, usize::from(count), &there) => named,
            _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(
                "interrupted before the model had named variants: the same command asks again",
            )),
        };
        match named {
            Ok(named) => {
                let mut say = output.reporter();
                for one in named {
                    say(&format!("{}: {}", one.name, Plain(&one.idea)));
                    variants.push(VariantRequest {
                        name: one.name,
                        idea: one.idea,
                    });
                }
                say(&cost(&asked.spent().total));
                Ok(FoundVariants::Variants(variants))
            }
            Err(error) => {
                if let Some(tasks) = OpenTasks::of(asked) {
                    tasks.write(output)?;
                }
                open_tasks::ending(&error).map(FoundVariants::Unanswered)
            }
        }
    }
}
