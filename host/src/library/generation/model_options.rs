//! The model that is asked, and what it may cost.

use super::error::GenerationError;
use bakeoff_domain::generate::ProviderKind;
use bakeoff_provider::Models;
use std::ops::RangeInclusive;
use std::path::Path;

/// The dollars that a model may be allowed to cost.
const USD: RangeInclusive<f64> = 0.000_001..=1_000_000.0;

/// A model that is asked, and the bounds within which it is.
#[derive(Clone, Debug)]
pub(crate) struct ModelOptions {
    options: bakeoff_provider::ModelOptions,
}

/// Returns US dollars in millionths of one; `None` if nothing can cost that.
pub(crate) fn microdollars(dollars: f64) -> Option<u64> {
    USD.contains(&dollars)
        .then(|| (dollars * 1e6).round() as u64)
}

impl ModelOptions {
    /// Returns the usual options of a kind of provider, of which everything else is to be said yet.
    pub(crate) fn of(kind: ProviderKind) -> Self {
        Self::with(bakeoff_provider::ModelOptions {
            concurrency: kind.calls_at_once(),
            ..bakeoff_provider::ModelOptions::new(kind)
        })
    }

    /// Returns these options.
    pub(crate) fn with(options: bakeoff_provider::ModelOptions) -> Self {
        Self { options }
    }

    /// Returns the options as the provider has them.
    pub(crate) fn options(&self) -> &bakeoff_provider::ModelOptions {
        &self.options
    }

    /// Opens the model. Every exchange is written to `record`, and none that it has is paid for again.
    ///
    /// # Errors
    /// An option is missing or does not fit the others, or a file that it names cannot be read.
    pub(crate) fn open(&self, record: &Path) -> Result<Models, GenerationError> {
        let opened = Models::open(bakeoff_provider::ModelOptions {
            record: Some(record.to_owned()),
            ..self.options.clone()
        });
        opened.map_err(|error| GenerationError::Model(error.to_string()))
    }
}
