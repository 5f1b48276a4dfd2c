//! The model that a program or a command has asked, and what it may cost.

use super::error::GenerationError;
use super::events::GenerationEvents;
use super::places::record_in;
use crate::library::user_files::{NamedFileError, read_text};
use bakeoff_config::CALLS_AT_ONCE_MAX;
use bakeoff_domain::generate::ProviderKind;
use bakeoff_propose::NamedJudge;
use bakeoff_provider::{Models, RepairModelOptions};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The dollars that a model may be allowed to cost.
const USD: RangeInclusive<f64> = 0.000_001..=1_000_000.0;

/// The largest cassette that is copied into an experiment, in bytes.
const CASSETTE_BYTES_MAX: u64 = 16 << 20;

/// A model that is asked, and the bounds within which it is: those of [`usd`](Self::usd) and [`tokens`](Self::tokens), counted
/// over all calls in a folder. Without either, nothing bounds the cost.
///
/// ```no_run
/// let model = bakeoff::ModelOptions::new("anthropic", "claude-sonnet-5-5").usd(0.50);
/// let local = bakeoff::ModelOptions::new("openai", "local").base_url("http://127.0.0.1:8080/v1");
/// let recorded = bakeoff::ModelOptions::replay("examples/inversions/model.jsonl");
/// ```
#[derive(Clone, Debug)]
#[must_use = "no model is asked before the options are used"]
pub struct ModelOptions {
    options: bakeoff_provider::ModelOptions,
    /// The reason why an option cannot be used, of the first such one. It is said when the model is opened.
    wrong: Option<String>,
}

/// Returns US dollars in millionths of one; `None` if nothing can cost that.
pub(crate) fn microdollars(dollars: f64) -> Option<u64> {
    USD.contains(&dollars)
        .then(|| (dollars * 1e6).round() as u64)
}

/// Returns the kind of provider that has models by their names.
fn kind_of(name: &str) -> Option<ProviderKind> {
    let kinds = [
        ProviderKind::Anthropic,
        ProviderKind::OpenAi,
        ProviderKind::Ollama,
    ];
    kinds.into_iter().find(|kind| kind.name() == name)
}

/// Returns a provider and its model as a text that identifies them.
pub(crate) fn identity(provider: ProviderKind, model: Option<&str>) -> String {
    let provider = provider.name();
    model.map_or_else(
        || provider.to_owned(),
        |model| format!("{provider} {model}"),
    )
}

impl ModelOptions {
    /// Returns the options of a model of the provider `anthropic`, `openai` or `ollama`, by the provider's name for it. The
    /// key is in the environment, as for the command line: in `ANTHROPIC_API_KEY`, for instance.
    pub fn new(provider: &str, model: impl Into<String>) -> Self {
        let kind = kind_of(provider);
        let mut options = Self::of(kind.unwrap_or(ProviderKind::Replay));
        options.options.model = Some(model.into());
        if kind.is_none() {
            options.refuse(format!(
                "{provider:?} is no provider that has models by their names, as anthropic, openai and ollama are"
            ));
        }
        options
    }

    /// Returns the options of replies that were recorded, from a file of them. It costs nothing.
    pub fn replay(cassette: impl Into<PathBuf>) -> Self {
        let mut options = Self::of(ProviderKind::Replay);
        options.options.cassette = Some(cassette.into());
        options
    }

    /// Returns the options of a program that answers on its stdout what it is asked on its stdin: the program, and its
    /// arguments. It has the rights of this program's user.
    pub fn command(words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut options = Self::of(ProviderKind::Command);
        options.options.command = words.into_iter().map(Into::into).collect();
        options
    }

    /// Returns the usual options of a kind of provider, of which everything else is to be said yet.
    pub(crate) fn of(kind: ProviderKind) -> Self {
        Self::with(bakeoff_provider::ModelOptions {
            concurrency: kind.calls_at_once(),
            ..bakeoff_provider::ModelOptions::new(kind)
        })
    }

    /// Returns these options.
    pub(crate) fn with(options: bakeoff_provider::ModelOptions) -> Self {
        Self {
            options,
            wrong: None,
        }
    }

    /// Gives the program of [`command`](Self::command) a variable of this process's environment.
    pub fn env(mut self, variable: impl Into<String>) -> Self {
        self.options.command_env.push(variable.into());
        self
    }

    /// Sets the address of the API, with its version: `http://127.0.0.1:8080/v1`.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.options.base_url = Some(url.into());
        self
    }

    /// Sets another model of the same provider, which writes anew what failed when it was tried out.
    pub fn repair_model(mut self, model: impl Into<String>) -> Self {
        self.options.repairs = Some(RepairModelOptions {
            provider: self.options.provider,
            model: model.into(),
        });
        self
    }

    /// Sets the most US dollars of all calls, counted before a call is made.
    pub fn usd(mut self, dollars: f64) -> Self {
        self.options.microdollars_max = microdollars(dollars);
        if self.options.microdollars_max.is_none() {
            self.refuse(format!(
                "{dollars} US dollars are not between 0.000001 and 1000000"
            ));
        }
        self
    }

    /// Sets the most tokens of all calls, counted before a call is made.
    pub fn tokens(mut self, tokens: u64) -> Self {
        if tokens == 0 {
            self.refuse("0 tokens leave no room for a question".to_owned());
        }
        self.options.tokens_max = Some(tokens);
        self
    }

    /// Makes the bounds count from now on, beside what was spent in the same folder before.
    pub fn from_now(mut self) -> Self {
        self.options.counts_from_now = true;
        self
    }

    /// Sets a file of prices that replace the built-in ones.
    pub fn prices(mut self, file: impl Into<PathBuf>) -> Self {
        self.options.prices = Some(file.into());
        self
    }

    /// Sets the longest that one reply may take, instead of ten minutes.
    pub fn reply_timeout(mut self, time: Duration) -> Self {
        self.options.timeout = time;
        self
    }

    /// Sets the most calls at the same time, from 1 to 64, instead of 4, and 1 for ollama and a command.
    pub fn calls_at_once(mut self, calls: u32) -> Self {
        if !(1..=CALLS_AT_ONCE_MAX).contains(&calls) {
            self.refuse(format!(
                "{calls} calls at the same time are not between 1 and {CALLS_AT_ONCE_MAX}"
            ));
        }
        self.options.concurrency = calls;
        self
    }

    /// Sets the most calls that begin in a minute.
    pub fn calls_per_minute(mut self, calls: u32) -> Self {
        if calls == 0 {
            self.refuse("0 calls in a minute are none at all".to_owned());
        }
        self.options.calls_per_minute = Some(calls);
        self
    }

    /// Returns the options as the provider has them.
    pub(crate) fn options(&self) -> &bakeoff_provider::ModelOptions {
        &self.options
    }

    /// Returns the options, if all of them can be used.
    ///
    /// # Errors
    /// One cannot.
    pub(crate) fn checked_options(
        &self,
    ) -> Result<&bakeoff_provider::ModelOptions, GenerationError> {
        match &self.wrong {
            Some(wrong) => Err(GenerationError::Model(wrong.clone())),
            None => Ok(&self.options),
        }
    }

    /// Returns the provider and the model as a text that identifies them, as that of the command line does.
    pub(crate) fn identity(&self) -> String {
        identity(self.options.provider, self.options.model.as_deref())
    }

    /// Returns the model as an experiment file names its judge, without the file of a replay.
    pub(crate) fn named_judge(&self) -> NamedJudge {
        NamedJudge {
            provider: self.options.provider,
            model: self.options.model.clone(),
            microdollars_max: self.options.microdollars_max,
            tokens_max: self.options.tokens_max,
            cassette: None,
        }
    }

    /// Returns the text of the cassette of a replay, which `option` names in messages; `None` for every other provider.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn cassette_text(&self, option: &str) -> Result<Option<String>, NamedFileError> {
        let most = (CASSETTE_BYTES_MAX, "it has more than 16 MiB");
        let read = |file: &PathBuf| read_text(option, file, most);
        self.options.cassette.as_ref().map(read).transpose()
    }

    /// Opens the model. Every exchange is written to `record`, and none that it has is paid for again.
    ///
    /// # Errors
    /// An option is missing or does not fit the others, or a file that it names cannot be read.
    pub(crate) fn open(&self, record: &Path) -> Result<Models, GenerationError> {
        let opened = Models::open(bakeoff_provider::ModelOptions {
            record: Some(record.to_owned()),
            ..self.checked_options()?.clone()
        });
        opened.map_err(|error| GenerationError::Model(error.to_string()))
    }

    /// Opens the model of a request in a folder, whose questions are events. `warn` is told what is doubtful about its record.
    ///
    /// # Errors
    /// As for [`open`](Self::open), or the record cannot be written.
    pub(crate) fn open_in(
        &self,
        dir: &Path,
        events: &GenerationEvents,
        warn: &mut dyn FnMut(&str),
    ) -> Result<Arc<Models>, GenerationError> {
        let models = self.open(&record_in(dir)?)?;
        models.notices().iter().for_each(|notice| warn(notice));
        let heard = events.clone();
        let models = models.with_progress(move |progress| heard.on_call(progress));
        Ok(Arc::new(models))
    }

    fn refuse(&mut self, wrong: String) {
        self.wrong.get_or_insert(wrong);
    }
}
