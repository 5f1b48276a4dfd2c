//! `bakeoff plan`: tasks for coding agents, which a model makes of requirements in words.

use super::failure::Failure;
use super::models::ModelArguments;
use super::open_tasks::{self, OpenTasks};
use super::options::{Format, Output};
use super::work::{AT_ONCE_MAX, listing};
use super::{Status, model_news, show};
use crate::library::generation::cost;
use bakeoff_config::{AgentTask, PROSE_CHARS_MAX, TASKS_FILE_NAME, TaskWork};
use bakeoff_files::Folder;
use bakeoff_propose::{PlanError, PlannedWork, WorkRequest, plan_work};
use bakeoff_render::escape::{Plain, ShellWord};
use clap::Args;
use serde::Serialize;
use std::io::ErrorKind;
use std::path::PathBuf;

/// The file with the exchanges with a model in the folder of the tasks.
const RECORD: &str = "model.jsonl";

/// Has a model plan requirements as tasks that coding agents work off, and begins nothing
///
/// The tasks are written to tasks.toml in the folder --out, with what each waits for and how it is checked, for you to read
/// and change; `bakeoff work` has agents work them off. The model is told the requirements, the number of agents and what
/// --usd says, and nothing of a repository.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff plan 'A to-do app with a command line and a file of tasks' --workers 3 --provider anthropic --usd 5 --out todo
  bakeoff work todo --agent 'claude -p --dangerously-skip-permissions' --network --env ANTHROPIC_API_KEY

The model says how complex it is: 1 to 3 tasks if simple, 3 to 8 if moderate, 8 to 15 if complex, 15 to 40 for an enterprise.

Exit status: 0 if there are tasks, 1 if none of the model's plans can be worked off, 4 if it gives no answers.",
    mut_arg("provider", |provider| provider.required(true)))]
pub(super) struct Arguments {
    /// Requirements: what is to be built, in a sentence or several
    #[arg(value_name = "REQUIREMENTS")]
    requirements: String,
    /// The folder of the tasks; without a tasks.toml yet
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The number of agents that are to work at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=AT_ONCE_MAX))]
    workers: u8,
    #[command(flatten)]
    model: ModelArguments,
}

/// The output in JSON.
#[derive(Serialize)]
struct PlanOutput<'a> {
    file: String,
    complexity: &'a str,
    reasons: &'a [String],
    tasks: Vec<TaskOutput<'a>>,
}

#[derive(Serialize)]
struct TaskOutput<'a> {
    name: &'a str,
    prompt: &'a str,
    after: Vec<&'a str>,
    priority: i32,
    estimate_minutes: f64,
    checks: &'a [String],
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let chars = arguments.requirements.chars().count();
    if arguments.requirements.trim().is_empty() || chars > PROSE_CHARS_MAX {
        return Err(Failure::usage(format!(
            "the requirements have {chars} characters, and they may have 1 to {PROSE_CHARS_MAX}"
        )));
    }
    let folder =
        Folder::made_by_user(&arguments.out).map_err(|error| arguments.unwritten(&error))?;
    if folder.has(TASKS_FILE_NAME) {
        return Err(arguments.taken());
    }
    let opened = arguments.model.open(&arguments.out.join(RECORD), None)?;
    let microdollars = opened.bounds().1;
    let asked = model_news::told(opened, output, None);
    let wanted = WorkRequest {
        requirements: &arguments.requirements,
        workers: usize::from(arguments.workers),
        microdollars,
    };
    let planned = tokio::select! {
        planned = plan_work(&asked, wanted) => planned,
        _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(
            "interrupted before the model had planned tasks: the same command asks again",
        )),
    };
    let planned = match planned {
        Ok(planned) => planned,
        Err(PlanError::Ask(error)) => {
            if let Some(tasks) = OpenTasks::of(&asked) {
                tasks.write(output)?;
            }
            return open_tasks::ending(&error);
        }
        Err(unusable) => return Err(Failure::no_answer(unusable.to_string())),
    };
    match folder.write_new(TASKS_FILE_NAME, planned.text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(arguments.taken()),
        written => written.map_err(|error| arguments.unwritten(&error))?,
    }
    output.reporter()(&cost(&asked.spent().total));
    arguments.show(&planned, output)?;
    Ok(Status::Done)
}

impl Arguments {
    fn taken(&self) -> Failure {
        Failure::usage(format!(
            "{} has a {TASKS_FILE_NAME} already: name another folder by --out, or remove that file",
            Plain(&self.out.display().to_string())
        ))
    }

    fn unwritten(&self, error: &std::io::Error) -> Failure {
        Failure::usage(format!(
            "cannot write to {}: {error}",
            Plain(&self.out.display().to_string())
        ))
    }

    fn show(&self, planned: &PlannedWork, output: &Output) -> Result<(), Failure> {
        let file = self.out.join(TASKS_FILE_NAME).display().to_string();
        if output.format == Format::Json {
            let row = |task| TaskOutput::of(task, &planned.tasks);
            return show::write_json(&PlanOutput {
                file,
                complexity: planned.complexity.name(),
                reasons: &planned.reasons,
                tasks: planned.tasks.iter().map(row).collect(),
            });
        }
        if output.quiet {
            return show::write(&format!("{}\n", Plain(&file)));
        }
        let mut text = format!("A {} plan.\n", planned.complexity.name());
        for reason in &planned.reasons {
            text += &format!("  {}\n", Plain(reason));
        }
        text += &listing(&planned.tasks, usize::from(self.workers));
        let folder = self.out.display().to_string();
        text += &format!(
            "\n{}: nothing was started. Read it, change it, and have agents work it off:\n  bakeoff work {} \
             --agents-at-once {} --agent COMMAND\n",
            Plain(&file),
            ShellWord(&folder),
            self.workers
        );
        show::write(&text)
    }
}

impl<'a> TaskOutput<'a> {
    fn of(task: &'a AgentTask, tasks: &'a [AgentTask]) -> Self {
        Self {
            name: &task.name,
            prompt: match &task.work {
                TaskWork::Agent(prompt) => prompt,
                TaskWork::Experiment { .. } => "",
            },
            after: task
                .after
                .iter()
                .map(|place| tasks[*place].name.as_str())
                .collect(),
            priority: task.priority,
            estimate_minutes: task.estimate_minutes,
            checks: &task.checks,
        }
    }
}
