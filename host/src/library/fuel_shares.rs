//! Where the fuel of approaches goes, for `bakeoff check DIR --fuel`.

use bakeoff_domain::failure::Failure as Failed;
use bakeoff_domain::function_fuel::{FuelByFunction, FunctionFuel};
use bakeoff_render::escape::Plain;
use bakeoff_run::SurveyedFuel;
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

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
    if counted.is_empty() {
        return String::new();
    }
    let names: Vec<String> = (counted.iter())
        .map(|one| Plain(&one.approach).to_string())
        .collect();
    let width = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let mut text = "\nFuel by function, which counts instructions and no time:\n".to_owned();
    for (one, name) in counted.iter().zip(names) {
        let shares = one.fuel.as_ref().map(FuelByFunction::sentence);
        let what = match &shares {
            Ok(Some(shares)) => Plain(shares).to_string(),
            Ok(None) => "not known: the component has no source".to_owned(),
            Err(failure) => {
                let line = failure.message.lines().next().unwrap_or_default();
                format!("not known: {}", Plain(line))
            }
        };
        let blanks = " ".repeat(width - name.width());
        text += &format!("  {name}{blanks}  {what}\n");
    }
    text
}
