//! Options that several commands share.

use super::failure::Failure;
use crate::config::Policy;
use crate::coordinate::{Means, Unconfined};
use crate::render::Colour;
use clap::{Args, ValueEnum};
use std::io::IsTerminal as _;
use std::path::PathBuf;

/// How output looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people at a terminal.
    Human,
    /// `report.json`, version 1.
    Json,
    /// Markdown.
    Md,
    /// One self-contained page.
    Html,
    /// A table for spreadsheets.
    Csv,
    /// JSON lines, of `bakeoff export`.
    Jsonl,
}

/// What is shown, and how.
#[derive(Clone, Debug, Args)]
pub(super) struct Output {
    /// What to write to stdout
    #[arg(long, value_enum, default_value = "human", global = true)]
    pub(super) format: Format,
    /// No progress on stderr
    #[arg(long, short, global = true)]
    pub(super) quiet: bool,
    /// Each event on stderr instead of progress bars
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
    /// Decides about colours for the whole process, and how errors look.
    pub(super) fn apply(&self) {
        let choice = match self.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        let colour = self.has_colour_on_stderr();
        // Set once per process: a second time is a test's, and its result does not matter.
        let _ = miette::set_hook(Box::new(move |_| {
            Box::new(
                miette::MietteHandlerOpts::new()
                    .color(colour)
                    .terminal_links(false)
                    .build(),
            )
        }));
    }

    /// Refuses a format that a command does not write.
    pub(super) fn only(&self, formats: &[Format]) -> Result<(), Failure> {
        if formats.contains(&self.format) {
            return Ok(());
        }
        let name = |format: &Format| {
            let value = format.to_possible_value();
            value.map_or_else(String::new, |value| value.get_name().to_owned())
        };
        let names: Vec<String> = formats.iter().map(name).collect();
        Err(Failure::usage(format!(
            "this command writes {}, not {}",
            names.join(" or "),
            name(&self.format)
        )))
    }

    /// Says on stderr what takes time, unless that is not wanted.
    pub(super) fn sayer(&self) -> impl FnMut(&str) + Send + 'static {
        let quiet = self.quiet;
        move |text: &str| {
            if !quiet {
                anstream::eprintln!("{text}");
            }
        }
    }

    /// Whether stdout takes colours.
    pub(super) fn colour(&self) -> Colour {
        match self.takes_colour(std::io::stdout().is_terminal()) {
            true => Colour::Always,
            false => Colour::Never,
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

/// Safety of builds and runs.
#[derive(Clone, Debug, Args)]
pub(super) struct Safety {
    /// Go on where nothing confines untrusted code; every result is stamped with it
    #[arg(long)]
    pub(super) allow_unconfined: bool,
    /// The folder of the build cache
    #[arg(long, value_name = "DIR", env = "BAKEOFF_CACHE_DIR")]
    pub(super) cache_dir: Option<PathBuf>,
}

impl Safety {
    /// With what a run is made.
    ///
    /// # Errors
    /// As for [`unconfined`](Self::unconfined).
    pub(super) fn means(&self, policy: Policy) -> Result<Means, Failure> {
        Ok(Means {
            unconfined: self.unconfined(&policy)?,
            policy,
            cache: self.cache_dir.clone(),
        })
    }

    /// What to do where nothing confines untrusted code.
    ///
    /// # Errors
    /// `--allow-unconfined` is given, and the host's policy refuses it.
    pub(super) fn unconfined(&self, policy: &Policy) -> Result<Unconfined, Failure> {
        if !self.allow_unconfined {
            return Ok(Unconfined::Refused);
        }
        policy.permit_unconfined()?;
        Ok(Unconfined::Allowed)
    }
}
