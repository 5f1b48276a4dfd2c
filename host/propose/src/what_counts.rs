//! The part of a problem's description that says what approaches are compared by, in the words of the experiment.

use bakeoff_domain::spec::{Criterion, Direction, Experiment, Gate, GateOn, Limits, Source};

/// Returns what counts: the criteria by weight, the bounds that rank nobody, and the limits of a call.
pub(super) fn what_counts(experiment: &Experiment) -> String {
    let Limits {
        memory_bytes,
        fuel,
        wall,
        ..
    } = experiment.limits;
    format!(
        "{}\nLimits of a call, beyond which an approach fails: {} MiB of memory, {fuel} instructions of WebAssembly, {} s.",
        criteria_words(&experiment.criteria),
        memory_bytes >> 20,
        wall.as_secs_f64()
    )
}

/// Returns criteria in words, one on each line, the heaviest first.
pub(super) fn criteria_words(criteria: &[Criterion]) -> String {
    let mut criteria: Vec<&Criterion> = criteria.iter().collect();
    criteria.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let lines: Vec<String> = criteria.into_iter().map(criterion).collect();
    lines.join("\n")
}

/// Returns the sentence on which approaches are wanted, by what counts most.
pub(super) fn preference(experiment: &Experiment) -> &'static str {
    let weights = experiment.criteria.iter();
    let heaviest = weights.max_by(|a, b| a.weight.total_cmp(&b.weight));
    match heaviest.map(|criterion| &criterion.source) {
        None | Some(Source::Time | Source::Wall) => {
            "Prefer those of which it is not clear beforehand which will be the fastest on the sizes that are measured."
        }
        Some(_) => {
            "Prefer those of which it is not clear beforehand which will be the best by what counts, the first of it \
             above all."
        }
    }
}

fn criterion(criterion: &Criterion) -> String {
    let better = match criterion.direction {
        Direction::LowerIsBetter => "lower is better",
        Direction::HigherIsBetter => "higher is better",
    };
    let gate = criterion.gate.as_ref().map(gate).unwrap_or_default();
    format!(
        "{} (weight {}): {}, {better}{gate}",
        criterion.name,
        criterion.weight,
        source(&criterion.source)
    )
}

/// Returns the source of a criterion's readings in words.
fn source(source: &Source) -> String {
    match source {
        Source::Time => "CPU time of a call".to_owned(),
        Source::Wall => "wall time of a call".to_owned(),
        Source::Fuel => "instructions of WebAssembly that calls take".to_owned(),
        Source::PeakMemory => "the largest size of its memory".to_owned(),
        Source::ComponentSize => "bytes of the compiled component".to_owned(),
        Source::SourceLines => "lines of source without blanks and comments".to_owned(),
        Source::Growth => "how its work grows with the size of inputs, as an exponent".to_owned(),
        Source::ColdStart => "CPU time of the first call".to_owned(),
        Source::BuildTime => "CPU time of the build".to_owned(),
        Source::Coverage => "the share of its code that the checked inputs reach".to_owned(),
        Source::Assess(name) => {
            format!("the number `{name}` that `assess` of the workload gives an answer")
        }
        Source::Judge(source) => format!("a model's opinion on: {}", source.question),
        Source::Evaluator(_) => format!("a reading of an evaluator, {}", source.name()),
    }
}

/// Returns the bounds that a reading or a score must meet.
fn gate(gate: &Gate) -> String {
    let on = match gate.on {
        GateOn::Score => "its score from 0 to 10",
        GateOn::Reading => "it",
    };
    let least = gate.min.map(|min| format!("at least {min}"));
    let most = gate.max.map(|max| format!("at most {max}"));
    let bounds: Vec<String> = least.into_iter().chain(most).collect();
    format!(
        "; {on} must be {}, or the approach has no rank",
        bounds.join(" and ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples(name: &str) -> Experiment {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/");
        let path = std::path::Path::new(folder).join(name);
        bakeoff_config::load(&path).unwrap().experiment
    }

    #[test]
    fn the_heaviest_criterion_comes_first_and_says_what_is_wanted() {
        let packing = examples("bin-packing");
        let told = what_counts(&packing);
        let first = told.lines().next().unwrap();
        assert!(
            first.contains("assess") && first.contains("weight 1"),
            "{told}"
        );
        assert!(
            told.contains("CPU time of a call") && told.contains("MiB of memory"),
            "{told}"
        );
        assert!(!preference(&packing).contains("fastest"));
        let sorting = examples("top-k");
        assert!(preference(&sorting).contains("fastest"));
        assert!(what_counts(&sorting).starts_with("performance (weight 1): CPU time"));
    }

    #[test]
    fn bounds_are_told() {
        let gate = |on, min, max| super::gate(&Gate { on, min, max });
        assert_eq!(
            gate(GateOn::Score, Some(5.0), None),
            "; its score from 0 to 10 must be at least 5, or the approach has no rank"
        );
        let both = gate(GateOn::Reading, Some(1.0), Some(2.5));
        assert!(
            both.contains("it must be at least 1 and at most 2.5"),
            "{both}"
        );
    }
}
