//! An aggregator: what you want to read in a report beside what bakeoff writes.
//!
//! `aggregate` is given the text of report.json when a run is done. What it returns is in every form of the
//! report: text, Markdown, HTML and JSON. This one names who has the highest score by each criterion. A score is no
//! verdict: whether anybody is surely ahead is what the report says itself.

use crate::bakeoff::{Error, Json, Section};

/// The sections that it adds to a report.
pub fn aggregate(report: &str) -> Result<Vec<Section>, Error> {
    let report = Json::parse(report)?;
    let variants = report.key("variants").items();
    let mut section = Section::new("Highest score by each criterion")
        .column("criterion")
        .column("variants")
        .number_column("score");
    for criterion in report.key("criteria").items() {
        let name = criterion.key("name").text().unwrap_or_default();
        // A variant that failed has no score.
        let score = |variant: &Json| variant.key("scores").key(name).key("value").number();
        let highest = variants.iter().filter_map(score).max_by(f64::total_cmp);
        let Some(highest) = highest else {
            continue;
        };
        let have = variants
            .iter()
            .filter(|variant| score(variant) == Some(highest));
        let names: Vec<&str> = have
            .filter_map(|variant| variant.key("name").text())
            .collect();
        section = section.row([name.to_owned(), names.join(", "), format!("{highest:.1}")]);
    }
    let to_flip = report.key("recommendation").key("flip_distance");
    if let Some(distance) = to_flip.number() {
        section = section.paragraph(format!(
            "Another variant would win if the weights moved by {distance:.2} in all."
        ));
    }
    Ok(vec![section])
}
