//! `bakeoff status`: shows the progress of a run, also while it runs in another terminal.

use super::failure::Failure;
use super::options::{Format, Output};
use super::picked_branch::AgentsFolder;
use super::report_source::ReportPlace;
use super::status_models::ModelsStatus;
use super::status_tasks::tasks_text;
use super::unfinished_runs::progress;
use super::work::show_states;
use super::{Status, report_source, show};
use crate::library::generation::{events, record_of};
use bakeoff_domain::report::words;
use bakeoff_provider::Spending;
use bakeoff_render::escape::Plain;
use bakeoff_search::SearchState;
use bakeoff_store::Origin;
use bakeoff_store::events::{Progress, RunStatus, Stage, VariantStage};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use unicode_width::UnicodeWidthStr as _;

/// The largest number of variants that a line names.
const NAMED_MAX: usize = 4;
/// The most variants that are shown one by one, unless all of them are asked for.
const VARIANTS_MAX: usize = 16;
/// The most reasons of failures, and cores, that have a line each, unless all variants are asked for.
const LINES_MAX: usize = 8;

/// Shows how far the last run is: what is done, what is going on, and what waits for what
///
/// While a model is asked for approaches, it shows what that took so far, of what it may.
///
/// It only reads, so it can be asked in another terminal while the run goes on. Of more than 16 variants it counts
/// those in each state, and names what is going on and what failed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff status examples/top-k
  bakeoff status examples/top-k --all
  bakeoff status examples/top-k --format json
  bakeoff status .bakeoff/work             how far agents are with tasks")]
pub(super) struct Arguments {
    /// An experiment's folder or file, a folder of results, or .bakeoff/NAME of agents
    #[arg(default_value = ".", value_name = "DIR|FILE")]
    from: PathBuf,
    /// Show each variant and each core, however many there are
    #[arg(long)]
    all: bool,
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    if let Some(folder) = AgentsFolder::named(&arguments.from) {
        return show_states(&folder, output);
    }
    let models = models(&arguments.from);
    let place = report_source::results(&arguments.from);
    let search = place
        .as_ref()
        .ok()
        .and_then(|place| bakeoff_search::known(place).ok()?);
    let search = search.map(|archive| SearchState::of(&archive));
    let opened = place.and_then(|place| report_source::open(&place));
    let store = match (opened, &models) {
        (Ok(opened), _) => opened,
        // There is no run yet, while approaches are asked for.
        (Err(_), Some(models)) => return show_models(models, output),
        (Err(failure), None) => return Err(failure),
    };
    let mut progress = progress(&store)?;
    let holder = store.holder().map(|holder| holder.to_string());
    if output.format == Format::Json {
        #[derive(Serialize)]
        struct Shown<'a> {
            #[serde(flatten)]
            progress: &'a Progress,
            process: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            models: Option<&'a ModelsStatus>,
            #[serde(skip_serializing_if = "Option::is_none")]
            search: Option<&'a SearchState>,
        }
        let process = holder.as_deref();
        show::write_json(&Shown {
            progress: &progress,
            process,
            models: models.as_ref(),
            search: search.as_ref(),
        })?;
    } else {
        let models = models.map_or_else(String::new, |models| models.text());
        let search = search.map_or_else(String::new, |search| searched(&search));
        if store.origin() == Origin::Elsewhere && progress.status == RunStatus::Interrupted {
            // The command that stands there is anybody's.
            progress.message = Some(ReportPlace::find(&arguments.from)?.resume(&store));
        }
        let text = text(&progress, holder.as_deref(), arguments.all);
        show::write(&(text + &search + &models))?;
    }
    Ok(Status::Done)
}

/// Returns what the search before the race has found so far.
fn searched(search: &SearchState) -> String {
    let mut text = format!(
        "search     {} rounds over, {} candidates tried",
        search.rounds, search.candidates
    );
    if search.failed > 0 {
        text += &format!(", {} failed", search.failed);
    }
    text.push('\n');
    if let Some(best) = search.best_in_words() {
        text += &format!(
            "  best so far: {}; claimed is only what the race says\n",
            Plain(&best)
        );
    }
    text
}

/// Returns the spending on the models of an experiment, if any were asked.
fn models(from: &Path) -> Option<ModelsStatus> {
    let dir = if from.is_dir() { from } else { from.parent()? };
    let (spending, is_asking) = Spending::read(&record_of(dir)).ok()?;
    Some(ModelsStatus {
        spending,
        is_asking,
        writing: events::writing(dir),
    })
}

/// Shows the spending on models alone, where there is no run.
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

/// Returns the progress as text. `holder` is the process that works on the folder, if one does; `all` asks for each
/// variant, however many there are.
fn text(progress: &Progress, holder: Option<&str>, all: bool) -> String {
    let state = match (progress.status, holder) {
        (RunStatus::Running, Some(holder)) => format!("running, by {holder}"),
        (RunStatus::Running, None) => {
            "nobody runs it any more; the same command goes on with what is kept".to_owned()
        }
        (status, _) => status.name().to_owned(),
    };
    let name = Plain(&progress.experiment);
    let mut text = if progress.experiment.is_empty() {
        // Its first event is not there yet.
        format!("the run begins: {}\n", Plain(&state))
    } else {
        format!(
            "run {} of {name}: {} after {:.0} s\n",
            progress.run,
            Plain(&state),
            progress.seconds
        )
    };
    if let Some(message) = &progress.message {
        let is_interrupted = progress.status == RunStatus::Interrupted;
        let begin = if is_interrupted {
            "it goes on with: "
        } else {
            ""
        };
        text += &format!("  {begin}{}\n", Plain(message));
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
    text += &tasks_text(&progress.tasks, progress.status, all);
    if !progress.variants.is_empty() {
        text.push('\n');
    }
    if all || progress.variants.len() <= VARIANTS_MAX {
        text + &each_variant(progress)
    } else {
        text + &counted_variants(progress)
    }
}

/// Returns a line for each variant.
fn each_variant(progress: &Progress) -> String {
    let mut text = String::new();
    let unchecked = unchecked(progress);
    let name = |id: &String| Plain(id).to_string();
    let width = progress.variants.keys().map(|id| name(id).width()).max();
    let width = width.unwrap_or(0);
    for (id, variant) in &progress.variants {
        let name = name(id);
        let spaces = " ".repeat(width - name.width());
        let reason = variant.reason.as_deref();
        let state = variant_text(progress, variant.state, reason, &unchecked);
        text += &format!("  {name}{spaces}  {}\n", Plain(&state));
    }
    text
}

/// Returns the numbers of variants in each state, with the names of those that are worked on and of some that failed.
fn counted_variants(progress: &Progress) -> String {
    let in_state = |state: VariantStage| -> Vec<&String> {
        let variants = progress.variants.iter();
        let found = variants.filter(|(_, variant)| variant.state == state);
        found.map(|(id, _)| id).collect()
    };
    let listed =
        |ids: &[&String]| words::listed(ids.iter().map(|id| (*id).clone()).collect(), NAMED_MAX);
    let racing = match progress.stage {
        Some(Stage::Measure) => "being timed",
        _ => "checked",
    };
    let mut text = format!("  {} variants\n", progress.variants.len());
    for (state, what, is_named) in [
        (VariantStage::Complete, "done", false),
        (VariantStage::Racing, racing, false),
        (VariantStage::Checking, "being checked", true),
        (VariantStage::Built, "built, not checked yet", false),
        (VariantStage::Building, "being built", true),
        (VariantStage::Waiting, "waiting to be built", false),
        (VariantStage::Failed, "failed", false),
    ] {
        let ids = in_state(state);
        if ids.is_empty() {
            continue;
        }
        let names = if is_named {
            format!(": {}", Plain(&listed(&ids)))
        } else {
            String::new()
        };
        text += &format!("  {:>6} {what}{names}\n", ids.len());
    }
    let mut reasons: Vec<(&str, Vec<&String>)> = Vec::new();
    for id in in_state(VariantStage::Failed) {
        let reason = progress.variants[id].reason.as_deref();
        let reason = reason.unwrap_or("without a reason");
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, ids)) => ids.push(id),
            None => reasons.push((reason, vec![id])),
        }
    }
    reasons.sort_by_key(|(_, ids)| std::cmp::Reverse(ids.len()));
    for (reason, ids) in reasons.iter().take(LINES_MAX) {
        let (count, names) = (ids.len(), listed(ids));
        text += &format!("  {count:>8} {}: {}\n", Plain(reason), Plain(&names));
    }
    let more = reasons.len().saturating_sub(LINES_MAX);
    if more > 0 {
        text += &format!("           and {more} other reasons\n");
    }
    text + "  --all shows each of them\n"
}

/// Returns the state of a variant in words, with what it waits for.
fn variant_text(
    progress: &Progress,
    state: VariantStage,
    reason: Option<&str>,
    unchecked: &[String],
) -> String {
    match state {
        VariantStage::Waiting => "waits for a core to be built on".to_owned(),
        VariantStage::Building => "is being built; its check waits for that".to_owned(),
        VariantStage::Built => "built; its check waits for a core".to_owned(),
        VariantStage::Checking => "is being checked".to_owned(),
        VariantStage::Racing => match unchecked {
            others if !others.is_empty() => {
                format!(
                    "checked; the race waits for {}",
                    words::listed(others.to_vec(), NAMED_MAX)
                )
            }
            _ if progress.stage == Some(Stage::Measure) => "is being timed".to_owned(),
            _ => "checked".to_owned(),
        },
        VariantStage::Failed => match reason {
            Some(reason) => format!("failed: {reason}"),
            None => "failed".to_owned(),
        },
        VariantStage::Complete => "done".to_owned(),
    }
}

/// Returns the ids of the variants that the race waits for.
fn unchecked(progress: &Progress) -> Vec<String> {
    let variants = progress.variants.iter();
    let open = variants.filter(|(_, variant)| {
        matches!(
            variant.state,
            VariantStage::Waiting
                | VariantStage::Building
                | VariantStage::Built
                | VariantStage::Checking
        )
    });
    open.map(|(id, _)| id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::report::{MachineCost, WorkerCost};
    use bakeoff_store::events::{StageProgress, TasksState, VariantProgress, WaitingTask};

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
                machines: vec![MachineCost {
                    machine: "build-2".to_owned(),
                    cores: 8,
                    tasks: 7,
                    lost: 1,
                    busy_seconds: 3.5,
                }],
            },
            variants: [
                (
                    "broken",
                    variant(VariantStage::Failed, Some("build-failed")),
                ),
                ("heap", variant(VariantStage::Racing, None)),
                ("select", variant(VariantStage::Checking, None)),
                ("sort", variant(VariantStage::Building, None)),
            ]
            .into_iter()
            .map(|(id, variant)| (id.to_owned(), variant))
            .collect(),
            ..Progress::default()
        }
    }

    #[test]
    fn a_run_under_way_shows_what_is_done_and_what_waits_for_what() {
        let shown = text(&progress(), Some("process 7 (since noon)"), false);
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
  elsewhere  build-2 (8 cores): 7 tasks in 3.5 s, 1 of them lost

  broken  failed: build-failed
  heap    checked; the race waits for select and sort
  select  is being checked
  sort    is being built; its check waits for that
"
        );
    }

    #[test]
    fn many_variants_are_counted_unless_all_are_asked_for() {
        let states = [
            (0..600, VariantStage::Complete, None),
            (600..640, VariantStage::Failed, Some("build-failed")),
            (640..642, VariantStage::Failed, Some("wrong-answer")),
            (642..647, VariantStage::Checking, None),
            (647..1000, VariantStage::Waiting, None),
        ];
        let variants = states.into_iter().flat_map(|(numbers, state, reason)| {
            numbers.map(move |number: u32| {
                let reason = reason.map(str::to_owned);
                (
                    format!("sort-{number:03}"),
                    VariantProgress { state, reason },
                )
            })
        });
        let worker = |core| WorkerCost {
            core: Some(core),
            tasks: 1,
            busy_seconds: 1.0,
        };
        let mut many = progress();
        many.variants = variants.collect();
        many.tasks = TasksState {
            workers: (0..64).map(worker).collect(),
            ..TasksState::default()
        };
        let shown = text(&many, None, false);
        assert!(shown.lines().count() < 24, "{shown}");
        assert!(
            shown.ends_with(
                "  core 7     1 task in 1.0 s
  and 56 more cores

  1000 variants
     600 done
       5 being checked: sort-642, sort-643, sort-644 and 2 others
     353 waiting to be built
      42 failed
        40 build-failed: sort-600, sort-601, sort-602 and 37 others
         2 wrong-answer: sort-640 and sort-641
  --all shows each of them
"
            ),
            "{shown}"
        );
        let all = text(&many, None, true);
        assert!(all.contains("  sort-999  waits for a core to be built on\n"));
        assert!(all.contains("core 63") && all.contains("  sort-000  done\n"));
    }

    #[test]
    fn a_run_without_its_first_event_has_no_number_yet() {
        let begun = text(&Progress::default(), Some("process 7"), false);
        assert!(
            begun.starts_with("the run begins: running, by process 7\n"),
            "{begun}"
        );
    }

    #[test]
    fn a_run_that_was_killed_says_so_and_texts_of_others_are_escaped() {
        let killed = Progress {
            experiment: "\u{1b}[2Jx".to_owned(),
            ..progress()
        };
        let shown = text(&killed, None, false);
        assert!(shown.contains("nobody runs it any more"), "{shown}");
        assert!(!shown.contains('\u{1b}'), "{shown}");
    }
}
