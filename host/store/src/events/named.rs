//! Events for people: variants by their names instead of their ids.

use super::event::Event;

impl Event {
    /// Returns the event with `name(id)` in the place of each variant's id, as [`line`](super::line),
    /// [`standings`](super::standings) and [`checked_cases`](super::checked_cases) show it to people.
    #[must_use]
    pub fn named(&self, name: impl Fn(&str) -> String) -> Self {
        let mut event = self.clone();
        match &mut event {
            Self::BuildStart { variant_id }
            | Self::BuildComplete { variant_id, .. }
            | Self::CheckStart { variant_id }
            | Self::CheckProgress { variant_id, .. }
            | Self::CheckComplete { variant_id, .. }
            | Self::VariantFailed { variant_id, .. }
            | Self::InputChanged {
                variant_id: Some(variant_id),
                ..
            } => *variant_id = name(variant_id),
            Self::VerdictChanged { a, b, .. } => {
                *a = name(a);
                *b = name(b);
            }
            Self::Standings { unbeaten, open, .. } => {
                for id in unbeaten {
                    *id = name(id);
                }
                for pair in open {
                    pair.a = name(&pair.a);
                    pair.b = name(&pair.b);
                }
            }
            Self::Ratios { leader, ratios, .. } => {
                *leader = name(leader);
                for one in ratios {
                    one.variant_id = name(&one.variant_id);
                }
            }
            _ => {}
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{OpenPair, line, standings};
    use bakeoff_domain::verdict::{RatioInterval, Verdict};

    fn in_capitals(id: &str) -> String {
        id.to_uppercase()
    }

    #[test]
    fn whoever_reads_lines_reads_names() {
        let beats = Event::VerdictChanged {
            a: "heap".into(),
            b: "sort".into(),
            case: None,
            verdict: Verdict::Tie,
            ratio: None,
            low: None,
            high: None,
            replicas: 2,
        };
        let shown = line(&beats.named(in_capitals)).unwrap();
        assert_eq!(shown, "HEAP and SORT tie");
        let open = OpenPair {
            a: "heap".into(),
            b: "sort".into(),
            ratio: RatioInterval {
                ratio: None,
                low: None,
                high: None,
            },
        };
        let standing = Event::Standings {
            replicas: 2,
            decided: 0,
            pairs: 1,
            unbeaten: vec!["heap".into()],
            open: vec![open],
        };
        let shown = standings(&standing.named(in_capitals)).unwrap();
        assert_eq!(
            shown,
            "0 of 1 pairs decided, nobody beats HEAP; open: HEAP against SORT"
        );
    }
}
