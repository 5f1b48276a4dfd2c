//! Criteria apart from an experiment: those of a file of their own, and those that are written into a new experiment.

use super::criteria::criteria;
use super::error::{ConfigError, Finding, Findings, quoted};
use super::experiment::syntax;
use super::fields::experiment::CRITERION_TABLES;
use super::section::Section;
use super::user_scale::DEFAULT_BASE;
use super::write;
use bakeoff_domain::spec::{Criterion, Gate, GateOn, Scale, Source};

/// Returns true if every experiment whose approaches are Rust files has readings of a source, whatever its workload and
/// sizes are, and nobody else is asked for them.
pub fn is_of_any_experiment(source: &Source) -> bool {
    match source {
        Source::Time
        | Source::Wall
        | Source::Fuel
        | Source::PeakMemory
        | Source::ComponentSize
        | Source::SourceLines
        | Source::ColdStart
        | Source::BuildTime => true,
        // It judges the inputs, and tells nothing of who is better.
        Source::Coverage
        | Source::Growth
        | Source::Assess(_)
        | Source::Evaluator(_)
        | Source::Judge(_) => false,
    }
}

/// Parses a file of criteria: tables `[[criterion]]` as an experiment file has them, and nothing else. `name` is the name
/// of the text in messages.
///
/// # Errors
/// [`ConfigError::Invalid`] with all findings. One of them is a criterion that not every experiment has readings for.
pub fn parse_criteria(text: &str, name: &str) -> Result<Vec<Criterion>, ConfigError> {
    let invalid = |found| ConfigError::Invalid(Findings::new(name, text, found));
    let table = syntax(text).map_err(invalid)?;
    let mut found = Vec::new();
    let mut root = Section::new("the file", table.get_ref(), 0..0);
    root.missing_field(&CRITERION_TABLES, "something must count", &mut found);
    let sections = root.tables(&CRITERION_TABLES, &mut found);
    let declared = criteria(sections, &mut found);
    root.close(&mut found);
    for one in declared.iter().flatten() {
        if !is_of_any_experiment(&one.criterion.source) {
            let from = one.criterion.source.name();
            found.push(Finding::new(
                one.place.clone(),
                format!(
                    "the criterion {} is from {}, which not every experiment has",
                    quoted(&one.criterion.name),
                    quoted(&from)
                ),
                "it needs a workload, sizes or somebody of its own",
                "remove it here, and add it to the experiment that is written",
            ));
        }
    }
    match declared {
        Some(declared) if found.is_empty() && !declared.is_empty() => {
            Ok(declared.into_iter().map(|one| one.criterion).collect())
        }
        Some(_) if found.is_empty() => Err(ConfigError::Refused(format!(
            "{} has no [[criterion]]: nothing would count",
            name.escape_debug()
        ))),
        _ => Err(invalid(found)),
    }
}

/// Returns criteria of built-in sources as an experiment file declares them.
pub fn criteria_text(criteria: &[Criterion]) -> String {
    let one = |criterion: &Criterion| {
        let mut text = format!(
            "[[criterion]]\nname = {}\nweight = {:?}\nfrom = {}\n",
            write::quoted(&criterion.name),
            criterion.weight,
            write::quoted(&criterion.source.name())
        );
        match criterion.scale {
            Scale::Ratio { base } if base == DEFAULT_BASE => {}
            Scale::Ratio { base } => text += &format!("base = {base:?}\n"),
            Scale::Linear { low, high } => {
                text += &format!("scale = \"linear\"\nrange = [{low:?}, {high:?}]\n");
            }
        }
        text += &criterion.gate.as_ref().map(gate).unwrap_or_default();
        text + "\n"
    };
    criteria.iter().map(one).collect()
}

fn gate(gate: &Gate) -> String {
    let on = match gate.on {
        GateOn::Score => "score",
        GateOn::Reading => "reading",
    };
    let bounds = [("min", gate.min), ("max", gate.max)];
    let bounds = bounds.iter().filter_map(|(key, bound)| {
        let bound = bound.as_ref()?;
        Some(format!("{key} = {bound:?}"))
    });
    let bounds: Vec<String> = bounds.collect();
    format!("gate = {{ {on} = {{ {} }} }}\n", bounds.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<Criterion>, String> {
        parse_criteria(text, "set.toml").map_err(|error| format!("{error:?}"))
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let text = "[[criterion]]\nname = \"a \\\"b\\\"\"\nweight = 0.25\nfrom = \"time\"\nbase = 4\n\
                    [[criterion]]\nname = \"m\"\nfrom = \"peak-memory\"\nscale = \"linear\"\nrange = [0, 65536]\n\
                    gate = { reading = { max = \"64 KiB\" } }\n\
                    [[criterion]]\nname = \"s\"\nweight = 0\nfrom = \"source-lines\"\n\
                    gate = { score = { min = 1, max = 9.5 } }\n";
        let criteria = parse(text).unwrap();
        assert_eq!(criteria.len(), 3);
        assert_eq!(parse(&criteria_text(&criteria)).unwrap(), criteria);
    }

    #[test]
    fn a_built_in_criterion_is_that_of_a_file_that_says_no_more() {
        for (name, source) in Source::BUILT_IN {
            if is_of_any_experiment(&source) {
                let text = format!("[[criterion]]\nname = \"x\"\nweight = 2\nfrom = \"{name}\"\n");
                let built = crate::built_in_criterion("x", 2.0, source);
                assert_eq!(parse(&text).unwrap(), [built], "{name}");
            }
        }
    }

    #[test]
    fn what_not_every_experiment_has_is_refused_with_its_name() {
        let of = |from: &str| format!("[[criterion]]\nname = \"x\"\n{from}\n");
        for (from, part) in [
            ("from = \"growth\"", "growth"),
            (
                "from = \"assess:bins\"\ndirection = \"lower-is-better\"\nscale = \"ratio\"",
                "assess:bins",
            ),
            ("from = \"evaluator:safety\"", "safety"),
            ("from = \"judge\"\nquestion = \"Is it plain?\"", "judge"),
        ] {
            let wrong = parse(&of(from)).unwrap_err();
            assert!(wrong.contains("not every experiment has"), "{wrong}");
            assert!(wrong.contains(part), "{part}: {wrong}");
        }
        for (text, part) in [
            ("", "`criterion` is missing"),
            ("criterion = []", "nothing would count"),
            ("[[criterion]]\nname = \"x\"", "`from` is missing"),
            (
                "name = \"x\"\n[[criterion]]\nname = \"x\"\nfrom = \"time\"",
                "does not know the key",
            ),
            ("[[criterion", "not TOML"),
        ] {
            let wrong = parse(text).unwrap_err();
            assert!(wrong.contains(part), "{part}: {wrong}");
        }
    }
}
