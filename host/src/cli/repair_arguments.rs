//! The options that say which model repairs what failed.

use bakeoff_provider::{ProviderKind, RepairModelOptions};
use clap::{Args, ValueEnum};

/// The options of a model for repairs.
#[derive(Debug, Args)]
pub(super) struct RepairArguments {
    /// The model that writes anew what failed when it was tried out, by its provider's name for it [default: the one that
    /// writes]
    #[arg(long, requires = "provider", value_name = "NAME")]
    repair_model: Option<String>,
    /// The provider of --repair-model [default: that of --provider]
    #[arg(long, value_enum, requires = "repair_model")]
    repair_provider: Option<RepairProviderName>,
}

/// Providers that can answer questions for repairs beside another provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RepairProviderName {
    /// Anthropic's messages API; the key is in ANTHROPIC_API_KEY
    Anthropic,
    /// OpenAI's chat completions API, or one like it at OPENAI_BASE_URL; the key is in OPENAI_API_KEY
    Openai,
    /// Ollama on this machine, or at OLLAMA_BASE_URL
    Ollama,
}

impl RepairArguments {
    /// Returns the options of the model for repairs, if one is named, beside a provider.
    pub(super) fn options(&self, beside: ProviderKind) -> Option<RepairModelOptions> {
        let provider = match self.repair_provider {
            Some(RepairProviderName::Anthropic) => ProviderKind::Anthropic,
            Some(RepairProviderName::Openai) => ProviderKind::OpenAi,
            Some(RepairProviderName::Ollama) => ProviderKind::Ollama,
            None => beside,
        };
        let model = self.repair_model.clone()?;
        Some(RepairModelOptions { provider, model })
    }

    /// Returns true if a model for repairs is named.
    pub(super) fn is_named(&self) -> bool {
        self.repair_model.is_some()
    }

    /// Returns a text that identifies them; empty where the model that writes repairs as well.
    pub(super) fn identity(&self) -> String {
        let provider = self.repair_provider.map(|one| format!("{one:?} "));
        let model = self.repair_model.as_ref();
        model.map_or_else(String::new, |model| {
            format!(", repairs by {}{model}", provider.unwrap_or_default())
        })
    }
}
