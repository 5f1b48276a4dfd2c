//! `sweep`: the parameters of an approach, and the values that are tried.

use super::error::{Finding, quoted};
use super::fields::approach::{FROM, PARAMETERS_MAX, STEP, SWEEP, TO, VALUE_CHARS_MAX, VALUES_MAX};
use super::fields::field::Field;
use super::fields::kinds;
use super::section::{At, Number, Section, number};
use bakeoff_domain::spec::Parameter;
use std::collections::BTreeSet;
use std::ops::Range;
use toml::de::DeValue;

/// The most characters of a parameter's name.
const NAME_CHARS_MAX: usize = 40;
/// The decimal places to which the values of a range are rounded, so that 0.1 + 0.2 is 0.3.
const RANGE_DIGITS: usize = 12;

/// Reads `sweep = { arity = [2, 4, 8], fill = { from = 0.5, to = 0.9, step = 0.1 } }`, if it is there. Returns the
/// parameters in the order of their names; `None` if the sweep is invalid.
pub(super) fn sweep(
    approach: &mut Section<'_>,
    found: &mut Vec<Finding>,
) -> Option<Vec<Parameter>> {
    let place = approach.key(&SWEEP);
    let section = approach.section(&SWEEP, found);
    let Some(place) = place else {
        return Some(Vec::new());
    };
    let entries = section?.entries();
    if !(1..=PARAMETERS_MAX).contains(&entries.len()) {
        found.push(Finding::new(
            place,
            format!("`sweep` has {} parameters", entries.len()),
            "impossible value",
            format!("it has 1 to {PARAMETERS_MAX} of them, like `sweep = {{ arity = [2, 4, 8] }}`"),
        ));
        return None;
    }
    let before = found.len();
    let mut parameters: Vec<Parameter> = entries
        .into_iter()
        .filter_map(|(name, value)| parameter(&name, &value, found))
        .collect();
    parameters.sort_by(|a, b| a.name.cmp(&b.name));
    (found.len() == before).then_some(parameters)
}

fn parameter(
    name: &At<&str>,
    value: &At<&DeValue<'_>>,
    found: &mut Vec<Finding>,
) -> Option<Parameter> {
    if !is_name(name.value) {
        found.push(Finding::new(
            name.span.clone(),
            format!("{} cannot be the name of a parameter", quoted(name.value)),
            "not a name",
            format!(
                "a name has up to {NAME_CHARS_MAX} letters, digits, `-` and `_`, and begins with a letter"
            ),
        ));
        return None;
    }
    let values = match value.value {
        DeValue::Array(_) => listed(name.value, value, found)?,
        DeValue::Table(table) => {
            let title = format!("the range of `{}`", name.value);
            range(Section::new(title, table, value.span.clone()), found)?
        }
        _ => {
            found.push(no_values(
                name.value,
                value.span.clone(),
                "has no list of values",
            ));
            return None;
        }
    };
    Some(Parameter {
        name: name.value.to_owned(),
        values,
    })
}

/// Returns the parameters of an approach that no file declares yet, in the order of their names.
///
/// # Errors
/// The reason why an experiment file could not declare these parameters.
pub fn sweep_of(given: Vec<(String, Vec<String>)>) -> Result<Vec<Parameter>, String> {
    if given.len() > PARAMETERS_MAX {
        return Err(format!("it has more than {PARAMETERS_MAX} parameters"));
    }
    let parameters = given.into_iter();
    let mut parameters: Vec<Parameter> = parameters
        .map(|(name, values)| Parameter { name, values })
        .collect();
    parameters.sort_by(|a, b| a.name.cmp(&b.name));
    let same = |list: &[&str]| list.iter().collect::<BTreeSet<_>>().len() < list.len();
    let names: Vec<&str> = parameters.iter().map(|one| one.name.as_str()).collect();
    let repeats = parameters.iter().any(|one| {
        let values: Vec<&str> = one.values.iter().map(String::as_str).collect();
        same(&values)
    });
    if !are_sound(parameters.iter()) || same(&names) || repeats {
        return Err(format!(
            "a parameter has a name of up to {NAME_CHARS_MAX} letters, digits, `-` and `_`, and values of up to \
             {VALUE_CHARS_MAX} characters; none comes twice"
        ));
    }
    let counts = parameters.iter().map(|one| one.values.len());
    let variants = counts.fold(1, usize::saturating_mul);
    if variants <= VALUES_MAX {
        Ok(parameters)
    } else {
        Err(format!(
            "it has {variants} variants, more than {VALUES_MAX}"
        ))
    }
}

/// Returns true if an experiment file could declare these parameters.
pub(super) fn are_sound<'a>(mut parameters: impl Iterator<Item = &'a Parameter>) -> bool {
    let is_value = |value: &String| value.chars().count() <= VALUE_CHARS_MAX;
    parameters.all(|Parameter { name, values }| {
        is_name(name) && !values.is_empty() && values.iter().all(is_value)
    })
}

fn is_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    name.len() <= NAME_CHARS_MAX
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(is_allowed)
}

fn no_values(name: &str, place: Range<usize>, what: &str) -> Finding {
    Finding::new(
        place,
        format!("the parameter `{name}` {what}"),
        "impossible value",
        format!(
            "give it 1 to {VALUES_MAX} values, like `{name} = [2, 4, 8]`, or a range like \
             `{name} = {{ from = 2, to = 8, step = 2 }}`"
        ),
    )
}

/// Reads the values of a list: numbers, texts, `true` and `false`, no two the same.
fn listed(name: &str, list: &At<&DeValue<'_>>, found: &mut Vec<Finding>) -> Option<Vec<String>> {
    let elements = list.value.as_array()?;
    if !(1..=VALUES_MAX).contains(&elements.len()) {
        let what = format!("has {} values", elements.len());
        found.push(no_values(name, list.span.clone(), &what));
        return None;
    }
    let mut taken = BTreeSet::new();
    let mut values = Vec::new();
    for element in elements.iter() {
        let Some(text) = value(element.get_ref()) else {
            let what = "has a value that is no finite number, no `true` or `false`, and no text of 1 to \
                        100 characters in one line";
            found.push(no_values(name, element.span(), what));
            return None;
        };
        if !taken.insert(text.clone()) {
            let what = format!("has the value {} twice", quoted(&text));
            found.push(no_values(name, element.span(), &what));
            return None;
        }
        values.push(text);
    }
    Some(values)
}

/// Returns the text of a value, as a prototype gets it; `None` if it cannot be a value.
fn value(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::Boolean(flag) => Some(flag.to_string()),
        DeValue::String(text) => {
            let chars = text.chars().count();
            let is_plain = !text.chars().any(char::is_control);
            (is_plain && (1..=VALUE_CHARS_MAX).contains(&chars)).then(|| text.to_string())
        }
        other => match number(other)? {
            Number::Integer(whole) => Some(whole.to_string()),
            // `1.0` stays a number with a point.
            Number::Float(float) => float.is_finite().then(|| format!("{float:?}")),
        },
    }
}

/// Returns the values of a range, both ends included.
fn range(mut section: Section<'_>, found: &mut Vec<Finding>) -> Option<Vec<String>> {
    let span = section.span.clone();
    let mut part = |field: &Field<kinds::Number>, found: &mut Vec<Finding>| {
        let read = section.number(field, found);
        section.missing_field(field, "a range has both ends and a step", found);
        read.map(|at| at.value)
    };
    let from = part(&FROM, found);
    let to = part(&TO, found);
    let step = part(&STEP, found);
    section.close(found);
    let values = match (from?, to?, step?) {
        (Number::Integer(from), Number::Integer(to), Number::Integer(step)) => {
            whole_numbers(from, to, step)
        }
        (from, to, step) => numbers(from.to_f64(), to.to_f64(), step.to_f64()),
    };
    if values.is_none() {
        found.push(Finding::new(
            span,
            "this range has no values, or too many",
            "impossible value",
            format!("`from` is at most `to`, `step` is above 0, and there are at most {VALUES_MAX} values"),
        ));
    }
    values
}

fn whole_numbers(from: i64, to: i64, step: i64) -> Option<Vec<String>> {
    let (step, span) = (u64::try_from(step).ok()?, to.checked_sub(from)?);
    let count = u64::try_from(span).ok()?.checked_div(step)?;
    (count < VALUES_MAX as u64).then(|| {
        let values = (0..=count as i64).map(|index| from + index * step as i64);
        values.map(|value| value.to_string()).collect()
    })
}

fn numbers(from: f64, to: f64, step: f64) -> Option<Vec<String>> {
    let steps = (to - from) / step;
    // Half of a thousandth of a step: what rounding may take from an end that was meant.
    let count = (steps + 5e-4).floor();
    if !(step > 0.0 && (0.0..VALUES_MAX as f64).contains(&count)) {
        return None;
    }
    let rounded = |value: f64| format!("{value:.RANGE_DIGITS$}").parse::<f64>().ok();
    let values = (0..=count as u64).map(|index| rounded(from + index as f64 * step));
    let values: Option<Vec<f64>> = values.collect();
    let texts: Vec<String> = values?.iter().map(|value| format!("{value:?}")).collect();
    let distinct: BTreeSet<&String> = texts.iter().collect();
    (distinct.len() == texts.len()).then_some(texts)
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use bakeoff_domain::spec::Parameter;

    fn read(sweep: &str) -> Result<Vec<Parameter>, String> {
        let text = format!(
            "name = \"x\"\nproblem = \"?\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n[workload]\n\
             source = \"w.rs\"\nsizes = [1]\n[[approach]]\nname = \"a\"\nsource = \"a.rs\"\nsweep = {sweep}\n"
        );
        let parsed = parse(&text, "bakeoff.toml").map_err(|error| format!("{error:?}"))?;
        Ok(parsed.approaches[0].sweep.clone())
    }

    fn values(sweep: &str) -> Vec<String> {
        read(sweep).unwrap().remove(0).values
    }

    #[test]
    fn values_are_lists_and_ranges_in_the_order_of_their_names() {
        let sweep = read("{ b = [true, false], a = [2, 4, 0.5, 1.0, \"lru\"] }").unwrap();
        let names: Vec<&str> = sweep.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(sweep[0].values, ["2", "4", "0.5", "1.0", "lru"]);
        assert_eq!(sweep[1].values, ["true", "false"]);
        assert_eq!(
            values("{ n = { from = 2, to = 9, step = 3 } }"),
            ["2", "5", "8"]
        );
        let tenths = values("{ n = { from = 0.1, to = 0.5, step = 0.1 } }");
        assert_eq!(tenths, ["0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(values("{ n = { from = -1, to = -1, step = 1 } }"), ["-1"]);
    }

    #[test]
    fn what_is_no_sweep_is_refused_with_a_way_out() {
        for (sweep, why) in [
            ("{}", "has 0 parameters"),
            ("{ n = 3 }", "has no list of values"),
            ("{ n = [] }", "has 0 values"),
            ("{ n = [1, 1] }", "twice"),
            ("{ n = [[1]] }", "no finite number"),
            ("{ n = [nan] }", "no finite number"),
            ("{ n = [\"\"] }", "no finite number"),
            ("{ \"a b\" = [1] }", "cannot be the name"),
            ("{ n = { from = 1, to = 2 } }", "`step` is missing"),
            (
                "{ n = { from = 1, to = 2, step = 0 } }",
                "no values, or too many",
            ),
            (
                "{ n = { from = 2, to = 1, step = 1 } }",
                "no values, or too many",
            ),
            (
                "{ n = { from = 0.0, to = 1.0, step = 1e-9 } }",
                "no values, or too many",
            ),
            (
                "{ n = { from = 0, to = 9223372036854775807, step = 1 } }",
                "no values, or too many",
            ),
            (
                "{ n = { from = 1, to = 2, step = 1, by = 1 } }",
                "does not know the key",
            ),
        ] {
            let said = read(sweep).unwrap_err();
            assert!(said.contains(why), "{sweep}: {said}");
        }
    }

    #[test]
    fn more_variants_than_there_may_be_are_refused_at_the_approach() {
        let range = "{ from = 1, to = 101, step = 1 }";
        let said = read(&format!("{{ x = {range}, y = {range} }}")).unwrap_err();
        assert!(said.contains("10201 variants"), "{said}");
        assert_eq!(
            read(&format!("{{ x = {range}, y = [1] }}")).unwrap().len(),
            2
        );
    }
}
