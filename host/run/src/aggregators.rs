//! The aggregators of an experiment, built before anything is measured.

use super::error::RunError;
use super::guest_builds::NamedGuest;
use bakeoff_compile::{Builder, BuiltComponent};
use bakeoff_config::{ConfigPlace, LoadedExperiment};
use bakeoff_source::RunFiles;
use bakeoff_source::interface::World;
use std::sync::Arc;

/// Builds the aggregators of an experiment in their order.
///
/// # Errors
/// An aggregator cannot be built; the error points at it.
pub(super) async fn open(
    loaded: &LoadedExperiment,
    files: &RunFiles,
    builder: &Builder,
) -> Result<Vec<Arc<BuiltComponent>>, RunError> {
    let mut aggregators = Vec::new();
    let declared = loaded.experiment.aggregators.iter().enumerate();
    for ((place, aggregator), code) in declared.zip(&files.aggregators) {
        let guest = NamedGuest {
            loaded,
            world: World::Aggregator,
            name: &aggregator.name,
            place: ConfigPlace::Aggregator(place),
        };
        aggregators.push(guest.build(code, builder).await?);
    }
    Ok(aggregators)
}
