//! The result of a run on one page, as Markdown.

use super::document::{Block, Entry, Heading, Text};
use super::report::{beginning, read_so_far};
use super::unranked_variants::{unranked, why_unranked};
use super::{Options, in_words, legend, markdown, run_cost, tables};
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::report::{Report, VariantReport, VariantStatus, presented};

/// The most characters of a criterion's name.
const CRITERION_CHARS_MAX: usize = 40;
/// The most characters of a path.
const PATH_CHARS_MAX: usize = 400;

/// Returns the answer, the matrix, who has no rank and why, what it took, and how to go on.
pub fn summary(whole: &Report) -> String {
    let shown = presented(whole);
    let report = shown.report.as_ref();
    let mut blocks = beginning(report, &Options::default());
    let heading = |title: &str| Block::Heading(Heading::new(title));
    if report.unfinished.is_some() {
        blocks.extend(read_so_far(report));
    } else {
        blocks.push(heading("Comparison"));
        blocks.push(matrix(report));
    }
    blocks.extend(in_words::measurable(report));
    let (failed, others) = (failures(report), waiting(report));
    if !failed.is_empty() {
        blocks.push(heading("Failed"));
        blocks.push(Block::Entries(failed));
    }
    if !others.is_empty() {
        blocks.push(heading("Not ranked"));
        blocks.push(Block::Entries(others));
    }
    blocks.push(heading(run_cost::HEADING));
    blocks.push(Block::Pairs(run_cost::pairs(report)));
    blocks.push(heading("How to go on"));
    blocks.push(Block::List(next_steps(report)));
    markdown::written(&blocks, None)
}

/// Returns the matrix of scores, with the weights.
fn matrix(report: &Report) -> Block {
    let weights = report.criteria.iter().map(|criterion| {
        let name = super::clipped(&words::column_name(criterion), CRITERION_CHARS_MAX);
        format!("{name} {}", numbers::weight(criterion.weight))
    });
    let weights: Vec<String> = weights.collect();
    Block::Matrix {
        table: tables::matrix(report),
        scales: legend::scales(report),
        weights: format!("Weights: {}.", weights.join(", ")),
    }
}

/// Returns the variants that failed, each with its reason and the files that tell more.
fn failures(report: &Report) -> Vec<Entry> {
    let failed = report.variants.iter();
    let failed = failed.filter(|one| one.status == VariantStatus::Failed);
    let entry = |variant: &VariantReport| {
        let why = why_unranked(report, variant);
        let log = format!("variants/{}/iteration-{}", variant.id, variant.iteration);
        let files = if variant.file.is_empty() {
            format!("What was built, with the compiler's output: {log}.")
        } else {
            let file = super::clipped(&variant.file, PATH_CHARS_MAX);
            format!("Source: {file}. What was built, with the compiler's output: {log}.")
        };
        let note = why.note.into_iter().chain([files]);
        Entry {
            name: words::name(report, &variant.id),
            note: Some(note.collect::<Vec<String>>().join(" ")),
            ..why
        }
    };
    failed.map(entry).collect()
}

/// Returns the variants without a rank that did not fail, with the reason.
fn waiting(report: &Report) -> Vec<Entry> {
    let mut others = report.clone();
    let has_failed = |one: &VariantReport| one.status == VariantStatus::Failed;
    others.variants.retain(|one| !has_failed(one));
    unranked(&others)
}

/// Returns the commands and files that lead on.
fn next_steps(report: &Report) -> Vec<Text> {
    let steps = match &report.unfinished {
        Some(unfinished) => vec![
            format!("{} goes on with the run: nothing that is finished is done again.", unfinished.resume),
            "bakeoff report shows what is known so far, in any format; bakeoff status shows its progress.".to_owned(),
            "report.md, report.html and report.json beside this file, if they are there, are of an earlier run.".to_owned(),
        ],
        None if report.in_words.is_some() => vec![
            "report.md and report.html beside this file are the whole report with the texts, and report.json is for programs.".to_owned(),
            "bakeoff report shows it in a terminal, also with other weights: --weight NAME=2.".to_owned(),
            "bakeoff run --judge asks for opinions that are missing, and of texts that were changed.".to_owned(),
        ],
        None => vec![
            "report.md and report.html beside this file are the whole report, and report.json is for programs.".to_owned(),
            "bakeoff report shows it in a terminal, also with other weights: --weight NAME=2.".to_owned(),
            "bakeoff run goes on with a run that was interrupted, and measures again what was changed.".to_owned(),
        ],
    };
    steps.into_iter().map(Text::ours).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::tests::named;

    #[test]
    fn the_page_has_answer_matrix_cost_and_the_next_step() {
        let page = summary(&named("x | y"));
        for part in [
            "## Comparison",
            "## What it took",
            "## How to go on",
            "unranked",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("x | y"), "{page}");
    }
}
