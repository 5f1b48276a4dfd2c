//! Confinement that cannot be had, and children that cannot be started.

use super::confinement_error;
use crate::error::{ConfinementError, FrameError, SpawnError};
use crate::exit::Exit;
use crate::frames::Frames;
use crate::job::{ChildJob, Level, Mechanisms, Role};
use std::convert::Infallible;

/// Proof that untrusted code can be fenced in. There is none on this system.
#[derive(Clone, Debug)]
pub struct Confinement(Infallible);

impl Confinement {
    /// Refuses, since this system has no fences.
    ///
    /// # Errors
    /// Always.
    pub async fn probe() -> Result<Self, ConfinementError> {
        Err(confinement_error())
    }

    /// Refuses as [`Confinement::probe`] does: what a user may waive on Linux is a kernel that lacks something, and here no
    /// child could be watched and ended either.
    ///
    /// # Errors
    /// Always.
    pub async fn allow_unconfined() -> Result<Self, ConfinementError> {
        Err(confinement_error())
    }

    /// Returns the strength of the fence around children.
    pub fn level(&self) -> Level {
        match self.0 {}
    }

    /// Returns the second fence around builders, if one works.
    pub fn outer_layer(&self) -> Option<&'static str> {
        match self.0 {}
    }

    /// Returns the mechanisms in use.
    pub fn mechanisms(&self) -> Mechanisms {
        match self.0 {}
    }

    /// Returns the same confinement, without a second fence around builders.
    #[must_use]
    pub fn without_outer_layer(self) -> Self {
        match self.0 {}
    }

    /// Starts a child and waits until its fence is up.
    ///
    /// # Errors
    /// The child cannot be started.
    pub async fn spawn(&self, _job: ChildJob<'_>) -> Result<Child, SpawnError> {
        match self.0 {}
    }
}

/// A running child. There is none on this system.
#[derive(Debug)]
pub struct Child(Infallible);

impl Child {
    /// Returns the next frame; `None` at the end.
    ///
    /// # Errors
    /// The bytes are not a frame or exceed a bound.
    pub async fn next_frame(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        match self.0 {}
    }

    /// Returns a view of the word that the child announces.
    pub fn announced(&self) -> Announced {
        match self.0 {}
    }

    /// Returns the child's process id, until it has ended.
    pub fn pid(&self) -> Option<u32> {
        match self.0 {}
    }

    /// Kills the child and all that it started.
    pub fn kill(&mut self) {
        match self.0 {}
    }

    /// Waits until the child has ended, and returns its end.
    pub async fn finish(self) -> Exit {
        match self.0 {}
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        match self.0 {}
    }
}

/// The parent's view of the word that a child announces. There is none on this system.
#[derive(Clone, Debug)]
pub struct Announced(Infallible);

impl Announced {
    /// Returns the word that the child announced last.
    pub fn word(&self) -> u64 {
        match self.0 {}
    }
}

/// The role of a host of programs, which no child takes on this system.
pub const PROGRAM_HOST: Role = refusing("program");

/// The role of the probe, which no child takes on this system.
pub const PROBE: Role = refusing("probe");

const fn refusing(name: &'static str) -> Role {
    Role {
        name,
        before_fence: Role::nothing,
        run: refuse,
    }
}

fn refuse(_: &[u8], _: &mut Frames) -> Result<(), String> {
    Err(confinement_error().to_string())
}
