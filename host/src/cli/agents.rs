//! `bakeoff agents`: a coding agent for each variant, each in a worktree of its own.

use super::failure::Failure;
use super::interruptible::interruptible;
use super::options::{Format, Output};
use super::{Status, models, show};
use bakeoff_agents::{
    AgentError, Completion, Experiment, Orders, Outcome, Reach, Request, TEST_PATTERNS, Variant,
    is_name, work,
};
use bakeoff_confine::Network;
use bakeoff_programs::{CommandLine, Shell};
use bakeoff_render::escape::{Plain, ShellWord};
use clap::Args;
use serde::Serialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The most variants of an experiment.
const VARIANTS_MAX: usize = 16;
/// The largest file of instructions, in bytes.
const INSTRUCTIONS_BYTES_MAX: u64 = 256 << 10;
/// Instructions that stand above the task unless others are named.
const INSTRUCTIONS: &str = "\
Work in the current folder, which is yours alone: a copy of a git repository. Do the task below by the approach below, \
and end when it is done. What you leave in the files is what counts; it is committed for you. Tests that you change or \
add are shown, and those of the original are the ones that your work is verified by. In DONE.md you may say in a few \
lines what you did and what is left.";

/// Has a task done by a coding agent once for each variant, each in a worktree of its own, and shows what they left
///
/// An agent is a command of yours. It reads the task as its stdin and in TASK.md, and is behind a fence: it writes
/// its own worktree and a temporary home, and has no network without --network. What it leaves becomes a commit on
/// the branch bakeoff/NAME/VARIANT, and is verified with the tests of the base.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff agents 'Make the parser faster' --variant functional='pure functions' --variant simd=vectorise \\
    --agent 'claude -p --dangerously-skip-permissions' --network --env ANTHROPIC_API_KEY --verify 'cargo test'
  bakeoff worktrees                        what is there, and how large
  git diff HEAD bakeoff/agents/simd        what one of them did

The same command again goes on: agents that have ended are not asked again.

Exit status: 0 if all passed, 3 if some did, 1 if none did.")]
pub(super) struct Arguments {
    /// The task of all variants
    #[arg(value_name = "TASK")]
    task: String,
    /// A variant and the idea that its agent is told
    #[arg(long = "variant", required = true, value_name = "NAME=IDEA", value_parser = variant)]
    variants: Vec<Variant>,
    /// The command of the agent. It is started directly, or by `sh` if it needs a shell
    #[arg(long, value_name = "COMMAND")]
    agent: String,
    /// The revision that worktrees are made from
    #[arg(long, value_name = "REVISION", default_value = "HEAD")]
    base: String,
    /// Name of the experiment: of its folder in .bakeoff, and of its branches
    #[arg(long, value_name = "NAME", default_value = "agents")]
    name: String,
    /// File with the instructions above the task, instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    instructions: Option<PathBuf>,
    /// The time after which an agent, or a verification, is ended
    #[arg(long, value_name = "TIME", default_value = "20min", value_parser = models::time)]
    time: Duration,
    /// A command that what was left has to pass, in order
    #[arg(long, value_name = "COMMAND")]
    verify: Vec<String>,
    /// Files that are taken from the base for --verify, instead of the usual names of tests: 'spec/**', '*_check.py'
    #[arg(long, value_name = "PATTERN", requires = "verify")]
    tests: Vec<String>,
    #[command(flatten)]
    fence: FenceOptions,
}

/// Options on the fence around agents.
#[derive(Debug, Args)]
struct FenceOptions {
    /// Let agents use the network
    #[arg(long)]
    network: bool,
    /// Variable of the environment that agents and verifications get, besides PATH, LANG and TERM
    #[arg(long, value_name = "VARIABLE")]
    env: Vec<String>,
    /// File or folder that agents and verifications may read and start programs of, besides the system's
    #[arg(long, value_name = "PATH")]
    read: Vec<PathBuf>,
}

fn variant(text: &str) -> Result<Variant, String> {
    let (name, idea) = text.split_once('=').unwrap_or((text, ""));
    if is_name(name) {
        Ok(Variant {
            name: name.to_owned(),
            idea: idea.to_owned(),
        })
    } else {
        Err(format!(
            "{name:?} is no name: letters, digits, `-`, `_` and single dots, at most 64"
        ))
    }
}

pub(super) fn failure(error: AgentError) -> Failure {
    match error {
        AgentError::Usage(_) => Failure::usage(error.to_string()),
        AgentError::Machine(_) => Failure::infrastructure(error),
        AgentError::Interrupted => Failure::interrupted(error.to_string()),
    }
}

/// Agents and their variants, to be worked on in another thread.
struct Work {
    experiment: Experiment,
    request: Request,
    agent: CommandLine,
    verify: Vec<CommandLine>,
    reach: Reach,
    wall: Duration,
    variants: Vec<Variant>,
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let prepared = arguments.prepare()?;
    let name = prepared.experiment_name.clone();
    let base = prepared.work.request.base.clone();
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    let quiet = output.quiet;
    let task = tokio::task::spawn_blocking(move || prepared.work.run(&flag, quiet));
    let completions = interruptible(task, &interrupted).await?.map_err(failure)?;
    let answer = answer(&completions);
    if output.format == Format::Json {
        show::write_json(&AgentsReport {
            version: 1,
            experiment: &name,
            base: &base,
            answer: &answer,
            completions: &completions,
        })?;
    } else {
        show::write(&text(&name, &completions, &answer))?;
    }
    let is_good = |row: &&Completion| matches!(row.outcome, Outcome::Passed | Outcome::Unverified);
    let good = completions.iter().filter(is_good).count();
    Ok(Status::of_answer(good > 0, good < completions.len()))
}

/// Report in JSON.
#[derive(Serialize)]
struct AgentsReport<'a> {
    version: u32,
    experiment: &'a str,
    base: &'a str,
    answer: &'a str,
    completions: &'a [Completion],
}

struct Prepared {
    work: Work,
    experiment_name: String,
}

impl Arguments {
    fn prepare(&self) -> Result<Prepared, Failure> {
        if self.variants.len() > VARIANTS_MAX {
            return Err(Failure::usage(format!(
                "at most {VARIANTS_MAX} variants are worked on"
            )));
        }
        let mut names: Vec<String> = self
            .variants
            .iter()
            .map(|variant| variant.name.to_ascii_lowercase())
            .collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Failure::usage(format!(
                "two variants are named {:?}",
                pair[0]
            )));
        }
        let experiment = Experiment::open(Path::new("."), &self.name).map_err(failure)?;
        let request = Request {
            task: self.task.clone(),
            instructions: self.instructions()?,
            agent: self.agent.clone(),
            base: experiment.base(&self.base).map_err(failure)?,
            verify: self.verify.clone(),
            tests: self.patterns(),
        };
        if !self.tests.is_empty() {
            let checked = experiment.check_tests(&request.base, &self.tests);
            checked.map_err(failure)?;
        }
        let mut agent = lines(std::slice::from_ref(&self.agent))?;
        let agent = agent
            .pop()
            .ok_or_else(|| Failure::usage("--agent: there is no command"))?;
        Ok(Prepared {
            work: Work {
                experiment,
                request,
                agent,
                verify: lines(&self.verify)?,
                reach: self.fence.reach()?,
                wall: self.time,
                variants: self.variants.clone(),
            },
            experiment_name: self.name.clone(),
        })
    }

    fn patterns(&self) -> Vec<String> {
        if self.tests.is_empty() {
            TEST_PATTERNS.map(str::to_owned).to_vec()
        } else {
            self.tests.clone()
        }
    }

    fn instructions(&self) -> Result<String, Failure> {
        let Some(file) = &self.instructions else {
            return Ok(INSTRUCTIONS.to_owned());
        };
        let failed = |why: String| {
            Failure::usage(format!(
                "cannot read the instructions {}: {why}",
                file.display()
            ))
        };
        let bytes = bakeoff_files::read_bounded(file, INSTRUCTIONS_BYTES_MAX);
        let bytes = bytes.map_err(|error| failed(error.to_string()))?;
        let bytes = bytes.ok_or_else(|| failed("they have more than 256 KiB".to_owned()))?;
        String::from_utf8(bytes).map_err(|_| failed("they are no UTF-8".to_owned()))
    }
}

fn lines(commands: &[String]) -> Result<Vec<CommandLine>, Failure> {
    let lines = CommandLine::all(commands, &Shell::IfNeeded);
    lines.map_err(|error| Failure::usage(error.to_string()))
}

impl FenceOptions {
    fn reach(&self) -> Result<Reach, Failure> {
        let mut variables: Vec<(String, OsString)> = Vec::new();
        for name in &self.env {
            let value = std::env::var_os(name);
            let value = value.ok_or_else(|| {
                Failure::usage(format!("--env {name}: there is no such variable here"))
            })?;
            variables.push((name.clone(), value));
        }
        let mut readable = self.read.clone();
        if let Some(missing) = readable.iter().find(|path| !path.exists()) {
            return Err(Failure::usage(format!(
                "--read {}: there is nothing of that name",
                missing.display()
            )));
        }
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let working = std::env::current_dir().ok();
        let holds = |folder: &Path| {
            let own = [home.as_deref(), working.as_deref()];
            own.into_iter().flatten().any(|own| own.starts_with(folder))
        };
        // Programs of PATH, but nothing that holds the user's own files.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let programs = std::env::split_paths(&path);
        readable.extend(programs.filter(|folder| folder.is_absolute() && !holds(folder)));
        // Rust's programs there are links to those of a toolchain.
        let toolchains = home.map(|home| home.join(".rustup"));
        if let Some(toolchains) = toolchains.filter(|folder| folder.is_dir())
            && !self.env.iter().any(|name| name == "RUSTUP_HOME")
        {
            variables.push((
                "RUSTUP_HOME".to_owned(),
                toolchains.clone().into_os_string(),
            ));
            readable.push(toolchains);
        }
        Ok(Reach {
            network: if self.network {
                Network::Open
            } else {
                Network::Closed
            },
            variables,
            readable,
        })
    }
}

impl Work {
    fn run(self, interrupted: &AtomicBool, quiet: bool) -> Result<Vec<Completion>, AgentError> {
        let orders = Orders {
            request: &self.request,
            agent: &self.agent,
            verify: &self.verify,
            reach: &self.reach,
            wall: self.wall,
            interrupted,
        };
        let held = self.experiment.hold()?;
        self.experiment.check(&self.request, &self.variants)?;
        let mut completions = Vec::new();
        for variant in &self.variants {
            if !quiet {
                anstream::eprintln!("{}: its agent works, or has ended", Plain(&variant.name));
            }
            completions.push(work(&self.experiment, &orders, variant)?);
        }
        drop(held);
        Ok(completions)
    }
}

/// Returns the answer in a sentence or two. Nothing was measured, so none is put before another.
fn answer(completions: &[Completion]) -> String {
    let count = |wanted: Outcome| {
        let fits = completions.iter().filter(|row| row.outcome == wanted);
        fits.count()
    };
    let all = completions.len();
    let (passed, unverified) = (count(Outcome::Passed), count(Outcome::Unverified));
    let measured = "Nothing was measured, so none is recommended over another.";
    if unverified > 0 {
        format!(
            "{unverified} of {all} left a commit, which nothing verified (--verify). {measured}"
        )
    } else if passed > 1 {
        format!(
            "{passed} of {all} passed the verification. {measured} `bakeoff time` compares their commands, and `bakeoff \
             compare` their functions."
        )
    } else if let Some(only) = completions
        .iter()
        .find(|row| row.outcome == Outcome::Passed)
    {
        format!("Only {} of {all} passed the verification.", only.variant)
    } else {
        "None passed the verification.".to_owned()
    }
}

fn text(name: &str, completions: &[Completion], answer: &str) -> String {
    let width = completions.iter().map(|row| row.variant.len()).max();
    let width = width.unwrap_or(0).max("variant".len());
    let mut text = format!(
        "{answer}\n\n{:<width$}  outcome              seconds  files   lines\n",
        "variant"
    );
    for row in completions {
        let changes = &row.changes;
        let files = changes.files_added + changes.files_changed + changes.files_deleted;
        let lines = format!("+{} −{}", changes.lines_added, changes.lines_deleted);
        text += &format!(
            "{:<width$}  {:<19}  {:>7.1}  {files:>5}   {lines}\n",
            row.variant,
            row.outcome.words(),
            row.seconds
        );
    }
    for row in completions {
        if !row.reason.is_empty() {
            text += &format!("\n{}: {}\n", row.variant, Plain(&row.reason));
        }
        if !row.changes.tests.is_empty() {
            let tests: Vec<String> = row
                .changes
                .tests
                .iter()
                .map(|path| Plain(path).to_string())
                .collect();
            text += &format!("\n{} changed tests: {}\n", row.variant, tests.join(", "));
        }
    }
    let mut shown = String::new();
    for row in completions {
        if let (Some(branch), base) = (&row.branch, &row.base) {
            shown += &format!(
                "  git diff {} {}\n",
                &base[..12.min(base.len())],
                ShellWord(branch)
            );
        }
    }
    if !shown.is_empty() {
        text += &format!("\nwhat they did\n{shown}");
    }
    text += &format!(
        "\n`bakeoff worktrees --remove {name}` removes the worktrees, and leaves the branches.\n"
    );
    text
}
