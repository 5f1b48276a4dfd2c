//! Options for opening the models of a run.

pub use bakeoff_domain::generate::ProviderKind;
use std::path::PathBuf;
use std::time::Duration;

/// Model that is asked for repairs, in the place of the one that is asked for everything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairModelOptions {
    /// Kind of provider that answers.
    pub provider: ProviderKind,
    /// The model, by the provider's name for it.
    pub model: String,
}

/// Options that choose the models of a run and limit their use.
#[derive(Clone, Debug)]
pub struct ModelOptions {
    /// Kind of provider that answers.
    pub provider: ProviderKind,
    /// The model, by the provider's name for it. Needed where there is a choice.
    pub model: Option<String>,
    /// The model for repairs, if it is another one.
    pub repairs: Option<RepairModelOptions>,
    /// The address of the API, up to and including its version for OpenAI's: `http://127.0.0.1:8080/v1`.
    pub base_url: Option<String>,
    /// The program and its arguments, for a command.
    pub command: Vec<String>,
    /// The names of environment variables that the command gets.
    pub command_env: Vec<String>,
    /// The file of answers, for a replay.
    pub cassette: Option<PathBuf>,
    /// Folder that the file of answers must lie in, if anyone but the user named that file.
    pub cassette_within: Option<PathBuf>,
    /// The file that every exchange is written to. Exchanges that it has already are not paid for again.
    pub record: Option<PathBuf>,
    /// The most tokens of all calls.
    pub tokens_max: Option<u64>,
    /// The most millionths of a US dollar for all calls.
    pub microdollars_max: Option<u64>,
    /// True if these bounds are for the calls of this process alone, beside those that the record has already.
    pub counts_from_now: bool,
    /// A file that always says the most that this process can have spent.
    pub ledger: Option<PathBuf>,
    /// The longest that one reply may take.
    pub timeout: Duration,
    /// The most calls at the same time.
    pub concurrency: u32,
    /// The most calls that begin in a minute.
    pub calls_per_minute: Option<u32>,
    /// A file of prices that come before those that are built in.
    pub prices: Option<PathBuf>,
}

impl ModelOptions {
    /// Returns the options of a provider without budgets, with one call at a time of at most ten minutes.
    pub fn new(provider: ProviderKind) -> Self {
        Self {
            provider,
            model: None,
            repairs: None,
            base_url: None,
            command: Vec::new(),
            command_env: Vec::new(),
            cassette: None,
            cassette_within: None,
            record: None,
            tokens_max: None,
            microdollars_max: None,
            counts_from_now: false,
            ledger: None,
            timeout: Duration::from_secs(600),
            concurrency: 1,
            calls_per_minute: None,
            prices: None,
        }
    }
}
