//! Functions of a package at two revisions: what came of comparing them, and the answer in a sentence or two.

use super::outcome::ComparisonOutcome;
use bakeoff_domain::report::RankingOutcome;
use bakeoff_domain::verdict::Verdict;
use bakeoff_domain::wording;
use serde::Serialize;

/// The most functions that the answer names of one kind.
const NAMED_MAX: usize = 5;

/// A revision of a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Revision {
    /// The revision as its user named it.
    pub name: String,
    /// The id of its commit.
    pub commit: String,
}

/// A function at both revisions: what came of comparing them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RevisedFunction {
    /// The function, with its modules.
    pub name: String,
    /// The outcome, as of a comparison of two files. A winner is surely ahead.
    pub outcome: ComparisonOutcome,
    /// True if both revisions have the same code for it, so that nothing was timed.
    pub is_same_code: bool,
    /// The verdict about the later revision: `1.3 × slower, 1.2–1.4, sure`; or the reason why there is none.
    pub found: String,
    /// The verdict by time about the later revision against the earlier one, if they were timed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<RevisedTime>,
    /// The same as programs of this machine, if it was compared so, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub natively: Option<RevisedNatively>,
    /// The seed of inputs and orders, if inputs were drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    /// More about a function that cannot be compared: the differing answers, the compiler's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
}

/// A function at both revisions, built for this machine and run as programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RevisedNatively {
    /// The verdict about the later revision: `1.3 × slower, 1.2–1.4, sure`; or the reason why there is none.
    pub found: String,
    /// True if one of them fails there, or they answer differently.
    pub has_failed: bool,
    /// The verdict by time about the later revision against the earlier one, if they were timed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<RevisedTime>,
}

/// Times of a function at both revisions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RevisedTime {
    /// The verdict about the later revision against the earlier one.
    pub verdict: Verdict,
    /// Time of a call at the earlier revision, in nanoseconds.
    pub before_ns: Option<f64>,
    /// Time of a call at the later revision, in nanoseconds.
    pub after_ns: Option<f64>,
    /// The time of the later revision divided by that of the earlier one.
    pub ratio: Option<f64>,
    /// The lower end of the ratio's interval.
    pub low: Option<f64>,
    /// The upper end of the ratio's interval.
    pub high: Option<f64>,
}

/// Several functions of a package at two revisions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RevisionsReport {
    /// The package.
    pub package: String,
    /// The earlier revision, which the other one is compared with.
    pub before: Revision,
    /// The later revision.
    pub after: Revision,
    /// The confidence of all claims about all functions together.
    pub confidence: f64,
    /// The confidence of the claims about one function: all of them share what may be wrong.
    pub confidence_of_each: f64,
    /// The functions, in the order in which they were asked for or stand in the library.
    pub functions: Vec<RevisedFunction>,
    /// Sentences on what was left out, and on what the times hang on.
    pub notes: Vec<String>,
}

impl RevisionsReport {
    /// Returns the answer in a sentence or two.
    pub fn answer(&self) -> String {
        let of = |wanted: &dyn Fn(&RevisedFunction) -> bool| {
            let found = self.functions.iter().filter(|one| wanted(one));
            found.map(|one| one.name.clone()).collect::<Vec<String>>()
        };
        let is = |function: &RevisedFunction, verdict: Verdict| {
            function
                .time
                .as_ref()
                .is_some_and(|time| time.verdict == verdict)
        };
        let slower = of(&|one| is(one, Verdict::Beaten));
        let faster = of(&|one| is(one, Verdict::Beats));
        let same = of(&|one| one.is_same_code);
        let tied = of(&|one| is(one, Verdict::Tie));
        let differ = of(&|one| one.outcome == ComparisonOutcome::Disagreement);
        let known = [&slower, &faster, &same, &tied, &differ];
        let open = of(&|one| !known.iter().any(|names| names.contains(&one.name)));
        let parts = [
            (differ, "answer differently"),
            (slower, "surely slower"),
            (faster, "surely faster"),
            (tied, "a tie"),
            (same, "the same code"),
            (open, "without a verdict"),
        ];
        let parts = parts.iter().filter(|(names, _)| !names.is_empty());
        let parts: Vec<String> = parts
            .map(|(names, what)| format!("{what}: {}", listed(names)))
            .collect();
        format!(
            "Of {} of {} at {}, against {}: {}.{}",
            wording::counted(self.functions.len(), "function"),
            self.package,
            self.after.name,
            self.before.name,
            parts.join("; "),
            self.natively_otherwise()
        )
    }

    /// Returns a sentence on what is otherwise natively, after a space; nothing if nothing is.
    fn natively_otherwise(&self) -> String {
        let of = |wanted: Verdict| {
            let found = self.functions.iter().filter(|one| {
                let natively = one
                    .natively
                    .as_ref()
                    .and_then(|natively| natively.time.as_ref());
                natively.is_some_and(|time| time.verdict == wanted)
                    && one.time.as_ref().is_none_or(|time| time.verdict != wanted)
            });
            found.map(|one| one.name.clone()).collect::<Vec<String>>()
        };
        let failed = self.functions.iter().filter(|one| {
            let natively = one.natively.as_ref();
            natively.is_some_and(|natively| natively.has_failed)
        });
        let parts = [
            (
                failed.map(|one| one.name.clone()).collect(),
                "no result, or another one",
            ),
            (of(Verdict::Beaten), "surely slower"),
            (of(Verdict::Beats), "surely faster"),
        ];
        let parts = parts.iter().filter(|(names, _)| !names.is_empty());
        let parts: Vec<String> = parts
            .map(|(names, what)| format!("{what}: {}", listed(names)))
            .collect();
        if parts.is_empty() {
            String::new()
        } else {
            format!(
                " Built for this machine it is otherwise: {}.",
                parts.join("; ")
            )
        }
    }

    /// Returns true if functions were compared natively, too.
    pub(super) fn has_programs(&self) -> bool {
        let mut functions = self.functions.iter();
        functions.any(|function| function.natively.is_some())
    }

    /// Returns the outcome that wants most attention of those that functions have.
    pub(super) fn worst(&self) -> ComparisonOutcome {
        const BY_ATTENTION: [ComparisonOutcome; 11] = [
            ComparisonOutcome::Disagreement,
            ComparisonOutcome::Slower,
            ComparisonOutcome::BuildFailed,
            ComparisonOutcome::AllFail,
            ComparisonOutcome::NotTimed,
            ComparisonOutcome::NotKnown,
            ComparisonOutcome::Nothing,
            ComparisonOutcome::NoCall,
            ComparisonOutcome::NotSlower,
            ComparisonOutcome::Winner,
            ComparisonOutcome::Tie,
        ];
        let has = |outcome: &ComparisonOutcome| {
            let mut functions = self.functions.iter();
            functions.any(|function| function.outcome == *outcome)
        };
        let found = BY_ATTENTION.into_iter().find(has);
        found.unwrap_or(ComparisonOutcome::Nothing)
    }

    /// Returns the outcome by which the answer is set off.
    pub(super) fn outcome(&self) -> RankingOutcome {
        let has = |wanted: ComparisonOutcome| {
            let mut functions = self.functions.iter();
            functions.any(|function| function.outcome == wanted)
        };
        let is_open = self.functions.iter().any(|function| {
            !matches!(
                function.outcome,
                ComparisonOutcome::Winner | ComparisonOutcome::Tie | ComparisonOutcome::NotSlower
            )
        });
        match (is_open, has(ComparisonOutcome::Winner)) {
            (true, _) => RankingOutcome::NoCall,
            (false, true) => RankingOutcome::Winner,
            (false, false) => RankingOutcome::Tie,
        }
    }
}

fn listed(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMED_MAX);
    let shown = names[..names.len() - more].join(", ");
    match more {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Reports for tests.
#[cfg(test)]
pub(super) mod fixture {
    use super::*;

    pub(crate) fn function(
        name: &str,
        outcome: ComparisonOutcome,
        verdict: Option<Verdict>,
    ) -> RevisedFunction {
        RevisedFunction {
            name: name.to_owned(),
            outcome,
            is_same_code: outcome == ComparisonOutcome::Tie && verdict.is_none(),
            found: "found".to_owned(),
            time: verdict.map(|verdict| RevisedTime {
                verdict,
                before_ns: Some(1e3),
                after_ns: Some(1.5e3),
                ratio: Some(1.5),
                low: Some(1.4),
                high: None,
            }),
            natively: None,
            seed: None,
            details: verdict.is_none().then(|| "why\u{1b}[31m".to_owned()),
        }
    }

    pub(crate) fn report() -> RevisionsReport {
        let revision = |name: &str| Revision {
            name: name.to_owned(),
            commit: "0123456789abcdef0123456789abcdef01234567".to_owned(),
        };
        RevisionsReport {
            package: "codec".to_owned(),
            before: revision("main"),
            after: revision("HEAD"),
            confidence: 0.95,
            confidence_of_each: 0.99,
            functions: vec![
                function("encode", ComparisonOutcome::Winner, Some(Verdict::Beaten)),
                function("decode", ComparisonOutcome::Tie, None),
                function("a::split", ComparisonOutcome::Disagreement, None),
                function("b", ComparisonOutcome::NoCall, Some(Verdict::NoCall)),
            ],
            notes: vec!["a note".to_owned()],
        }
    }

    /// The report, of which a function has another order natively, one has no result there, and one the same.
    pub(crate) fn with_programs() -> RevisionsReport {
        let natively = |verdict: Option<Verdict>, found: &str| RevisedNatively {
            found: found.to_owned(),
            has_failed: verdict.is_none(),
            time: verdict.map(|verdict| RevisedTime {
                verdict,
                before_ns: Some(2e3),
                after_ns: Some(1e3),
                ratio: Some(0.5),
                low: Some(0.4),
                high: Some(0.6),
            }),
        };
        let mut report = report();
        report.functions[0].natively = Some(natively(Some(Verdict::Beats), "2.0 × faster, sure"));
        report.functions[2].natively = Some(natively(None, "HEAD has no result: it panicked"));
        report.functions[3].natively = Some(natively(Some(Verdict::NoCall), "no call"));
        report
    }
}

#[cfg(test)]
mod tests {
    use super::fixture::{report, with_programs};
    use super::*;

    #[test]
    fn the_answer_names_each_function_once() {
        let answer = report().answer();
        assert_eq!(
            answer,
            "Of 4 functions of codec at HEAD, against main: answer differently: a::split; surely slower: encode; the \
             same code: decode; without a verdict: b."
        );
    }

    #[test]
    fn another_order_natively_is_in_the_answer_and_the_same_one_is_not() {
        let mut report = with_programs();
        let otherwise = " Built for this machine it is otherwise: no result, or another one: a::split; surely faster: \
                         encode.";
        assert!(report.answer().ends_with(otherwise), "{}", report.answer());
        report.functions[2].natively.as_mut().unwrap().has_failed = false;
        let natively = report.functions[0].natively.as_mut().unwrap();
        natively.time.as_mut().unwrap().verdict = Verdict::Beaten;
        assert!(
            !report.answer().contains("this machine"),
            "{}",
            report.answer()
        );
        // A verdict that only programs have.
        let natively = report.functions[3].natively.as_mut().unwrap();
        natively.time.as_mut().unwrap().verdict = Verdict::Beaten;
        let otherwise = " Built for this machine it is otherwise: surely slower: b.";
        assert!(report.answer().ends_with(otherwise), "{}", report.answer());
    }
}
