//! Tasks as they are shown before an agent is started, with what they are expected to take.

use bakeoff_agents::forecast;
use bakeoff_config::{AgentTask, TaskWork};
use bakeoff_domain::wording::counted;
use bakeoff_render::escape::Plain;
use std::fmt::Write as _;
use std::time::Duration;

/// Returns tasks with their checks, and what they take on so many workers by their estimates.
pub(crate) fn listing(tasks: &[AgentTask], workers: usize) -> String {
    let workers = workers.min(tasks.len());
    let expected = forecast(tasks, workers);
    let mut text = format!(
        "{} by {} at once: about {} in all by their estimates, {} one after the other; the longest chain takes {}.\n",
        counted(tasks.len(), "task"),
        counted(workers, "agent"),
        minutes(expected.elapsed),
        minutes(expected.sum),
        minutes(expected.chain)
    );
    let width = tasks.iter().map(|task| task.name.len()).max().unwrap_or(0);
    for (task, start) in tasks.iter().zip(&expected.starts) {
        let after: Vec<&str> = task
            .after
            .iter()
            .map(|place| tasks[*place].name.as_str())
            .collect();
        let after = match after.join(", ") {
            names if names.is_empty() => String::new(),
            names => format!(", after {names}"),
        };
        let _ = writeln!(
            text,
            "  {:<width$}  {} from minute {:.0}{after}",
            task.name,
            minutes(Duration::from_secs_f64(task.estimate_minutes * 60.0)),
            start.as_secs_f64() / 60.0
        );
        if let TaskWork::Experiment { file, into } = &task.work {
            let (file, into) = (Plain(file), Plain(into));
            let _ = writeln!(
                text,
                "  {:<width$}  experiment: {file}, whose winner becomes {into}",
                ""
            );
        }
        for check in &task.checks {
            let _ = writeln!(text, "  {:<width$}  check: {}", "", Plain(check));
        }
    }
    text
}

/// Returns how many of all tasks are done.
pub(super) fn done_of(done: usize, all: usize) -> String {
    let verb = if done == 1 || all == 1 { "is" } else { "are" };
    format!("{done} of {} {verb} done", counted(all, "task"))
}

fn minutes(time: Duration) -> String {
    let minutes = time.as_secs_f64() / 60.0;
    if minutes < 10.0 {
        format!("{minutes:.1} min")
    } else {
        format!("{minutes:.0} min")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_listed_with_their_checks_and_what_they_are_expected_to_take() {
        let task = |name: &str, after: &[usize], check: &str| AgentTask {
            name: name.to_owned(),
            work: if name == "all" {
                TaskWork::Experiment {
                    file: "e.toml".to_owned(),
                    into: "src/e.rs".to_owned(),
                }
            } else {
                TaskWork::Agent("Do it.".to_owned())
            },
            after: after.to_vec(),
            priority: 0,
            estimate_minutes: 5.0,
            checks: vec![check.to_owned()],
        };
        let tasks = [
            task("a", &[], "true"),
            task("b", &[], "echo \u{1b}[2J"),
            task("all", &[0, 1], "make"),
        ];
        let text = listing(&tasks, 2);
        assert!(
            text.starts_with(
                "3 tasks by 2 agents at once: about 10 min in all by their estimates, 15 min one after the other; the longest \
                 chain takes 10 min.\n  a    5.0 min from minute 0\n       check: true\n"
            ),
            "{text}"
        );
        assert!(
            text.contains(
                "  all  5.0 min from minute 5, after a, b\n       experiment: e.toml, whose winner becomes src/e.rs\n"
            ),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
