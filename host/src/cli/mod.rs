//! The command line.

mod add;
mod agents;
mod archive;
mod baseline;
mod build;
mod changed_times;
mod check;
mod claude_command;
mod compare;
mod compare_options;
mod compiled_for;
mod completions;
mod confirmation;
mod consent_options;
mod criteria_options;
mod criterion_files;
mod doctor;
mod effort;
mod evolve;
mod explore;
mod explore_opinion;
mod explore_output;
mod explored_run;
mod export;
mod failure;
mod fence_reach;
mod file_comparison;
mod generate;
mod generation_consent;
mod header;
mod ideas;
mod in_words;
mod init;
mod interruptible;
mod interrupts;
mod judge;
mod kept_timing;
mod like_option;
mod mcp;
mod metric_options;
mod model_news;
mod models;
mod natively;
mod on;
mod on_event;
mod on_printer;
mod open_tasks;
mod opinions;
mod options;
mod oracle;
mod other_machines;
mod pack;
mod pick;
mod picked_branch;
mod plan;
mod programs;
mod progress;
mod prompts;
mod publish;
mod registry_options;
mod regression;
mod repair_arguments;
mod repeat;
mod report;
mod report_source;
mod resume_command;
mod revision_build;
mod revision_rows;
mod revision_side;
mod revisions;
mod rounds;
mod rows_source;
mod run;
mod run_options;
mod run_place;
mod run_request;
mod runs;
mod saved_inputs;
mod series_output;
mod serve;
mod show;
mod show_status;
mod starting_files;
mod status;
mod status_models;
mod status_tasks;
mod step_summary;
mod time;
mod timing_display;
mod two_runs;
mod two_timings;
mod unfinished_runs;
mod vendor;
mod vendor_components;
mod verify;
mod whole_numbers;
mod work;
mod worker;
mod worktrees;
mod writing_arguments;

use bakeoff_files::UserKey;
use bakeoff_render::escape::{Lines, Plain};
use clap::{CommandFactory as _, Parser, Subcommand};
use std::process::ExitCode;

#[doc(hidden)]
pub use crate::library::generation::record::{read_generation_record, seal_generation_again};
#[doc(hidden)]
pub use show::report_format_names;
pub use status::Status;

/// Tries several ways to solve a problem in a sandbox, measures them against each other, and
/// recommends one, with its certainty
#[derive(Debug, Parser)]
#[command(name = "bakeoff", version, about, propagate_version = true, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    output: options::Output,
    #[command(flatten)]
    on: on::OnOptions,
}

const EXAMPLES: &str = "\
Examples:
  bakeoff run examples/top-k              compare four ways, and recommend one
  bakeoff run examples/top-k --budget 5s  the same, in less time
  bakeoff report examples/top-k --weight memory=2
  bakeoff compare old.rs new.rs --wit wit --call top-k --cases cases.toml
  bakeoff build src/heap.rs --wit wit --call top-k -o heap.wasm
  bakeoff check heap.wasm --wit wit --call top-k
  bakeoff time 'sleep 0.1' 'sleep 0.11'   compare commands
  bakeoff judge runs.csv                  compare values that you measured
  bakeoff compare 1 2                     show what changed between two runs
  bakeoff verify examples/top-k           check that its figures can be reproduced
  bakeoff --on ssh:fast run examples/top-k
                                          run it on the machine `fast`, and bring back the results

Exit status:
  0  success, also with a tie         3  success, but some variants failed
  1  no answer: no winner and no      4  a model gives no answers, or its budget ended
     tie; slower or unknown with      5  error of confinement, store or engine
     --fail-if-slower; a figure
     that differs
  2  usage or configuration error  130  interrupted; prints the command that resumes";

#[derive(Debug, Subcommand)]
enum Command {
    /// Run an experiment
    Run(run_options::Arguments),
    /// Search for better approaches in rounds, and race what was found
    Evolve(evolve::Arguments),
    /// Show what a search tried, and what became of it
    Archive(archive::Arguments),
    /// Measure files against each other, or show what changed between two runs
    Compare(compare_options::Arguments),
    /// Compare commands by their time, each started anew in blocks whose order is drawn
    Time(time::Arguments),
    /// Have a task done by a coding agent once for each variant, each in a worktree of its own
    Agents(agents::Arguments),
    /// Have a model plan requirements as tasks for coding agents, and begin nothing
    Plan(plan::Arguments),
    /// Have coding agents work off tasks that wait for each other, and merge what they did
    Work(work::Arguments),
    /// List the worktrees of agents, or remove them
    Worktrees(worktrees::Arguments),
    /// Compare values that somebody else measured, as rows of a file or as they are written
    Judge(judge::Arguments),
    /// Show the report of a run again, also with other weights
    Report(report::Arguments),
    /// Print the path of the recommended variant's file, or copy it
    Pick(pick::Arguments),
    /// Keep a component that was measured as an approach, to measure later code against
    Baseline(baseline::Arguments),
    /// List the runs of an experiment, and what each said
    Runs(runs::Arguments),
    /// Show how far a run is, also from another terminal
    Status(show_status::Arguments),
    /// Reproduce the figures of a finished run, and show those that differ
    Verify(verify::Arguments),
    /// Pack a finished run into one file, for another machine
    Pack(pack::Arguments),
    /// Write stored results as JSON lines or CSV, or times as criterion's files
    Export(export::Arguments),
    /// Write a small experiment to start from
    Init(init::Arguments),
    /// Add approaches to an experiment: files that exist
    Add(add::Arguments),
    /// Remove an approach from an experiment, and keep its file
    Withdraw(add::WithdrawArguments),
    Vendor(vendor::Arguments),
    Publish(publish::Arguments),
    /// From a statement alone: a model writes interface, workload and approaches, which are measured
    Explore(explore::Arguments),
    /// Ask a model for approaches, and add those that pass to an experiment
    Generate(generate::Arguments),
    /// Show the templates of what a model is asked, or write them to files
    Prompts(prompts::Arguments),
    /// Build one prototype to a component
    Build(build::Arguments),
    Header(header::Arguments),
    /// Test an experiment's oracle or whether a file fits an interface, or run one call of a file
    Check(check::Arguments),
    /// Test this machine: confinement, compiler, clocks, noise, cores and folders
    Doctor(doctor::Arguments),
    /// Show experiments in a browser on this machine, and runs while they go on
    Serve(serve::Arguments),
    Worker(worker::Arguments),
    /// Serve coding agents on stdin and stdout (MCP)
    Mcp(mcp::Arguments),
    /// Write completions for a shell
    Completions(completions::CompletionArguments),
    /// Write manual pages
    Man(completions::ManArguments),
    /// Write the JSON schema of bakeoff.toml, for editors
    Schema(completions::SchemaArguments),
    /// Serve a command that comes from another machine, on stdin and stdout
    #[command(hide = true, name = on::FAR_END)]
    FarEnd,
}

/// Lets a write beyond the largest size that a file may have (`ulimit -f`) fail with an error, instead of
/// ending this process without a word. Children say themselves what their limits do.
fn fail_where_a_file_has_its_largest_size() {
    extern "C" fn nothing(_signal: libc::c_int) {}
    // Not SIG_IGN, which children would inherit.
    let nothing: extern "C" fn(libc::c_int) = nothing;
    // SAFETY: the handler does nothing, and so nothing that a handler must not do.
    unsafe {
        libc::signal(libc::SIGXFSZ, nothing as libc::sighandler_t);
    }
}

/// Parses the command line, runs the command and returns its exit status.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refused(&error),
    };
    cli.output.apply();
    fail_where_a_file_has_its_largest_size();
    if let Err(failure) = temporary_folder() {
        return failure.print(cli.output.error_form());
    }
    bakeoff_files::remove_abandoned();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(bakeoff_confine::STACK_BYTES)
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            anstream::eprintln!("error: cannot start: {error}");
            return Status::Infrastructure.into();
        }
    };
    if let Some(machine) = cli.on.machine() {
        let ended = runtime.block_on(cli.on.run(machine, cli.output.quiet, Cli::command()));
        return ended.unwrap_or_else(|failure| failure.print(cli.output.error_form()));
    }
    let outcome = runtime.block_on(async {
        match cli.command {
            Command::Run(arguments) => run::run(&arguments, &cli.output).await,
            Command::Evolve(arguments) => evolve::run(&arguments, &cli.output).await,
            Command::Archive(arguments) => archive::run(&arguments, &cli.output),
            Command::Compare(arguments) => compare::run(&arguments, &cli.output).await,
            Command::Time(arguments) => time::run(&arguments, &cli.output).await,
            Command::Agents(arguments) => agents::run(&arguments, &cli.output).await,
            Command::Plan(arguments) => plan::run(&arguments, &cli.output).await,
            Command::Work(arguments) => work::run(&arguments, &cli.output).await,
            Command::Worktrees(arguments) => worktrees::run(&arguments, &cli.output),
            Command::Judge(arguments) => judge::run(&arguments, &cli.output).await,
            Command::Report(arguments) => report::run(&arguments, &cli.output),
            Command::Pick(arguments) => pick::run(&arguments, &cli.output),
            Command::Baseline(arguments) => baseline::run(&arguments, &cli.output),
            Command::Runs(arguments) => runs::run(&arguments, &cli.output),
            Command::Status(arguments) => show_status::run(&arguments, &cli.output),
            Command::Verify(arguments) => verify::run(&arguments, &cli.output).await,
            Command::Pack(arguments) => pack::run(&arguments, &cli.output),
            Command::Export(arguments) => export::run(&arguments, &cli.output),
            Command::Init(arguments) => init::run(&arguments, &cli.output).await,
            Command::Add(arguments) => add::run(&arguments, &cli.output),
            Command::Withdraw(arguments) => add::withdraw(&arguments, &cli.output),
            Command::Vendor(arguments) => vendor::run(&arguments, &cli.output).await,
            Command::Publish(arguments) => publish::run(&arguments, &cli.output).await,
            Command::Explore(arguments) => explore::run(&arguments, &cli.output).await,
            Command::Generate(arguments) => generate::run(&arguments, &cli.output).await,
            Command::Prompts(arguments) => prompts::run(&arguments, &cli.output),
            Command::Build(arguments) => build::run(&arguments, &cli.output).await,
            Command::Header(arguments) => header::run(&arguments, &cli.output),
            Command::Check(arguments) => check::run(&arguments, &cli.output).await,
            Command::Doctor(arguments) => doctor::run(&arguments, &cli.output).await,
            Command::Serve(arguments) => serve::run(&arguments, &cli.output).await,
            Command::Worker(arguments) => worker::run(&arguments, &cli.output).await,
            Command::Mcp(arguments) => mcp::run(&arguments).await,
            Command::Completions(arguments) => completions::complete(&arguments, Cli::command()),
            Command::Man(arguments) => completions::man(&arguments, Cli::command()),
            Command::Schema(arguments) => completions::schema(&arguments),
            Command::FarEnd => on::serve_far_end().await,
        }
    });
    // Whatever came of it: what counted until now counts no longer.
    if let Some(news) = UserKey::news_of_results() {
        anstream::eprintln!("note: {}", Plain(&news));
    }
    match outcome {
        Ok(status) => status.into(),
        Err(failure) => failure.print(cli.output.error_form()),
    }
}

/// Prints what is wrong with the command line, or the help that was asked for. Arguments are quoted there, and may have
/// come from somebody else.
fn refused(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    let escaped = Lines(&text).to_string();
    if escaped == text {
        // With the colours of the terminal.
        error.exit();
    }
    anstream::eprint!("{escaped}");
    Status::Usage.into()
}

/// Checks that the folder for temporary files is not one that the working folder chooses.
fn temporary_folder() -> Result<(), failure::Failure> {
    let folder = std::env::temp_dir();
    // It is among what children are told, which is text.
    if folder.to_str().is_none() {
        return Err(failure::Failure::usage(format!(
            "TMPDIR is {}, whose name is not UTF-8: set it to another folder",
            folder.display()
        )));
    }
    if folder.is_absolute() {
        Ok(())
    } else {
        Err(failure::Failure::usage(format!(
            "TMPDIR is {}, which is no absolute path: the folder that bakeoff is started in would choose \
             where temporary files are",
            folder.display()
        )))
    }
}
