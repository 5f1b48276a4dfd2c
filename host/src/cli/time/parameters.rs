//! Parameters of commands: each value of each is put in the place of `{NAME}`.

/// The most values of a parameter, and the most commands that come of all.
const VALUES_MAX: usize = 64;

/// A parameter with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    name: String,
    values: Vec<String>,
}

/// Returns the parameters of `--parameter-list NAME VALUES` and `--parameter-scan NAME MIN MAX`, whose words stand one
/// behind the other.
///
/// # Errors
/// A name is used twice, or values are none, in words.
pub(super) fn parameters(
    lists: &[String],
    scans: &[String],
    steps: &[String],
) -> Result<Vec<Parameter>, String> {
    let mut parameters = Vec::new();
    for list in lists.chunks_exact(2) {
        let values = list[1].split(',').map(|value| value.trim().to_owned());
        parameters.push(Parameter {
            name: list[0].clone(),
            values: values.collect(),
        });
    }
    if steps.len() > scans.len() / 3 {
        return Err("there are more of --parameter-step-size than of --parameter-scan".to_owned());
    }
    for (place, scan) in scans.chunks_exact(3).enumerate() {
        let step = steps.get(place).map_or("1", String::as_str);
        parameters.push(Parameter {
            name: scan[0].clone(),
            values: scanned(&scan[1], &scan[2], step)
                .map_err(|why| format!("--parameter-scan {}: {why}", scan[0]))?,
        });
    }
    for (place, parameter) in parameters.iter().enumerate() {
        let Parameter { name, values } = parameter;
        if name.is_empty() || name.contains(['{', '}']) {
            return Err(format!("{name:?} is no name of a parameter"));
        }
        if parameters[..place].iter().any(|other| other.name == *name) {
            return Err(format!("the parameter {name} is given twice"));
        }
        if values.iter().any(String::is_empty) || values.len() > VALUES_MAX {
            return Err(format!(
                "the parameter {name} has an empty value, or more than {VALUES_MAX}"
            ));
        }
    }
    Ok(parameters)
}

/// The values from `low` to `high`, with as many decimals as the ends and the step have.
fn scanned(low: &str, high: &str, step: &str) -> Result<Vec<String>, String> {
    let decimals = |text: &str| {
        text.split_once('.')
            .map_or(0, |(_, decimals)| decimals.len())
    };
    let places = [low, high, step]
        .map(decimals)
        .into_iter()
        .max()
        .unwrap_or(0);
    let number = |text: &str| {
        let number: Option<f64> = text.parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| format!("{text:?} is no number"))
    };
    let (low, high, step) = (number(low)?, number(high)?, number(step)?);
    if step <= 0.0 || low > high {
        return Err("its values go up from MIN to MAX by a step above 0".to_owned());
    }
    // A step that is not exact in binary still reaches the end.
    let count = ((high - low) / step + 1e-9).floor();
    if count >= VALUES_MAX as f64 {
        return Err(format!("more than {VALUES_MAX} values"));
    }
    let value = |index: usize| format!("{:.places$}", low + step * index as f64);
    Ok((0..=count as usize).map(value).collect())
}

/// Returns each text with all combinations of values in the place of the parameters, the last parameter changing
/// fastest, as indexes of the text with the texts that belong together: the command, and what else has parameters in it.
///
/// # Errors
/// They are too many, in words.
pub(super) fn combined(
    texts: &[Vec<String>],
    parameters: &[Parameter],
) -> Result<Vec<Vec<String>>, String> {
    let is_unused = |parameter: &&Parameter| {
        let place = format!("{{{}}}", parameter.name);
        !texts.iter().any(|group| group[0].contains(&place))
    };
    if let Some(unused) = parameters.iter().find(is_unused) {
        let name = &unused.name;
        return Err(format!(
            "the parameter {name} is in no command: write {{{name}}} where its values are to be"
        ));
    }
    let mut combined = texts.to_vec();
    for Parameter { name, values } in parameters {
        let place = format!("{{{name}}}");
        let with = |value: &String, group: &Vec<String>| -> Vec<String> {
            group
                .iter()
                .map(|text| text.replace(&place, value))
                .collect()
        };
        combined = combined
            .iter()
            .flat_map(|group| {
                // A command without the parameter is one command.
                let is_used = group[0].contains(&place);
                let used = if is_used { &values[..] } else { &values[..1] };
                used.iter()
                    .map(|value| with(value, group))
                    .collect::<Vec<_>>()
            })
            .collect();
        if combined.len() > VALUES_MAX {
            return Err(format!(
                "these are more than {VALUES_MAX} commands: leave out values or commands"
            ));
        }
    }
    Ok(combined)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn lists_and_scans_are_put_in_their_places() {
        let parameters = parameters(
            &texts(&["level", "1, 9"]),
            &texts(&["n", "0.5", "1.5"]),
            &texts(&["0.5"]),
        )
        .unwrap();
        let groups = [texts(&["zip -{level} {n}", "x{n}"]), texts(&["plain", ""])];
        let found = combined(&groups, &parameters).unwrap();
        assert_eq!(
            found,
            [
                texts(&["zip -1 0.5", "x0.5"]),
                texts(&["zip -1 1.0", "x1.0"]),
                texts(&["zip -1 1.5", "x1.5"]),
                texts(&["zip -9 0.5", "x0.5"]),
                texts(&["zip -9 1.0", "x1.0"]),
                texts(&["zip -9 1.5", "x1.5"]),
                texts(&["plain", ""]),
            ]
        );
    }

    #[test]
    fn what_is_no_parameter_is_an_error() {
        let scan = |low: &str, high: &str, step: &str| {
            parameters(&[], &texts(&["n", low, high]), &texts(&[step])).is_err()
        };
        assert!(scan("3", "1", "1") && scan("1", "3", "0") && scan("a", "3", "1"));
        assert!(scan("1", "1000", "1") && !scan("1", "3", "1"));
        let list = |values: &[&str]| parameters(&texts(values), &[], &[]);
        assert!(list(&["n", "1,"]).is_err());
        assert!(list(&["n", "1", "n", "2"]).is_err());
        assert!(parameters(&[], &[], &texts(&["1"])).is_err());
        let unused = list(&["m", "1,2"]).unwrap();
        assert!(combined(&[texts(&["a{n}"])], &unused).is_err());
        let many = list(&["n", &vec!["1"; 60].join(",")]).unwrap();
        assert!(combined(&[texts(&["a{n}"]), texts(&["b{n}"])], &many).is_err());
    }
}
