//! The status of a run, as the store and `progress.json` have it.

use serde::{Deserialize, Serialize};

/// The status of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunStatus {
    /// The run is going on.
    #[default]
    Running,
    /// The run was stopped or killed, and can go on.
    Interrupted,
    /// The run could not go on, for a reason that is not a variant's.
    Failed,
    /// The run is finished: its report is stored.
    Finished,
}

impl RunStatus {
    /// The status as it is stored: `running`, `interrupted`, `failed`, `finished`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
            Self::Finished => "finished",
        }
    }

    /// The status of this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [
            Self::Running,
            Self::Interrupted,
            Self::Failed,
            Self::Finished,
        ];
        all.into_iter().find(|status| status.name() == name)
    }
}
