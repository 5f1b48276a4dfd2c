//! `--natively`: the leave to build sources for this machine and run them as programs, and the display of that.

use super::failure::Failure;
use super::options::Output;
use super::progress::Display;
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_domain::language::Language;
use bakeoff_domain::spec::{Approach, Experiment, Source};
use bakeoff_render::escape::Plain;
use bakeoff_run::{BuiltProgram, NativeRace, NativeWatcher};
use bakeoff_source::language_of;
use bakeoff_store::Store;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The leave that `--natively` is.
pub(super) struct NativeWish {
    /// The host's policy, with leave to run programs.
    policy: Policy,
    /// The programs, one for each approach, if they were built before.
    programs: Option<Vec<BuiltProgram>>,
}

impl NativeWish {
    /// Returns the leave, with programs that were built before.
    ///
    /// # Errors
    /// The policy forbids programs.
    pub(super) fn new(
        policy: &Policy,
        programs: Option<Vec<BuiltProgram>>,
    ) -> Result<Self, Failure> {
        let policy = policy.clone().with_programs()?;
        Ok(Self { policy, programs })
    }
}

/// Returns the leave that `--natively` is, for a comparison of files.
///
/// # Errors
/// A file is no source, or the policy forbids programs.
pub(super) fn leave(files: &[PathBuf], policy: &Policy) -> Result<NativeWish, Failure> {
    let is_source = |file: &&PathBuf| file.extension().is_some_and(|end| end == "rs");
    if let Some(other) = files.iter().find(|file| !is_source(file)) {
        return Err(Failure::usage(format!(
            "{} is no Rust source, and with --natively each file is built for this machine: leave it out, or leave out \
             --natively",
            Plain(&other.display().to_string())
        )));
    }
    NativeWish::new(policy, None)
}

/// Returns the leave that `--natively` is, for an experiment.
///
/// # Errors
/// The experiment does not ask for the time of a call, or the policy forbids programs.
pub(super) fn leave_for(experiment: &Experiment, policy: &Policy) -> Result<NativeWish, Failure> {
    if !experiment.uses(&Source::Time) {
        return Err(Failure::usage(
            "--natively times calls, and no criterion of the experiment is `time`: add one, or leave out --natively",
        ));
    }
    NativeWish::new(policy, None)
}

/// Returns an error if fewer than two approaches of an experiment can be built for this machine.
pub(super) fn has_sources(experiment: &Experiment) -> Result<(), Failure> {
    let can_be_built = |approach: &&Approach| {
        language_of(&approach.code) == Some(Language::Rust)
            && approach.sweep.is_empty()
            && approach.grants.is_empty()
    };
    if experiment.approaches.iter().filter(can_be_built).count() < 2 {
        return Err(Failure::usage(
            "--natively builds sources in Rust without parameters and granted files for this machine, and fewer than two \
             approaches are that: leave it out",
        ));
    }
    Ok(())
}

/// Returns the wish to race sources as programs, which is displayed as the options for output say.
pub(super) fn race(wish: NativeWish, output: &Output) -> NativeRace {
    NativeRace {
        policy: wish.policy,
        programs: wish.programs,
        watcher: Arc::new(Watcher {
            output: output.clone(),
            display: Mutex::default(),
        }),
    }
}

/// The display of a race of programs.
struct Watcher {
    output: Output,
    display: Mutex<Option<Display>>,
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher").finish_non_exhaustive()
    }
}

impl Watcher {
    /// Puts another display in the place of the one that there is.
    fn replace(&self, display: Option<Display>) {
        let mut shown = self.display.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = std::mem::replace(&mut *shown, display) {
            before.finish();
        }
    }
}

impl NativeWatcher for Watcher {
    fn show(&self, text: &str) {
        self.output.reporter()(text);
    }

    fn begin(&self, programs: &LoadedExperiment, store: &mut Store) {
        let display = Display::new(&self.output, programs);
        store.subscribe(display.listener());
        self.replace(Some(display));
    }

    fn end(&self) {
        self.replace(None);
    }
}
