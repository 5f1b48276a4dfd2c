//! `[[criterion]]`: weights, sources and scales.

use super::error::{Finding, quoted};
use super::fields::approach::NAME_CHARS_MAX;
use super::fields::criterion::{
    ASSESS_PREFIX, BASE, DIRECTION, FROM, JUDGE_SOURCE, NAME, RANGE, SCALE, UNIT, WEIGHT,
};
use super::fields::kinds::MAGNITUDE_MAX;
use super::prose::{prose, prose_of};
use super::reading_gate::gate;
use super::section::{At, Section, number};
use super::user_scale::{DEFAULT_BASE, ScaleKind, UserScale};
use super::{evaluators, judge, suggest};
use bakeoff_domain::spec::{Criterion, Direction, EVALUATOR_PREFIX, Scale, Source};
use std::collections::HashMap;
use std::ops::Range;

/// The readings of parts of a call's time, which are no criteria.
const PARTS_SHOWN: [&str; 4] = ["prepare-time", "run-time", "output-time", "start-time"];
/// The default scale of growth, in exponents: constant scores 10, cubic 0.
const GROWTH_EXPONENTS: (f64, f64) = (0.0, 3.0);
/// The scale of a share in percent.
const PERCENT: (f64, f64) = (0.0, 100.0);

/// Returns the unit of a built-in source's readings; `None` for `assess`, evaluators and
/// opinions, which have their own.
pub fn unit_of(source: &Source) -> Option<&'static str> {
    match source {
        Source::Time | Source::Wall | Source::ColdStart | Source::BuildTime => Some("ns"),
        Source::Fuel => Some("units"),
        Source::PeakMemory | Source::ComponentSize => Some("bytes"),
        Source::SourceLines => Some("lines"),
        Source::Growth => Some("exponent"),
        Source::Coverage => Some("%"),
        Source::Assess(_) | Source::Evaluator(_) | Source::Judge(_) => None,
    }
}

/// Returns the direction of a built-in source's readings.
fn direction_of(source: &Source) -> Direction {
    match source {
        Source::Coverage => Direction::HigherIsBetter,
        Source::Time
        | Source::Wall
        | Source::Fuel
        | Source::PeakMemory
        | Source::ComponentSize
        | Source::SourceLines
        | Source::Growth
        | Source::ColdStart
        | Source::BuildTime
        | Source::Assess(_)
        | Source::Evaluator(_)
        | Source::Judge(_) => Direction::LowerIsBetter,
    }
}

/// Returns the scale of a source where a file names none; `None` for `assess`, whose linear scale takes a range.
fn default_scale(source: &Source) -> Option<Scale> {
    let (low, high) = match source {
        Source::Growth => GROWTH_EXPONENTS,
        Source::Coverage => PERCENT,
        Source::Assess(_) => return None,
        _ => return Some(Scale::Ratio { base: DEFAULT_BASE }),
    };
    Some(Scale::Linear { low, high })
}

/// Returns a criterion of a built-in source as a file declares it that says no more than name, weight and source.
pub fn built_in_criterion(name: &str, weight: f64, source: Source) -> Criterion {
    Criterion {
        name: name.to_owned(),
        weight,
        direction: direction_of(&source),
        unit: unit_of(&source).unwrap_or_default().to_owned(),
        scale: default_scale(&source).unwrap_or(Scale::Ratio { base: DEFAULT_BASE }),
        source,
        gate: None,
    }
}

/// Returns the criteria of an experiment that declares none: CPU time alone, by ratio.
pub fn default_criteria() -> Vec<Criterion> {
    vec![built_in_criterion("performance", 1.0, Source::Time)]
}

/// A criterion as declared in the file.
pub(super) struct DeclaredCriterion {
    /// The criterion. Direction, unit and scale of a criterion from an evaluator are filled in later, from the
    /// evaluator's description.
    pub(super) criterion: Criterion,
    /// The span of its `from`.
    pub(super) place: Range<usize>,
    /// The properties of its readings that the user declares.
    pub(super) scale: UserScale,
}

/// Reads all criteria. `None` if any is invalid.
pub(super) fn criteria(
    sections: Vec<Section<'_>>,
    found: &mut Vec<Finding>,
) -> Option<Vec<DeclaredCriterion>> {
    let before = found.len();
    let mut names: HashMap<String, Range<usize>> = HashMap::new();
    let mut list: Vec<DeclaredCriterion> = Vec::new();
    let mut weights_at = None;
    for mut section in sections {
        let name = section.text(&NAME, found);
        section.missing_field(&NAME, "reports call it by that", found);
        let name = prose(name, &NAME, found);
        if let Some(name) = &name {
            if let Some(first) = names.get(&name.value) {
                found.push(
                    Finding::new(
                        name.span.clone(),
                        format!("two criteria are called {}", quoted(&name.value)),
                        "the second one",
                        "rename one",
                    )
                    .with_other(first.clone(), "the first one"),
                );
            }
            names.insert(name.value.clone(), name.span.clone());
        }
        let from = section.value_place(&FROM).unwrap_or(section.span.clone());
        let place = section.key(&WEIGHT).unwrap_or(section.span.clone());
        weights_at.get_or_insert(place);
        if let (Some((criterion, scale)), Some(name)) = (criterion(section, found), name) {
            let name = name.value;
            list.push(DeclaredCriterion {
                criterion: judge::named(criterion, name),
                place: from,
                scale,
            });
        }
    }
    if found.len() > before {
        return None;
    }
    let nothing_counts = list.iter().all(|one| one.criterion.weight == 0.0);
    if let (Some(place), true) = (weights_at, nothing_counts) {
        found.push(Finding::new(
            place,
            "every weight is 0: nothing counts",
            "this one, and all others",
            "give at least one criterion a weight above 0",
        ));
        return None;
    }
    Some(list)
}

/// Reads one criterion, without its name.
fn criterion(mut section: Section<'_>, found: &mut Vec<Finding>) -> Option<(Criterion, UserScale)> {
    let weight = weight(&mut section, found);
    let is_judge = section.is_text(&FROM, JUDGE_SOURCE);
    let opinion = judge::source(&mut section, is_judge, found);
    let source = if is_judge {
        section.text(&FROM, found);
        opinion
    } else {
        source(&mut section, found)
    };
    let declared = DeclaredReadings {
        direction: section.choice(&DIRECTION, found),
        unit: section.text(&UNIT, found),
        scale: section.choice(&SCALE, found),
        range: range(&mut section, found),
        base: base(&mut section, found),
    };
    let by_user = declared.by_user();
    let meaning = source
        .as_ref()
        .and_then(|source| meaning(source, declared, &section, found));
    let gate = gate(
        &mut section,
        meaning.as_ref().map(|meaning| &*meaning.unit),
        found,
    );
    section.close(found);
    let Meaning {
        direction,
        unit,
        scale,
    } = meaning?;
    let criterion = Criterion {
        name: String::new(),
        weight: weight?,
        source: source?,
        direction,
        unit,
        scale,
        gate: gate.ok()?,
    };
    Some((criterion, by_user))
}

/// The declared properties of readings.
struct DeclaredReadings<'a> {
    direction: Option<At<Direction>>,
    unit: Option<At<&'a str>>,
    scale: Option<At<ScaleKind>>,
    range: Option<(f64, f64)>,
    base: Option<f64>,
}

impl DeclaredReadings<'_> {
    fn by_user(&self) -> UserScale {
        UserScale {
            direction: self.direction.as_ref().map(|one| one.value),
            unit: self.unit.as_ref().map(|one| one.value.to_owned()),
            kind: self.scale.as_ref().map(|one| one.value),
            range: self.range,
            base: self.base,
        }
    }
}

/// The properties of readings, with defaults filled in.
struct Meaning {
    direction: Direction,
    unit: String,
    scale: Scale,
}

/// Completes the declared properties by those that the source fixes.
fn meaning(
    source: &Source,
    declared: DeclaredReadings<'_>,
    section: &Section<'_>,
    found: &mut Vec<Finding>,
) -> Option<Meaning> {
    let (direction, unit) = match unit_of(source) {
        Some(unit) => {
            let direction = direction_of(source);
            let better = match direction {
                Direction::HigherIsBetter => "higher",
                Direction::LowerIsBetter => "lower",
            };
            for key in [DIRECTION.key, UNIT.key] {
                if let Some(place) = section.key(key) {
                    let name = source.name();
                    found.push(Finding::new(
                        place,
                        format!("`{key}` cannot be set for `{name}`"),
                        "fixed for this source",
                        format!("remove it: `{name}` is in {unit}, and {better} is better"),
                    ));
                }
            }
            (Some(direction), unit.to_owned())
        }
        None if source.evaluated().is_some() => {
            let direction = declared.direction.map(|direction| direction.value);
            let unit = match declared.unit {
                Some(unit) => prose(Some(unit), &UNIT, found)?.value,
                None => String::new(),
            };
            (Some(direction.unwrap_or(Direction::LowerIsBetter)), unit)
        }
        None if source.judged().is_some() && section.key(&UNIT).is_none() => {
            let direction = declared.direction.map(|direction| direction.value);
            let direction = direction.unwrap_or(Direction::HigherIsBetter);
            return Some(Meaning {
                direction,
                unit: String::new(),
                scale: judge::SCORES,
            });
        }
        None => {
            let why = "only the workload's author knows which way is better";
            section.missing_field(&DIRECTION, why, found);
            let unit = match declared.unit {
                Some(unit) => prose(Some(unit), &UNIT, found)?.value,
                None => String::new(),
            };
            (declared.direction.map(|direction| direction.value), unit)
        }
    };
    let scale = scale(
        source,
        declared.scale,
        declared.range,
        declared.base,
        section,
        found,
    );
    Some(Meaning {
        direction: direction?,
        unit,
        scale: scale?,
    })
}

/// Returns the scale. By default, growth, coverage and assessments are linear, and all else is by ratio.
fn scale(
    source: &Source,
    kind: Option<At<ScaleKind>>,
    range: Option<(f64, f64)>,
    base: Option<f64>,
    section: &Section<'_>,
    found: &mut Vec<Finding>,
) -> Option<Scale> {
    let default = default_scale(source);
    let kind = match kind {
        Some(kind) => kind.value,
        None if section.key(&SCALE).is_some() => return None,
        None if source.has_own_unit() && section.key(&RANGE).is_some() => ScaleKind::Linear,
        None if matches!(default, Some(Scale::Ratio { .. })) => ScaleKind::Ratio,
        None => ScaleKind::Linear,
    };
    let (foreign, own) = match kind {
        ScaleKind::Ratio => (RANGE.key, "\"linear\""),
        ScaleKind::Linear => (BASE.key, "\"ratio\""),
    };
    if let Some(place) = section.key(foreign) {
        found.push(Finding::new(
            place,
            format!("`{foreign}` belongs to `scale = {own}`"),
            "no meaning here",
            format!("remove it, or write `scale = {own}`"),
        ));
        return None;
    }
    match (
        kind,
        section.key(&BASE).is_some(),
        section.key(&RANGE).is_some(),
    ) {
        (ScaleKind::Ratio, false, _) => Some(Scale::Ratio { base: DEFAULT_BASE }),
        (ScaleKind::Ratio, true, _) => base.map(|base| Scale::Ratio { base }),
        (ScaleKind::Linear, _, true) => range.map(|(low, high)| Scale::Linear { low, high }),
        (ScaleKind::Linear, _, false) if matches!(default, Some(Scale::Linear { .. })) => default,
        // The evaluator may declare one.
        (ScaleKind::Linear, _, false) if source.evaluated().is_some() => {
            Some(Scale::Ratio { base: DEFAULT_BASE })
        }
        (ScaleKind::Linear, _, false) => {
            section.missing(
                RANGE.key,
                "a linear scale runs from one end to the other",
                "range = [0, 100]` or `scale = \"ratio\"",
                found,
            );
            None
        }
    }
}

/// Returns true if a number can be a weight: finite, and not negative.
pub(super) fn is_weight(weight: f64) -> bool {
    WEIGHT.kind.0.contains(&weight)
}

/// `weight`, 1 by default.
fn weight(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<f64> {
    if section.key(&WEIGHT).is_none() {
        section.number(&WEIGHT, found);
        return Some(1.0);
    }
    let at = section.number(&WEIGHT, found)?;
    let weight = at.value.to_f64();
    if is_weight(weight) {
        // A negative zero is a zero, and is shown as one.
        return Some(weight.abs());
    }
    found.push(Finding::new(
        at.span,
        format!("a weight cannot be {}", weight),
        "impossible value",
        "a weight is a finite number from 0 on",
    ));
    None
}

/// `from`
fn source(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<Source> {
    let at = section.text(&FROM, found);
    section.missing_field(&FROM, "it says where the numbers come from", found);
    let at = at?;
    if let Some((_, source)) = Source::BUILT_IN.iter().find(|(name, _)| *name == at.value) {
        return Some(source.clone());
    }
    if let Some(name) = at.value.strip_prefix(ASSESS_PREFIX) {
        let name = At {
            value: name,
            span: at.span,
        };
        return prose_of(Some(name), "assess:NAME", NAME_CHARS_MAX, found)
            .map(|name| Source::Assess(name.value));
    }
    if let Some(name) = at.value.strip_prefix(EVALUATOR_PREFIX) {
        return evaluators::source(name, &at.span, found).map(Source::Evaluator);
    }
    let names = Source::BUILT_IN.iter().map(|(name, _)| *name);
    let others = ["assess:NAME", "evaluator:NAME", JUDGE_SOURCE];
    if PARTS_SHOWN.contains(&at.value) {
        found.push(Finding::new(
            at.span,
            format!("{} is shown, and ranks nobody", quoted(at.value)),
            "a part of `time`",
            "work can be moved from one part of a call to another: rank by \"time\", which is all of it",
        ));
        return None;
    }
    let help = match suggest::nearest(at.value, names.clone().chain(others)) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!(
            "it is one of {}, assess:NAME, evaluator:NAME or judge",
            names.collect::<Vec<_>>().join(", ")
        ),
    };
    found.push(Finding::new(
        at.span,
        format!("no reading is called {}", quoted(at.value)),
        "nobody can compute this",
        help,
    ));
    None
}

/// `range`: two ends.
fn range(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<(f64, f64)> {
    let list = section.array(&RANGE, "a list of two numbers like `[0, 100]`", found)?;
    let ends: Vec<_> = list
        .value
        .iter()
        .filter_map(|one| number(one.value))
        .collect();
    if let ([_, _], [low, high]) = (list.value.as_slice(), ends.as_slice()) {
        let (low, high) = (low.to_f64(), high.to_f64());
        if low < high && low.abs() <= MAGNITUDE_MAX && high.abs() <= MAGNITUDE_MAX {
            return Some((low, high));
        }
    }
    found.push(Finding::new(
        list.span,
        "`range` is not a range",
        "impossible value",
        "write two finite numbers, the lower one first: `range = [0, 100]`",
    ));
    None
}

/// `base` of the ratio scale.
fn base(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<f64> {
    let at = section.number(&BASE, found)?;
    let base = at.value.to_f64();
    if BASE.kind.0.contains(&base) {
        return Some(base);
    }
    found.push(Finding::new(
        at.span,
        "`base` is not above 1 (and at most 1000000)",
        "impossible value",
        "it is the ratio that costs ten points: `base = 10`",
    ));
    None
}
