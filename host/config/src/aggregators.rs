//! Parsing of `[[aggregator]]`: names and code of aggregators.

use super::error::Finding;
use super::fields::guests::{AGGREGATOR_COMPONENT, AGGREGATOR_NAME, AGGREGATOR_SOURCE};
use super::guests;
use super::paths::FileRef;
use super::section::Section;
use bakeoff_domain::spec::Aggregator;
use std::ops::Range;

/// Reads all `[[aggregator]]`, each with the span of its code; `None` if one of them is invalid.
pub(super) fn aggregators(
    sections: Vec<Section<'_>>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<(Vec<Aggregator>, Vec<Range<usize>>)> {
    let kind = guests::Kind {
        one: "an aggregator",
        many: "aggregators",
        word: "aggregator",
        why: "the report calls it by that",
        name: &AGGREGATOR_NAME,
        code: (&AGGREGATOR_SOURCE, &AGGREGATOR_COMPONENT),
    };
    let (guests, places) = guests::guests(&kind, sections, files, found)?;
    let aggregator = |(name, code)| Aggregator { name, code };
    Some((guests.into_iter().map(aggregator).collect(), places))
}
