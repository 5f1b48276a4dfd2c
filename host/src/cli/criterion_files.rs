//! The files of `bakeoff export --format criterion`.

use super::failure::Failure;
use super::report_source;
use bakeoff_domain::variant::VariantId;
use bakeoff_files::Folder;
use bakeoff_render::escape::Plain;
use bakeoff_render::{CriterionBenchmark, TimedSample};
use bakeoff_run::{Evidence, samples_of};
use bakeoff_sandbox::TimedCalls;
use bakeoff_store::{RunId, Store};
use serde_json::Value;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The name of a baseline, which is that of a folder.
#[derive(Clone, Debug)]
pub(super) struct Baseline(String);

impl FromStr for Baseline {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let plain = |one: char| one.is_ascii_alphanumeric() || matches!(one, '-' | '_');
        if !name.is_empty() && name.len() <= 64 && name.chars().all(plain) && name != "change" {
            Ok(Self(name.to_owned()))
        } else {
            Err(
                "1 to 64 of a-z, A-Z, 0-9, - and _, and not `change`, which is criterion's"
                    .to_owned(),
            )
        }
    }
}

/// Writes the times of a run, or of the last one that has a report, below `folder`; returns the number of benchmarks.
pub(super) fn write(
    store: &Store,
    run: Option<RunId>,
    from: &Path,
    folder: &Path,
    baseline: &Baseline,
) -> Result<usize, Failure> {
    let shown = report_source::of_run(store, run, from)?;
    let mut evidence = Evidence::read(store, shown.run, shown.report.cost.seconds)?;
    // A verdict rests on the replicas in the order of their launch, up to the first that is missing.
    let in_order = evidence.replicas.iter().zip(0..);
    let counted = in_order.take_while(|(replica, number)| replica.index == *number);
    let counted = counted.count();
    evidence.replicas.truncate(counted);
    let benchmarks = bakeoff_render::criterion(&shown.report, |variant| {
        let by_case = samples_of(&evidence, &VariantId::kept(variant.id.clone()));
        let timed = |one: TimedCalls| TimedSample {
            calls: one.calls,
            ns: one.duration_ns,
            replica: one.replica,
        };
        let case = |samples: Vec<TimedCalls>| samples.into_iter().map(timed).collect();
        by_case.into_iter().map(case).collect()
    });
    let failed = |error: io::Error| {
        let shown = folder.display().to_string();
        Failure::infrastructure(format!("cannot write to {}: {error}", Plain(&shown)))
    };
    let open = Folder::made_by_user(folder).map_err(failed)?;
    for benchmark in &benchmarks {
        write_one(&open, baseline, benchmark).map_err(failed)?;
    }
    Ok(benchmarks.len())
}

fn write_one(
    folder: &Folder,
    baseline: &Baseline,
    benchmark: &CriterionBenchmark,
) -> io::Result<()> {
    // The folder may have come with a foreign experiment: a link in it could lead elsewhere.
    let names = benchmark.folder.iter().chain([&baseline.0]);
    let place = folder.make(names.collect::<PathBuf>())?;
    let files: [(&str, &Value); 3] = [
        ("benchmark.json", &benchmark.benchmark),
        ("estimates.json", &benchmark.estimates),
        ("sample.json", &benchmark.sample),
    ];
    for (name, value) in files {
        let file = place.new_file(name)?;
        file.file().write_all(value.to_string().as_bytes())?;
        file.put_in_place()?;
    }
    Ok(())
}
