//! `bakeoff serve`: experiments and their runs in a browser on this machine.

use super::Status;
use super::consent_options::{ConsentOptions, absolute};
use super::failure::Failure;
use super::options::{Format, Output, Safety};
use super::show;
use bakeoff_render::escape::Plain;
use bakeoff_serve::{ServeError, Server, open_in_browser};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// Shows experiments in a browser on this machine: runs while they go on, and reports
///
/// It prints an address with a token: whoever has it may read, from this machine alone, until the server ends. Nothing
/// can be changed or started through it, unless --allow-run is given; and no run depends on it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff serve                      all experiments in this folder and below
  bakeoff serve --open               the same, in your browser
  bakeoff serve examples --port 8000
  bakeoff serve --format json        the address as JSON, for another program
  bakeoff serve examples --allow-run start, stop and change experiments from the pages, too

Ctrl-C ends it; runs go on.")]
pub(super) struct Arguments {
    /// A folder: experiments in it and below it that have results are shown
    #[arg(default_value = ".", value_name = "DIR")]
    dir: PathBuf,
    /// Port to listen on, of 127.0.0.1; 0 is one that is free
    #[arg(long, default_value_t = 0, value_name = "N")]
    port: u16,
    /// Open the address in your browser: what BROWSER names, or xdg-open. Its command line has an address that is void once
    /// it was opened, and after a minute
    #[arg(long)]
    open: bool,
    /// Let the pages start, stop and change experiments: whoever has the address may do that, too
    #[arg(long)]
    allow_run: bool,
    #[command(flatten, next_help_heading = "With --allow-run, for every run")]
    safety: Safety,
    #[command(
        flatten,
        next_help_heading = "With --allow-run: approaches from the model of [generate], opinions from the model of [judge]"
    )]
    leave: ConsentOptions,
}

impl Arguments {
    /// Refuses what needs fences, or the kernel's table of connections.
    fn refuse_what_is_linux_alone(&self) -> Result<(), Failure> {
        if self.allow_run {
            return Err(Failure::usage(
                "--allow-run: this system has no fences for untrusted code (Landlock and seccomp are Linux's), so that no page \
                 can start a run: leave it out, and run it on a Linux machine with `--on ssh:HOST`, or with `--on container`",
            ));
        }
        if self.open {
            return Err(Failure::usage(
                "--open: this system does not say which user's program a connection is from, so that the address for a \
                 browser's command line could be used by others: leave it out, and open the address that is printed",
            ));
        }
        Ok(())
    }

    /// Returns the leave of the pages; `None` if they only show.
    fn leave(&self) -> Result<Option<bakeoff_serve::ControlConsent>, Failure> {
        let mut run_options = self.leave.options()?;
        run_options.extend(
            self.safety
                .allow_unconfined
                .then(|| "--allow-unconfined".into()),
        );
        run_options.extend(self.safety.programs.then(|| "--programs".into()));
        if !self.allow_run {
            return match run_options.as_slice() {
                [] => Ok(None),
                _ => Err(Failure::usage(
                    "a leave for runs is given, and no leave to start them: add --allow-run",
                )),
            };
        }
        if let Some(cache) = self.safety.cache()? {
            run_options.push(absolute("--cache-dir=", cache)?);
        }
        Ok(Some(bakeoff_serve::ControlConsent { run_options }))
    }
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    if !cfg!(target_os = "linux") {
        arguments.refuse_what_is_linux_alone()?;
    }
    let leave = arguments.leave()?;
    let may = if leave.is_some() {
        "read, start, stop and change experiments"
    } else {
        "read"
    };
    let server = Server::bind(&arguments.dir, arguments.port, leave).await;
    let server = server.map_err(|error| match error {
        ServeError::Folder { .. } | ServeError::Port { .. } => Failure::usage(error.to_string()),
        ServeError::Start(_) => Failure::infrastructure(error),
    })?;
    let once = arguments.open.then(|| server.one_time_address());
    let once = once.transpose().map_err(Failure::infrastructure)?;
    let address = server.address();
    if output.format == Format::Json {
        #[derive(Serialize)]
        struct Address<'a> {
            address: &'a str,
        }
        show::write_json(&Address { address: &address })?;
    } else {
        let what = if arguments.open {
            "Your browser is being started on it."
        } else {
            "Open this address in a browser on this machine."
        };
        show::write(&format!(
            "{address}\n{what} Whoever has it may {may}; Ctrl-C ends it.\n"
        ))?;
    }
    tokio::select! {
        ((), ()) = async { tokio::join!(server.run(), open(once, &address)) } => Ok(Status::Done),
        // Where no signal can be waited for, it ends by the signal itself.
        Ok(()) = tokio::signal::ctrl_c() => Ok(Status::Done),
    }
}

/// Opens the address that counts once, if there is one, or says which one to open by hand.
async fn open(once: Option<String>, address: &str) {
    let Some(once) = once else { return };
    if let Err(error) = open_in_browser(&once).await {
        let error = error.to_string();
        anstream::eprintln!(
            "no browser was opened: {}; the server goes on, open {address} by hand",
            Plain(&error)
        );
    }
}
