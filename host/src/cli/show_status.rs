//! `bakeoff status`: how far a run is, also while it runs in another terminal.

use super::failure::Failure;
use super::generation::record_of;
use super::options::{Format, Output};
use super::status_models::ModelsStatus;
use super::{Status, kept, show};
use crate::events::{Envelope, Progress, RunStatus, Stage, TasksState, VariantState};
use crate::provider::Spending;
use crate::render::escape::Plain;
use crate::store::{Lock, Store, StoreError};
use bakeoff_domain::report::words;
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Events that are read at once.
const EVENTS_AT_ONCE: u32 = 10_000;
/// The largest number of variants that a line names.
const NAMED_MAX: usize = 4;
/// The largest number of waiting tasks that are named.
const WAITS_MAX: usize = 8;

/// Shows how far the last run is: what is done, what is going on, and what waits for what
///
/// While a model is asked for approaches, it shows what that took so far, of what it may.
///
/// It only reads, so it can be asked in another terminal while the run goes on.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff status examples/top-k
  bakeoff status examples/top-k --format json")]
pub(super) struct Arguments {
    /// An experiment's folder or file, or a folder of results
    #[arg(default_value = ".", value_name = "DIR|FILE")]
    from: PathBuf,
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let models = models(&arguments.from);
    let opened =
        kept::results(&arguments.from).and_then(|folder| Ok((kept::open(&folder)?, folder)));
    let (store, folder) = match (opened, &models) {
        (Ok(opened), _) => opened,
        // There is no run yet, while approaches are asked for.
        (Err(_), Some(models)) => return show_models(models, output),
        (Err(failure), None) => return Err(failure),
    };
    let progress = progress(&store)?;
    let holder = Lock::holder(&folder).map(|holder| holder.to_string());
    if output.format == Format::Json {
        #[derive(Serialize)]
        struct Shown<'a> {
            #[serde(flatten)]
            progress: &'a Progress,
            process: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            models: Option<&'a ModelsStatus>,
        }
        let process = holder.as_deref();
        show::write_json(&Shown {
            progress: &progress,
            process,
            models: models.as_ref(),
        })?;
    } else {
        let models = models.map_or_else(String::new, |models| models.text());
        show::write(&(text(&progress, holder.as_deref()) + &models))?;
    }
    Ok(Status::Done)
}

/// What the models of an experiment took, if any were asked.
fn models(from: &Path) -> Option<ModelsStatus> {
    let dir = match from.is_dir() {
        true => from,
        false => from.parent()?,
    };
    let (spending, is_asking) = Spending::read(dir, &record_of(dir)).ok()?;
    Some(ModelsStatus {
        spending,
        is_asking,
    })
}

/// Shows that alone.
fn show_models(models: &ModelsStatus, output: &Output) -> Result<Status, Failure> {
    #[derive(Serialize)]
    struct Shown<'a> {
        models: &'a ModelsStatus,
    }
    match output.format {
        Format::Json => show::write_json(&Shown { models })?,
        _ => show::write(&models.text())?,
    }
    Ok(Status::Done)
}

/// Returns the progress of the last run, from its events.
fn progress(store: &Store) -> Result<Progress, StoreError> {
    let mut progress = Progress::default();
    let mut sequence = 0;
    loop {
        let lines = store.events_after(sequence, EVENTS_AT_ONCE)?;
        let known = lines
            .iter()
            .filter_map(|line| serde_json::from_str(line).ok());
        let before = sequence;
        for envelope in known {
            let envelope: Envelope = envelope;
            sequence = sequence.max(envelope.sequence);
            progress.apply(&envelope);
        }
        // Events of later versions are not known, and change nothing here.
        if lines.len() < EVENTS_AT_ONCE as usize || sequence == before {
            return Ok(progress);
        }
    }
}

/// Returns the progress as text. `holder` is the process that works on the folder, if one does.
fn text(progress: &Progress, holder: Option<&str>) -> String {
    let state = match (progress.status, holder) {
        (RunStatus::Running, Some(holder)) => format!("running, by {holder}"),
        (RunStatus::Running, None) => {
            "nobody runs it any more; `bakeoff run` goes on with what is kept".to_owned()
        }
        (status, _) => status.name().to_owned(),
    };
    let name = Plain(&progress.experiment);
    let mut text = format!(
        "run {} of {name}: {} after {:.0} s\n",
        progress.run,
        Plain(&state),
        progress.seconds
    );
    if let Some(message) = &progress.message {
        text += &format!("  {}\n", Plain(message));
    }
    for (stage, steps) in &progress.stages {
        let line = match stage {
            Stage::Build => format!("built      {} of {}", steps.done, steps.steps),
            Stage::Check => format!("checked    {} of {}", steps.done, steps.steps),
            Stage::Measure => format!("replicas   {} of at most {}", steps.done, steps.steps),
            Stage::Score => format!(
                "scored     {} of {}",
                steps.done,
                steps.steps.max(steps.done)
            ),
        };
        text += &format!("  {line}\n");
    }
    text += &tasks_text(&progress.tasks, progress.status);
    if !progress.variants.is_empty() {
        text.push('\n');
    }
    let width = progress.variants.keys().map(|id| id.chars().count()).max();
    let width = width.unwrap_or(0);
    for (id, variant) in &progress.variants {
        let reason = variant.reason.as_deref();
        let state = variant_text(progress, variant.state, reason);
        text += &format!("  {:<width$}  {}\n", Plain(id).to_string(), Plain(&state));
    }
    text
}

/// How far the tasks are, what those that wait wait for, and what each core has done.
fn tasks_text(tasks: &TasksState, status: RunStatus) -> String {
    let mut text = String::new();
    if status == RunStatus::Running && tasks.running + tasks.waiting > 0 {
        let (done, running, waiting) = (tasks.done, tasks.running, tasks.waiting);
        text += &format!("  tasks      {done} done, {running} running, {waiting} waiting\n");
        for one in tasks.waits.iter().take(WAITS_MAX) {
            let (task, what) = (Plain(&one.task), Plain(&one.waits_for));
            text += &format!("    {task} waits for {what}\n");
        }
        let more = tasks.waiting.saturating_sub(WAITS_MAX as u64);
        if more > 0 {
            text += &format!("    and {more} more\n");
        }
    }
    for worker in &tasks.workers {
        let core = worker
            .core
            .map_or("no core".to_owned(), |core| format!("core {core}"));
        let (tasks, seconds) = (worker.tasks, worker.busy_seconds);
        let s = if tasks == 1 { "" } else { "s" };
        text += &format!("  {core:<9}  {tasks} task{s} in {seconds:.1} s\n");
    }
    text
}

/// What is going on with a variant, or what it waits for.
fn variant_text(progress: &Progress, state: VariantState, reason: Option<&str>) -> String {
    match state {
        VariantState::Waiting => "waits for a core to be built on".to_owned(),
        VariantState::Building => "is being built; its check waits for that".to_owned(),
        VariantState::Built => "built; its check waits for a core".to_owned(),
        VariantState::Checking => "is being checked".to_owned(),
        VariantState::Racing => match unchecked(progress) {
            others if !others.is_empty() => {
                format!(
                    "checked; the race waits for {}",
                    words::listed(others, NAMED_MAX)
                )
            }
            _ if progress.stage == Some(Stage::Measure) => "is being timed".to_owned(),
            _ => "checked".to_owned(),
        },
        VariantState::Failed => match reason {
            Some(reason) => format!("failed: {reason}"),
            None => "failed".to_owned(),
        },
        VariantState::Complete => "done".to_owned(),
    }
}

/// The variants that the race waits for.
fn unchecked(progress: &Progress) -> Vec<String> {
    let variants = progress.variants.iter();
    let open = variants.filter(|(_, variant)| {
        matches!(
            variant.state,
            VariantState::Waiting
                | VariantState::Building
                | VariantState::Built
                | VariantState::Checking
        )
    });
    open.map(|(id, _)| id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{StageProgress, VariantProgress, WaitingTask};
    use bakeoff_domain::report::WorkerCost;

    fn progress() -> Progress {
        let variant = |state, reason: Option<&str>| VariantProgress {
            state,
            reason: reason.map(str::to_owned),
        };
        let steps = |done, steps| StageProgress { done, steps };
        Progress {
            run: 3,
            experiment: "top-k".to_owned(),
            seconds: 12.2,
            stage: Some(Stage::Check),
            stages: [(Stage::Build, steps(3, 4)), (Stage::Check, steps(1, 3))].into(),
            tasks: TasksState {
                done: 5,
                running: 2,
                waiting: 11,
                waits: (0..9)
                    .map(|number| WaitingTask {
                        task: format!("check of sort-{number}"),
                        waits_for: match number {
                            0 => "build of sort-0".to_owned(),
                            _ => "a core".to_owned(),
                        },
                    })
                    .collect(),
                workers: vec![WorkerCost {
                    core: Some(2),
                    tasks: 5,
                    busy_seconds: 1.25,
                }],
            },
            variants: [
                (
                    "broken",
                    variant(VariantState::Failed, Some("build-failed")),
                ),
                ("heap", variant(VariantState::Racing, None)),
                ("select", variant(VariantState::Checking, None)),
                ("sort", variant(VariantState::Building, None)),
            ]
            .into_iter()
            .map(|(id, variant)| (id.to_owned(), variant))
            .collect(),
            ..Progress::default()
        }
    }

    #[test]
    fn a_run_under_way_shows_what_is_done_and_what_waits_for_what() {
        let shown = text(&progress(), Some("process 7 (since noon)"));
        assert_eq!(
            shown,
            "run 3 of top-k: running, by process 7 (since noon) after 12 s
  built      3 of 4
  checked    1 of 3
  tasks      5 done, 2 running, 11 waiting
    check of sort-0 waits for build of sort-0
    check of sort-1 waits for a core
    check of sort-2 waits for a core
    check of sort-3 waits for a core
    check of sort-4 waits for a core
    check of sort-5 waits for a core
    check of sort-6 waits for a core
    check of sort-7 waits for a core
    and 3 more
  core 2     5 tasks in 1.2 s

  broken  failed: build-failed
  heap    checked; the race waits for select and sort
  select  is being checked
  sort    is being built; its check waits for that
"
        );
    }

    #[test]
    fn a_run_that_was_killed_says_so_and_texts_of_others_are_escaped() {
        let killed = Progress {
            experiment: "\u{1b}[2Jx".to_owned(),
            ..progress()
        };
        let shown = text(&killed, None);
        assert!(shown.contains("nobody runs it any more"), "{shown}");
        assert!(!shown.contains('\u{1b}'), "{shown}");
    }
}
