//! Phases: tasks by how many others have to be done before them, one after the other.

use bakeoff_config::AgentTask;
use serde::Serialize;

/// Tasks that could be worked on at the same time.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Phase<'a> {
    /// Number of the phase, from 1.
    phase: usize,
    /// Number of its tasks that are done.
    done: usize,
    tasks: Vec<&'a str>,
}

/// Returns the phases of tasks, each of which stands after those that it waits for: the first one has those that wait for
/// nothing, and each other one those of which the last that they wait for is in the one before.
pub(super) fn phases(tasks: &[AgentTask], is_done: impl Fn(usize) -> bool) -> Vec<Phase<'_>> {
    let mut phases: Vec<Phase<'_>> = Vec::new();
    let mut numbers: Vec<usize> = Vec::with_capacity(tasks.len());
    for (place, task) in tasks.iter().enumerate() {
        let before = task.after.iter().map(|one| numbers[*one]).max();
        let number = before.unwrap_or(0) + 1;
        numbers.push(number);
        if number > phases.len() {
            phases.push(Phase {
                phase: number,
                done: 0,
                tasks: Vec::new(),
            });
        }
        let phase = &mut phases[number - 1];
        phase.done += usize::from(is_done(place));
        phase.tasks.push(&task.name);
    }
    phases
}

impl Phase<'_> {
    /// Returns it as a line.
    pub(super) fn line(&self) -> String {
        format!(
            "phase {}  {} of {} done: {}",
            self.phase,
            self.done,
            self.tasks.len(),
            self.tasks.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_config::TaskWork;

    #[test]
    fn a_task_is_in_the_phase_after_the_last_one_that_it_waits_for() {
        let task = |name: &str, after: &[usize]| AgentTask {
            name: name.to_owned(),
            work: TaskWork::Agent("Do it.".to_owned()),
            after: after.to_vec(),
            priority: 0,
            estimate_minutes: 5.0,
            checks: Vec::new(),
        };
        let tasks = [
            task("a", &[]),
            task("b", &[0]),
            task("alone", &[]),
            task("c", &[0, 1]),
            task("d", &[2]),
        ];
        let found = phases(&tasks, |place| place != 3);
        let lines: Vec<String> = found.iter().map(Phase::line).collect();
        assert_eq!(
            lines,
            [
                "phase 1  2 of 2 done: a, alone",
                "phase 2  2 of 2 done: b, d",
                "phase 3  0 of 1 done: c"
            ]
        );
    }
}
