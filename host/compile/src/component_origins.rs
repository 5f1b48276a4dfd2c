//! Components by the code that was precompiled of them, for machines that compile by themselves.

use super::child_output::BuiltComponent;
use bakeoff_source::content_address;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The origin of code: the component that it was made of, and the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeOrigin {
    /// The component.
    pub component: Arc<[u8]>,
    /// The number of the layout of code in the timed profile; `None` for code in the checked one.
    pub layout: Option<u32>,
}

/// Origins of the code of a run's builds, by its digest. Precompiled code is never sent to another machine: in its place goes
/// the component that it was made of.
#[derive(Debug, Default)]
pub struct ComponentOrigins(Mutex<BTreeMap<String, CodeOrigin>>);

impl ComponentOrigins {
    /// Remembers a component that was built.
    pub(super) fn remember(&self, built: &BuiltComponent) {
        let component: Arc<[u8]> = built.component.as_slice().into();
        let timed = (0..).map(Some).zip(&built.timed);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (layout, code) in std::iter::once((None, &built.checked)).chain(timed) {
            known
                .entry(content_address(code))
                .or_insert_with(|| CodeOrigin {
                    component: Arc::clone(&component),
                    layout,
                });
        }
    }

    /// Returns the origin of code, if it was built here.
    pub fn of_code(&self, code: &[u8]) -> Option<CodeOrigin> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&content_address(code)).cloned()
    }
}
