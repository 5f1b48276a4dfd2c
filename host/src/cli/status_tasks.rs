//! Tasks, cores and other machines in `bakeoff status`.

use bakeoff_domain::report::MachineCost;
use bakeoff_domain::wording;
use bakeoff_render::escape::Plain;
use bakeoff_store::events::{RunStatus, TasksState};

/// The largest number of waiting tasks that are named.
const WAITS_MAX: usize = 8;

/// The most cores, and other machines, that have a line each, unless all variants are asked for.
const LINES_MAX: usize = 8;

/// Returns lines on the numbers of tasks, on what waiting tasks wait for, and on what each core has done.
pub(super) fn tasks_text(tasks: &TasksState, status: RunStatus, all: bool) -> String {
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
    let shown = if all { tasks.workers.len() } else { LINES_MAX };
    for worker in tasks.workers.iter().take(shown) {
        let core = worker
            .core
            .map_or("no core".to_owned(), |core| format!("core {core}"));
        let (tasks, seconds) = (wording::counted(worker.tasks, "task"), worker.busy_seconds);
        text += &format!("  {core:<9}  {tasks} in {seconds:.1} s\n");
    }
    let more = tasks.workers.len().saturating_sub(shown);
    if more > 0 {
        text += &format!("  and {more} more cores\n");
    }
    text + &machines_text(&tasks.machines, all)
}

/// Returns lines on what each other machine has done.
fn machines_text(machines: &[MachineCost], all: bool) -> String {
    let mut text = String::new();
    let shown = if all { machines.len() } else { LINES_MAX };
    for one in machines.iter().take(shown) {
        let (machine, lost) = (Plain(&one.machine), one.lost);
        let cores = wording::counted(one.cores, "core");
        let tasks = wording::counted(one.tasks, "task");
        text += &format!(
            "  elsewhere  {machine} ({cores}): {tasks} in {:.1} s, {lost} of them lost\n",
            one.busy_seconds
        );
    }
    let more = machines.len().saturating_sub(shown);
    if more > 0 {
        text += &format!("  and {more} more machines\n");
    }
    text
}
