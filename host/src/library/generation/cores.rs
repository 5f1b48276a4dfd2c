//! Number of cores for what a model writes.

use bakeoff_domain::spec::Workers;

/// Returns the number of prototypes that are built and tried at once.
pub(crate) fn cores_of(workers: Workers) -> usize {
    match workers {
        Workers::Exactly(count) => count as usize,
        Workers::Auto => bakeoff_confine::usable_cores().len(),
    }
}
