//! The list of tasks in the folder of an experiment, by which it is known as one of tasks: `work.json`, sealed.

use super::error::AgentError;
use super::sealed_file;
use super::task_orders::TaskOrders;
use bakeoff_config::{AgentTask, TaskWork};
use bakeoff_files::{Folder, parse_json};
use serde::{Deserialize, Serialize};

/// The file in the folder of an experiment.
pub(crate) const FILE: &str = "work.json";
/// The largest such file that is read, in bytes.
const BYTES_MAX: u64 = 1 << 20;
/// The purpose of the seal.
const PURPOSE: &[u8] = b"bakeoff-agent-tasks-1\0";

/// List of the tasks of an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskList {
    /// Commit that tasks begin from that wait for nothing.
    pub base: String,
    /// The tasks, in an order in which they can be done.
    pub tasks: Vec<ListedTask>,
    /// Number of the command that works on them, from 1.
    #[serde(default)]
    pub command: u64,
    /// The most attempts at each of them in one command; 0 if that is not known.
    #[serde(default)]
    pub attempts_max: u32,
}

/// Task of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedTask {
    /// Name of the task.
    pub name: String,
    /// Names of the tasks that it waits for.
    pub after: Vec<String>,
    /// True for an experiment, which no agent works on.
    #[serde(default)]
    pub is_experiment: bool,
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    seal: String,
    list: TaskList,
}

impl TaskList {
    /// Returns the list of the tasks of a command, which is the one of this number.
    pub(crate) fn of(orders: &TaskOrders<'_>, command: u64) -> Self {
        let tasks = orders.tasks;
        let listed = |task: &AgentTask| {
            let after = task.after.iter();
            ListedTask {
                name: task.name.clone(),
                after: after.map(|place| tasks[*place].name.clone()).collect(),
                is_experiment: matches!(task.work, TaskWork::Experiment { .. }),
            }
        };
        Self {
            base: orders.base.to_owned(),
            tasks: tasks.iter().map(listed).collect(),
            command,
            attempts_max: orders.retries.count.saturating_add(1),
        }
    }

    /// Writes the list. `place` is the path of the experiment's folder.
    pub(crate) fn write(&self, folder: &Folder, place: &str) -> Result<(), AgentError> {
        let sealed = Sealed {
            seal: self.seal(place)?,
            list: self.clone(),
        };
        sealed_file::put(folder, FILE, &sealed)
    }

    /// Reads the list; `None` if there is none with the user's seal.
    pub(crate) fn read(folder: &Folder, place: &str) -> Option<Self> {
        let bytes = folder.read(FILE, BYTES_MAX).ok()??;
        let sealed: Sealed = parse_json(&bytes).ok()?;
        sealed_file::is_seal(&sealed.list.seal(place).ok()?, &sealed.seal).then_some(sealed.list)
    }

    fn seal(&self, place: &str) -> Result<String, AgentError> {
        sealed_file::seal(PURPOSE, place, &[&sealed_file::json(self)?])
    }
}
