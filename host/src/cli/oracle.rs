//! `bakeoff check DIR`: tests whether the oracle of an experiment can be believed.

use super::failure::Failure;
use super::options::{Format, Output, Safety};
use super::{Status, show};
use crate::library::OracleCheck;
use bakeoff_config::Policy;
use std::path::Path;

/// Tests the oracle of an experiment with the answers of its approaches, and counts fuel by function if that is wanted.
pub(super) async fn run(
    experiment: &Path,
    wants_fuel: bool,
    safety: &Safety,
    output: &Output,
) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let mut loaded = bakeoff_config::load(experiment)?;
    let policy = Policy::of_host()?;
    policy.apply_to(&mut loaded)?;
    loaded.has_code()?;
    let host = safety.host_options(policy)?;
    let checked = OracleCheck::of(&loaded, &host, wants_fuel, &mut output.reporter()).await?;
    let name = experiment.display().to_string();
    show::write(&match output.format {
        Format::Json => checked.json_of(&name),
        _ => checked.text_of(&name),
    })?;
    Ok(if checked.is_believed() {
        Status::Done
    } else {
        Status::NoAnswer
    })
}
