//! The leave to ask the models that an experiment names, and what it cannot say of them.
//!
//! The experiment may come from anybody. Its tables alone ask no model, spend nothing and run no program: the user
//! consents on the command line or on a terminal, the host's policy bounds the cost, and the program and the address of
//! a model come from the command line and the environment alone.

use super::confirmation;
use super::failure::Failure;
use super::models;
use super::options::Output;
use crate::library::opinions::bounds_of;
use bakeoff_config::{AskedModel, CALLS_AT_ONCE_MAX, GenerateBounds, LoadedExperiment, Policy};
use bakeoff_provider::{ModelOptions, Models, ProviderKind, RepairModelOptions};
use bakeoff_render::escape::Plain;
use clap::{ArgGroup, Args};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The leave to ask a model, and what the experiment cannot say of it.
#[derive(Debug, Default, Args)]
#[command(group = ArgGroup::new("asking").multiple(true).args(["generate", "judge"]))]
pub(super) struct ConsentOptions {
    /// Ask the model of [generate] for approaches first, where that is not done yet
    #[arg(long)]
    pub(super) generate: bool,
    /// Ask the model of [judge] for its opinion of the sources, where that is not kept yet
    #[arg(long)]
    pub(super) judge: bool,
    /// Show what would be done, and stop: with --generate the plan and what it is expected to cost (the plan is asked for
    /// once only), otherwise what the search of [rounds] may take
    #[arg(long)]
    pub(super) dry_run: bool,
    /// With --generate: go on without a question on a terminal
    #[arg(long, requires = "generate")]
    pub(super) yes: bool,
    /// With --generate or --judge: the most US dollars of each, instead of what the experiment says
    #[arg(long, value_name = "USD", requires = "asking", value_parser = models::usd)]
    usd: Option<u64>,
    /// With --generate or --judge: the most tokens of each, instead of what the experiment says
    #[arg(long, value_name = "N", requires = "asking", value_parser = clap::value_parser!(u64).range(1..))]
    tokens: Option<u64>,
    /// With --generate or --judge: the address of the API, with its version: http://127.0.0.1:8080/v1
    #[arg(long, value_name = "URL", requires = "asking")]
    base_url: Option<String>,
    /// With --generate or --judge, for `provider = "command"`: the program and its arguments; repeated for each argument
    #[arg(
        long,
        value_name = "WORD",
        requires = "asking",
        allow_hyphen_values = true
    )]
    command: Vec<String>,
    /// With --generate or --judge: an environment variable that the program gets; repeated for each
    #[arg(long, value_name = "NAME", requires = "asking")]
    command_env: Vec<String>,
    /// With --generate or --judge: a file of prices that replace the built-in ones
    #[arg(long, value_name = "FILE", requires = "asking")]
    prices: Option<PathBuf>,
    /// With --generate or --judge: the most calls at the same time, instead of what the experiment says
    #[arg(long, value_name = "N", requires = "asking", value_parser = clap::value_parser!(u32).range(1..=i64::from(CALLS_AT_ONCE_MAX)))]
    calls_at_once: Option<u32>,
    /// With --generate or --judge: the most calls that begin in a minute [default: no limit]
    #[arg(long, value_name = "N", requires = "asking", value_parser = clap::value_parser!(u32).range(1..))]
    calls_per_minute: Option<u32>,
}

/// Returns the provider and the model in words, and those of repairs. The models' names are escaped, since an experiment chose them.
pub(super) fn named(wanted: &AskedModel) -> String {
    let repairs = wanted.repairs.as_ref().map_or_else(String::new, |one| {
        format!(" (repairs: {} {})", one.provider.name(), Plain(&one.model))
    });
    match &wanted.model {
        Some(model) => format!("{} {}{repairs}", wanted.provider.name(), Plain(model)),
        None => format!("{}{repairs}", wanted.provider.name()),
    }
}

/// Asks on the terminal whether the model may be asked. Returns false unasked with `--quiet`, without a terminal, and
/// for `provider = "command"`: a program is never run for such an answer.
pub(super) fn leave_on_terminal(
    wanted: &AskedModel,
    what: &str,
    output: &Output,
) -> Result<bool, Failure> {
    let is_command = wanted.provider == ProviderKind::Command;
    if is_command || output.quiet || !confirmation::is_on_terminal() {
        return Ok(false);
    }
    let usd = wanted
        .microdollars_max
        .map(|most| format!("{:.2} US dollars", most as f64 / 1e6));
    let tokens = wanted.tokens_max.map(|most| format!("{most} tokens"));
    let most: Vec<String> = usd.into_iter().chain(tokens).collect();
    let most = if most.is_empty() {
        "no limit".to_owned()
    } else {
        format!("at most {}", most.join(" and "))
    };
    confirmation::confirm(&format!(
        "The experiment asks {} for {what}, {most}. Ask it? [y/N] ",
        named(wanted)
    ))
}

impl ConsentOptions {
    /// Returns this leave as options, each in one word with its value, for commands without a terminal.
    ///
    /// # Errors
    /// It is one that only a single command on a terminal can have.
    pub(super) fn options(&self) -> Result<Vec<OsString>, Failure> {
        if self.dry_run || self.yes {
            return Err(Failure::usage(
                "--dry-run and --yes are of one run: leave them out, and --generate is leave enough",
            ));
        }
        let mut words: Vec<OsString> = Vec::new();
        if self.generate {
            words.extend(["--generate".into(), "--yes".into()]);
        }
        words.extend(self.judge.then(|| "--judge".into()));
        let usd = self
            .usd
            .map(|most| format!("--usd={:.6}", most as f64 / 1e6));
        let tokens = self.tokens.map(|most| format!("--tokens={most}"));
        let at_once = self
            .calls_at_once
            .map(|most| format!("--calls-at-once={most}"));
        let per_minute = self
            .calls_per_minute
            .map(|most| format!("--calls-per-minute={most}"));
        let address = self
            .base_url
            .as_ref()
            .map(|url| format!("--base-url={url}"));
        let numbers = [usd, tokens, at_once, per_minute, address]
            .into_iter()
            .flatten();
        words.extend(numbers.map(OsString::from));
        words.extend(
            self.command
                .iter()
                .map(|word| format!("--command={word}").into()),
        );
        words.extend(
            self.command_env
                .iter()
                .map(|name| format!("--command-env={name}").into()),
        );
        if let Some(prices) = &self.prices {
            words.push(absolute("--prices=", prices)?);
        }
        Ok(words)
    }

    /// Returns true if the search of [rounds] is only to be forecast.
    pub(super) fn forecasts_rounds(&self) -> bool {
        self.dry_run && !self.generate
    }

    /// Opens the model that an experiment wants `what` of, within the bounds of user and policy. Its exchanges are
    /// recorded in `record`.
    pub(super) fn open(
        &self,
        wanted: &AskedModel,
        (what, record): (&str, PathBuf),
        loaded: &LoadedExperiment,
        policy: &Policy,
    ) -> Result<Models, Failure> {
        let kind = wanted.provider;
        let is_command = kind == ProviderKind::Command;
        if is_command && self.command.is_empty() {
            return Err(Failure::usage(format!(
                "the experiment asks a command for {what}, and names none, since it may come from anybody: give \
                 program and arguments with --command"
            )));
        }
        if !self.command.is_empty() && !self.asks_command(loaded) {
            return Err(Failure::usage(
                "--command is for `provider = \"command\"` in [generate] or [judge]",
            ));
        }
        let own = GenerateBounds {
            microdollars: self.usd,
            tokens: self.tokens,
        };
        let bounds = bounds_of(own, wanted, policy.generate_bounds());
        let costs = |kind| !matches!(kind, ProviderKind::Ollama | ProviderKind::Replay);
        let repairs = wanted.repairs.as_ref();
        let is_free = !costs(kind) && repairs.is_none_or(|one| !costs(one.provider));
        if !is_free && bounds.tokens.is_none() && bounds.microdollars.is_none() {
            return Err(Failure::usage(format!(
                "nothing says what the {what} may cost: set `usd` or `tokens` in the experiment, or --usd or --tokens"
            )));
        }
        let used = |words: &[String]| {
            if is_command {
                words.to_vec()
            } else {
                Vec::new()
            }
        };
        let options = ModelOptions {
            model: wanted.model.clone(),
            repairs: repairs.map(|one| RepairModelOptions {
                provider: one.provider,
                model: one.model.clone(),
            }),
            base_url: self.base_url.clone(),
            command: used(&self.command),
            command_env: used(&self.command_env),
            cassette: wanted.cassette.as_ref().map(|file| loaded.dir.join(file)),
            cassette_within: Some(loaded.dir.clone()),
            record: Some(record),
            tokens_max: bounds.tokens,
            microdollars_max: bounds.microdollars,
            prices: self.prices.clone(),
            concurrency: self.calls_at_once.unwrap_or(wanted.calls_at_once),
            calls_per_minute: self.calls_per_minute,
            ..ModelOptions::new(kind)
        };
        Models::open(options).map_err(|error| Failure::usage(error.to_string()))
    }

    /// Returns true if a model that the user lets be asked is a command.
    fn asks_command(&self, loaded: &LoadedExperiment) -> bool {
        let generate = loaded.generate.as_ref().map(|one| &one.asked);
        let judge = loaded.judge.as_ref().map(|one| &one.asked);
        [(self.generate, generate), (self.judge, judge)]
            .into_iter()
            .any(|(is_asked, model)| {
                is_asked && model.is_some_and(|one| one.provider == ProviderKind::Command)
            })
    }
}

/// Returns an option with a path that means the same in every folder.
///
/// # Errors
/// The working folder is gone.
pub(super) fn absolute(option: &str, path: &Path) -> Result<OsString, Failure> {
    let path = std::path::absolute(path).map_err(|error| {
        let path = path.display().to_string();
        Failure::usage(format!("{} cannot be named: {error}", Plain(&path)))
    })?;
    let mut word = OsString::from(option);
    word.push(path);
    Ok(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leave_that_is_passed_on_is_what_was_given() {
        #[derive(clap::Parser)]
        struct Given {
            #[command(flatten)]
            leave: ConsentOptions,
        }
        let options = |words: &[&str]| {
            let words = ["bakeoff"].iter().chain(words).copied();
            let given: Given = clap::Parser::try_parse_from(words).unwrap();
            given.leave.options()
        };
        assert_eq!(options(&[]).unwrap(), Vec::<OsString>::new());
        let words = [
            "--generate",
            "--usd",
            "0.25",
            "--tokens=9",
            "--command",
            "/bin/model",
            "--command",
            "--fast",
            "--command-env",
            "KEY",
            "--base-url",
            "http://127.0.0.1:1/v1",
            "--prices",
            "/p",
            "--calls-at-once",
            "2",
            "--calls-per-minute",
            "3",
        ];
        let passed = options(&words).unwrap();
        let again: Vec<&str> = passed.iter().filter_map(|word| word.to_str()).collect();
        assert!(
            again.contains(&"--yes") && again.contains(&"--usd=0.250000"),
            "{again:?}"
        );
        // They mean the same once more, but for the question on a terminal, which nobody can answer.
        let without: Vec<&str> = again
            .iter()
            .copied()
            .filter(|word| *word != "--yes")
            .collect();
        assert_eq!(options(&without).unwrap(), passed);
        assert_eq!(options(&["--judge"]).unwrap(), ["--judge"]);
        assert!(options(&["--generate", "--dry-run"]).is_err());
        assert!(options(&["--generate", "--yes"]).is_err());
    }
}
