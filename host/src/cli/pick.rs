//! `bakeoff pick`: the code of the recommended variant, as it was measured.

use super::Status;
use super::failure::Failure;
use super::options::{Format, Output};
use super::picked_branch::AgentsFolder;
use super::report_source::ReportPlace;
use super::show;
use bakeoff_config::DeclaredExperiment;
use bakeoff_domain::report::{MeasuringEnd, RankingOutcome, Report, VariantReport};
use bakeoff_domain::variant::{self, approach_indexes};
use bakeoff_files::{Reach, write_new};
use bakeoff_render::escape::Plain;
use bakeoff_run::is_built_from;
use bakeoff_source::{COMPONENT_BYTES_MAX, read_code};
use bakeoff_store::{ResultKind, RunId, Store, StoredResult};
use clap::Args;
use serde::Serialize;
use serde::de::IgnoredAny;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Prints where the source, or component, of the recommended variant is, or makes a copy of it: the
/// code that was measured, whatever became of the file since. Exits with 1 if no variant could be
/// recommended.
///
/// Of agents (`bakeoff agents`) it names the branch that is ahead by --measure, or the only one that passed, and shows its
/// changes; --apply makes them in your files. Nothing is merged, staged or committed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff pick examples/top-k
  bakeoff pick examples/top-k --copy src/top_k.rs
  bakeoff pick .bakeoff/agents --variant simd --apply")]
pub(super) struct Arguments {
    /// An experiment's folder or file, a folder of results, or .bakeoff/NAME of agents
    #[arg(default_value = ".", value_name = "DIR|FILE")]
    from: PathBuf,
    /// Copies it to a file that does not exist yet
    #[arg(long, value_name = "FILE")]
    copy: Option<PathBuf>,
    /// Variant of agents to take, instead of the one that is ahead
    #[arg(long, value_name = "NAME", conflicts_with = "copy")]
    variant: Option<String>,
    /// Makes the changes of an agent in your files, which must be those that it began with
    #[arg(long, conflicts_with = "copy")]
    apply: bool,
}

/// The output in JSON.
#[derive(Serialize)]
struct PickOutput<'a> {
    id: &'a str,
    name: &'a str,
    file: String,
    /// The file as the report names it, relative to the experiment's folder.
    declared_file: &'a str,
    /// SHA-256 of the code that was measured; `null` if it is not kept any more.
    sha256: Option<&'a str>,
    /// `true` if the experiment's own file has other code by now; `null` if that is not known.
    changed: Option<bool>,
}

/// The code of a variant as it was measured.
struct MeasuredCode {
    sha256: String,
    /// The path at which it is stored.
    path: PathBuf,
    bytes: Vec<u8>,
}

/// The file that the experiment names for a variant.
struct OwnFile {
    path: PathBuf,
    /// SHA-256 of its content; `None` if it cannot be read.
    sha256: Option<String>,
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    if let Some(agents) = AgentsFolder::named(&arguments.from) {
        if arguments.copy.is_some() {
            return Err(Failure::usage(
                "--copy is for the one file of a variant: of agents, --apply makes all changes in your files",
            ));
        }
        return agents.pick(arguments.variant.as_deref(), arguments.apply, output);
    }
    if arguments.apply || arguments.variant.is_some() {
        return Err(Failure::usage(
            "--variant and --apply are for agents: name their folder, such as `bakeoff pick .bakeoff/agents`",
        ));
    }
    let place = ReportPlace::find(&arguments.from)?;
    let (store, shown) = place.report()?;
    let winner = winner(&shown.report)?;
    let measured = measured_code(&store, shown.run, &winner.id)?;
    let own = place.experiment.as_ref();
    let own = own.and_then(|declared| own_file(declared, &winner.id));
    let changed = match (&measured, &own) {
        (Some(measured), Some(own)) => Some(own.sha256.as_ref() != Some(&measured.sha256)),
        _ => None,
    };
    if changed == Some(true) {
        anstream::eprintln!(
            "{} is not what was measured any more; this is the code that was",
            Plain(&winner.file)
        );
    }
    let file = match (&arguments.copy, &measured, own) {
        (Some(to), Some(measured), _) => {
            copy(&measured.bytes, to)?;
            to.clone()
        }
        // Results may have been sent by anybody: no file is opened because they name it.
        (Some(_), None, _) => {
            return Err(Failure::usage(format!(
                "the code of {} that was measured is not kept any more, so there is nothing to copy \
                 from: measure again with `bakeoff run --fresh`",
                Plain(&winner.id)
            )));
        }
        (None, Some(measured), Some(own)) => match changed {
            Some(true) => measured.path.clone(),
            _ => own.path,
        },
        (None, Some(measured), None) => measured.path.clone(),
        (None, None, own) => {
            anstream::eprintln!(
                "the code that was measured is not kept any more: whether this is it is not known"
            );
            own.map_or_else(|| PathBuf::from(&winner.file), |own| own.path)
        }
    };
    let file = file.display().to_string();
    match output.format {
        Format::Json => show::write_json(&PickOutput {
            id: &winner.id,
            name: &winner.name,
            file,
            declared_file: &winner.file,
            sha256: measured.as_ref().map(|measured| measured.sha256.as_str()),
            changed,
        })?,
        _ => show::write(&format!("{}\n", Plain(&file)))?,
    }
    Ok(Status::Done)
}

/// Returns the code of a variant as measured in a run; `None` if it is not kept any more.
fn measured_code(store: &Store, run: RunId, id: &str) -> Result<Option<MeasuredCode>, Failure> {
    let variants = store.variants(run)?;
    let found = variants.into_iter().find(|variant| variant.id == id);
    let Some(last) = found.and_then(|mut variant| variant.iterations.pop()) else {
        return Ok(None);
    };
    let sha256 = last.source_digest;
    let builds: Vec<StoredResult<IgnoredAny>> = store.results(run, ResultKind::Build)?;
    let contents = store.files().contents();
    let Some(path) = contents.path(&sha256).filter(|_| contents.has(&sha256)) else {
        return Ok(None);
    };
    let own = builds.iter().find(|build| build.variant == id);
    if !own.is_some_and(|build| is_built_from(build, &sha256)) {
        return Err(Failure::usage(format!(
            "the code that is kept of {} is not what its build was made from: somebody changed \
             these results; `bakeoff run --fresh` measures again",
            Plain(id)
        )));
    }
    let bytes = contents.get(&sha256, COMPONENT_BYTES_MAX as u64)?;
    Ok(bytes.map(|bytes| MeasuredCode {
        sha256,
        path,
        bytes,
    }))
}

/// Returns the file that the experiment names for a variant.
fn own_file(declared: &DeclaredExperiment, id: &str) -> Option<OwnFile> {
    let approaches = &declared.experiment.approaches;
    let variants = variant::declare(approaches);
    let mut variants = variants.iter().zip(approach_indexes(approaches));
    let (_, approach) = variants.find(|(variant, _)| variant.id == *id)?;
    let approach = &approaches[approach];
    if approach.code.reference().is_some() {
        // There is no file of the experiment's own.
        return None;
    }
    let code = read_code(&approach.code, &declared.dir, Reach::Within(&declared.dir));
    Some(OwnFile {
        path: declared.dir.join(approach.code.path()),
        sha256: code.ok().map(|code| code.content_address()),
    })
}

/// Returns the recommended variant, or the reason why there is none.
fn winner(report: &Report) -> Result<&VariantReport, Failure> {
    let recommendation = &report.recommendation;
    let find = |id: &String| report.variants.iter().find(|variant| variant.id == *id);
    if let Some(winner) = recommendation.winner.as_ref().and_then(find) {
        return Ok(winner);
    }
    let tied = recommendation.tied.iter().filter_map(find);
    let tied: Vec<String> = tied
        .map(|variant| format!("{} ({})", Plain(&variant.id), Plain(&variant.file)))
        .collect();
    let tied = tied.join(" and ");
    Err(Failure::no_answer(match recommendation.outcome {
        RankingOutcome::Nothing => {
            "nothing to pick: no variant passed and was ranked; `bakeoff report` \
                             says why of each"
                .to_owned()
        }
        RankingOutcome::NoCall if recommendation.withheld.is_some() => {
            format!("nothing to pick. {}", Plain(&recommendation.text))
        }
        RankingOutcome::NoCall => format!(
            "nothing to pick: measuring ended before it was known which is ahead, {tied}; {}",
            what_helps(report.protocol.ended)
        ),
        RankingOutcome::Tie | RankingOutcome::Winner => format!(
            "nothing to pick: the first place is shared by {tied}; take either, or let another \
             criterion decide"
        ),
    }))
}

/// Returns what may lead to a pick where a race ended without one.
fn what_helps(ended: MeasuringEnd) -> &'static str {
    match ended {
        MeasuringEnd::Budget | MeasuringEnd::NotMeasured | MeasuringEnd::Unfinished => {
            "a larger --budget tells more, or take either"
        }
        MeasuringEnd::ReplicaLimit => "a quieter machine tells more, or take either",
        MeasuringEnd::Precision => "a smaller `precision` tells more, or take either",
        // More time would not be used.
        MeasuringEnd::Settled => {
            "how their times compare is known, and their totals may lie either way: take either, or let other weights or \
             criteria decide"
        }
    }
}

fn copy(bytes: &[u8], to: &Path) -> Result<(), Failure> {
    write_new(to, bytes).map_err(|error| {
        let to = to.display().to_string();
        Failure::usage(match error.kind() {
            ErrorKind::AlreadyExists => format!(
                "cannot copy to {0}: there is something called {0} already, which is left as it is: name a new file, or \
                 move that away",
                Plain(&to)
            ),
            _ => format!("cannot copy to {}: {error}", Plain(&to)),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_time_is_advised_only_where_it_would_be_used() {
        let names_budget = |ended: MeasuringEnd| what_helps(ended).contains("--budget");
        let uses_more = [
            MeasuringEnd::Budget,
            MeasuringEnd::NotMeasured,
            MeasuringEnd::Unfinished,
        ];
        assert!(uses_more.into_iter().all(names_budget));
        let uses_no_more = [
            MeasuringEnd::Settled,
            MeasuringEnd::Precision,
            MeasuringEnd::ReplicaLimit,
        ];
        assert!(!uses_no_more.into_iter().any(names_budget));
    }

    #[test]
    fn a_shared_first_place_names_those_who_share_it() {
        let text = include_str!("../../../tests/golden/report/report.json");
        let mut report: Report = serde_json::from_str(text).unwrap();
        let ids: Vec<String> = report.variants.iter().map(|one| one.id.clone()).collect();
        report.recommendation.winner = Some(ids[1].clone());
        assert_eq!(winner(&report).unwrap().id, ids[1]);
        report.recommendation.winner = None;
        report.recommendation.withheld = None;
        report.recommendation.outcome = RankingOutcome::Tie;
        report.recommendation.tied = ids[..2].to_vec();
        let failure = winner(&report).unwrap_err();
        assert!(failure.is_no_answer());
        for id in &ids[..2] {
            assert!(failure.text().contains(id.as_str()), "{}", failure.text());
        }
    }
}
