//! The variants without a rank, with the reason, as plain text: each format adds its own escapes.

use super::document::Entry;
use super::failed_call::failed_call;
use super::{MESSAGE_CHARS_MAX, clipped};
use bakeoff_domain::report::words;
use bakeoff_domain::report::{Report, VariantReport, VariantStatus};

/// The largest number of variants that one reason names.
const SAME_REASON_MAX: usize = 6;

/// Returns all variants without a rank, with the reason. Variants that did not fail share one entry
/// where status and reason are the same; each failure stands by itself.
pub(super) fn unranked(report: &Report) -> Vec<Entry> {
    let mut list: Vec<(Entry, Vec<String>)> = Vec::new();
    let unranked = report
        .variants
        .iter()
        .filter(|v| v.status != VariantStatus::Ranked)
        // How far the others of an unfinished run are, its table says.
        .filter(|v| report.unfinished.is_none() || v.status == VariantStatus::Failed);
    for variant in unranked {
        let name = words::name(report, &variant.id);
        let one = why_unranked(report, variant);
        let same = |(known, _): &&mut (Entry, _)| variant.failure.is_none() && *known == one;
        match list.iter_mut().find(same) {
            Some((_, names)) => names.push(name),
            None => list.push((one, vec![name])),
        }
    }
    let named = |(one, names)| Entry {
        name: words::listed(names, SAME_REASON_MAX),
        ..one
    };
    list.into_iter().map(named).collect()
}

/// Returns the reason why a variant is not ranked; its name is left out.
pub(super) fn why_unranked(report: &Report, variant: &VariantReport) -> Entry {
    let reason = |text: &str| clipped(text, MESSAGE_CHARS_MAX);
    match &variant.failure {
        Some(failure) => {
            let limit = failure.limit.as_ref();
            let limit = limit.map_or(String::new(), |l| format!(" (limit: {})", clipped(l, 200)));
            Entry {
                name: String::new(),
                status: format!("failed: {}", failure.class),
                text: reason(&failure.message) + &limit,
                note: failed_call(report, variant),
            }
        }
        None => Entry {
            name: String::new(),
            status: variant.status.name().to_owned(),
            text: reason(variant.reason.as_deref().unwrap_or_default()),
            note: None,
        },
    }
}
