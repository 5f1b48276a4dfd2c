//! Other systems than Linux: nothing here fences in, so nothing is started.

use super::ending::{Exit, FrameError, SpawnError, Unavailable};
use super::job::{Job, Level, Means, Role};
use std::io;
use std::process::{Command, ExitCode};

/// Proof that untrusted code can be fenced in: on this system there is none.
#[derive(Clone, Debug)]
pub enum Confinement {}

impl Confinement {
    /// Always fails here.
    ///
    /// # Errors
    /// The system is not Linux.
    pub async fn probe() -> Result<Self, Unavailable> {
        Err(Unavailable {
            reason: format!(
                "children are fenced by Landlock and seccomp, which only Linux has, and this is {}",
                std::env::consts::OS
            ),
            next: "run bakeoff on Linux: in a virtual machine, or in a container on one".to_owned(),
        })
    }

    /// Always fails here.
    ///
    /// # Errors
    /// The system is not Linux.
    pub async fn allow_unconfined() -> Result<Self, Unavailable> {
        Self::probe().await
    }

    /// How well children are fenced in.
    pub fn level(&self) -> Level {
        match *self {}
    }

    /// What stands around builders besides their own fence.
    pub fn outer_layer(&self) -> Option<&'static str> {
        match *self {}
    }

    /// What it is made of.
    pub fn means(&self) -> Means {
        match *self {}
    }

    /// The same, with nothing around builders besides their own fence.
    #[must_use]
    pub fn without_outer_layer(self) -> Self {
        self
    }

    /// Starts a child.
    ///
    /// # Errors
    /// None: there is nobody to call it.
    pub async fn spawn(&self, _: Job<'_>) -> Result<Child, SpawnError> {
        match *self {}
    }
}

/// A running child: on this system there is none.
#[derive(Debug)]
pub enum Child {}

impl Child {
    /// The next frame.
    ///
    /// # Errors
    /// None: there is nobody to call it.
    pub async fn next_frame(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        match *self {}
    }

    /// The child's process id.
    pub fn pid(&self) -> Option<u32> {
        match *self {}
    }

    /// Kills the child.
    pub fn kill(&mut self) {
        match *self {}
    }

    /// Waits until the child has ended.
    pub async fn finish(self) -> Exit {
        match self {}
    }
}

/// The child's end of the pipe to its parent: on this system there is none.
#[derive(Debug)]
pub enum Frames {}

impl Frames {
    /// Sends one frame.
    ///
    /// # Errors
    /// None: there is nobody to call it.
    pub fn send(&mut self, _: &[u8]) -> io::Result<()> {
        match *self {}
    }
}

/// The role of the probe: on this system nobody takes it.
pub const PROBE: Role = Role {
    name: "probe",
    run: |_, frames| match *frames {},
};

/// No process is a child here.
pub fn enter_if_child(_: &[Role]) -> Option<ExitCode> {
    None
}

/// Nothing here could use one.
pub fn bubblewrap_is_installed() -> bool {
    false
}

/// Nothing is started from a child here.
pub fn dies_with_parent(command: &mut Command) -> &mut Command {
    command
}
