//! The experiments of a search: those that are looked at in its rounds, and the one that races in the end.

use super::candidate::{Candidate, Program};
use super::space::{Space, Values};
use bakeoff_config::LoadedExperiment;
use bakeoff_domain::ids;
use bakeoff_domain::spec::{Approach, AuthorWords, Code, Parameter};
use std::path::PathBuf;
use std::sync::Arc;

/// The folder in the paths of sources that no file has.
const FOLDER: &str = "rounds";

/// Returns the program that an approach begins with: its own code, with the first values of its parameters if these are
/// searched.
pub(crate) fn first_program(approach: &Approach, is_searched: bool) -> Program {
    let values = if is_searched {
        let space = Space(&approach.sweep);
        space.values(&vec![0; approach.sweep.len()])
    } else {
        Values::new()
    };
    Program {
        origin: approach.name.clone(),
        values,
        source: None,
    }
}

/// Returns an experiment of these candidates in the place of its approaches.
pub(crate) fn experiment_of(
    loaded: &LoadedExperiment,
    candidates: &[&Candidate],
) -> LoadedExperiment {
    let mut made = loaded.clone();
    made.experiment.approaches.clear();
    for candidate in candidates {
        let origin = loaded
            .experiment
            .approaches
            .iter()
            .find(|one| one.name == candidate.program.origin);
        let Some(origin) = origin else {
            continue;
        };
        let mut approach = with_values(origin, &candidate.program);
        approach.name.clone_from(&candidate.name);
        if candidate.parent.is_some() {
            approach.description = Some(format!("{}: {}", candidate.by, candidate.change));
            approach.words = AuthorWords::default();
        }
        if let Some(source) = &candidate.program.source {
            let path = PathBuf::from(FOLDER).join(format!("{}.rs", ids::slug(&candidate.name)));
            made.texts.insert(path.clone(), Arc::clone(source));
            approach.code = Code::Source(path);
        }
        made.experiment.approaches.push(approach);
    }
    made
}

/// Returns an approach with one value for each of its parameters; as it is, if the program has its code and no values.
fn with_values(approach: &Approach, program: &Program) -> Approach {
    let mut made = approach.clone();
    let values = &program.values;
    if program.source.is_some() || !values.is_empty() {
        let one = |(name, value): (&String, &String)| Parameter {
            name: name.clone(),
            values: vec![value.clone()],
        };
        made.sweep = values.iter().map(one).collect();
    }
    made
}
