//! Builds of the components that a user brings beside prototypes and workload: evaluators, aggregators.

use super::error::RunError;
use bakeoff_compile::{BuildKind, BuildRequest, Builder, BuiltComponent};
use bakeoff_config::{ConfigPlace, LoadedExperiment};
use bakeoff_domain::failure::Failure;
use bakeoff_source::BuildInput;
use bakeoff_source::interface::{Interface, World};
use std::sync::Arc;

/// A component of one of bakeoff's own worlds that the experiment file names.
pub(super) struct NamedGuest<'a> {
    pub(super) loaded: &'a LoadedExperiment,
    /// The world that the component has to implement.
    pub(super) world: World,
    /// Name of the component in the experiment file.
    pub(super) name: &'a str,
    /// Place in the experiment file that names the component's code.
    pub(super) place: ConfigPlace,
}

impl NamedGuest<'_> {
    /// Makes an error that points at the component: the reason why it cannot be used, and help.
    pub(super) fn unusable(&self, why: &str, help: &str) -> RunError {
        let (world, name) = (self.world.name(), self.name);
        let message = format!("the {world} `{name}` cannot be used: {why}");
        let wrong = self.loaded.wrong(self.place, &message, "this one", help);
        RunError::from(wrong)
    }

    /// Builds the component, before anything is measured.
    ///
    /// # Errors
    /// The component cannot be built, or implements another world; the error points at it.
    pub(super) async fn build(
        &self,
        code: &Result<BuildInput, Failure>,
        builder: &Builder,
    ) -> Result<Arc<BuiltComponent>, RunError> {
        let world = self.world.name();
        let failed = |failure: Failure| {
            if failure.class.is_machine_fault() {
                RunError::Machine(failure.message)
            } else {
                self.unusable(
                &format!("{}: {}", failure.class, failure.message),
                &format!(
                    "it has to implement the world `bakeoff:{world}/{world}@0.1.0`: `bakeoff init \
                     --{world} NAME` makes one that works"
                ),
            )
            }
        };
        let no_world = || RunError::Engine(format!("{world} is no world of bakeoff's own"));
        let request = BuildRequest {
            interface: Arc::new(Interface::of_own_world(self.world).ok_or_else(no_world)?),
            world: self.world,
            code: code.clone().map_err(failed)?,
            // It is not timed, so it may as well report its panics.
            kind: BuildKind::Diagnostic,
            memory_bytes: 0,
            parameters: false,
        };
        builder.build(&request).await.map_err(failed)
    }
}
