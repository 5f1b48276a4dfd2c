//! `instances`: the names of fixed inputs.

use super::error::{Finding, quoted};
use super::section::Section;
use std::collections::HashMap;
use std::ops::Range;

/// The most instances of a workload.
pub const INSTANCES_MAX: usize = 10_000;
/// The most characters of an instance's name.
pub const INSTANCE_CHARS_MAX: usize = 200;
/// The most bytes of all names together.
pub const INSTANCES_BYTES_MAX: usize = 512 << 10;

/// The key `instances`: names that differ.
pub(super) fn instances(
    section: &mut Section<'_>,
    found: &mut Vec<Finding>,
) -> Option<Vec<String>> {
    let wanted = "a list of names like `[\"small-1\", \"small-2\"]`";
    let list = section.array("instances", wanted, found)?;
    let wrong = |span: &Range<usize>, why: String| {
        let help = format!(
            "instances are 1 to {INSTANCES_MAX} different names of 1 to {INSTANCE_CHARS_MAX} \
             characters, with {INSTANCES_BYTES_MAX} bytes in all and no control characters"
        );
        Finding::new(span.clone(), why, "impossible value", help)
    };
    if list.value.is_empty() || list.value.len() > INSTANCES_MAX {
        let count = list.value.len();
        found.push(wrong(
            &list.span,
            format!("`instances` has {count} elements"),
        ));
        return None;
    }
    let mut places: HashMap<&str, Range<usize>> = HashMap::new();
    let mut names = Vec::with_capacity(list.value.len());
    let mut bytes = 0;
    for one in &list.value {
        let Some(name) = one.value.as_str() else {
            let why = "`instances` has an element that is no text".to_owned();
            found.push(wrong(&one.span, why));
            return None;
        };
        if let Some(why) = fault(name) {
            found.push(wrong(&one.span, why));
            return None;
        }
        if let Some(first) = places.insert(name, one.span.clone()) {
            let twice = wrong(
                &one.span,
                format!("the instance {} is there twice", quoted(name)),
            );
            found.push(twice.with_other(first, "the first one"));
            return None;
        }
        bytes += name.len();
        names.push(name.to_owned());
    }
    if bytes > INSTANCES_BYTES_MAX {
        found.push(wrong(
            &list.span,
            format!("the names of the instances have {bytes} bytes"),
        ));
        return None;
    }
    Some(names)
}

/// The reason why a text is no name of an instance.
fn fault(name: &str) -> Option<String> {
    let chars = name.chars().count();
    if name.trim().is_empty() {
        return Some("an instance has an empty name".to_owned());
    }
    if chars > INSTANCE_CHARS_MAX {
        return Some(format!("the name of an instance has {chars} characters"));
    }
    name.chars()
        .any(char::is_control)
        .then(|| format!("the instance {} has a control character", quoted(name)))
}

/// Returns true if a list could be that of an experiment file.
pub(super) fn are_sound(names: &[String]) -> bool {
    let distinct: std::collections::HashSet<&String> = names.iter().collect();
    (1..=INSTANCES_MAX).contains(&names.len())
        && distinct.len() == names.len()
        && names.iter().all(|name| fault(name).is_none())
        && names.iter().map(String::len).sum::<usize>() <= INSTANCES_BYTES_MAX
}
