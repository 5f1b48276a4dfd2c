//! The options that say which model is asked, and what it may cost.

use super::failure::Failure;
use super::repair_arguments::RepairArguments;
use crate::library::exploration::JudgeInFile;
use crate::library::generation::{ModelOptions, microdollars};
use crate::mcp::Consent;
use bakeoff_config::{CALLS_AT_ONCE_MAX, units};
use bakeoff_files::read_bounded;
use bakeoff_provider::{ANSWERS_BYTES_MAX, Models, ProviderKind, TaskAnswer};
use bakeoff_render::escape::Plain;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Providers that can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProviderName {
    /// Anthropic's messages API; the key is in ANTHROPIC_API_KEY
    Anthropic,
    /// OpenAI's chat completions API, or one like it at --base-url; the key is in OPENAI_API_KEY
    Openai,
    /// Ollama on this machine, or at --base-url
    Ollama,
    /// A program of yours, given after --command
    Command,
    /// Replies that were recorded, from --cassette
    Replay,
    /// You, or an agent: what a model would be asked is printed as tasks, and --answers has the answers
    Manual,
}

impl ProviderName {
    /// Returns the kind of the provider. Answers of whoever calls are replayed.
    fn kind(self) -> ProviderKind {
        match self {
            Self::Anthropic => ProviderKind::Anthropic,
            Self::Openai => ProviderKind::OpenAi,
            Self::Ollama => ProviderKind::Ollama,
            Self::Command => ProviderKind::Command,
            Self::Replay | Self::Manual => ProviderKind::Replay,
        }
    }
}

/// The options of a model.
#[derive(Debug, Args)]
pub(super) struct ModelArguments {
    /// Provider of the model that answers
    #[arg(long, value_enum)]
    provider: Option<ProviderName>,
    /// The model, by the provider's name for it
    #[arg(long, requires = "provider", value_name = "NAME")]
    model: Option<String>,
    /// The address of the API, with its version: http://127.0.0.1:8080/v1
    #[arg(long, requires = "provider", value_name = "URL")]
    base_url: Option<String>,
    /// A file of recorded replies, for a replay
    #[arg(long, requires = "provider", value_name = "FILE")]
    cassette: Option<PathBuf>,
    /// With --provider manual: a file of answers to tasks that were printed, as JSON:
    /// [{"task": "…", "reply": {…}}]
    #[arg(long, requires = "provider", value_name = "FILE")]
    answers: Option<PathBuf>,
    /// A program and its arguments, which answers on stdout what is asked on stdin; repeated for each
    /// argument
    #[arg(
        long,
        requires = "provider",
        value_name = "WORD",
        allow_hyphen_values = true
    )]
    command: Vec<String>,
    /// An environment variable that the program gets; repeated for each
    #[arg(long, requires = "provider", value_name = "NAME")]
    command_env: Vec<String>,
    /// The most tokens in all, counted before a call is made
    #[arg(long, requires = "provider", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    tokens: Option<u64>,
    /// The most US dollars in all, counted before a call is made
    #[arg(long, requires = "provider", value_name = "USD", value_parser = usd)]
    usd: Option<u64>,
    /// Count --usd and --tokens from now on, beside what was spent in this folder before
    #[arg(long, requires = "provider")]
    from_now: bool,
    /// A file that always says the most that this command can have spent, calls under way included: for a program that
    /// starts it, and may kill it
    #[arg(long, requires = "provider", value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// A file of prices that replace the built-in ones
    #[arg(long, requires = "provider", value_name = "FILE")]
    prices: Option<PathBuf>,
    /// The longest that one reply may take: 90s, 10min
    #[arg(long, requires = "provider", value_name = "TIME", default_value = "10min", value_parser = time)]
    reply_timeout: Duration,
    /// The most calls at the same time [default: 4, and 1 for ollama and a command]
    #[arg(long, requires = "provider", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(CALLS_AT_ONCE_MAX)))]
    calls_at_once: Option<u32>,
    /// The most calls that begin in a minute [default: no limit]
    #[arg(long, requires = "provider", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    calls_per_minute: Option<u32>,
}

/// Parses a time such as `90s`.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    units::duration(text).map_err(|error| error.to_string())
}

/// Parses dollars into millionths of one.
pub(super) fn usd(text: &str) -> Result<u64, String> {
    let dollars: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    microdollars(dollars).ok_or_else(|| "it is not between 0.000001 and 1000000".to_owned())
}

impl ModelArguments {
    /// Returns the provider and the model as a text that identifies them.
    pub(super) fn wanted(&self) -> String {
        let provider = self
            .provider
            .and_then(|provider| provider.to_possible_value());
        let provider = provider.map(|provider| provider.get_name().to_owned());
        let named = [provider, self.model.clone()].into_iter().flatten();
        named.collect::<Vec<String>>().join(" ")
    }

    /// Returns true if a model is named.
    pub(super) fn is_named(&self) -> bool {
        self.provider.is_some()
    }

    /// Returns true if a program of the user's answers, with the user's rights.
    pub(super) fn is_command(&self) -> bool {
        matches!(self.provider, Some(ProviderName::Command))
    }

    /// Returns true if whoever calls answers, and no model is asked.
    pub(super) fn is_manual(&self) -> bool {
        self.provider == Some(ProviderName::Manual)
    }

    /// Returns true if the cost has a bound, or there is no cost.
    pub(super) fn is_bounded(&self) -> bool {
        let is_free = matches!(
            self.provider,
            Some(ProviderName::Ollama | ProviderName::Replay | ProviderName::Manual)
        );
        is_free || self.usd.is_some() || self.tokens.is_some()
    }

    /// Returns the leave to ask this model, for commands of agents: its options, and the bound of all calls together.
    ///
    /// # Errors
    /// The model is none that an agent may have asked, or its cost has no bound.
    pub(super) fn consent(&self) -> Result<Consent, Failure> {
        if self.is_command() {
            return Err(Failure::usage(
                "what an agent says may come from anybody whose text it has read, and --provider command would give it \
                 to a program that has your rights: name a provider that only answers, such as anthropic, openai, \
                 ollama or replay; the tool `develop` lets the agent itself write the approaches",
            ));
        }
        if self.is_manual() || self.answers.is_some() {
            return Err(Failure::usage(
                "agents answer tasks with the tool `develop`, without --generate: leave out --provider manual and --answers",
            ));
        }
        if self.ledger.is_some() || self.from_now {
            return Err(Failure::usage(
                "the server keeps a ledger of its own and counts from its start: leave out --ledger and --from-now",
            ));
        }
        if !self.is_bounded() {
            return Err(Failure::usage(
                "nothing says what agents may have a model cost: add --usd or --tokens, the most of all calls of this server",
            ));
        }
        // What does not go together is refused here, and not in the first call of an agent.
        self.options(None).map(drop)?;
        let absolute =
            |file: &Option<PathBuf>| file.as_deref().map(std::path::absolute).transpose();
        let [cassette, prices] = [&self.cassette, &self.prices].map(absolute);
        let named = |file: std::io::Result<Option<PathBuf>>| {
            file.map_err(|error| Failure::usage(format!("no absolute path: {error}")))
        };
        let (cassette, prices) = (named(cassette)?, named(prices)?);
        let provider = self
            .provider
            .and_then(|provider| provider.to_possible_value());
        let texts = [
            (
                "provider",
                provider.map(|provider| provider.get_name().to_owned()),
            ),
            ("model", self.model.clone()),
            ("base-url", self.base_url.clone()),
            (
                "reply-timeout",
                Some(format!("{}ms", self.reply_timeout.as_millis())),
            ),
            (
                "calls-at-once",
                self.calls_at_once.map(|count| count.to_string()),
            ),
            (
                "calls-per-minute",
                self.calls_per_minute.map(|count| count.to_string()),
            ),
        ];
        let files = [("cassette", &cassette), ("prices", &prices)];
        let texts = texts
            .into_iter()
            .filter_map(|(name, text)| Some((name, OsString::from(text?))));
        let paths = files
            .into_iter()
            .filter_map(|(name, file)| Some((name, file.clone()?.into_os_string())));
        let word = |(name, value): (&str, OsString)| {
            let mut word = OsString::from(format!("--{name}="));
            word.push(value);
            word
        };
        Ok(Consent {
            words: texts.chain(paths).map(word).collect(),
            key: match self.provider {
                Some(ProviderName::Anthropic) => Some("ANTHROPIC_API_KEY"),
                Some(ProviderName::Openai) => Some("OPENAI_API_KEY"),
                Some(ProviderName::Ollama) => Some("OLLAMA_API_KEY"),
                _ => None,
            },
            files: cassette.into_iter().chain(prices).collect(),
            tokens: self.tokens,
            microdollars: self.usd,
        })
    }

    /// Returns the model as the file of a question in words names its judge, with the replies of a replay.
    ///
    /// # Errors
    /// The replies cannot be read.
    pub(super) fn judge(&self) -> Result<JudgeInFile, Failure> {
        let options = self.options(None)?;
        Ok(JudgeInFile {
            judge: options.named_judge(),
            replies: options.cassette_text("--cassette")?,
        })
    }

    /// Opens the model, with the one that repairs what failed, if another one does. Every exchange is written to `record`.
    ///
    /// # Errors
    /// An option is missing or does not fit the others.
    pub(super) fn open(
        &self,
        record: &Path,
        repairs: Option<&RepairArguments>,
    ) -> Result<Models, Failure> {
        let has_repairs = repairs.is_some_and(RepairArguments::is_named);
        if self.is_manual() && has_repairs {
            return Err(Failure::usage(
                "--provider manual asks no model: leave out --repair-model",
            ));
        }
        if self.is_manual() {
            return self.open_manual(record);
        }
        if self.answers.is_some() {
            return Err(Failure::usage("--answers is for --provider manual"));
        }
        Ok(self.options(repairs)?.open(record)?)
    }

    /// Opens the record of a folder whose questions whoever calls answers.
    fn open_manual(&self, record: &Path) -> Result<Models, Failure> {
        let names_a_model = self.model.is_some() || self.base_url.is_some();
        if names_a_model || self.cassette.is_some() || !self.command.is_empty() {
            return Err(Failure::usage(
                "--provider manual asks no model: leave out --model, --base-url, --cassette and --command",
            ));
        }
        let answers = self.answers.as_deref().map(read_answers).transpose()?;
        let opened = Models::manual(answers.unwrap_or_default(), record.to_owned());
        opened.map_err(|error| Failure::usage(error.to_string()))
    }

    /// Returns the options of the model, with the one that repairs what failed, if another one does.
    fn options(&self, repairs: Option<&RepairArguments>) -> Result<ModelOptions, Failure> {
        let provider = self
            .provider
            .ok_or_else(|| Failure::usage("who answers: --provider NAME, or --proposer FILE"))?;
        let kind = provider.kind();
        if kind != ProviderKind::Replay && self.cassette.is_some() {
            return Err(Failure::usage(
                "--cassette is for --provider replay; every other provider records its replies anyway",
            ));
        }
        if kind != ProviderKind::Command
            && !(self.command.is_empty() && self.command_env.is_empty())
        {
            return Err(Failure::usage(
                "--command and --command-env are for --provider command",
            ));
        }
        let usual = ModelOptions::of(kind).options().clone();
        Ok(ModelOptions::with(bakeoff_provider::ModelOptions {
            model: self.model.clone(),
            base_url: self.base_url.clone(),
            command: self.command.clone(),
            command_env: self.command_env.clone(),
            cassette: self.cassette.clone(),
            tokens_max: self.tokens,
            microdollars_max: self.usd,
            counts_from_now: self.from_now,
            ledger: self.ledger.clone(),
            timeout: self.reply_timeout,
            prices: self.prices.clone(),
            concurrency: self.calls_at_once.unwrap_or(usual.concurrency),
            calls_per_minute: self.calls_per_minute,
            repairs: repairs.and_then(|own| own.options(kind)),
            ..usual
        }))
    }
}

/// Reads a file of answers to tasks.
fn read_answers(file: &Path) -> Result<Vec<TaskAnswer>, Failure> {
    let shown = file.display().to_string();
    let wrong = |why: &str| Failure::usage(format!("--answers {}: {why}", Plain(&shown)));
    let bytes = read_bounded(file, ANSWERS_BYTES_MAX).map_err(|error| wrong(&error.to_string()))?;
    let bytes =
        bytes.ok_or_else(|| wrong(&format!("it has more than {} MiB", ANSWERS_BYTES_MAX >> 20)))?;
    TaskAnswer::read_all(&bytes).map_err(|why| wrong(&Plain(&why).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        model: ModelArguments,
        #[arg(long)]
        proposer: bool,
    }

    #[test]
    fn calls_at_once_and_in_a_minute_are_as_asked() {
        let pace_of = |provider: &str, more: &[&str]| {
            let words = ["x", "--provider", provider, "--model", "m"];
            let parsed = Command::try_parse_from([&words, more].concat()).ok()?;
            assert!(!parsed.proposer);
            let options = parsed.model.options(None).ok()?;
            let options = options.options();
            Some((options.concurrency, options.calls_per_minute))
        };
        let pace = |more: &[&str]| pace_of("ollama", more);
        assert_eq!(pace(&[]), Some((1, None)));
        assert_eq!(pace_of("anthropic", &[]), Some((4, None)));
        let both = ["--calls-at-once", "4", "--calls-per-minute", "30"];
        assert_eq!(pace(&both), Some((4, Some(30))));
        for refused in [
            "--calls-at-once=0",
            "--calls-at-once=65",
            "--calls-per-minute=0",
        ] {
            assert_eq!(pace(&[refused]), None, "{refused}");
        }
    }

    #[test]
    fn money_is_read_in_dollars_and_counted_in_millionths() {
        assert_eq!(usd("2.5"), Ok(2_500_000));
        for wrong in ["0", "-1", "NaN", "inf", "x", "1e9"] {
            assert!(usd(wrong).is_err(), "{wrong}");
        }
    }
}
