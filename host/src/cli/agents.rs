//! `bakeoff agents`: a coding agent for each variant, each in a worktree of its own.

pub(super) mod fence_options;
mod measured;
mod opinion;
pub(super) mod report;
mod variants;

use super::failure::Failure;
use super::interruptible::interruptible;
use super::options::{Format, Output};
use super::timing_display::TimingDisplay;
use super::{Status, models, show};
use bakeoff_agents::{
    AGENT_INSTRUCTIONS, AgentError, AgentExperiment, AgentNews, AgentWorkOutcome, Completion,
    CompletionRequest, FenceReach, Instructions, MeasureOrders, NewTests, Orders, RoundOrders,
    VariantRequest, with_usual_tests, work_in_rounds,
};
use bakeoff_programs::{CommandLine, Shell};
use bakeoff_render::escape::Plain;
use clap::Args;
use fence_options::FenceOptions;
use measured::{MeasureArguments, MeasurePlan};
use opinion::OpinionArguments;
use report::{AgentsReport, RoundReport};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use variants::{FoundVariants, VARIANTS_MAX, VariantArguments};

/// The most agents that work at the same time unless another number is given.
pub(super) const AT_ONCE: usize = 4;
/// The most rounds.
const ROUNDS_MAX: i64 = 8;
/// Has a task done by a coding agent once for each variant, each in a worktree of its own, and shows what they left
///
/// An agent is a command of yours. It reads the task as its stdin and in TASK.md, and is behind a fence: it writes
/// its own worktree and a temporary home, and has no network without --network. What it leaves becomes a commit on
/// the branch bakeoff/NAME/VARIANT, and is verified with the tests of the base.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff agents 'Make the parser faster' --variant functional='pure functions' --variant simd=vectorise \\
    --agent 'claude -p --dangerously-skip-permissions' --network --env ANTHROPIC_API_KEY --verify 'cargo test' \\
    --build 'cargo build --release' --measure 'target/release/parse big.json' --rounds 2
  bakeoff agents 'Make the parser faster' --variants 4 --provider anthropic --usd 0.1 --agent ./agent.sh
  bakeoff worktrees                        what is there, and how large
  bakeoff pick .bakeoff/agents             what the best one did; --apply makes it in your files

The same command again goes on: agents that have ended are not asked again, and what passed is measured anew.
With --rounds, only the last round is measured anew.

Formats: human, json and md (--format).

Exit status: 0 if all passed, 3 if some did, 1 if none did.")]
pub(super) struct Arguments {
    /// The task of all variants
    #[arg(value_name = "TASK")]
    task: String,
    #[command(flatten)]
    variants: VariantArguments,
    /// The command of the agent. It is started directly, or by `sh` if it needs a shell
    #[arg(long, value_name = "COMMAND")]
    agent: String,
    /// The revision that worktrees are made from
    #[arg(long, value_name = "REVISION", default_value = "HEAD")]
    base: String,
    /// Name of the experiment: of its folder in .bakeoff, and of its branches
    #[arg(long, value_name = "NAME", default_value = "agents")]
    name: String,
    /// File with the instructions above the task, instead of the built-in ones. It is read as each agent begins
    #[arg(long, value_name = "FILE")]
    instructions: Option<PathBuf>,
    /// The most agents that work at the same time [default: all, up to 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=VARIANTS_MAX as i64))]
    agents_at_once: Option<u8>,
    /// The time after which an agent, or a verification, is ended
    #[arg(long, value_name = "TIME", default_value = "20min", value_parser = models::time)]
    time: Duration,
    /// A command that what was left has to pass, in order
    #[arg(long, value_name = "COMMAND")]
    verify: Vec<String>,
    /// Files that are taken from the base for --verify, beside the usual names of tests: 'golden/**', '*_check.py'. With `!`
    /// before it, files that are none: '!tests/data/**'
    #[arg(long, value_name = "PATTERN", requires = "verify")]
    tests: Vec<String>,
    #[command(flatten)]
    measure: MeasureArguments,
    #[command(flatten)]
    opinion: OpinionArguments,
    /// The most rounds: agents of the next one begin with the best so far, and are told what became of the others
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=ROUNDS_MAX))]
    rounds: u32,
    #[command(flatten)]
    fence: FenceOptions,
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
    experiment: AgentExperiment,
    request: CompletionRequest,
    instructions: Instructions,
    agent: CommandLine,
    verify: Vec<CommandLine>,
    reach: FenceReach,
    agents_at_once: usize,
    wall: Duration,
    measure: Option<MeasurePlan>,
    rounds: u32,
    variants: Vec<VariantRequest>,
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json, Format::Md])?;
    let mut prepared = arguments.prepare(output)?;
    let folder = prepared.work.experiment.folder().to_owned();
    let models = arguments.variants.open_model(&folder, output)?;
    let found = arguments
        .variants
        .find(&arguments.task, models.as_ref(), output);
    match found.await? {
        FoundVariants::Variants(variants) => prepared.work.variants = variants,
        FoundVariants::Unanswered(status) => return Ok(status),
    }
    let name = prepared.experiment_name.clone();
    let base = prepared.work.request.base.clone();
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    let quiet = output.quiet;
    let display = TimingDisplay::new(output);
    let task = tokio::task::spawn_blocking(move || prepared.work.run(&flag, quiet, display));
    let rounds = interruptible(task, &interrupted).await?.map_err(failure)?;
    let mut report = AgentsReport::new((&name, &base), &rounds);
    let last = rounds.last().map(RoundReport::completions);
    if let (Some(models), Some(last)) = (
        models.as_ref().filter(|_| arguments.opinion.is_asked()),
        last,
    ) {
        let experiment = AgentExperiment::existing(Path::new("."), &name).map_err(failure)?;
        let asked = (arguments.task.as_str(), &last[..]);
        report.opinions = tokio::select! {
            opinions = arguments.opinion.ask(models, &experiment, asked) => opinions.map_err(failure)?,
            _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(
                "interrupted; what the agents left is kept, and what the model replied is recorded",
            )),
        };
    }
    match output.format {
        Format::Json => show::write_json(&report)?,
        Format::Md => show::write(&report::markdown(&report, &rounds, output))?,
        _ if output.quiet => show::write(&format!("{}\n", Plain(&report.answer)))?,
        _ => show::write(&report::text(&report, &rounds, output))?,
    }
    if rounds.iter().any(RoundReport::is_interrupted) {
        return Ok(Status::Interrupted);
    }
    let is_good = |row: &&&Completion| {
        matches!(
            row.outcome,
            AgentWorkOutcome::Passed | AgentWorkOutcome::Unverified
        )
    };
    let good = report.completions.iter().filter(is_good).count();
    Ok(Status::of_answer(good > 0, good < report.completions.len()))
}

struct Prepared {
    work: Work,
    experiment_name: String,
}

impl Arguments {
    fn prepare(&self, output: &Output) -> Result<Prepared, Failure> {
        self.variants.check(self.opinion.is_asked())?;
        self.opinion.check()?;
        refuse_no_time(self.time)?;
        if self.rounds > 1 && self.verify.is_empty() {
            return Err(Failure::usage(
                "--rounds has agents go on with what was best, and nothing says what that is: --verify COMMAND does, with \
                 --measure COMMAND",
            ));
        }
        let experiment = AgentExperiment::open(Path::new("."), &self.name).map_err(failure)?;
        let instructions = Instructions::new(self.instructions.clone(), AGENT_INSTRUCTIONS);
        let request = CompletionRequest {
            task: self.task.clone(),
            instructions: instructions.read().map_err(failure)?,
            agent: self.agent.clone(),
            base: experiment.base(&self.base).map_err(failure)?,
            first_base: None,
            verify: self.verify.clone(),
            tests: with_usual_tests(&self.tests),
        };
        note_tests(&experiment, &request.base, &self.tests, output)?;
        let agent = agent_line(&self.agent, &experiment, &request.base)?;
        Ok(Prepared {
            work: Work {
                experiment,
                request,
                instructions,
                agent,
                verify: self.verifications()?,
                reach: self.fence.reach()?,
                agents_at_once: self.agents_at_once.map_or(AT_ONCE, usize::from),
                wall: self.time,
                measure: self.measure.plan(self.time, self.rounds)?,
                rounds: self.rounds,
                variants: Vec::new(),
            },
            experiment_name: self.name.clone(),
        })
    }

    /// Returns the verifications, whose programs may be files of the base.
    fn verifications(&self) -> Result<Vec<CommandLine>, Failure> {
        let lines = CommandLine::all_elsewhere(&self.verify, &Shell::IfNeeded);
        lines.map_err(|error| Failure::usage(error.to_string()))
    }
}

/// Returns the command of an agent, whose program may be a file of the base.
pub(super) fn agent_line(
    text: &String,
    experiment: &AgentExperiment,
    base: &str,
) -> Result<CommandLine, Failure> {
    let line = CommandLine::one_elsewhere(text, &Shell::IfNeeded);
    let line = line.map_err(|error| Failure::usage(error.to_string()))?;
    experiment.check_agent(base, &line).map_err(failure)?;
    Ok(line)
}

/// Refuses a time in which no agent could do anything.
pub(super) fn refuse_no_time(wall: Duration) -> Result<(), Failure> {
    if wall.is_zero() {
        return Err(Failure::usage(
            "--time 0 leaves an agent no time at all: name a longer one, such as 20min",
        ));
    }
    Ok(())
}

/// Says which patterns of tests fit no file of the base: they add nothing, unless an agent makes such a file.
pub(super) fn note_tests(
    experiment: &AgentExperiment,
    base: &str,
    patterns: &[String],
    output: &Output,
) -> Result<(), Failure> {
    if patterns.is_empty() {
        return Ok(());
    }
    let found = experiment.patterns_without_files(base, patterns);
    let mut say = output.reporter();
    for pattern in found.map_err(failure)? {
        say(&format!(
            "note: --tests {:?} fits no file of the base: `tests/**` is all below a folder, `*` anything within a name",
            Plain(&pattern).to_string()
        ));
    }
    Ok(())
}

impl Work {
    fn run(
        self,
        interrupted: &AtomicBool,
        quiet: bool,
        mut display: TimingDisplay,
    ) -> Result<Vec<RoundReport>, AgentError> {
        let orders = Orders {
            request: &self.request,
            instructions: &self.instructions,
            remarks: "",
            agent: &self.agent,
            verify: &self.verify,
            new_tests: NewTests::LeftOut,
            conflicts: &[],
            reach: &self.reach,
            agents_at_once: self.agents_at_once,
            wall: self.wall,
            interrupted,
        };
        let measure = self.measure.iter().flat_map(|plan| {
            plan.options.iter().map(|options| MeasureOrders {
                command: &plan.command,
                build: plan.build.as_ref(),
                options,
            })
        });
        let how = RoundOrders {
            count: self.rounds,
            measure: &measure.collect::<Vec<_>>(),
        };
        let tell = |news: AgentNews<'_>| {
            if !quiet {
                anstream::eprintln!("{}", line(&news));
            }
        };
        let mut timing = |news: Option<bakeoff_programs::News<'_>>| match news {
            Some(news) => display.show(&news),
            None => display.end(),
        };
        let held = self.experiment.hold()?;
        let rounds = work_in_rounds(
            &self.experiment,
            &orders,
            &self.variants,
            &how,
            &tell,
            &mut timing,
        )?;
        drop(held);
        let report = |round| RoundReport::new(round, self.measure.as_ref());
        Ok(rounds.into_iter().map(report).collect())
    }
}

/// Returns a line of progress.
fn line(news: &AgentNews<'_>) -> String {
    match news {
        AgentNews::VerifyingBase => "the verification is tried on the base".to_owned(),
        AgentNews::Started(variant) => format!("{}: its agent works", Plain(variant)),
        AgentNews::Ended(completion) => {
            format!(
                "{}: {}",
                Plain(&completion.variant),
                completion.outcome.words()
            )
        }
        AgentNews::RoundEnded(record) => {
            format!("round {}: {}", record.round, Plain(&record.result.text))
        }
    }
}
