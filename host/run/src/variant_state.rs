//! The state of a variant during a run.

use bakeoff_compile::{BuildRecord, BuiltComponent};
use bakeoff_domain::failure::Failure;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::report::{Interval, Screening};
use bakeoff_domain::variant::{Variant, VariantId};
use bakeoff_measure::GateRecord;
use bakeoff_source::{BuildInput, PackedFolders};
use bakeoff_store::Owner;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The identity of a variant: its component, and its grant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// SHA-256 of the component, as 64 hexadecimal digits.
    pub component: String,
    /// Digest of the granted files and of the parameter values, if there are any.
    pub files: Option<String>,
}

impl Identity {
    /// Returns the files as a key has them: their digest, or `none`.
    pub(super) fn files_input(&self) -> &str {
        self.files.as_deref().unwrap_or("none")
    }
}

/// A variant with the results that it has so far.
#[derive(Clone, Debug)]
pub struct VariantState {
    /// The variant.
    pub variant: Variant,
    /// The variant's code, if it could be read.
    pub code: Option<BuildInput>,
    /// The granted files and the parameter values, if there are any.
    pub files: Option<PackedFolders>,
    /// The component with its machine code, once built in this session.
    pub built: Option<Arc<BuiltComponent>>,
    /// The record of the variant's build.
    pub build: Option<BuildRecord>,
    /// The identity, once the variant is built.
    pub identity: Option<Identity>,
    /// The record of the variant's gate, once it has passed or failed.
    pub gate: Option<GateRecord>,
    /// The failure, if the variant has no result.
    pub failure: Option<Failure>,
    /// The call that failed, by its case and the seed of its input, if one did.
    pub failed_call: Option<(CaseIndex, u64)>,
    /// An earlier variant with the same identity: the two tie without being raced.
    pub duplicate_of: Option<VariantId>,
    /// Readings that evaluators gave before the race, by source.
    pub evaluated: BTreeMap<String, Interval>,
    /// Result of the screening of a large sweep, if there was one.
    pub screening: Option<Screening>,
}

impl VariantState {
    /// Returns the state of a variant without any results.
    pub fn new(variant: Variant) -> Self {
        Self {
            variant,
            code: None,
            files: None,
            built: None,
            build: None,
            identity: None,
            gate: None,
            failure: None,
            failed_call: None,
            duplicate_of: None,
            evaluated: BTreeMap::new(),
            screening: None,
        }
    }

    /// Returns the state of a variant with its code, or with the failure to read it.
    pub fn with_code(variant: Variant, code: Result<BuildInput, Failure>) -> Self {
        let mut state = Self::new(variant);
        match code {
            Ok(code) => {
                state.variant.iteration.source = Some(code.content_address());
                state.code = Some(code);
            }
            Err(failure) => state.failure = Some(failure),
        }
        state
    }

    /// Returns the id of the variant.
    pub fn id(&self) -> &VariantId {
        &self.variant.id
    }

    /// Returns true if the variant has parameters, so that its component is granted their values.
    pub fn is_swept(&self) -> bool {
        !self.variant.parameters.is_empty()
    }

    /// Returns the id of the variant that this one duplicates, or its own.
    pub fn original(&self) -> &VariantId {
        self.duplicate_of.as_ref().unwrap_or(&self.variant.id)
    }

    /// Returns the iteration that its results belong to.
    pub fn owner(&self) -> Owner<'_> {
        Owner::of(&self.variant)
    }

    /// Sets the component that was built, and with it the identity.
    pub fn take_built(&mut self, built: Arc<BuiltComponent>) {
        self.identity = Some(Identity {
            component: built.digest.clone(),
            files: self.files.as_ref().map(|files| files.digest.clone()),
        });
        self.built = Some(built);
    }

    /// Returns true if the variant has not failed.
    pub fn is_alive(&self) -> bool {
        self.failure.is_none()
    }

    /// Returns true if a screening left it out of the race.
    pub fn is_screened_out(&self) -> bool {
        self.screening.is_some_and(|screening| !screening.chosen)
    }

    /// Returns true if the variant may be compared with others: it has not failed, and no screening left it out.
    pub fn is_contender(&self) -> bool {
        self.is_alive() && !self.is_screened_out()
    }

    /// Returns true if the variant is timed in the race, and is no duplicate.
    pub fn races(&self) -> bool {
        self.is_contender() && self.duplicate_of.is_none() && self.identity.is_some()
    }
}

/// Marks every variant with the same identity as an earlier one that races.
pub(super) fn find_duplicates(variants: &mut [VariantState]) {
    for later in 1..variants.len() {
        let (earlier, rest) = variants.split_at_mut(later);
        let state = &mut rest[0];
        if state.is_contender() && state.identity.is_some() {
            let same = |other: &&VariantState| other.races() && other.identity == state.identity;
            state.duplicate_of = earlier.iter().find(same).map(|other| other.id().clone());
        }
    }
}

/// Returns the state of a variant by its id.
pub(super) fn find<'a>(variants: &'a [VariantState], id: &VariantId) -> Option<&'a VariantState> {
    variants.iter().find(|state| state.id() == id)
}

/// Returns the state of a variant by its id, to be changed.
pub(super) fn find_mut<'a>(
    variants: &'a mut [VariantState],
    id: &VariantId,
) -> Option<&'a mut VariantState> {
    variants.iter_mut().find(|state| state.id() == id)
}
