//! Options for generating approaches: the provider, the depth of the code, and the diversity of the
//! ideas.

use serde::{Deserialize, Serialize};

/// Kind of provider: the API, program or record that answers the questions to a model.
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
    /// Returns the name of the kind on the command line and in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
            Self::Command => "command",
            Self::Replay => "replay",
        }
    }

    /// Returns the number of calls at the same time where nothing else is said. What runs on this machine has one.
    pub fn calls_at_once(self) -> u32 {
        match self {
            Self::Anthropic | Self::OpenAi | Self::Replay => 4,
            Self::Ollama | Self::Command => 1,
        }
    }
}

/// Depth to which the code of prototypes is worked out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Depth {
    /// The idea in its shortest form.
    Sketch,
    /// The idea with what it needs to be fast.
    #[default]
    ProofOfConcept,
    /// Code as it would be put into use.
    ProductionReady,
}

/// Diversity of the approaches that are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Diversity {
    /// Variations of one idea will do.
    Low,
    /// Other algorithms or data structures.
    #[default]
    Medium,
    /// Ideas as far apart as there are any.
    High,
}
