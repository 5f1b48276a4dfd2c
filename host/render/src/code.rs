//! The sources of variants, as far as they are shown.

use super::{Options, clipped};
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::report::{Report, VariantReport};
use std::collections::BTreeSet;

/// Largest number of characters of a description.
const DESCRIPTION_CHARS_MAX: usize = 2_000;

/// Largest number of characters of a source.
const SOURCE_CHARS_MAX: usize = 16 << 10;

/// The source of a variant.
pub(super) struct CodeSample {
    /// Name of the variant: `heap`.
    pub(super) name: String,
    /// Number of lines of the whole source.
    pub(super) lines: usize,
    /// True if the variant has the first rank, which it may share.
    pub(super) is_best: bool,
    /// Description of the variant.
    pub(super) description: Option<String>,
    /// Beginning of the source.
    pub(super) source: String,
}

impl CodeSample {
    /// Returns the title of the sample: `heap (12 lines)`.
    pub(super) fn title(&self) -> String {
        match self.lines {
            1 => format!("{} (1 line)", self.name),
            lines => format!("{} ({} lines)", self.name, numbers::count(lines as u64)),
        }
    }
}

/// Returns the sources of variants that have one, in the order of the variants; none if the report does without.
pub(super) fn samples(report: &Report, options: &Options) -> Vec<CodeSample> {
    if !report.options.code_samples {
        return Vec::new();
    }
    let sample = |variant: &VariantReport| {
        let source = options.sources.get(&variant.id)?;
        let description = variant.description.as_ref();
        Some(CodeSample {
            name: words::name(report, &variant.id),
            lines: source.lines().count(),
            is_best: variant.rank == Some(1),
            description: description.map(|text| clipped(text, DESCRIPTION_CHARS_MAX)),
            source: clipped(source, SOURCE_CHARS_MAX),
        })
    };
    // The variants of a sweep have the same source, which is shown once.
    let mut approaches = BTreeSet::new();
    let is_new = |variant: &&VariantReport| {
        variant.parameters.is_empty() || approaches.insert(variant.approach.clone())
    };
    let variants = report.variants.iter().filter(is_new);
    variants.filter_map(sample).collect()
}
