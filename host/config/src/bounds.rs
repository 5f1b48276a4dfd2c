//! The bounds of an experiment's numbers and texts, for experiments that do not come from an experiment file.

use super::fields::approach::{NAME_CHARS_MAX, PROSE_CHARS_MAX};
use super::fields::criterion::{UNIT_CHARS_MAX, WEIGHT};
use super::fields::experiment::{AGGREGATORS_MAX, APPROACHES_MAX, CRITERIA_MAX, EVALUATORS_MAX};
use super::fields::kinds::MAGNITUDE_MAX;
use super::fields::options::{
    BUDGET, CONFIDENCE, FUEL, MEMORY, OUTPUT, PRACTICAL, PRECISION, WALL, WORKERS,
};
use super::fields::problem::SIZES_MAX;
use super::guests::is_evaluator_name;
use super::instances;
use super::judge;
use super::question;
use super::sweep;
use bakeoff_domain::spec::{
    Approach, Criterion, Experiment, Inputs, Limits, Measure, Scale, Workers,
};

use bakeoff_domain::variant::VARIANTS_MAX;
use std::collections::BTreeSet;

/// The most replicas of a race.
pub const MEASURE_REPLICAS_MAX: u32 = 4_096;

/// Checks that the numbers and the shown texts of a decoded experiment are within the bounds of an experiment file.
/// Cases are checked when their file is read.
///
/// # Errors
/// The first part that is out of bounds, by its name: "the number of sizes is out of bounds".
pub fn within_bounds(experiment: &Experiment) -> Result<(), String> {
    let hold = |holds: bool, what: &str| {
        if holds {
            Ok(())
        } else {
            Err(format!("{what} is out of bounds"))
        }
    };
    let approaches = &experiment.approaches;
    hold(
        (1..=APPROACHES_MAX).contains(&approaches.len()),
        "the number of approaches",
    )?;
    let counts = approaches.iter().map(Approach::variants);
    let count = counts.fold(0, usize::saturating_add);
    hold(
        (1..=VARIANTS_MAX).contains(&count),
        "the number of variants",
    )?;
    let parameters = approaches.iter().flat_map(|approach| &approach.sweep);
    hold(sweep::are_sound(parameters), "a parameter")?;
    hold(
        has_at_most(PATH_CHARS_MAX, &experiment.name)
            && has_at_most(PROSE_CHARS_MAX, &experiment.problem),
        "the name of the experiment, or its problem,",
    )?;
    hold(question::is_sound(experiment), "the kind of the experiment")?;
    let mut names = approaches.iter().map(|approach| &approach.name);
    hold(
        names.all(|name| has_at_most(PATH_CHARS_MAX, name)),
        "the name of an approach",
    )?;
    let mut descriptions = approaches.iter().flat_map(|one| &one.description);
    hold(
        descriptions.all(|text| has_at_most(PROSE_CHARS_MAX, text)),
        "the description of an approach",
    )?;
    if let Inputs::Generated { sizes, texts, .. } = &experiment.workload.inputs {
        hold(
            (1..=SIZES_MAX).contains(&sizes.len()) && texts.len() <= SIZES_MAX,
            "the number of sizes",
        )?;
        hold(sizes.is_sorted_by(|a, b| a < b), "the order of sizes")?;
        let mut known = BTreeSet::new();
        hold(
            texts.iter().all(|one| known.insert(one)),
            "the kinds of texts",
        )?;
    }
    if let Inputs::Instances { names, .. } = &experiment.workload.inputs {
        hold(instances::are_sound(names), "the list of instances")?;
    }
    let evaluators = &experiment.evaluators;
    hold(
        evaluators.len() <= EVALUATORS_MAX
            && evaluators.iter().all(|one| is_evaluator_name(&one.name)),
        "an evaluator",
    )?;
    let aggregators = &experiment.aggregators;
    hold(
        aggregators.len() <= AGGREGATORS_MAX
            && aggregators.iter().all(|one| is_evaluator_name(&one.name)),
        "an aggregator",
    )?;
    hold(limits(&experiment.limits), "a limit")?;
    hold(measure(&experiment.measure), "a setting of the measurement")?;
    hold(
        (1..=CRITERIA_MAX).contains(&experiment.criteria.len()),
        "the number of criteria",
    )?;
    hold(experiment.criteria.iter().all(criterion), "a criterion")?;
    let weights = experiment.criteria.iter().map(|one| one.weight);
    hold(weights.sum::<f64>() > 0.0, "the sum of all weights")
}

/// The longest name of an experiment or a variant that is compared without an experiment file: its path,
/// in characters.
const PATH_CHARS_MAX: usize = 4_096;

fn has_at_most(chars_max: usize, text: &str) -> bool {
    text.chars().nth(chars_max).is_none()
}

fn limits(limits: &Limits) -> bool {
    MEMORY.kind.0.contains(&limits.memory_bytes)
        && i64::try_from(limits.fuel).is_ok_and(|fuel| FUEL.kind.0.contains(&fuel))
        && WALL.kind.0.contains(&limits.wall)
        && OUTPUT.kind.0.contains(&limits.output_bytes)
}

fn measure(measure: &Measure) -> bool {
    let workers = match measure.workers {
        Workers::Auto => true,
        Workers::Exactly(count) => WORKERS.kind.1.contains(&i64::from(count)),
    };
    CONFIDENCE.kind.0.contains(&measure.confidence)
        && PRACTICAL.kind.0.contains(&measure.practical)
        && BUDGET.kind.0.contains(&measure.budget)
        && workers
        && (1..=MEASURE_REPLICAS_MAX).contains(&measure.replicas_max)
        && measure
            .margin
            .is_none_or(|margin| (0.0..=1e3).contains(&margin))
        && measure
            .precision
            .is_none_or(|precision| PRECISION.kind.0.contains(&precision))
}

/// The longest name of a criterion, in characters: a criterion without a name has that of its source, which may
/// consist of two names.
const CRITERION_CHARS_MAX: usize = 4 * NAME_CHARS_MAX;

fn criterion(criterion: &Criterion) -> bool {
    let scale = match criterion.scale {
        Scale::Ratio { base } => base > 1.0 && base <= MAGNITUDE_MAX,
        Scale::Linear { low, high } => low < high && low >= -MAGNITUDE_MAX && high <= MAGNITUDE_MAX,
    };
    let is_short = has_at_most(CRITERION_CHARS_MAX, &criterion.name)
        && has_at_most(UNIT_CHARS_MAX, &criterion.unit);
    WEIGHT.kind.0.contains(&criterion.weight) && scale && is_short && judge::is_sound(criterion)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::spec::{Direction, Parameter};
    use bakeoff_domain::texts::{SizedTexts, TextKind};

    fn valid_experiment() -> Experiment {
        let text = "name = \"x\"\nproblem = \"?\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n\
            [workload]\nsource = \"w.rs\"\nsizes = [1, 2]\n[[approach]]\nname = \"a\"\n\
            source = \"a.rs\"\n";
        super::super::parse(text, "bakeoff.toml").unwrap()
    }

    #[test]
    fn what_a_file_may_say_is_within_bounds_and_nothing_else() {
        within_bounds(&valid_experiment()).unwrap();
        let wrong: [fn(&mut Experiment); 17] = [
            |experiment| {
                experiment.evaluators.push(bakeoff_domain::spec::Evaluator {
                    name: "../x".to_owned(),
                    code: experiment.approaches[0].code.clone(),
                    criteria: Vec::new(),
                });
            },
            |experiment| experiment.approaches.clear(),
            |experiment| {
                experiment.approaches[0].sweep = vec![Parameter {
                    name: "n".into(),
                    values: (0..=VARIANTS_MAX).map(|value| value.to_string()).collect(),
                }];
            },
            // An approach of no variant beside one that has some.
            |experiment| {
                let mut empty = experiment.approaches[0].clone();
                empty.sweep = vec![Parameter {
                    name: "n".into(),
                    values: Vec::new(),
                }];
                experiment.approaches.push(empty);
            },
            |experiment| {
                experiment.approaches[0].sweep = vec![Parameter {
                    name: "n".into(),
                    values: vec!["x".repeat(1_000)],
                }];
            },
            |experiment| experiment.name = "x".repeat(1 << 20),
            |experiment| experiment.problem = "x".repeat(1 << 20),
            |experiment| experiment.approaches[0].description = Some("x".repeat(1 << 20)),
            |experiment| experiment.criteria[0].name = "x".repeat(1 << 20),
            |experiment| experiment.criteria[0].unit = "x".repeat(1 << 20),
            |experiment| experiment.limits.memory_bytes = u64::MAX,
            |experiment| experiment.measure.confidence = 1.0,
            |experiment| experiment.measure.replicas_max = u32::MAX,
            |experiment| experiment.criteria[0].weight = -1.0,
            |experiment| experiment.criteria[0].scale = Scale::Ratio { base: 1.0 },
            |experiment| {
                experiment.criteria[0].scale = Scale::Linear {
                    low: 1.0,
                    high: 0.0,
                };
                experiment.criteria[0].direction = Direction::HigherIsBetter;
            },
            |experiment| {
                if let Inputs::Generated { sizes, .. } = &mut experiment.workload.inputs {
                    sizes.reverse();
                }
            },
        ];
        for (number, change) in wrong.iter().enumerate() {
            let mut experiment = valid_experiment();
            change(&mut experiment);
            assert!(within_bounds(&experiment).is_err(), "change {number}");
        }
    }

    #[test]
    fn case_269_kinds_of_texts_of_a_kept_experiment_are_few_and_distinct() {
        let one = |size| SizedTexts {
            size,
            texts: TextKind::Words,
        };
        let with = |kinds: Vec<SizedTexts>| {
            let mut experiment = valid_experiment();
            if let Inputs::Generated { texts, .. } = &mut experiment.workload.inputs {
                *texts = kinds;
            }
            within_bounds(&experiment)
        };
        assert!(with(vec![one(10), one(20)]).is_ok());
        assert!(with(vec![one(10), one(10)]).is_err());
        assert!(with((0..100_000).map(one).collect()).is_err());
    }
}
