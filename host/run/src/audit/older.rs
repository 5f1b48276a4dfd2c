//! Runs of older versions, which stored less: the rest is taken from their report.

use crate::Evidence;
use bakeoff_compile::BuildRecord;
use bakeoff_domain::report::{Report, VariantReport};
use bakeoff_domain::spec::Source;
use bakeoff_store::StoredResult;

/// Returns true if the run was made by a version that stored neither its files nor the rest of the
/// evidence.
pub(super) fn is_older(evidence: &Evidence) -> bool {
    evidence.record.manifest.is_none()
}

/// Completes the evidence of such a run from its report.
pub(super) fn complete(evidence: &mut Evidence, report: &Report) {
    let record = &mut evidence.record;
    if record.cases.is_empty() {
        record.cases.clone_from(&report.experiment.cases);
    }
    for variant in &record.variants {
        let reported = report.variants.iter().find(|other| variant.id == other.id);
        let Some(reported) = reported else { continue };
        match record
            .builds
            .iter_mut()
            .find(|build| variant.id == build.variant)
        {
            Some(build) => complete_build(&mut build.value, reported),
            // Its code could not be read, and only the report says why.
            None => record.builds.push(StoredResult {
                variant: variant.id.clone().into(),
                iteration: variant.iteration.number,
                key: String::new(),
                inputs: Vec::new(),
                value: BuildRecord {
                    failure: reported.failure.clone(),
                    ..BuildRecord::default()
                },
            }),
        }
    }
}

fn complete_build(build: &mut BuildRecord, reported: &VariantReport) {
    let lines = reported.readings.get(&Source::SourceLines.name());
    build.source_lines = lines.map(|reading| reading.value as u64);
    build.imports = Some(reported.imports.clone());
    if let Some(time) = reported.readings.get(&Source::BuildTime.name()) {
        build.cpu_seconds = time.value / 1e9;
    }
}
