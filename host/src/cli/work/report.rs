//! Report of the work on tasks, as text, Markdown and JSON.

use super::listing::done_of;
use super::phases::{Phase, phases};
use crate::cli::Status;
use crate::cli::agents::report;
use bakeoff_agents::{AgentVerification, ConflictedMerge, MergedResult};
use bakeoff_agents::{
    AgentWorkOutcome, Changes, Claimed, Completion, TaskProgress, WorkOutcome, longest_chain,
};
use bakeoff_config::AgentTask;
use bakeoff_domain::wording::counted;
use bakeoff_render::escape::{Markdown, Plain, ShellWord};
use serde::Serialize;
use std::fmt::Write as _;
use std::time::Duration;

/// Report in JSON.
#[derive(Serialize)]
pub(super) struct WorkReport<'a> {
    version: u32,
    experiment: &'a str,
    base: &'a str,
    pub(super) answer: String,
    tasks: Vec<TaskOutput<'a>>,
    phases: Vec<Phase<'a>>,
    workers: Vec<WorkerOutput>,
    result: Option<ResultOutput<'a>>,
    /// Share of the tasks that are done.
    success_rate: f64,
    elapsed_seconds: f64,
    busy_seconds: f64,
    /// Time of all attempts divided by the time that passed; `null` if nothing was worked on.
    speed_up: Option<f64>,
    longest_chain: ChainOutput<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    Done,
    GivenUp,
    Unreachable,
}

#[derive(Serialize)]
struct TaskOutput<'a> {
    name: &'a str,
    after: Vec<&'a str>,
    state: State,
    /// Outcome of the last attempt.
    outcome: Option<AgentWorkOutcome>,
    reason: String,
    attempts: u32,
    seconds: f64,
    /// True if it was done before this command began.
    kept: bool,
    commit: Option<&'a str>,
    branch: Option<&'a str>,
    worktree: Option<&'a str>,
    changes: Option<&'a Changes>,
    claimed: Option<&'a Claimed>,
    checks: &'a [AgentVerification],
}

#[derive(Serialize)]
struct WorkerOutput {
    worker: usize,
    attempts: u64,
    busy_seconds: f64,
}

#[derive(Serialize)]
struct ResultOutput<'a> {
    branch: &'a str,
    commit: &'a str,
    changes: Option<&'a Changes>,
    left_out: Vec<ConflictOutput<'a>>,
    resolved: Vec<ConflictOutput<'a>>,
    checks: &'a [AgentVerification],
}

/// Task whose results conflicted with those before it.
#[derive(Serialize)]
struct ConflictOutput<'a> {
    task: &'a str,
    conflicts: &'a [String],
    /// Attempts of agents to resolve that, in this command.
    attempts: u32,
    seconds: f64,
    reason: &'a str,
}

#[derive(Serialize)]
struct ChainOutput<'a> {
    tasks: Vec<&'a str>,
    seconds: f64,
}

impl<'a> TaskOutput<'a> {
    fn of(tasks: &'a [AgentTask], place: usize, outcome: &'a WorkOutcome) -> Self {
        let (task, row) = (&tasks[place], &outcome.rows[place]);
        let completion = row.completion.as_ref();
        let (state, reason) = match &row.progress {
            TaskProgress::Done => (State::Done, String::new()),
            TaskProgress::Unreachable(root) => (
                State::Unreachable,
                format!("waits for {}, which was given up", tasks[*root].name),
            ),
            TaskProgress::Open | TaskProgress::Working | TaskProgress::GivenUp => {
                let reason = completion.map(|one| one.reason.clone());
                (State::GivenUp, reason.unwrap_or_default())
            }
        };
        Self {
            name: &task.name,
            after: task
                .after
                .iter()
                .map(|one| tasks[*one].name.as_str())
                .collect(),
            state,
            outcome: completion.map(|one| one.outcome),
            reason,
            attempts: completion.map_or(0, |one| one.attempts),
            seconds: completion.map_or(0.0, Completion::all_seconds),
            kept: row.is_kept,
            commit: completion.and_then(|one| one.commit.as_deref()),
            branch: completion.and_then(|one| one.branch.as_deref()),
            worktree: completion.and_then(|one| one.worktree.as_deref()),
            changes: completion.map(|one| &one.changes),
            claimed: completion.and_then(|one| one.claimed.as_ref()),
            checks: completion.map_or(&[], |one| &one.verifications),
        }
    }

    /// Returns the time that it adds to a chain: none if it was not begun, although a command before may have tried it.
    fn seconds_in_chain(&self) -> f64 {
        match self.state {
            State::Done | State::GivenUp => self.seconds,
            State::Unreachable => 0.0,
        }
    }

    /// Cells of the table behind the name.
    fn cells(&self) -> [String; 5] {
        let state = match (self.state, self.outcome) {
            (State::Done, _) if self.kept => "done before".to_owned(),
            (State::Done, Some(AgentWorkOutcome::Unverified)) => "done, no check".to_owned(),
            (State::Done, _) => "done".to_owned(),
            (State::GivenUp, _) => "given up".to_owned(),
            (State::Unreachable, _) => "unreachable".to_owned(),
        };
        let (files, lines) = shown_counts(self.changes);
        [
            state,
            self.attempts.to_string(),
            format!("{:.1}", self.seconds),
            files,
            lines,
        ]
    }

    /// Returns sentences on why it is not done, and on its tests.
    fn remarks(&self) -> Vec<String> {
        let files = self.worktree.map_or_else(String::new, |path| {
            format!(" (its last files are in {path})")
        });
        let mut remarks = Vec::new();
        if !self.reason.is_empty() {
            remarks.push(format!("{}: {}{files}", self.name, self.reason));
        }
        let changes = self.changes.iter();
        remarks
            .extend(changes.flat_map(|changes| {
                report::on_tests(self.name, "changed or added tests", changes)
            }));
        remarks
    }
}

/// Returns numbers of files and lines; nothing where there are no changes.
fn shown_counts(changes: Option<&Changes>) -> (String, String) {
    changes.map_or_else(Default::default, |changes| {
        let (files, lines) = report::counts(changes);
        (files.to_string(), lines)
    })
}

impl<'a> ConflictOutput<'a> {
    fn of(conflict: &'a ConflictedMerge) -> Self {
        Self {
            task: &conflict.task,
            conflicts: &conflict.conflicts,
            attempts: conflict.attempts,
            seconds: conflict.seconds,
            reason: &conflict.reason,
        }
    }
}

impl<'a> ResultOutput<'a> {
    fn of(result: &'a MergedResult) -> Self {
        Self {
            branch: &result.branch,
            commit: &result.commit,
            changes: result.changes.as_ref(),
            left_out: result.left_out.iter().map(ConflictOutput::of).collect(),
            resolved: result.resolved.iter().map(ConflictOutput::of).collect(),
            checks: &result.checks,
        }
    }

    /// Returns true if all that was done is in it, and passes all checks.
    fn is_whole(&self) -> bool {
        self.left_out.is_empty() && self.checks.iter().all(|check| check.passed)
    }

    fn remarks(&self) -> Vec<String> {
        let left_out = self.left_out.iter().map(|one| {
            format!(
                "{} is not on the branch of results: it conflicts with what is there in {}, and the last of {} to resolve that \
                 failed ({}). The same command tries it again; `git merge` with its own branch brings them together, too",
                one.task,
                one.conflicts.join(", "),
                counted(one.attempts as usize, "attempt"),
                one.reason
            )
        });
        let resolved = self.resolved.iter().map(|one| {
            format!(
                "{} conflicted with what was merged before it in {}: an agent resolved that in {:.1} s ({}), and the checks of \
                 both sides pass",
                one.task,
                one.conflicts.join(", "),
                one.seconds,
                counted(one.attempts as usize, "attempt"),
            )
        });
        let failed = self.checks.iter().filter(|check| !check.passed);
        let failed = failed.map(|check| {
            format!(
                "on the merged files {} fails: {}",
                check.command, check.reason
            )
        });
        resolved.chain(left_out).chain(failed).collect()
    }
}

impl<'a> WorkReport<'a> {
    pub(super) fn new(
        (experiment, base): (&'a str, &'a str),
        tasks: &'a [AgentTask],
        outcome: &'a WorkOutcome,
    ) -> Self {
        let rows: Vec<TaskOutput<'_>> = (0..tasks.len())
            .map(|place| TaskOutput::of(tasks, place, outcome))
            .collect();
        let took = |place: usize| Duration::from_secs_f64(rows[place].seconds_in_chain());
        let (chain, chain_time) = longest_chain(tasks, took);
        let chain = chain
            .into_iter()
            .filter(|place| rows[*place].state != State::Unreachable);
        let loads = outcome.workers.iter().enumerate();
        let workers: Vec<WorkerOutput> = loads
            .map(|(place, load)| WorkerOutput {
                worker: place + 1,
                attempts: load.attempts,
                busy_seconds: load.busy.as_secs_f64(),
            })
            .collect();
        let busy: f64 = workers.iter().map(|worker| worker.busy_seconds).sum();
        let elapsed = outcome.elapsed.as_secs_f64();
        let done = rows.iter().filter(|row| row.state == State::Done).count();
        let result = outcome.result.as_ref().map(ResultOutput::of);
        Self {
            version: 1,
            experiment,
            base,
            answer: answer(&rows, result.as_ref()),
            longest_chain: ChainOutput {
                tasks: chain.map(|place| tasks[place].name.as_str()).collect(),
                seconds: chain_time.as_secs_f64(),
            },
            success_rate: done as f64 / rows.len().max(1) as f64,
            phases: phases(tasks, |place| rows[place].state == State::Done),
            tasks: rows,
            workers,
            result,
            elapsed_seconds: elapsed,
            busy_seconds: busy,
            speed_up: (busy > 0.0).then(|| busy / elapsed),
        }
    }

    pub(super) fn status(&self) -> Status {
        let is_whole = self.result.as_ref().is_some_and(ResultOutput::is_whole);
        let all = self.tasks.iter().all(|row| row.state == State::Done);
        Status::of_answer(self.result.is_some(), !(all && is_whole))
    }

    /// Returns sentences that stand below the table.
    fn remarks(&self) -> Vec<String> {
        let rows = self.tasks.iter().flat_map(TaskOutput::remarks);
        let result = self.result.iter().flat_map(ResultOutput::remarks);
        let claims = report::claims(self.tasks.iter().map(|row| (row.name, row.claimed)));
        rows.chain(result).chain(claims).collect()
    }

    /// Returns what a merge of the branch of results takes, in words.
    fn taken(&self, result: &ResultOutput<'_>) -> String {
        let left_out: Vec<&str> = result.left_out.iter().map(|one| one.task).collect();
        if !left_out.is_empty() {
            format!("what was done, without {}", left_out.join(", "))
        } else if self.tasks.iter().all(|row| row.state == State::Done) {
            "all of it".to_owned()
        } else {
            "what was done".to_owned()
        }
    }

    /// Returns lines on how much of it is done: the phases, where there are several, and the share of all tasks.
    fn shares(&self) -> Vec<String> {
        let several = &self.phases[..];
        let several = if several.len() > 1 { several } else { &[] };
        let mut lines: Vec<String> = several.iter().map(Phase::line).collect();
        lines.push(format!(
            "success rate: {:.0} % of the tasks",
            self.success_rate * 100.0
        ));
        lines
    }

    /// Returns a sentence on time.
    fn times(&self) -> Option<String> {
        let speed_up = self.speed_up?;
        let chain = match self.longest_chain.tasks.as_slice() {
            [] => String::new(),
            tasks => format!(
                " Longest chain of what was worked on: {} ({:.1} s).",
                tasks.join(" → "),
                self.longest_chain.seconds
            ),
        };
        Some(format!(
            "{:.1} s passed, and the workers were busy for {:.1} s: {speed_up:.2} of them on average.{chain}",
            self.elapsed_seconds, self.busy_seconds,
        ))
    }

    /// Returns the report as text for a terminal.
    pub(super) fn text(&self) -> String {
        let width = self.tasks.iter().map(|row| row.name.len()).max();
        let width = width.unwrap_or(0).max("task".len());
        let mut text = format!(
            "{}\n\n{:<width$}  state           attempts  seconds  files   lines\n",
            Plain(&self.answer),
            "task"
        );
        for row in &self.tasks {
            let [state, attempts, seconds, files, lines] = row.cells();
            let line = format!(
                "{:<width$}  {state:<14}  {attempts:>8}  {seconds:>7}  {files:>5}   {lines}",
                row.name
            );
            let _ = writeln!(text, "{}", line.trim_end());
        }
        for remark in self.remarks() {
            let _ = write!(text, "\n{}\n", Plain(&remark));
        }
        text.push('\n');
        for line in self.shares() {
            let _ = writeln!(text, "{}", Plain(&line));
        }
        text.push('\n');
        for worker in &self.workers {
            let _ = writeln!(
                text,
                "worker {}  {} in {:.1} s",
                worker.worker,
                counted(worker.attempts as usize, "attempt"),
                worker.busy_seconds
            );
        }
        if let Some(times) = self.times() {
            let _ = writeln!(text, "{times}");
        }
        if let Some(result) = &self.result {
            let (files, lines) = shown_counts(result.changes);
            let _ = write!(
                text,
                "\n`git merge {0}` takes {2} ({files} files, lines {lines}); `git diff {1} {0}` shows it.\n",
                ShellWord(result.branch),
                &self.base[..12.min(self.base.len())],
                self.taken(result)
            );
        }
        let _ = writeln!(
            text,
            "`bakeoff worktrees --remove {}` removes the worktrees, and leaves the branches.",
            self.experiment
        );
        text
    }

    /// Returns the report as Markdown.
    pub(super) fn markdown(&self) -> String {
        let mut text = format!(
            "{}\n\n| task | state | attempts | seconds | files | lines |\n|---|---|--:|--:|--:|--:|\n",
            Markdown(&self.answer)
        );
        for row in &self.tasks {
            let _ = writeln!(
                text,
                "| {} | {} |",
                Markdown(row.name),
                row.cells().join(" | ")
            );
        }
        for remark in self.remarks() {
            let _ = write!(text, "\n{}\n", Markdown(&remark));
        }
        for line in self.shares() {
            let _ = write!(text, "\n- {}", Markdown(&line));
        }
        text += "\n\n| worker | attempts | seconds |\n|--:|--:|--:|\n";
        for worker in &self.workers {
            let _ = writeln!(
                text,
                "| {} | {} | {:.1} |",
                worker.worker, worker.attempts, worker.busy_seconds
            );
        }
        if let Some(times) = self.times() {
            let _ = write!(text, "\n{}\n", Markdown(&times));
        }
        if let Some(result) = &self.result {
            let _ = write!(
                text,
                "\nTo take {}:\n\n```\ngit merge {}\n```\n",
                Markdown(&self.taken(result)),
                ShellWord(result.branch)
            );
        }
        text
    }
}

/// Returns the answer in a sentence or two.
fn answer(rows: &[TaskOutput<'_>], result: Option<&ResultOutput<'_>>) -> String {
    let count = |state| rows.iter().filter(|row| row.state == state).count();
    let (done, given_up) = (count(State::Done), count(State::GivenUp));
    let unreachable = count(State::Unreachable);
    let Some(result) = result else {
        return format!("None of {} is done.", counted(rows.len(), "task"));
    };
    let left_out = result.left_out.len();
    let merged = done - left_out;
    let mut answer = if left_out == 0 {
        format!(
            "{}, and merged on {}.",
            done_of(done, rows.len()),
            result.branch
        )
    } else {
        format!(
            "{}; {merged} of them {} merged on {}, and {left_out} {} with these.",
            done_of(done, rows.len()),
            if merged == 1 { "is" } else { "are" },
            result.branch,
            if left_out == 1 {
                "conflicts"
            } else {
                "conflict"
            }
        )
    };
    if given_up > 0 {
        answer += &format!(" {given_up} failed in every attempt.");
    }
    if unreachable > 0 {
        answer += &format!(" {unreachable} could not be begun without these.");
    }
    if result.checks.iter().any(|check| !check.passed) {
        answer += " Together they do not pass every check.";
    }
    answer
}
