//! The result of a run on one page, as Markdown.

use super::document::{Block, Heading, Text};
use super::report::beginning;
use super::unranked::unranked;
use super::{Options, legend, markdown, tables, took};
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::report::{Report, presented};

/// The most characters of a criterion's name.
const CRITERION_CHARS_MAX: usize = 40;

/// Returns the answer, the matrix, who has no rank and why, what it took, and how to go on.
pub fn summary(whole: &Report) -> String {
    let shown = presented(whole);
    let report = shown.report.as_ref();
    let mut blocks = beginning(report, &Options::default());
    let heading = |title: &str| Block::Heading(Heading::new(title));
    let weights = report.criteria.iter().map(|criterion| {
        let name = super::clipped(&words::column_name(criterion), CRITERION_CHARS_MAX);
        format!("{name} {}", numbers::weight(criterion.weight))
    });
    let weights: Vec<String> = weights.collect();
    blocks.push(heading("Comparison"));
    blocks.push(Block::Matrix {
        table: tables::matrix(report),
        scales: legend::scales(report),
        weights: format!("Weights: {}.", weights.join(", ")),
    });
    let list = unranked(report);
    if !list.is_empty() {
        blocks.push(heading("Not ranked"));
        blocks.push(Block::Entries(list));
    }
    blocks.push(heading(took::HEADING));
    blocks.push(Block::Pairs(took::pairs(report)));
    blocks.push(heading("How to go on"));
    let ours = |text: &str| Text::ours(text);
    blocks.push(Block::List(vec![
        ours("report.md and report.html beside this file are the whole report, and report.json is for programs."),
        ours("bakeoff report shows it in a terminal, also with other weights: --weight NAME=2."),
        ours("bakeoff run goes on with a run that was interrupted, and measures again what was changed."),
    ]));
    markdown::written(&blocks, None)
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
