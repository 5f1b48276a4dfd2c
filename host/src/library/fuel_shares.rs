//! Fuel of approaches by the functions of their sources, for `bakeoff check DIR --fuel`.

use super::named_rows::{named_rows, not_known};
use bakeoff_domain::failure::Failure as Failed;
use bakeoff_domain::function_fuel::{FuelByFunction, FunctionFuel};
use bakeoff_render::escape::Plain;
use bakeoff_run::SurveyedFuel;
use serde::Serialize;

/// The fuel of an approach by the functions of its source, in JSON.
#[derive(Serialize)]
pub(super) struct FuelOutput<'a> {
    approach: &'a str,
    /// Units of fuel of all calls.
    fuel: Option<u64>,
    /// The functions with the most of it.
    functions: &'a [FunctionFuel],
    /// The reason why it is not known where fuel goes.
    failure: Option<&'a Failed>,
}

impl<'a> FuelOutput<'a> {
    pub(super) fn of(counted: &'a SurveyedFuel) -> Self {
        let fuel = counted.fuel.as_ref();
        Self {
            approach: &counted.approach,
            fuel: fuel.ok().map(|fuel| fuel.fuel),
            functions: fuel.map_or(&[], |fuel| &fuel.functions),
            failure: fuel.err(),
        }
    }
}

/// Returns where the fuel of each approach goes, as text.
pub(super) fn text(counted: &[SurveyedFuel]) -> String {
    let row = |one: &'_ SurveyedFuel| match one.fuel.as_ref().map(FuelByFunction::sentence) {
        Ok(Some(shares)) => Plain(&shares).to_string(),
        Ok(None) => "not known: the component has no source".to_owned(),
        Err(failure) => not_known(failure),
    };
    let rows = counted.iter().map(|one| (one.approach.as_str(), row(one)));
    let heading = "Fuel by function, which counts instructions and no time";
    named_rows(heading, &rows.collect::<Vec<_>>())
}
