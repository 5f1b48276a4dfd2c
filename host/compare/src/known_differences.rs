//! Inputs on which earlier versions of the same files differed: they are tried first the next time.

use bakeoff_compile::RememberedInputs;
use bakeoff_domain::spec::Approach;
use bakeoff_run::Survey;
use bakeoff_source::interface::{DerivedInterface, Literal, Shape, read_literals, written_call};
use std::collections::BTreeSet;
use std::path::Path;

/// The most inputs that are remembered of a file and its function, and the longest, in bytes of WAVE.
const INPUTS_MAX: usize = 16;
const INPUT_BYTES_MAX: usize = 4 << 10;

/// Returns the key under which inputs of a file's function are remembered: the file's path, and the function's name and
/// types.
fn key(file: &Path, found: &DerivedInterface) -> RememberedInputs {
    let path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    RememberedInputs {
        path,
        function: format!("{}: {}", found.call, found.signature()),
    }
}

/// Returns the inputs that are remembered of these files, each once. Inputs that do not fit the function are left out.
pub(crate) fn inputs(
    survey: &Survey,
    found: &DerivedInterface,
    approaches: &[Approach],
) -> Vec<Vec<Literal>> {
    let parameters = &found.signature().parameters;
    let shapes: Vec<&Shape> = parameters.iter().map(|(_, shape)| shape).collect();
    let keys = approaches.iter().map(|one| key(one.code.path(), found));
    let texts = keys.flat_map(|key| survey.builder().remembered(&key));
    let texts = texts.filter(|text| text.len() <= INPUT_BYTES_MAX);
    let mut known = BTreeSet::new();
    let distinct = texts.filter(|text| known.insert(text.clone()));
    let read = distinct.filter_map(|text| read_literals(&text, &shapes));
    read.take(INPUTS_MAX).collect()
}

/// Remembers an input on which files differ, before the known ones; beyond the most, the oldest is forgotten.
pub(crate) fn add(
    survey: &Survey,
    found: &DerivedInterface,
    approaches: &[Approach],
    arguments: &[Literal],
) {
    let call = written_call("", arguments);
    let inner = call
        .strip_prefix('(')
        .and_then(|call| call.strip_suffix(')'));
    let Some(inner) = inner.filter(|inner| inner.len() <= INPUT_BYTES_MAX) else {
        return;
    };
    for approach in approaches {
        let key = key(approach.code.path(), found);
        let mut inputs = survey.builder().remembered(&key);
        inputs.retain(|known| known != inner);
        inputs.insert(0, inner.to_owned());
        inputs.truncate(INPUTS_MAX);
        survey.builder().remember(&key, &inputs);
    }
}
