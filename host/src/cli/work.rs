//! `bakeoff work`: tasks that wait for each other, worked off by coding agents, each in a worktree of its own.

mod experiments;
mod listing;
mod phases;
mod report;
mod states;

use super::agents::fence_options::FenceOptions;
use super::agents::{agent_line, failure, note_tests, refuse_no_time};
use super::failure::Failure;
use super::interruptible::interruptible;
use super::options::{Format, Output};
use super::{Status, confirmation, models, show};
use crate::library::user_files::read_text;
use bakeoff_agents::{
    AgentError, AgentExperiment, FenceReach, Instructions, TaskNews, TaskOrders, TaskRetries,
    WorkOutcome, with_usual_tests, work_off,
};
use bakeoff_config::{AgentTask, FILE_BYTES_MAX, TASKS_FILE_NAME, parse_agent_tasks};
use bakeoff_programs::{CommandLine, Shell};
use bakeoff_render::escape::Plain;
use clap::Args;
use experiments::Experiments;
use report::WorkReport;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub(super) use listing::listing;
pub(super) use states::show_states;

/// The most agents that can work at the same time.
pub(super) const AT_ONCE_MAX: i64 = 16;
/// Instructions that stand above each task unless others are named.
const INSTRUCTIONS: &str = "\
Work in the current folder, which is yours alone: a copy of a git repository, in which the tasks that yours waits for are \
done. Do the task below and no other, and end when it is done. What you leave in the files is what counts; it is committed \
for you, and merged with what others do at the same time. Tests that are there already stay as they are: a change of one \
fails the task; new ones, in files of their own, are yours. In DONE.md you may say in a few lines what you did and what is left.";

/// Has coding agents work tasks off, each in a worktree that begins with what it waits for
///
/// The tasks are those of a file, which a person or `bakeoff plan` wrote. A task is done when its agent has ended, and its
/// check has passed behind the same fence. What failed is tried again; what waits for a task that was given up is not begun,
/// and the rest goes on. In the end the branch bakeoff/NAME/result has all that was done.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff work todo --agent 'claude -p --dangerously-skip-permissions' --network --env ANTHROPIC_API_KEY
  bakeoff work todo/tasks.toml --agent ./agent.sh --agents-at-once 3 --yes
  bakeoff status .bakeoff/work             how far it is, from another terminal
  git merge bakeoff/work/result            takes what was done

A file of tasks:
  [[task]]
  name = \"parser\"
  prompt = \"Write src/parser.rs.\"
  check = \"cargo test parser\"

  [[task]]
  name = \"evaluator\"
  after = [\"parser\"]
  prompt = \"Write src/evaluator.rs, which uses the parser.\"
  check = \"cargo test\"

  [[task]]
  name = \"fastest\"
  after = [\"evaluator\"]
  experiment = \"experiments/sum.toml\"
  into = \"src/sum.rs\"

The same command again goes on: what is done is not done again.

Formats: human, json and md (--format).

Exit status: 0 if all is done and merged, 3 if some is, 1 if nothing is.")]
pub(super) struct Arguments {
    /// A folder with a tasks.toml, or such a file
    #[arg(value_name = "FOLDER|FILE")]
    from: PathBuf,
    /// The command of the agent. It is started directly, or by `sh` if it needs a shell
    #[arg(long, value_name = "COMMAND")]
    agent: String,
    /// The revision that tasks begin from that wait for nothing [default: HEAD, and then that of the first time]
    #[arg(long, value_name = "REVISION")]
    base: Option<String>,
    /// Name of the work: of its folder in .bakeoff, and of its branches
    #[arg(long, value_name = "NAME", default_value = "work")]
    name: String,
    /// File with the instructions above each task, instead of the built-in ones. It is read as each agent begins
    #[arg(long, value_name = "FILE")]
    instructions: Option<PathBuf>,
    /// The most agents that work at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=AT_ONCE_MAX))]
    agents_at_once: u8,
    /// The time after which an agent, or a check, is ended
    #[arg(long, value_name = "TIME", default_value = "20min", value_parser = models::time)]
    time: Duration,
    /// The most attempts at a task after the first one that failed
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=20))]
    retries: u32,
    /// The time before the second attempt; it doubles before each one after that
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = models::time)]
    retry_wait: Duration,
    /// Files that an agent cannot change where they are there already, beside the usual names of tests: 'golden/**'. With `!`
    /// before it, files that it can: '!tests/data/**'
    #[arg(long, value_name = "PATTERN")]
    tests: Vec<String>,
    /// Begin without a question: agents are started, and the checks of the file are run
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    fence: FenceOptions,
}

/// Tasks and orders, to be worked on in another thread.
struct Work {
    experiment: AgentExperiment,
    tasks: Vec<AgentTask>,
    base: String,
    instructions: Instructions,
    agent: CommandLine,
    checks: Vec<Vec<CommandLine>>,
    tests: Vec<String>,
    reach: FenceReach,
    workers: usize,
    wall: Duration,
    retries: TaskRetries,
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json, Format::Md])?;
    let work = arguments.prepare(output)?;
    let listed = listing(&work.tasks, work.workers);
    if arguments.yes {
        output.reporter()(listed.trim_end());
    } else if confirmation::is_on_terminal() {
        anstream::eprint!("{listed}");
        if !confirmation::confirm(
            "Start agents, and run these checks and experiments behind a fence? [y/N] ",
        )? {
            return Err(Failure::no_answer("nothing was started"));
        }
    } else {
        return Err(Failure::usage(format!(
            "{listed}\nnothing was started: --yes gives leave to start agents, and to run these checks and experiments behind a fence"
        )));
    }
    let (tasks, base) = (work.tasks.clone(), work.base.clone());
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    let quiet = output.quiet;
    let task = tokio::task::spawn_blocking(move || work.run(&flag, quiet));
    let outcome = interruptible(task, &interrupted).await?.map_err(failure)?;
    let report = WorkReport::new((&arguments.name, &base), &tasks, &outcome);
    match output.format {
        Format::Json => show::write_json(&report)?,
        Format::Md => show::write(&report.markdown())?,
        _ if output.quiet => show::write(&format!("{}\n", Plain(&report.answer)))?,
        _ => show::write(&report.text())?,
    }
    Ok(report.status())
}

/// Reads the tasks of a folder or a file.
fn read_tasks(from: &Path) -> Result<Vec<AgentTask>, Failure> {
    let file = if from.is_dir() {
        from.join(TASKS_FILE_NAME)
    } else {
        from.to_owned()
    };
    let shown = file.display().to_string();
    if !file.exists() {
        return Err(Failure::usage(format!(
            "there is no {}: a person writes it, or a model by `bakeoff plan`",
            Plain(&shown)
        )));
    }
    let bounds = (FILE_BYTES_MAX, "it has more than 1 MiB");
    let text = read_text("the tasks in", &file, bounds)?;
    Ok(parse_agent_tasks(&text, &shown)?)
}

impl Arguments {
    fn prepare(&self, output: &Output) -> Result<Work, Failure> {
        let tasks = read_tasks(&self.from)?;
        let checks: Result<_, Failure> = tasks.iter().map(checks_of).collect();
        refuse_no_time(self.time)?;
        let instructions = Instructions::new(self.instructions.clone(), INSTRUCTIONS);
        // It can be read, before anything begins.
        instructions.read().map_err(failure)?;
        let experiment = AgentExperiment::open(Path::new("."), &self.name).map_err(failure)?;
        let last_base = experiment.task_list().map(|list| list.base);
        let base = self.base.clone().or(last_base);
        let base = base.unwrap_or_else(|| "HEAD".to_owned());
        let base = experiment.base(&base).map_err(failure)?;
        note_tests(&experiment, &base, &self.tests, output)?;
        Ok(Work {
            agent: agent_line(&self.agent, &experiment, &base)?,
            base,
            experiment,
            tasks,
            instructions,
            checks: checks?,
            tests: with_usual_tests(&self.tests),
            reach: self.fence.reach()?,
            workers: usize::from(self.agents_at_once),
            wall: self.time,
            retries: TaskRetries {
                count: self.retries,
                first_wait: self.retry_wait,
            },
        })
    }
}

/// Returns the checks of a task, whose programs may be files that a task makes.
fn checks_of(task: &AgentTask) -> Result<Vec<CommandLine>, Failure> {
    let lines = CommandLine::all_elsewhere(&task.checks, &Shell::IfNeeded);
    lines.map_err(|error| Failure::usage(format!("the check of the task {}: {error}", task.name)))
}

impl Work {
    fn run(self, interrupted: &AtomicBool, quiet: bool) -> Result<WorkOutcome, AgentError> {
        let orders = TaskOrders {
            tasks: &self.tasks,
            base: &self.base,
            instructions: &self.instructions,
            experiments: &Experiments::default(),
            agent: &self.agent,
            checks: &self.checks,
            tests: &self.tests,
            reach: &self.reach,
            workers: self.workers.min(self.tasks.len()),
            wall: self.wall,
            retries: self.retries,
            interrupted,
        };
        let held = self.experiment.hold()?;
        let outcome = work_off(&self.experiment, &orders, &|news| {
            if !quiet {
                anstream::eprintln!("{}", line(&news));
            }
        });
        drop(held);
        outcome
    }
}

/// Returns a line of progress.
fn line(news: &TaskNews<'_>) -> String {
    match news {
        TaskNews::Kept(task) => format!("{task}: done before"),
        TaskNews::Started {
            task, attempt: 1, ..
        } => format!("{task}: its agent works"),
        TaskNews::Started { task, attempt, .. } => {
            format!("{task}: its agent works, attempt {attempt}")
        }
        TaskNews::Experiment(task) => format!("{task}: its experiment is run"),
        TaskNews::Checking(task) => format!("{task}: what its agent left is checked"),
        TaskNews::Merging { task, attempt } => {
            let again = if *attempt == 1 {
                String::new()
            } else {
                format!(", attempt {attempt}")
            };
            format!("result: an agent resolves the conflicts of {task} with the others{again}")
        }
        TaskNews::Ended(completion, wait) => {
            let again = wait.map_or_else(String::new, |wait| {
                format!("; tried again in {:.1} s", wait.as_secs_f64())
            });
            format!(
                "{}: {}{again}",
                completion.variant,
                completion.outcome.words()
            )
        }
    }
}
