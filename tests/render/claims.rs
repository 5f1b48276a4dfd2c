//! What reports say is never more than what verdicts and readings say.

use super::fixture::{criterion, facts, reading, row, variant};
use bakeoff_domain::report::{
    Claim, CriterionSummary, Facts, ReadingVerdict, Report, VariantReport, VariantStatus,
    VerdictRow, assemble,
};
use bakeoff_domain::spec::{Direction, RecommendationStyle, Scale};
use bakeoff_domain::verdict::Verdict;

/// The report in every format.
fn formats(report: &Report) -> [(&'static str, String); 5] {
    let options = super::options();
    let mut charts = String::new();
    for chart in bakeoff_render::charts::charts(report, &[]) {
        charts += &format!("{}\n{}\n{}\n", chart.title, chart.description, chart.svg);
    }
    [
        ("text", bakeoff_render::human(report, &options)),
        ("Markdown", bakeoff_render::markdown(report, &options)),
        ("HTML", bakeoff_render::html(report, &options)),
        ("CSV", bakeoff_render::csv(report)),
        ("charts", charts),
    ]
}

fn text(report: &Report) -> String {
    let text = bakeoff_render::human(report, &super::options());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of the matrix.
fn matrix(report: &Report) -> String {
    let text = bakeoff_render::human(report, &super::options());
    let lines = text
        .lines()
        .skip_while(|line| !line.starts_with(" variant"));
    let lines = lines.take_while(|line| !line.contains("Scores"));
    lines.collect::<Vec<_>>().join("\n")
}

/// A criterion on exact numbers, on which a factor of 1.3 costs ten points.
fn bins() -> CriterionSummary {
    CriterionSummary {
        scale: Scale::Ratio { base: 1.3 },
        ..criterion("bins", 1.0, "fuel", "bins")
    }
}

/// Variants with an exact number of bins each, and verdicts by time over all cases.
fn packing(counts: &[(&str, f64)], verdicts: Vec<VerdictRow>) -> Facts {
    let one = |(name, count): &(&str, f64)| {
        let mut one = variant(name);
        one.readings
            .insert("fuel".to_owned(), reading(*count, "bins"));
        one.readings
            .insert("time".to_owned(), reading(1_000.0, "ns"));
        one
    };
    let mut facts = facts();
    facts.criteria = vec![criterion("performance", 0.1, "time", "ns"), bins()];
    facts.variants = counts.iter().map(one).collect();
    facts.experiment.cases.clear();
    facts.verdicts = verdicts;
    facts.replicas = None;
    facts
}

#[test]
fn a_difference_that_is_claimed_can_be_seen() {
    let tie = vec![row("best-fit", "first-fit", 1.0, 0.006, None)];
    // With three digits, both are 2070.
    let counts = [("best-fit", 2_066.25), ("first-fit", 2_074.5)];
    let seen = text(&assemble(packing(&counts, tie.clone())));
    assert!(
        seen.contains("is better on bins: 2066 bins against 2074 bins"),
        "{seen}"
    );
    // What is not worth a mention is mentioned if nothing else decides.
    let counts = [("best-fit", 2_070.25), ("first-fit", 2_070.5)];
    let mut facts = packing(&counts, tie);
    facts.criteria[0].weight = 0.0;
    let seen = text(&assemble(facts));
    assert!(
        seen.contains("is better on bins: 2070.2 bins against 2070.5 bins"),
        "{seen}"
    );
}

#[test]
fn the_matrix_has_the_digits_of_what_a_verdict_tells_apart() {
    let counts = [("best-fit", 2_070.0), ("first-fit", 2_070.0)];
    let sure = vec![row("best-fit", "first-fit", 0.997, 0.001, None)];
    let report = assemble(packing(&counts, sure));
    let table = matrix(&report);
    // 10 lg 0.997 is 0.013 points; their weight is a tenth.
    assert!(table.contains("10.00") && table.contains("9.99"), "{table}");
    assert!(
        table.contains("1.0000") && table.contains("0.9999"),
        "{table}"
    );
    let open = vec![row("best-fit", "first-fit", 0.997, 0.1, None)];
    let table = matrix(&assemble(packing(&counts, open)));
    assert!(!table.contains("9.99") && table.contains("10.0"), "{table}");
}

#[test]
fn a_small_ratio_is_a_percentage_in_every_format() {
    let counts = [("quick", 1.0), ("slow", 1.0)];
    let sure = vec![row("quick", "slow", 0.96, 0.005, None)];
    let report = assemble(packing(&counts, sure));
    for (format, text) in formats(&report) {
        if format == "CSV" {
            continue;
        }
        assert!(text.contains(" % more time"), "{format}: {text}");
        // Ticks of an axis stand alone in their element.
        let words = text.lines().filter(|line| !line.ends_with(" ×</text>"));
        for line in words {
            let is_factor = ["1.04", "1.042", "0.96", "0.960"]
                .iter()
                .any(|ratio| line.contains(&format!("{ratio} ×")));
            assert!(!is_factor, "{format}: {line}");
        }
    }
}

/// Two variants with a reading each, of which the first is surely better by the verdict.
fn by_verdict(source: &str, unit: &str, readings: [f64; 2], claim: Claim, value: f64) -> Report {
    let tie = vec![row("first", "second", 1.0, 0.006, None)];
    let mut facts = packing(&[("first", 0.0), ("second", 0.0)], tie);
    facts.criteria[1] = CriterionSummary {
        scale: Scale::Ratio { base: 1.3 },
        ..criterion("extra", 1.0, source, unit)
    };
    for (variant, value) in facts.variants.iter_mut().zip(readings) {
        variant.readings.remove("fuel");
        variant
            .readings
            .insert(source.to_owned(), reading(value, unit));
    }
    let verdict = ReadingVerdict {
        a: "v-first".to_owned(),
        b: "v-second".to_owned(),
        verdict: Verdict::Beats,
        below_threshold: false,
        claim,
        value: Some(value),
        low: None,
        high: None,
        count: 256,
    };
    facts.reading_verdicts = [(source.to_owned(), vec![verdict])].into();
    assemble(facts)
}

#[test]
fn readings_that_a_verdict_tells_apart_look_different_or_are_left_out() {
    let counts = [2_070.25, 2_070.5];
    let report = by_verdict("assess:bins", "bins", counts, Claim::MoreInputs, -1.0);
    let seen = text(&report);
    assert!(
        seen.contains("is better on extra: 2070.2 bins against 2070.5 bins, better in more of 256"),
        "{seen}"
    );
    assert!(matrix(&report).contains("9.995"), "{}", matrix(&report));
    // Medians of rounds that are not paired say the opposite of what the pairs say.
    let report = by_verdict("cold-start", "ns", [2_100.0, 2_000.0], Claim::Ratio, 0.8);
    let seen = text(&report);
    assert!(seen.contains("is better on extra, 1.2 ×"), "{seen}");
    assert!(!seen.contains("against 2"), "{seen}");
}

#[test]
fn what_is_the_same_is_not_called_better() {
    let tie = vec![row("best-fit", "first-fit", 1.0, 0.006, None)];
    // Sixteen bytes of memory are no difference either.
    let counts = [("best-fit", 3_866_752.0), ("first-fit", 3_866_768.0)];
    let text = text(&assemble(packing(&counts, tie)));
    assert!(!text.contains("better on bins"), "{text}");
    assert!(
        text.contains("bins: no difference that counts, 3,866,752 bins to 3,866,768 bins."),
        "{text}"
    );
    assert!(
        text.contains("performance: all alike, a tie within 1 %."),
        "{text}"
    );
}

#[test]
fn pairs_that_are_open_for_the_same_reason_share_a_sentence() {
    let mut facts = facts();
    for verdict in facts.verdicts.iter_mut().filter(|row| row.case.is_none()) {
        verdict.verdict = Verdict::NoCall;
        (verdict.ratio, verdict.low, verdict.high) = (None, None, None);
    }
    facts.criteria.remove(0);
    let text = text(&assemble(facts));
    assert_eq!(
        text.matches("no call: the budget ended").count(),
        1,
        "{text}"
    );
    assert!(
        text.contains(" and 7 others: no call: the budget ended"),
        "{text}"
    );
}

/// Worst fit is faster than best fit, but first fit is faster still, and needs fewer bins than worst fit.
#[test]
fn what_another_dominates_is_recommended_nowhere() {
    let counts = [
        ("best-fit", 2_060.0),
        ("first-fit", 2_066.0),
        ("worst-fit", 2_100.0),
    ];
    let verdicts = vec![
        row("best-fit", "first-fit", 1.2, 0.02, None),
        row("best-fit", "worst-fit", 1.1, 0.02, None),
        row("worst-fit", "first-fit", 1.09, 0.02, None),
    ];
    for style in [
        RecommendationStyle::Decisive,
        RecommendationStyle::Options,
        RecommendationStyle::Conditional,
    ] {
        let mut facts = packing(&counts, verdicts.clone());
        facts.options.recommendation = style;
        let report = assemble(facts);
        assert_eq!(report.recommendation.winner.as_deref(), Some("v-best-fit"));
        assert!(
            !report
                .recommendation
                .alternatives
                .iter()
                .any(|id| id == "v-worst-fit")
        );
        let text = text(&report);
        assert!(
            text.contains("Take first-fit if performance matters more"),
            "{text}"
        );
        assert!(
            !text.contains("take worst-fit") && !text.contains("Take worst-fit"),
            "{text}"
        );
        let headline = &report.recommendation.text;
        assert!(!headline.contains("worst-fit"), "{headline}");
    }
}

/// At size 1000 insertion is faster than heap, which is recommended, but quickselect is faster there than
/// both.
#[test]
fn who_is_beaten_at_a_size_is_not_recommended_for_it() {
    let text = text(&super::fixture::report());
    assert!(
        text.contains("insertion is faster than heap up to size 1000"),
        "{text}"
    );
    assert!(
        text.contains("Take insertion for sizes up to 64."),
        "{text}"
    );
    assert!(
        !text.contains("Take insertion for sizes up to 1000"),
        "{text}"
    );
}

#[test]
fn without_a_replica_nobody_is_called_the_fastest() {
    let mut facts = facts();
    facts.criteria.truncate(1);
    facts.replicas = None;
    for verdict in &mut facts.verdicts {
        *verdict = VerdictRow {
            verdict: Verdict::NoCall,
            below_threshold: false,
            ratio: None,
            low: None,
            high: None,
            ..verdict.clone()
        };
    }
    for variant in &mut facts.variants {
        variant.readings.remove("time");
    }
    let report = assemble(facts);
    for (format, text) in formats(&report) {
        let text = text.to_lowercase();
        for word in ["fastest", "slowest", "●", "winner\"", "best:", "leads"] {
            assert!(!text.contains(word), "{word} in {format}: {text}");
        }
    }
    let text = text(&report);
    let why = "no score for performance: it was not measured against the best";
    // Once in the answer, and once for all below.
    assert_eq!(text.matches(why).count(), 2, "{text}");
}

#[test]
fn an_open_race_has_a_reference_and_no_fastest() {
    let mut facts = facts();
    facts.criteria.truncate(1);
    for verdict in facts.verdicts.iter_mut().filter(|row| row.case.is_none()) {
        verdict.verdict = Verdict::NoCall;
        verdict.below_threshold = false;
        (verdict.low, verdict.high) = (Some(0.01), Some(100.0));
    }
    let report = assemble(facts);
    for (format, text) in formats(&report) {
        assert!(!text.contains("fastest"), "{format}: {text}");
    }
    let text = text(&report);
    assert!(
        text.contains("○") && text.contains("the reference"),
        "{text}"
    );
    assert!(text.contains("No call between quickselect, heap"), "{text}");
}

#[test]
fn no_score_of_any_format_is_below_0() {
    let report = super::fixture::report();
    let all = |variant: &VariantReport| {
        let ends = variant
            .scores
            .values()
            .flat_map(|s| [Some(s.value), s.low, s.high]);
        ends.flatten().all(|end| (0.0..=10.0).contains(&end))
    };
    assert!(report.variants.iter().all(all));
    let quickselect = report
        .variants
        .iter()
        .find(|v| v.name == "quickselect")
        .unwrap();
    assert_eq!(
        quickselect.scores["memory"].value, 0.0,
        "2112 KiB against 64 KiB"
    );
    let text = text(&report);
    assert!(
        text.contains("0 is a factor of 10 from it or more"),
        "{text}"
    );
}

#[test]
fn a_missing_reading_unranks_only_who_lacks_it_and_is_named() {
    let verdicts = vec![
        row("best-fit", "first-fit", 1.2, 0.02, None),
        row("best-fit", "worst-fit", 1.1, 0.02, None),
        row("worst-fit", "first-fit", 1.09, 0.02, None),
    ];
    let counts = [
        ("best-fit", 2_060.0),
        ("first-fit", 2_066.0),
        ("worst-fit", 2_100.0),
    ];
    let mut facts = packing(&counts, verdicts);
    facts.criteria[1].source = "assess:bins".to_owned();
    for variant in &mut facts.variants {
        let bins = variant.readings.remove("fuel").unwrap();
        variant.readings.insert("assess:bins".to_owned(), bins);
    }
    let fewer = ReadingVerdict::exact((0, 2_060.0), (1, 2_066.0), Direction::LowerIsBetter);
    let ids = ["v-best-fit", "v-first-fit"];
    let fewer = fewer.renamed(|place| ids.get(place).map(|id| (*id).to_owned()));
    let verdicts = fewer.into_iter().collect();
    facts.reading_verdicts = [("assess:bins".to_owned(), verdicts)].into();
    facts.variants[2].readings.remove("assess:bins");
    let report = assemble(facts.clone());
    let status = |name: &str| report.variants.iter().find(|v| v.name == name).unwrap();
    assert_eq!(status("best-fit").rank, Some(1));
    assert_eq!(status("first-fit").rank, Some(2));
    assert_eq!(status("worst-fit").status, VariantStatus::Unranked);
    let why =
        "no score for bins: there is no reading of assess:bins: the workload's `assess` must give";
    assert!(
        text(&report).contains(&format!("worst-fit unranked: {why}")),
        "{}",
        text(&report)
    );

    for variant in &mut facts.variants {
        variant.readings.remove("assess:bins");
    }
    let report = assemble(facts);
    let headline = &report.recommendation.text;
    let all = format!("For best-fit, first-fit and worst-fit: {why}");
    assert!(headline.contains(&all), "{headline}");
}

/// Variants with a quality each, and what is claimed of pairs of them.
fn of_quality(readings: &[(&str, f64)], claim: Claim, claimed: &[(&str, &str, Verdict)]) -> String {
    let tied = |(place, (a, _)): (usize, &(&str, f64))| {
        let others = readings[place + 1..].iter();
        others
            .map(|(b, _)| row(a, b, 1.0, 0.006, None))
            .collect::<Vec<_>>()
    };
    let ties = readings.iter().enumerate().flat_map(tied).collect();
    let counts: Vec<(&str, f64)> = readings.iter().map(|(name, _)| (*name, 0.0)).collect();
    let mut facts = packing(&counts, ties);
    facts.criteria[1] = CriterionSummary {
        direction: Direction::HigherIsBetter,
        scale: Scale::Linear {
            low: 0.0,
            high: 1.0,
        },
        ..criterion("quality", 1.0, "assess:quality", "")
    };
    for (variant, (_, value)) in facts.variants.iter_mut().zip(readings) {
        let quality = reading(*value, "");
        variant
            .readings
            .insert("assess:quality".to_owned(), quality);
    }
    let verdicts = claimed.iter().map(|(a, b, verdict)| ReadingVerdict {
        a: format!("v-{a}"),
        b: format!("v-{b}"),
        verdict: *verdict,
        below_threshold: false,
        claim,
        value: Some(0.1),
        low: None,
        high: None,
        count: 256,
    });
    facts.reading_verdicts = [("assess:quality".to_owned(), verdicts.collect())].into();
    text(&assemble(facts))
}

#[test]
fn nobody_is_the_worst_who_may_be_better_than_another() {
    let (beats, open) = (Verdict::Beats, Verdict::NoCall);
    let readings = [("better", 0.515), ("indep", 0.499), ("worse", 0.485)];
    let claimed = [
        ("better", "worse", beats),
        ("better", "indep", beats),
        ("indep", "worse", open),
    ];
    let seen = of_quality(&readings, Claim::MeanDifference, &claimed);
    assert!(
        seen.contains("best: better") && seen.contains("worst: one of indep and worse"),
        "{seen}"
    );
    // One that beats nobody, and is beaten by nobody, may be either.
    let claimed = [
        ("better", "worse", open),
        ("better", "indep", beats),
        ("indep", "worse", open),
    ];
    let seen = of_quality(&readings, Claim::MeanDifference, &claimed);
    assert!(
        seen.contains("best: one of better and worse")
            && seen.contains("worst: one of indep and worse"),
        "{seen}"
    );
}

#[test]
fn better_on_most_inputs_makes_no_order() {
    let (beats, open) = (Verdict::Beats, Verdict::NoCall);
    let readings = [("a", 0.6), ("b", 0.5), ("c", 0.4)];
    let chain = [("a", "b", beats), ("b", "c", beats), ("a", "c", open)];
    let seen = of_quality(&readings, Claim::MoreInputs, &chain);
    assert!(
        seen.contains("best: one of a and c") && seen.contains("worst: one of a and c"),
        "{seen}"
    );
    let chain = [("a", "b", beats), ("b", "c", beats), ("a", "c", beats)];
    let seen = of_quality(&readings, Claim::MoreInputs, &chain);
    assert!(
        seen.contains("best: a") && seen.contains("worst: c"),
        "{seen}"
    );
}
