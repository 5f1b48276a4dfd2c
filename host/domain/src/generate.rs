//! How approaches are asked for: what an experiment says, and what models are told.

use serde::{Deserialize, Serialize};

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderKind {
    /// Anthropic's messages API.
    Anthropic,
    /// A chat completions API as OpenAI's, wherever it is: also llama.cpp's server, and gateways.
    OpenAi,
    /// Ollama on this machine, unless a base URL says otherwise. It costs nothing.
    Ollama,
    /// A program of the user's, such as an agent.
    Command,
    /// Answers that were recorded.
    Replay,
}

impl ProviderKind {
    /// Its name on the command line and in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
            Self::Command => "command",
            Self::Replay => "replay",
        }
    }
}

/// How far prototypes are worked out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Depth {
    /// The idea in its shortest form.
    Sketch,
    /// The idea with what it needs to be fast.
    #[default]
    ProofOfConcept,
    /// As it would be put into use.
    ProductionReady,
}

/// How far apart approaches should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Diversity {
    /// Variations of one idea will do.
    Low,
    /// Other algorithms or data structures.
    #[default]
    Medium,
    /// As far apart as there are any.
    High,
}
