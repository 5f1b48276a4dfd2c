//! Arguments that are the same from every seed, beside others that are drawn.

use super::error::RunError;
use super::session::Run;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_measure::GateRecord;
use bakeoff_store::events::Event;
use std::collections::{BTreeMap, BTreeSet};

/// The end of the sentence on an argument that is known beforehand, behind the cases.
pub(super) const ADVICE: &str = ". Whoever knows it beforehand can be written for it alone: let `generate` draw it from its seed.";

/// Returns the beginning of the sentence on an argument, counted from 1.
pub(super) fn beginning(argument: u32) -> String {
    format!("The same argument {argument} from every seed: ")
}

/// Returns the arguments, counted from 1, that the workload makes alike from every seed, each with the cases on which
/// the gates found it.
pub(super) fn constant_arguments<'a>(
    gates: impl Iterator<Item = &'a GateRecord>,
) -> BTreeMap<u32, BTreeSet<CaseIndex>> {
    let mut found: BTreeMap<u32, BTreeSet<CaseIndex>> = BTreeMap::new();
    for checked in gates.flat_map(|gate| &gate.cases) {
        for argument in &checked.constant_arguments {
            found.entry(argument + 1).or_default().insert(checked.case);
        }
    }
    found
}

impl Run<'_> {
    /// Warns of arguments that anyone can know beforehand, before anything is timed.
    pub(super) fn warn_of_constant_arguments(&mut self) -> Result<(), RunError> {
        let gates = self.variants.iter().filter_map(|state| state.gate.as_ref());
        for (argument, cases) in constant_arguments(gates) {
            let cases = cases
                .iter()
                .map(|case| self.context.cases[*case].to_string());
            let cases: Vec<String> = cases.collect();
            let message = format!("{}{}{ADVICE}", beginning(argument), cases.join(", "));
            self.store.emit(Event::Warning { message })?;
        }
        Ok(())
    }
}
