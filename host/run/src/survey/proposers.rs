//! Builds of proposers, and questions to them for approaches.

use super::super::error::RunError;
use super::Survey;
use bakeoff_compile::{BuildKind, BuildRequest};
use bakeoff_domain::failure::Failure;
use bakeoff_sandbox::{Completions, ProposerReply, ProposerTask};
use bakeoff_source::BuildInput;
use bakeoff_source::interface::{Interface, World};
use std::sync::Arc;

/// A proposer that is built and can be asked.
#[derive(Debug)]
pub struct BuiltProposer {
    /// Code of the proposer in the checked profile.
    checked: Vec<u8>,
}

impl Survey {
    /// Builds a proposer. The inner `Err` is the failure of its build.
    ///
    /// # Errors
    /// Something failed that does not depend on the proposer.
    pub async fn build_proposer(
        &self,
        code: BuildInput,
    ) -> Result<Result<BuiltProposer, Failure>, RunError> {
        let interface = Interface::of_own_world(World::Proposer)
            .ok_or_else(|| RunError::Engine("there is no world of proposers".to_owned()))?;
        let request = BuildRequest {
            interface: Arc::new(interface),
            world: World::Proposer,
            code,
            // It is not timed, so it may as well report its panics.
            kind: BuildKind::Diagnostic,
            memory_bytes: 0,
            parameters: false,
        };
        match self.context.tools.builder.build(&request).await {
            Ok(built) => Ok(Ok(BuiltProposer {
                checked: built.checked.clone(),
            })),
            Err(failure) if failure.class.is_machine_fault() => {
                Err(RunError::Machine(failure.message))
            }
            Err(failure) => Ok(Err(failure)),
        }
    }

    /// Asks a proposer for approaches, with its answered questions to a model.
    ///
    /// # Errors
    /// Something failed that does not depend on the proposer.
    pub async fn ask(
        &self,
        proposer: &BuiltProposer,
        task: &ProposerTask,
        completions: &Completions,
    ) -> Result<ProposerReply, RunError> {
        let config = &self.context.config;
        let reply = bakeoff_measure::propose(config, &proposer.checked, task, completions).await;
        reply.map_err(RunError::Runner)
    }
}
