//! `bakeoff archive`: what a search tried, where it came from, and what became of it.

use super::failure::Failure;
use super::options::{Format, Output};
use super::run_place::RunPlace;
use super::{Status, rounds, show};
use bakeoff_domain::{numbers, report};
use bakeoff_render::escape::{Lines, Plain};
use bakeoff_search::{Archive, Candidate, CandidateOutcome, SearchState};
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The most characters of a failure's message.
const MESSAGE_CHARS_MAX: usize = 400;

/// Shows what the search of an experiment tried, where each candidate came from, and what became of it
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff archive examples/tiles                      every candidate, in the order of its making
  bakeoff archive examples/tiles --tree               each below the one that it was made from
  bakeoff archive examples/tiles --failed             those that failed, each with its reason
  bakeoff archive examples/tiles --map                the best of each cell, where [rounds] has `cells`
  bakeoff archive examples/tiles --source 'heap 2.3'  the source of one
  bakeoff archive examples/tiles --diff 'heap 2.3'    what it changed in the one that it was made from

Figures are from short races during the search. They steered it, and claim nothing.")]
pub(super) struct Arguments {
    /// A folder with a bakeoff.toml, such a file, or a folder of results
    #[arg(default_value = ".")]
    experiment: PathBuf,
    /// Show each candidate below the one that it was made from
    #[arg(long, conflicts_with = "failed")]
    tree: bool,
    /// Show those that failed, each with its reason
    #[arg(long)]
    failed: bool,
    /// Show the best of each cell, where [rounds] has `cells`
    #[arg(long, conflicts_with_all = ["tree", "failed"])]
    map: bool,
    /// Show the difference of the candidate with this name from the one that it was made from
    #[arg(long, value_name = "NAME", conflicts_with_all = ["tree", "failed", "map", "source"])]
    diff: Option<String>,
    /// Show the source of the candidate with this name
    #[arg(long, value_name = "NAME", conflicts_with_all = ["tree", "failed", "map"])]
    source: Option<String>,
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let named = &arguments.experiment;
    if !named.exists() {
        return Err(Failure::usage(format!(
            "there is no folder {}: name that of an experiment, or of its results",
            Plain(&named.display().to_string())
        )));
    }
    let place = RunPlace::find(named, None)?;
    let known = bakeoff_search::known(&place.results).map_err(rounds::failure)?;
    let Some(archive) = known else {
        return Err(Failure::usage(format!(
            "no search of yours is kept in {}: `bakeoff evolve` begins one, and `bakeoff --on ssh:HOST archive` shows \
             that of another machine",
            Plain(&place.results.path().display().to_string())
        )));
    };
    if let Some(name) = &arguments.source {
        show::write(&source(&archive, name)?)?;
        return Ok(Status::Done);
    }
    if let Some(name) = &arguments.diff {
        show::write(&difference(&archive, name)?)?;
        return Ok(Status::Done);
    }
    let map = archive.map();
    if arguments.map && map.is_none() {
        return Err(Failure::usage(
            "the search has no cells, so there is no map: `cells` of [rounds] makes some, by one or two readings",
        ));
    }
    if output.format == Format::Json {
        #[derive(Serialize)]
        struct Shown {
            search: SearchState,
            candidates: Vec<report::RoundCandidate>,
            #[serde(skip_serializing_if = "Option::is_none")]
            archive: Option<report::ArchiveMap>,
        }
        show::write_json(&Shown {
            search: SearchState::of(&archive),
            candidates: bakeoff_search::rows(&archive),
            archive: map,
        })?;
        return Ok(Status::Done);
    }
    let text = if let Some(map) = map.filter(|_| arguments.map) {
        let options = show::options(BTreeMap::new(), output);
        bakeoff_render::archive_map(&map, &options)
    } else if arguments.tree {
        tree(&archive)
    } else {
        list(&archive, arguments.failed)
    };
    show::write(&text)?;
    Ok(Status::Done)
}

/// Returns the candidate with a name.
fn named<'a>(archive: &'a Archive, name: &str) -> Result<&'a Candidate, Failure> {
    let mut candidates = archive.candidates.iter();
    candidates.find(|one| one.name == name).ok_or_else(|| {
        Failure::usage(format!(
            "the search made no candidate \"{}\": `bakeoff archive` lists them",
            Plain(name)
        ))
    })
}

/// Returns the difference of a candidate from its parent: of their values, and of their sources line by line.
fn difference(archive: &Archive, name: &str) -> Result<String, Failure> {
    let found = named(archive, name)?;
    let Some(parent) = found.parent.and_then(|index| archive.candidates.get(index)) else {
        return Err(Failure::usage(format!(
            "\"{}\" is an approach of the experiment: the search made it from nothing",
            Plain(name)
        )));
    };
    let mut text = format!("{}{}\n", Plain(&found.name), described(found));
    // Writing to a text cannot fail.
    let _ = writeln!(text, "made from {}", Plain(&parent.name));
    if let Some(difference) = bakeoff_search::difference(archive, found) {
        text += &bakeoff_render::difference(&difference);
    }
    Ok(text)
}

/// Returns the source of a candidate.
fn source(archive: &Archive, name: &str) -> Result<String, Failure> {
    let found = named(archive, name)?;
    let values = found.program.values.iter();
    let values: Vec<String> = values
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    match &found.program.source {
        Some(source) => Ok(Lines(source).to_string()),
        None => Err(Failure::usage(format!(
            "\"{}\" is the code of the approach \"{}\"{}",
            Plain(name),
            Plain(&found.program.origin),
            if values.is_empty() {
                String::new()
            } else {
                format!(", with {}", Plain(&values.join(", ")))
            }
        ))),
    }
}

fn list(archive: &Archive, only_failed: bool) -> String {
    let mut text = String::new();
    for one in &archive.candidates {
        if let (CandidateOutcome::Failed(class, message), true) = (&one.outcome, only_failed) {
            // Writing to a text cannot fail.
            let _ = writeln!(
                text,
                "{}{}: {}\n{}",
                Plain(&one.name),
                described(one),
                Plain(class),
                marked(message)
            );
        } else if !only_failed {
            let _ = writeln!(text, "{}", line(archive, one));
        }
    }
    if text.is_empty() {
        text.push_str("none\n");
    }
    text
}

/// Returns the message of a failure, of which each line begins with a mark, as in a report: no line of ours begins so.
fn marked(message: &str) -> String {
    let short: String = message.chars().take(MESSAGE_CHARS_MAX).collect();
    format!(
        "   │ {}",
        Lines(&short).to_string().replace('\n', "\n   │ ")
    )
}

fn tree(archive: &Archive) -> String {
    let mut text = String::new();
    let mut open: Vec<(usize, usize)> = (0..archive.candidates.len())
        .rev()
        .filter(|index| archive.candidates[*index].parent.is_none())
        .map(|index| (index, 0))
        .collect();
    // A parent stands before its children, so there is no circle.
    while let Some((index, depth)) = open.pop() {
        let _ = writeln!(
            text,
            "{}{}",
            "  ".repeat(depth.min(40)),
            line(archive, &archive.candidates[index])
        );
        let children = (index + 1..archive.candidates.len()).rev();
        let own = children.filter(|child| archive.candidates[*child].parent == Some(index));
        open.extend(own.map(|child| (child, depth + 1)));
    }
    text
}

fn described(one: &Candidate) -> String {
    match one.change.as_str() {
        "" => String::new(),
        change => format!(" ({}, {})", Plain(&one.by), Plain(change)),
    }
}

fn line(archive: &Archive, one: &Candidate) -> String {
    let outcome = match &one.outcome {
        CandidateOutcome::Passed => String::new(),
        CandidateOutcome::Gated => ", fails a gate".to_owned(),
        CandidateOutcome::Same(of) => format!(", the same program as {}", Plain(of)),
        CandidateOutcome::Failed(class, _) => format!(", failed: {}", Plain(class)),
    };
    let figure = match (one.ratio, &archive.by, archive.reading(one)) {
        (_, Some(by), Some(reading)) => {
            format!(", {} {}", Plain(by), numbers::significant(reading, 4))
        }
        (Some(ratio), ..) => format!(", {} ×", numbers::significant(ratio, 3)),
        _ => String::new(),
    };
    let best = if one.best { ", once the best" } else { "" };
    let drawn = if one.control {
        ", drawn beside the search"
    } else {
        ""
    };
    let (name, made) = (Plain(&one.name), described(one));
    format!("{name}{made}{drawn}{outcome}{figure}{best}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_279_the_message_of_a_candidate_is_no_line_of_ours() {
        let shown = marked("panicked at b.rs:1:2:\ntiles: winner sure\u{1b}[2J\n");
        assert!(
            shown.lines().all(|line| line.starts_with("   │ ")),
            "{shown}"
        );
        assert!(!shown.contains('\u{1b}'), "{shown}");
    }
}
