//! Approaches that coding agents write, each in a worktree of the repository around the experiment.

use crate::cli::agents::fence_options::FenceOptions;
use crate::cli::agents::{AT_ONCE, failure, refuse_no_time};
use crate::cli::failure::Failure;
use crate::cli::models;
use crate::cli::options::Output;
use bakeoff_agents::{
    AgentError, AgentExperiment, Claimed, FileAgents, FileOrders, FileTask, WrittenFile,
};
use bakeoff_config::{LoadedExperiment, Workspace};
use bakeoff_programs::{CommandLine, Shell};
use bakeoff_propose::{SourceQuestion, SourceWriter};
use bakeoff_render::escape::Plain;
use bakeoff_source::SOURCE_BYTES_MAX;
use clap::Args;
use serde::Serialize;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// The most agents that may work at the same time.
const AT_ONCE_MAX: i64 = 16;
/// The folder of approaches in that of an experiment.
const APPROACHES: &str = "approaches";
/// The most names that are tried for a file.
const NAMES_MAX: u32 = 1_000;

/// Options on agents that write approaches.
#[derive(Debug, Args)]
pub(super) struct AgentArguments {
    /// Have approaches written by this command, a coding agent, each in a worktree of its own. It is started directly, or by
    /// `sh` if it needs a shell
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["proposer", "timeout"])]
    agent: Option<String>,
    /// The revision that the agents' worktrees are made from
    #[arg(
        long,
        requires = "agent",
        value_name = "REVISION",
        default_value = "HEAD"
    )]
    base: String,
    /// Name of the agents' folder in .bakeoff of the repository, and of their branches
    #[arg(
        long,
        requires = "agent",
        value_name = "NAME",
        default_value = "generate"
    )]
    name: String,
    /// The most agents that work at the same time [default: all, up to 4]
    #[arg(long, requires = "agent", value_name = "N", value_parser = clap::value_parser!(u8).range(1..=AT_ONCE_MAX))]
    agents_at_once: Option<u8>,
    /// The time after which an agent is ended
    #[arg(long, requires = "agent", value_name = "TIME", default_value = "20min", value_parser = models::time)]
    time: Duration,
    /// Say which agents would be started for what, and start none
    #[arg(long, requires = "agent")]
    dry_run: bool,
    #[command(flatten)]
    fence: FenceOptions,
}

/// Agents that write the approaches of an experiment.
#[derive(Debug)]
pub(super) struct ByAgents {
    agents: FileAgents,
    /// The folder of the experiment, from the top of the repository.
    place: String,
    /// Places for agents that work at the same time.
    free: Arc<Semaphore>,
    rows: Mutex<Vec<AgentRow>>,
    output: Output,
}

/// Attempt of an agent, in JSON.
#[derive(Clone, Debug, Serialize)]
pub(super) struct AgentRow {
    approach: String,
    attempt: u32,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// Path of the file from the top of the repository.
    file: String,
    /// Paths of other files that it changed, which are not used: at most the first 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_files: Vec<String>,
    other_files_count: usize,
    seconds: f64,
    /// True if an earlier command had it written.
    is_kept: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed: Option<Claimed>,
    /// Folder with what it left, from the top of the repository, if that is on no branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<String>,
}

/// Flag that is set once nobody waits any more.
#[derive(Default)]
struct InterruptOnDrop(Arc<AtomicBool>);

impl Drop for InterruptOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl AgentArguments {
    /// Returns true if an agent is to write.
    pub(super) fn is_named(&self) -> bool {
        self.agent.is_some()
    }

    /// Returns the options that decide what is written, as a text that identifies them; empty without an agent.
    pub(super) fn identity(&self) -> String {
        self.agent.as_ref().map_or_else(String::new, |agent| {
            format!(", agent {agent}, name {}, base {}", self.name, self.base)
        })
    }

    /// Refuses an experiment that wants its approaches written by agents, where none is named.
    ///
    /// # Errors
    /// See above.
    pub(super) fn check(&self, loaded: &LoadedExperiment) -> Result<(), Failure> {
        let wanted = loaded.generate.as_ref();
        let wants_agents = wanted.is_some_and(|wanted| wanted.workspace == Workspace::Worktree);
        if wants_agents && !self.is_named() {
            return Err(Failure::usage(
                "[generate] has workspace = \"worktree\", so its approaches are written by coding agents, and none is named: \
                 --agent COMMAND names one, which is started behind a fence with what --read, --network and --env allow",
            ));
        }
        Ok(())
    }

    fn orders(&self, agent: &String) -> Result<FileOrders, Failure> {
        refuse_no_time(self.time)?;
        let line = CommandLine::one_elsewhere(agent, &Shell::IfNeeded);
        Ok(FileOrders {
            agent: line.map_err(|error| Failure::usage(error.to_string()))?,
            base: self.base.clone(),
            reach: self.fence.reach()?,
            wall: self.time,
            bytes_max: SOURCE_BYTES_MAX as u64,
        })
    }

    /// Opens the repository around an experiment for its agents; `None` if no agent is named.
    ///
    /// # Errors
    /// There is no repository that can be used, or no agent could be started.
    pub(super) fn open(
        &self,
        loaded: &LoadedExperiment,
        output: &Output,
    ) -> Result<Option<Arc<ByAgents>>, Failure> {
        let Some(agent) = &self.agent else {
            return Ok(None);
        };
        let orders = self.orders(agent)?;
        let experiment = AgentExperiment::open(&loaded.dir, &self.name).map_err(failure)?;
        let place = experiment.place_of(&loaded.dir).map_err(failure)?;
        let agents = FileAgents::open(experiment, orders).map_err(failure)?;
        Ok(Some(Arc::new(ByAgents {
            agents,
            place,
            free: Arc::new(Semaphore::new(self.at_once())),
            rows: Mutex::default(),
            output: output.clone(),
        })))
    }

    fn at_once(&self) -> usize {
        self.agents_at_once.map_or(AT_ONCE, usize::from)
    }

    /// Returns what would be started, if that is all that is asked for. Nothing is started, and no folder stays.
    ///
    /// # Errors
    /// As for [`AgentArguments::open`].
    pub(super) fn forecast(
        &self,
        loaded: &LoadedExperiment,
        ideas: &[String],
        more: u32,
    ) -> Result<Option<Forecast>, Failure> {
        let Some(agent) = self.agent.as_ref().filter(|_| self.dry_run) else {
            return Ok(None);
        };
        let orders = self.orders(agent)?;
        let experiment = AgentExperiment::open(&loaded.dir, &self.name).map_err(failure)?;
        let checked = FileAgents::check(&experiment, &orders);
        let place = experiment.place_of(&loaded.dir);
        experiment.remove_if_empty();
        let base = checked.map_err(failure)?;
        place.map_err(failure)?;
        Ok(Some(Forecast {
            agent: agent.clone(),
            base,
            branches: ideas
                .iter()
                .map(|name| format!("bakeoff/{}/{name}", self.name))
                .collect(),
            ideas_of_a_model: more,
            agents_at_once: self.at_once(),
            seconds_each: self.time.as_secs_f64(),
        }))
    }
}

/// Agents that would be started.
#[derive(Debug, Serialize)]
pub(super) struct Forecast {
    agent: String,
    base: String,
    /// Branches of the first attempts.
    branches: Vec<String>,
    ideas_of_a_model: u32,
    agents_at_once: usize,
    /// The longest time of each, in seconds.
    seconds_each: f64,
}

impl Forecast {
    /// Returns it as text. `repairs` is the number of them that each approach may have.
    pub(super) fn text(&self, repairs: u32) -> String {
        let mut text = format!(
            "nothing was started. {} would be started behind a fence, from {}, up to {} at the same time and for {} s each:\n",
            Plain(&self.agent),
            self.base,
            self.agents_at_once,
            self.seconds_each
        );
        for branch in &self.branches {
            let _ = writeln!(text, "  {}", Plain(branch));
        }
        if self.ideas_of_a_model > 0 {
            let _ = writeln!(
                text,
                "  and one for each of {} ideas that the model would name",
                self.ideas_of_a_model
            );
        }
        let _ = writeln!(
            text,
            "each once more for up to {repairs} repairs of what fails"
        );
        text
    }
}

impl ByAgents {
    /// Returns the writer of sources that these agents are.
    pub(super) fn writer(self: &Arc<Self>) -> SourceWriter {
        let own = Arc::clone(self);
        SourceWriter::new(move |question| {
            let own = Arc::clone(&own);
            Box::pin(async move { own.write(question).await })
        })
    }

    /// Returns what became of each attempt, in the order of their ends.
    pub(super) fn rows(&self) -> Vec<AgentRow> {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.clone()
    }

    async fn write(self: Arc<Self>, question: SourceQuestion) -> Result<String, String> {
        let place = Arc::clone(&self.free).acquire_owned().await;
        let place = place.map_err(|error| error.to_string())?;
        // The agent ends, too, where this is dropped.
        let waiting = InterruptOnDrop::default();
        let interrupted = Arc::clone(&waiting.0);
        let work = tokio::task::spawn_blocking(move || {
            let written = self.write_now(&question, &interrupted);
            drop(place);
            written
        });
        let written = work.await.map_err(|error| error.to_string())?;
        drop(waiting);
        written
    }

    fn write_now(
        &self,
        question: &SourceQuestion,
        interrupted: &AtomicBool,
    ) -> Result<String, String> {
        let name = &question.name;
        let task = FileTask {
            name: name.clone(),
            text: question.prompt.clone(),
            path: self.path(name),
        };
        let mut say = self.output.reporter();
        if question.attempt == 1 {
            say(&format!("{}: its agent works", Plain(name)));
        }
        let written = self.agents.write(&task, interrupted);
        let written = written.map_err(|error: AgentError| error.to_string())?;
        let row = AgentRow::new(question, &task.path, &written);
        say(&Plain(&row.line()).to_string());
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.push(row);
        drop(rows);
        written.text
    }

    /// Returns the path that an agent writes its approach to: no file of the base.
    fn path(&self, name: &str) -> String {
        let path = |number: u32| {
            let file = match number {
                1 => format!("{APPROACHES}/{name}.rs"),
                _ => format!("{APPROACHES}/{name}-{number}.rs"),
            };
            if self.place.is_empty() {
                file
            } else {
                format!("{}/{file}", self.place)
            }
        };
        let mut paths = (1..=NAMES_MAX).map(path);
        let free = paths.find(|path| !self.agents.is_in_base(path));
        free.unwrap_or_else(|| path(1))
    }
}

impl AgentRow {
    fn new(question: &SourceQuestion, path: &str, written: &WrittenFile) -> Self {
        let completion = &written.completion;
        Self {
            approach: question.name.clone(),
            attempt: question.attempt,
            outcome: match (&completion.commit, &written.text) {
                (Some(_), Ok(_)) => "written",
                (Some(_), Err(_)) => "no file",
                (None, _) => completion.outcome.words(),
            },
            branch: completion.branch.clone(),
            file: path.to_owned(),
            other_files: written.others.clone(),
            other_files_count: written.others_count,
            seconds: completion.seconds,
            is_kept: written.is_kept,
            claimed: completion.claimed.clone(),
            worktree: completion.worktree.clone(),
        }
    }

    /// Returns it in a line.
    fn line(&self) -> String {
        let place = match (&self.branch, &self.worktree) {
            (Some(branch), _) => format!(", on the branch {branch}"),
            (None, Some(worktree)) => format!(", in {worktree}"),
            (None, None) => String::new(),
        };
        let others = match self.other_files_count {
            0 => String::new(),
            1 => format!(
                "; another file that it changed is not used: {}",
                self.other_files.join(", ")
            ),
            count => {
                let more = if count > self.other_files.len() {
                    ", …"
                } else {
                    ""
                };
                format!(
                    "; {count} other files that it changed are not used: {}{more}",
                    self.other_files.join(", ")
                )
            }
        };
        let when = if self.is_kept {
            " by an earlier command"
        } else {
            ""
        };
        format!(
            "{}: attempt {} of its agent{when}, {:.1} s: {}{place}{others}",
            self.approach, self.attempt, self.seconds, self.outcome
        )
    }
}

/// Returns what became of all attempts as text; empty without any.
pub(super) fn text(rows: &[AgentRow]) -> String {
    let mut text = String::new();
    for row in rows {
        if text.is_empty() {
            text += "\nwhat the agents left\n";
        }
        let _ = writeln!(text, "  {}", Plain(&row.line()));
    }
    text
}
