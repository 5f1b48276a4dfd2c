//! Sentences about inputs and variants that times say little of, or nothing.

use super::numbers;
use super::view::{NAMES_MAX, listed, shortened, time_criterion};
use crate::race::INPUTS_ENOUGH;
use crate::report::{Report, VariantReport};
use crate::wording;
use std::collections::BTreeMap;

/// Sentence with the number of different inputs, where times decide and a slow input may well not be among them.
pub(super) fn few_inputs(report: &Report) -> Option<String> {
    time_criterion(report).filter(|criterion| criterion.weight > 0.0)?;
    let inputs = report
        .protocol
        .inputs
        .filter(|inputs| *inputs < INPUTS_ENOUGH)?;
    let s = wording::ending(inputs);
    Some(format!(
        "Timed on {inputs} drawn input{s} of each case only: a slow one that is rarer than one in {} may have \
         been missed.",
        inputs.div_ceil(3).max(2)
    ))
}

/// Sentence about the variants of a large sweep that were never timed, by approach; `None` if all were, or if no
/// criterion is about time.
pub(super) fn never_timed(report: &Report) -> Option<String> {
    time_criterion(report)?;
    let is_untimed = |variant: &&VariantReport| {
        let screening = variant.screening.filter(|_| variant.is_screened_out());
        screening.is_some_and(|screening| screening.figures.time_ns.is_none())
    };
    let mut untimed: BTreeMap<&str, usize> = BTreeMap::new();
    for variant in report.variants.iter().filter(is_untimed) {
        *untimed.entry(&variant.approach).or_default() += 1;
    }
    let mut names: Vec<(bool, String)> = untimed
        .into_iter()
        .map(|(approach, untimed)| {
            let own = report.variants.iter();
            let all = own.filter(|one| one.approach == approach).count();
            let approach = shortened(approach);
            let untimed = numbers::count(untimed as u64);
            let is_in_part = untimed != numbers::count(all as u64);
            let name = match (is_in_part, all) {
                (false, 1) => approach,
                (false, _) => format!("all {untimed} of {approach}"),
                (true, _) => format!(
                    "{untimed} of the {} of {approach}",
                    numbers::count(all as u64)
                ),
            };
            (is_in_part, name)
        })
        .collect();
    // An approach of which nothing was timed matters most.
    names.sort_by_key(|(is_in_part, _)| *is_in_part);
    let names: Vec<String> = names.into_iter().map(|(_, name)| name).collect();
    (!names.is_empty()).then(|| {
        format!(
            "Never timed, since by their checks others came first: {}.",
            listed(names, NAMES_MAX)
        )
    })
}
