//! Files that were stopped by a limit on inputs on which another one answers: times of other inputs do not speak for
//! those, so none of these files is recommended.

use bakeoff_domain::report::{RankingOutcome, Report};
use bakeoff_render::escape::Plain;

/// A file that was stopped by a limit on some of the inputs that were tried first, on which another one answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoppedFile {
    /// Name of the file's approach.
    pub(super) approach: String,
    /// Number of inputs on which the file was stopped and another one answers.
    pub(super) stopped: usize,
    /// Number of inputs that were tried.
    pub(super) tried: usize,
}

/// Takes the first place from a winner that is one of these files. Its times stay as they are.
pub(super) fn withhold(report: &mut Report, stopped: &[StoppedFile]) {
    let winner = report.recommendation.winner.as_deref();
    let winner = winner.and_then(|id| report.variants.iter().find(|one| one.id == id));
    let Some(winner) = winner else {
        return;
    };
    let Some(found) = stopped.iter().find(|one| one.approach == winner.approach) else {
        return;
    };
    let ranked = report.variants.iter().filter(|one| one.rank.is_some());
    let recommendation = &mut report.recommendation;
    recommendation.tied = ranked.map(|one| one.id.clone()).collect();
    recommendation.winner = None;
    recommendation.outcome = RankingOutcome::NoCall;
    recommendation.text = format!(
        "No call: {} was stopped by a limit on {} of the {} inputs that were tried first, on which another file answers, \
         and times are those of other inputs. On these, {}",
        Plain(&winner.approach),
        found.stopped,
        found.tried,
        reason(&recommendation.text)
    );
}

/// Returns the reason that a recommendation gives, without the name of the winner.
fn reason(text: &str) -> &str {
    let without = text.strip_prefix("Take ");
    let without = without.and_then(|text| text.split_once(": "));
    without.map_or(text, |(_, reason)| reason)
}
