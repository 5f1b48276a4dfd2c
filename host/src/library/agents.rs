//! Coding agents that are started by a program.

use super::error::Error;
use super::fence_reach::reach;
use super::measured_rounds::{MeasuredRounds, timing_options};
use bakeoff_agents::{
    AGENT_INSTRUCTIONS, AgentError, Completion, CompletionRequest, Instructions, MeasureOrders,
    NewTests, Orders, PickAnswer, RoundOrders, TEST_PATTERNS, work_in_rounds,
};
use bakeoff_config::is_branch_part;
use bakeoff_confine::Network;
use bakeoff_programs::{CommandLine, CommandLineError, Decides, Shell};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The longest time of an agent unless another one is set.
const TIME: Duration = Duration::from_secs(20 * 60);
/// The most agents at once unless another number is set.
const AT_ONCE: usize = 4;
/// The most variants.
const VARIANTS_MAX: usize = 16;
/// The most rounds.
const ROUNDS_MAX: u32 = 8;

/// One task, and coding agents that do it: one for each variant, each in a worktree of its own behind a fence, as
/// `bakeoff agents` starts them. What they leave becomes branches `bakeoff/NAME/VARIANT` of the repository.
///
/// The agent is a command that reads its task as its stdin. A program that starts agents gives leave to do so: nothing in the
/// repository names one.
///
/// ```no_run
/// # fn main() -> Result<(), bakeoff::Error> {
/// let report = bakeoff::Agents::new(".", "Make the parser faster", "claude -p")
///     .variant("functional", "pure functions")
///     .variant("simd", "vectorise the inner loop")
///     .verify("cargo test")
///     .build("cargo build --release")
///     .measure("target/release/parse big.json")
///     .run()?;
/// match report.best() {
///     Some(branch) => println!("git merge {branch}"),
///     None => println!("none: {}", report.reason()),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "no agent is started before it is run"]
pub struct Agents {
    repository: PathBuf,
    task: String,
    agent: String,
    variants: Vec<bakeoff_agents::VariantRequest>,
    name: String,
    base: String,
    verify: Vec<String>,
    build: Option<String>,
    measure: Option<String>,
    budget: Option<Duration>,
    rounds: u32,
    network: Network,
    variables: Vec<String>,
    readable: Vec<PathBuf>,
    time: Duration,
    at_once: usize,
    stop: Arc<AtomicBool>,
}

/// Results of all agents.
#[derive(Clone, Debug)]
pub struct AgentsReport {
    completions: Vec<Completion>,
    best: Result<String, String>,
}

/// Result of the agent of a variant.
#[derive(Clone, Copy, Debug)]
pub struct AgentResult<'a> {
    completion: &'a Completion,
}

/// Outcome of an agent's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentOutcome {
    /// It left changes, and every verification passed.
    Passed,
    /// It left changes, and there was no verification.
    Unverified,
    /// It left changes, and a verification failed.
    VerificationFailed,
    /// It ended with a failure, or was ended.
    AgentFailed,
    /// It ended, and changed nothing.
    NothingChanged,
    /// Files that cannot be taken over.
    Refused,
}

impl Agents {
    /// Returns a task for agents in a git repository, with the command of the agent.
    pub fn new(
        repository: impl AsRef<Path>,
        task: impl Into<String>,
        agent: impl Into<String>,
    ) -> Self {
        Self {
            repository: repository.as_ref().to_owned(),
            task: task.into(),
            agent: agent.into(),
            variants: Vec::new(),
            name: "agents".to_owned(),
            base: "HEAD".to_owned(),
            verify: Vec::new(),
            build: None,
            measure: None,
            budget: None,
            rounds: 1,
            network: Network::Closed,
            variables: Vec::new(),
            readable: Vec::new(),
            time: TIME,
            at_once: AT_ONCE,
            stop: Arc::default(),
        }
    }

    /// Adds a variant with the idea that its agent is told, which may be empty. Its name is part of its branch's.
    pub fn variant(mut self, name: impl Into<String>, idea: impl Into<String>) -> Self {
        self.variants.push(bakeoff_agents::VariantRequest {
            name: name.into(),
            idea: idea.into(),
        });
        self
    }

    /// Sets the name of the experiment, instead of `agents`: of its folder in `.bakeoff`, and of its branches.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the revision that agents begin with, instead of `HEAD`.
    pub fn base(mut self, revision: impl Into<String>) -> Self {
        self.base = revision.into();
        self
    }

    /// Adds a command that what was left has to pass, with the tests of the base.
    pub fn verify(mut self, command: impl Into<String>) -> Self {
        self.verify.push(command.into());
        self
    }

    /// Sets a command that is run once before the measurement, and may write files.
    pub fn build(mut self, command: impl Into<String>) -> Self {
        self.build = Some(command.into());
        self
    }

    /// Sets the command by which what passed is timed, against the base and each other.
    pub fn measure(mut self, command: impl Into<String>) -> Self {
        self.measure = Some(command.into());
        self
    }

    /// Sets the time for all runs of each measurement.
    pub fn budget(mut self, budget: Duration) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Sets the most rounds, from 1 to 8: agents of the next one begin with the best so far.
    pub fn rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds;
        self
    }

    /// Lets agents use the network, which verifications and measurements never have.
    pub fn network(mut self) -> Self {
        self.network = Network::Open;
        self
    }

    /// Gives agents and verifications a variable of this process's environment, such as one with a key.
    pub fn env(mut self, variable: impl Into<String>) -> Self {
        self.variables.push(variable.into());
        self
    }

    /// Lets agents and verifications read a file or folder, and start programs of it, besides the system's.
    pub fn read(mut self, path: impl Into<PathBuf>) -> Self {
        self.readable.push(path.into());
        self
    }

    /// Sets the time after which an agent or a verification is ended, instead of 20 minutes.
    pub fn time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Sets the most agents that work at the same time, instead of 4; 0 counts as 1.
    pub fn at_once(mut self, agents: usize) -> Self {
        self.at_once = agents.max(1);
        self
    }

    /// Returns a function that asks all agents to stop, from another thread or a handler of signals. What is finished is
    /// kept, and the same orders go on from there.
    pub fn stopper(&self) -> impl Fn() + Send + Sync + 'static {
        let stop = Arc::clone(&self.stop);
        move || stop.store(true, Ordering::Relaxed)
    }

    /// Has all agents work, verifies and measures what they leave, and blocks until that is done. The same orders go on
    /// where they were stopped.
    ///
    /// # Errors
    /// See [`ErrorKind`](super::ErrorKind). An agent that fails is no error, but a result.
    pub fn run(&self) -> Result<AgentsReport, Error> {
        self.check()?;
        let experiment = bakeoff_agents::AgentExperiment::open(&self.repository, &self.name)?;
        let instructions = Instructions::new(None, AGENT_INSTRUCTIONS);
        let request = CompletionRequest {
            task: self.task.clone(),
            instructions: instructions.read()?,
            agent: self.agent.clone(),
            base: experiment.base(&self.base)?,
            first_base: None,
            verify: self.verify.clone(),
            tests: TEST_PATTERNS.map(str::to_owned).to_vec(),
        };
        let elsewhere = |text: &String| CommandLine::one_elsewhere(text, &Shell::IfNeeded);
        let agent = CommandLine::one(&self.agent, &Shell::IfNeeded)?;
        let verify = CommandLine::all_elsewhere(&self.verify, &Shell::IfNeeded)?;
        let measure = self.measure.as_ref().map(elsewhere).transpose()?;
        let build = self.build.as_ref().map(elsewhere).transpose()?;
        let reach = reach(self.network, &self.variables, &self.readable);
        let reach = reach.map_err(Error::experiment)?;
        let orders = Orders {
            request: &request,
            instructions: &instructions,
            remarks: "",
            agent: &agent,
            verify: &verify,
            new_tests: NewTests::LeftOut,
            conflicts: &[],
            reach: &reach,
            agents_at_once: self.at_once,
            wall: self.time,
            interrupted: &self.stop,
        };
        let rounds = MeasuredRounds {
            decides: Decides::Wall,
            rounds: self.rounds,
            budget: self.budget,
            wall: self.time,
            seed: None,
        };
        let options = match &measure {
            Some(_) => timing_options(&rounds).map_err(Error::machine)?,
            None => Vec::new(),
        };
        let how = options.iter().zip(measure.iter().cycle());
        let how = how.map(|(options, command)| MeasureOrders {
            command,
            build: build.as_ref(),
            options,
        });
        let how = RoundOrders {
            count: self.rounds,
            measure: &how.collect::<Vec<_>>(),
        };
        let held = experiment.hold()?;
        let done = work_in_rounds(
            &experiment,
            &orders,
            &self.variants,
            &how,
            &|_| {},
            &mut |_| {},
        )?;
        drop(held);
        let best = match experiment.pick(None)? {
            PickAnswer::Picked(picked) => Ok(picked.completion.branch.unwrap_or(picked.commit)),
            PickAnswer::NoAnswer(reason) => Err(reason),
        };
        let completions = done.into_iter().flat_map(|round| round.completions);
        Ok(AgentsReport {
            completions: completions.collect(),
            best,
        })
    }

    /// Refuses orders that could not be carried out.
    fn check(&self) -> Result<(), Error> {
        let names = self.variants.iter().map(|variant| &variant.name);
        if !(1..=VARIANTS_MAX).contains(&self.variants.len()) {
            return Err(Error::experiment(format!(
                "there are {} variants, and 1 to {VARIANTS_MAX} are worked on",
                self.variants.len()
            )));
        }
        if let Some(wrong) = names.clone().find(|name| !is_branch_part(name)) {
            return Err(Error::experiment(format!(
                "{wrong:?} is no name of a variant: letters, digits, `-`, `_` and single dots, at most 64"
            )));
        }
        let measures = self.measure.is_some();
        let why = if self.time.is_zero() {
            "a time of 0 leaves an agent no time at all"
        } else if !(1..=ROUNDS_MAX).contains(&self.rounds) {
            "there are 1 to 8 rounds"
        } else if (measures || self.rounds > 1) && self.verify.is_empty() {
            "what is measured, or gone on with, has to be verified: `verify` names a command"
        } else if !measures && (self.build.is_some() || self.budget.is_some()) {
            "`build` and `budget` are for `measure`, which is not set"
        } else {
            return Ok(());
        };
        Err(Error::experiment(why))
    }
}

impl AgentsReport {
    /// Returns the branch of the variant that is to be preferred: surely ahead of all others where they were measured, or the
    /// only one that passed.
    pub fn best(&self) -> Option<&str> {
        self.best.as_deref().ok()
    }

    /// Returns the reason why none is to be preferred; empty if one is.
    pub fn reason(&self) -> &str {
        self.best.as_ref().err().map_or("", String::as_str)
    }

    /// Returns what each agent left, of all rounds, in their order.
    pub fn results(&self) -> impl Iterator<Item = AgentResult<'_>> {
        let completions = self.completions.iter();
        completions.map(|completion| AgentResult { completion })
    }
}

impl<'a> AgentResult<'a> {
    /// Returns the name of the variant; of a later round, with `.round-2` behind it.
    pub fn variant(&self) -> &'a str {
        &self.completion.variant
    }

    /// Returns the outcome.
    pub fn outcome(&self) -> AgentOutcome {
        use bakeoff_agents::AgentWorkOutcome;
        match self.completion.outcome {
            AgentWorkOutcome::Passed => AgentOutcome::Passed,
            AgentWorkOutcome::Unverified | AgentWorkOutcome::Committed => AgentOutcome::Unverified,
            AgentWorkOutcome::VerificationFailed => AgentOutcome::VerificationFailed,
            AgentWorkOutcome::AgentFailed | AgentWorkOutcome::NoWinner => AgentOutcome::AgentFailed,
            AgentWorkOutcome::NothingChanged => AgentOutcome::NothingChanged,
            AgentWorkOutcome::Refused => AgentOutcome::Refused,
        }
    }

    /// Returns the branch with what it left, if that was committed.
    pub fn branch(&self) -> Option<&'a str> {
        self.completion.branch.as_deref()
    }

    /// Returns the reason of an outcome without a commit, or of a failed verification; empty otherwise. The text may quote
    /// the agent: escape it for wherever it is shown.
    pub fn reason(&self) -> &'a str {
        &self.completion.reason
    }

    /// Returns the evidence as `completion.json` has it.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self.completion).unwrap_or_default()
    }
}

impl From<AgentError> for Error {
    fn from(error: AgentError) -> Self {
        match error {
            AgentError::Usage(_) => Self::experiment(error),
            AgentError::Machine(_) => Self::machine(error),
            AgentError::Interrupted => Self::stopped(error),
        }
    }
}

impl From<CommandLineError> for Error {
    fn from(error: CommandLineError) -> Self {
        Self::experiment(error)
    }
}
