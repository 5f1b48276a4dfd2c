//! Options that several commands share.

use super::failure::{ErrorForm, Failure};
use crate::mcp::MessageLine;
use bakeoff_config::Policy;
use bakeoff_render::Colour;
use bakeoff_render::escape::Plain;
use bakeoff_run::{HostOptions, KnownMachine, Unconfined};
use clap::{Args, ValueEnum};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

/// The format of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Text for a terminal.
    Human,
    /// One JSON object: of a report, `report.json`.
    Json,
    /// Markdown.
    Md,
    /// One self-contained HTML page.
    Html,
    /// CSV for spreadsheets.
    Csv,
    /// JSON lines, for `bakeoff export`.
    Jsonl,
    /// JUnit's XML, for continuous integration.
    Junit,
    /// Files as in `target/criterion`, for `bakeoff export`.
    Criterion,
}

impl Format {
    /// Returns the name of the format on the command line.
    pub(super) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Options for output.
#[derive(Clone, Debug, Args)]
pub(super) struct Output {
    /// Format of the output on stdout
    #[arg(long, value_enum, default_value = "human", global = true)]
    pub(super) format: Format,
    /// No progress on stderr; of a comparison or a run the answer alone, in one line
    #[arg(long, short, global = true)]
    pub(super) quiet: bool,
    /// Write each event to stderr instead of progress bars, with --format json also an error as a line of JSON; and more of a
    /// report: the source of the best, all readings, the machine, the seed
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub(super) verbose: bool,
    /// When to use colours
    #[arg(long, value_enum, default_value = "auto", global = true)]
    color: Color,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

impl Output {
    /// Sets colours and the look of errors for the whole process.
    pub(super) fn apply(&self) {
        let choice = match self.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        let colour = self.has_colour_on_stderr();
        let is_for_programs = self.format == Format::Json;
        // Fails if it is set already, which happens in tests only.
        let _ = miette::set_hook(Box::new(move |report| {
            // Lines of code and the signs below them mean nothing once they are wrapped.
            let quotes_code = report
                .to_string()
                .lines()
                .any(|line| line.trim_start().starts_with("--> "));
            let wraps = !is_for_programs && !quotes_code;
            Box::new(
                miette::MietteHandlerOpts::new()
                    .color(colour)
                    .terminal_links(false)
                    .wrap_lines(wraps)
                    .build(),
            )
        }));
    }

    /// Returns the form of an error: a line of JSON, as each event is one, if a program reads both streams.
    pub(super) fn error_form(&self) -> ErrorForm {
        if self.verbose && self.format == Format::Json {
            ErrorForm::Json
        } else {
            ErrorForm::Text
        }
    }

    /// Returns an error unless the format is one of these.
    pub(super) fn only(&self, formats: &[Format]) -> Result<(), Failure> {
        if formats.contains(&self.format) {
            return Ok(());
        }
        let names: Vec<String> = formats.iter().map(|format| format.name()).collect();
        Err(Failure::usage(format!(
            "this command writes {}, not {}",
            names.join(" or "),
            self.format.name()
        )))
    }

    /// Returns a function that reports progress on stderr, unless `--quiet` is set.
    pub(super) fn reporter(&self) -> impl FnMut(&str) + Send + 'static {
        let (quiet, form) = (self.quiet, self.error_form());
        move |text: &str| match form {
            _ if quiet => {}
            ErrorForm::Text => anstream::eprintln!("{text}"),
            // It may quote a compiler or a model, whose lines could otherwise pass for ours.
            ErrorForm::Json => {
                anstream::eprintln!("{}", MessageLine::Note(text.to_owned()).json());
            }
        }
    }

    /// Returns the use of colours on stdout.
    pub(super) fn colour(&self) -> Colour {
        if self.takes_colour(std::io::stdout().is_terminal()) {
            Colour::Always
        } else {
            Colour::Never
        }
    }

    fn has_colour_on_stderr(&self) -> bool {
        self.takes_colour(std::io::stderr().is_terminal())
    }

    fn takes_colour(&self, terminal: bool) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
        }
    }
}

/// The variable that names the folder of the build cache.
const CACHE_VARIABLE: &str = "BAKEOFF_CACHE_DIR";

/// Options for builds and runs.
#[derive(Clone, Debug, Args)]
pub(super) struct Safety {
    /// Build and run without confinement if this machine has none; stamps every result `unconfined`
    #[arg(long)]
    pub(super) allow_unconfined: bool,
    /// Run the programs of an experiment (`command`), behind a fence of their own: they can be anything
    #[arg(long)]
    pub(super) programs: bool,
    /// The folder of the build cache
    #[arg(long, value_name = "DIR", env = CACHE_VARIABLE)]
    pub(super) cache_dir: Option<PathBuf>,
}

impl Safety {
    /// Returns the policy, confinement and cache of a run.
    ///
    /// # Errors
    /// See [`unconfined`](Self::unconfined) and [`cache`](Self::cache).
    pub(super) fn host_options(&self, policy: Policy) -> Result<HostOptions, Failure> {
        self.host_options_on(policy, &KnownMachine::default())
    }

    /// Returns the same, with the facts about the machine that are known already.
    ///
    /// # Errors
    /// See [`unconfined`](Self::unconfined) and [`cache`](Self::cache).
    pub(super) fn host_options_on(
        &self,
        policy: Policy,
        machine: &KnownMachine,
    ) -> Result<HostOptions, Failure> {
        let unconfined = self.unconfined(&policy)?;
        let policy = if self.programs {
            policy.with_programs()?
        } else {
            policy
        };
        Ok(HostOptions {
            unconfined,
            policy,
            cache: self.cache()?.map(Path::to_owned),
            machine: machine.clone(),
        })
    }

    /// Returns the folder of the build cache, if it is not the user's own. The files in it are run.
    ///
    /// # Errors
    /// The environment names the folder by a relative path.
    pub(super) fn cache(&self) -> Result<Option<&Path>, Failure> {
        let folder = self.cache_dir.as_deref();
        let variable = std::env::var_os(CACHE_VARIABLE).map(PathBuf::from);
        match folder.filter(|folder| folder.is_relative() && variable.as_deref() == Some(folder)) {
            Some(folder) => Err(Failure::usage(format!(
                "{CACHE_VARIABLE} is {}, which is no absolute path: the folder that bakeoff is \
                 started in would bring the cache",
                Plain(&folder.display().to_string())
            ))),
            None => Ok(folder),
        }
    }

    /// Returns the permission to go on without confinement.
    ///
    /// # Errors
    /// `--allow-unconfined` is set, and the host's policy forbids it.
    pub(super) fn unconfined(&self, policy: &Policy) -> Result<Unconfined, Failure> {
        if !self.allow_unconfined {
            return Ok(Unconfined::Refused);
        }
        policy.permit_unconfined()?;
        Ok(Unconfined::Allowed)
    }
}
