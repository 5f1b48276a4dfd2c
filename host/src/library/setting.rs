//! Setting of the runs of a program, whatever is run: the host's policy, and the wishes of the program.

use super::error::Error;
use bakeoff_config::Policy;
use bakeoff_domain::plan::RunSeed;
use bakeoff_run::{HostOptions, Interrupt, KnownMachine, Unconfined};
use std::path::PathBuf;

/// The setting of a run.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) policy: Policy,
    pub(super) seed: Option<RunSeed>,
    pub(super) cache: Option<PathBuf>,
    pub(super) unconfined: Unconfined,
    pub(super) stop: Interrupt,
}

impl Setting {
    /// Returns a setting in which nothing but the host's policy is decided.
    ///
    /// # Errors
    /// The policy cannot be read.
    pub(super) fn of_host() -> Result<Self, Error> {
        Ok(Self {
            policy: Policy::of_host()?,
            seed: None,
            cache: None,
            unconfined: Unconfined::Refused,
            stop: Interrupt::default(),
        })
    }

    /// Returns the setting with a seed, as a report names it.
    ///
    /// # Errors
    /// The text is no seed.
    pub(super) fn seed(mut self, text: &str) -> Result<Self, Error> {
        let read = text.parse().map_err(|error| {
            Error::experiment(format!(
                "{text:?} is no seed, as `report.json` has one: {error}"
            ))
        });
        self.seed = Some(read?);
        Ok(self)
    }

    /// Returns the setting in which nothing need confine untrusted code.
    ///
    /// # Errors
    /// The policy forbids it.
    pub(super) fn allow_unconfined(mut self) -> Result<Self, Error> {
        self.policy.permit_unconfined()?;
        self.unconfined = Unconfined::Allowed;
        Ok(self)
    }

    /// Returns a function that asks a run to stop.
    pub(super) fn stopper(&self) -> impl Fn() + Send + Sync + 'static + use<> {
        let stop = self.stop.clone();
        move || stop.raise()
    }

    pub(super) fn host(&self) -> HostOptions {
        HostOptions {
            unconfined: self.unconfined,
            policy: self.policy.clone(),
            cache: self.cache.clone(),
            machine: KnownMachine::default(),
        }
    }
}
