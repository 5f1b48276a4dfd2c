//! The experiment as its report names it, with the options of the command line that declare it.

use super::evidence::Record;
use super::instances;
use super::variant_state::VariantState;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::ExperimentSummary;
use bakeoff_domain::spec::{DeclaringPlace, Experiment, Inputs};
use std::path::Path;

/// Returns the experiment as its report names it.
///
/// # Errors
/// The seed of the race cannot be read.
pub(super) fn summary(
    record: &Record,
    variants: &[VariantState],
) -> Result<ExperimentSummary, String> {
    let experiment = &record.experiment;
    let seed = record.race_seed()?;
    Ok(ExperimentSummary {
        id: record.experiment_id.clone(),
        name: experiment.name.clone(),
        problem: experiment.problem.clone(),
        seed,
        check_seed: experiment.workload.seed.map_or(seed, RunSeed::Named),
        cases: if experiment.workload.inputs.are_instances() {
            Vec::new()
        } else {
            record.cases.clone()
        },
        instances: instances::summary(record, variants),
        options: options(experiment),
        by_sources: experiment.declared.is_temporary(),
    })
}

/// Returns the options of the command line that declare an experiment without a file: the called function and its
/// inputs.
fn options(experiment: &Experiment) -> Vec<String> {
    let call = ["--call".to_owned(), experiment.interface.call.clone()];
    match &experiment.declared {
        DeclaringPlace::InFile => return Vec::new(),
        DeclaringPlace::BySources => return options_by_sources(experiment, call),
        DeclaringPlace::ByTypes(wit) => {
            let wit = ["--wit".to_owned(), shown(wit)];
            return wit.into_iter().chain(call).collect();
        }
        DeclaringPlace::OnCommandLine => {}
    }
    let inputs = match &experiment.workload.inputs {
        Inputs::Generated { code, .. } | Inputs::Instances { code, .. } => {
            ["--workload".to_owned(), shown(code.path())]
        }
        Inputs::Cases(file) => ["--cases".to_owned(), shown(file)],
        // Only a file declares a question in words.
        Inputs::None => return Vec::new(),
    };
    let wit = ["--wit".to_owned(), shown(&experiment.interface.wit)];
    wit.into_iter().chain(call).chain(inputs).collect()
}

/// Returns the same options where the interface was read off the sources: its file is temporary, and so is a workload
/// beside it.
fn options_by_sources(experiment: &Experiment, call: [String; 2]) -> Vec<String> {
    let inputs = match &experiment.workload.inputs {
        Inputs::Generated { code, sizes, .. }
            if code.path().parent() != experiment.interface.wit.parent() =>
        {
            let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
            vec![
                "--workload".to_owned(),
                shown(code.path()),
                "--size".to_owned(),
                sizes.join(","),
            ]
        }
        Inputs::Generated { .. } | Inputs::Instances { .. } | Inputs::None => Vec::new(),
        Inputs::Cases(file) => vec!["--cases".to_owned(), shown(file)],
    };
    call.into_iter().chain(inputs).collect()
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
