//! How often this machine was quiet lately.

use super::finding::Finding;
use bakeoff_domain::race::QuietReplicas;

/// What that means for verdicts; `None` where nothing was measured.
pub(super) fn quiet(share: Option<QuietReplicas>) -> Option<Finding> {
    let topic = "quiet";
    let share = share?;
    let QuietReplicas { quiet, of } = share;
    let found = format!("in {quiet} of {of} processes that were measured in the last seven days");
    Some(match (quiet, share.are_enough()) {
        (0, _) => Finding::limited(topic, found)
            .means(
                "Something else used the same physical cores all the time. Verdicts are about such cores: on quiet ones \
                 close variants may have another order.",
            )
            .next("measure on dedicated cores, or at another time"),
        (_, false) => Finding::limited(topic, found)
            .means(
                "Something else uses the same physical cores most of the time. Verdicts are about such cores: on quiet \
                 ones close variants may have another order.",
            )
            .next("measure on dedicated cores, or at another time"),
        (_, true) if quiet == of => {
            Finding::good(topic, found).means("Nobody else used the physical cores: verdicts are about quiet ones.")
        }
        (_, true) => Finding::good(topic, found).means(
            "At other times something else used the same physical cores. Verdicts rest on what is measured while they \
             are quiet.",
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::FindingState;

    #[test]
    fn what_is_said_follows_from_the_share() {
        let said = |quiet, of| {
            let finding = quiet_of(quiet, of);
            (finding.state, finding.means)
        };
        let (state, means) = said(9, 9);
        assert!(
            state == FindingState::Good && means.starts_with("Nobody"),
            "{means}"
        );
        let (state, means) = said(3, 9);
        assert!(
            state == FindingState::Good && means.contains("while they are quiet"),
            "{means}"
        );
        let (state, means) = said(2, 9);
        assert!(
            state == FindingState::Limited && means.contains("most of the time"),
            "{means}"
        );
        let (state, means) = said(0, 9);
        assert!(
            state == FindingState::Limited && means.contains("all the time"),
            "{means}"
        );
        assert_eq!(quiet(None), None);
    }

    fn quiet_of(quiet: u32, of: u32) -> Finding {
        super::quiet(Some(QuietReplicas { quiet, of })).expect("a finding")
    }
}
