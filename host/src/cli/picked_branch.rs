//! `bakeoff pick .bakeoff/NAME`: the branch of an agent, what it changed, and these changes in the user's files.

use super::Status;
use super::agents::failure;
use super::failure::Failure;
use super::options::{Format, Output};
use super::show;
use bakeoff_agents::{AgentExperiment, PickAnswer, PickedVariant};
use bakeoff_render::escape::{Lines, Plain};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The folder of all experiments with agents, at the top of a repository.
const TOP: &str = ".bakeoff";
/// The largest diff that is shown, in bytes.
const SHOWN_BYTES_MAX: usize = 1 << 20;

/// Experiment with agents that the user named by its folder.
pub(super) struct AgentsFolder {
    repository: PathBuf,
    name: String,
}

/// The output in JSON.
#[derive(Serialize)]
struct PickedBranch<'a> {
    variant: &'a str,
    branch: Option<&'a str>,
    commit: &'a str,
    base: &'a str,
    outcome: &'a str,
    stat: &'a str,
    /// The changes as git writes them; `null` if they have more than 1 MiB.
    diff: Option<String>,
    applied: bool,
}

impl AgentsFolder {
    /// Returns the experiment that a path names, if it is one with agents: `.bakeoff/NAME`, where results may lie, too.
    pub(super) fn named(path: &Path) -> Option<Self> {
        let above = path.parent()?;
        if above.file_name()? != TOP || AgentExperiment::is_none_of_agents(path) {
            return None;
        }
        let repository = match above.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        Some(Self {
            repository: repository.to_owned(),
            name: path.file_name()?.to_str()?.to_owned(),
        })
    }

    /// Returns the repository of the experiment.
    pub(super) fn repository(&self) -> &Path {
        &self.repository
    }

    /// Returns the name of the experiment.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Opens the experiment, in which an agent has left something.
    pub(super) fn open(&self) -> Result<AgentExperiment, Failure> {
        AgentExperiment::existing(&self.repository, &self.name).map_err(failure)
    }

    /// Shows the variant of this name, or else the one that is to be preferred, and makes its changes if that is asked.
    pub(super) fn pick(
        &self,
        variant: Option<&str>,
        applies: bool,
        output: &Output,
    ) -> Result<Status, Failure> {
        output.only(&[Format::Human, Format::Json])?;
        let experiment = self.open()?;
        let picked = match experiment.pick(variant).map_err(failure)? {
            PickAnswer::Picked(picked) => picked,
            PickAnswer::NoAnswer(reason) => {
                return Err(Failure::no_answer(format!(
                    "nothing to pick: {}; --variant NAME takes one all the same",
                    Plain(reason.trim_end_matches('.'))
                )));
            }
        };
        if applies {
            experiment.apply(&picked).map_err(failure)?;
        }
        let diff = String::from_utf8_lossy(&picked.diff);
        let diff = (diff.len() <= SHOWN_BYTES_MAX).then(|| diff.into_owned());
        if output.format == Format::Json {
            let completion = &picked.completion;
            show::write_json(&PickedBranch {
                variant: &completion.variant,
                branch: completion.branch.as_deref(),
                commit: &picked.commit,
                base: completion.first_base(),
                outcome: completion.outcome.words(),
                stat: &picked.stat,
                diff,
                applied: applies,
            })?;
        } else {
            show::write(&text(&picked, diff.as_deref(), applies))?;
        }
        Ok(Status::Done)
    }
}

fn text(picked: &PickedVariant, diff: Option<&str>, applied: bool) -> String {
    let completion = &picked.completion;
    let branch = completion.branch.as_deref().unwrap_or(&picked.commit);
    let mut text = format!(
        "{branch}  ({})\n\n{}\n",
        completion.outcome.words(),
        Lines(picked.stat.trim_end())
    );
    if applied {
        text += "\nmade in your files; nothing is staged or committed\n";
        return text;
    }
    match diff {
        Some(diff) => text += &format!("\n{}\n", Lines(diff.trim_end())),
        None => {
            text += &format!(
                "\n`git diff {} {branch}` shows all of it\n",
                completion.first_base()
            )
        }
    }
    text += "\n--apply makes these changes in your files\n";
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_agents_is_known_by_its_path() {
        let named = |path: &str| {
            let found = AgentsFolder::named(Path::new(path))?;
            Some((found.repository.display().to_string(), found.name))
        };
        let found = |repository: &str| Some((repository.to_owned(), "agents".to_owned()));
        assert_eq!(named(".bakeoff/agents"), found("."));
        assert_eq!(named("../x/.bakeoff/agents/"), found("../x"));
        assert_eq!(named("/x/.bakeoff/agents"), found("/x"));
        for other in [".", "..", "agents", "x/agents", ".bakeoff", ""] {
            assert_eq!(named(other), None, "{other}");
        }
    }
}
