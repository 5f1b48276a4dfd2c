//! A proposer: further approaches, made by a program.
//!
//! `propose` is told the problem, the approaches that there are, and what the last run said of them. What it
//! returns is built, called and judged like any prototype; what passes is added to the experiment. This one
//! writes the approaches once more, with another collection or another way to sort.

use crate::bakeoff::{Error, Proposal, Task};

/// What is written in the place of what, and the word that tells it in a name.
const SWAPS: [(&str, &str, &str); 3] = [
    ("sort_unstable(", "sort(", "stable"),
    ("HashSet", "BTreeSet", "ordered"),
    ("HashMap", "BTreeMap", "ordered"),
];

/// Approaches that differ from those that there are.
pub fn propose(task: &Task) -> Result<Vec<Proposal>, Error> {
    let mut proposals = Vec::new();
    for approach in &task.known {
        // A component that was brought has no source; one with parameters is left to the grid.
        let (Some(text), true) = (approach.source(), approach.parameters.is_empty()) else {
            continue;
        };
        for (from, to, word) in SWAPS.iter().filter(|(from, ..)| text.contains(from)) {
            let proposal = Proposal::new(
                &format!("{} {word}", approach.name),
                &text.replace(from, to),
            );
            let about = format!(
                "As {}, with `{to}` in the place of `{from}`.",
                approach.name
            );
            proposals.push(proposal.about(about.replace('(', "")));
        }
    }
    if proposals.is_empty() {
        Err(Error::NothingToPropose(
            "nothing in the sources has another form".to_owned(),
        ))
    } else {
        Ok(proposals)
    }
}
