//! An aggregator: what you want to read in a report beside what bakeoff writes.
//!
//! `aggregate` is given the text of report.json when a run is done. What it returns is in every form of the
//! report: text, Markdown, HTML and JSON. This one names the best variant by each criterion.

use crate::bakeoff::{Error, Json, Section};

/// The sections that it adds to a report.
pub fn aggregate(report: &str) -> Result<Vec<Section>, Error> {
    let report = Json::parse(report)?;
    let variants = report.key("variants").items();
    let mut section = Section::new("Best by each criterion")
        .column("criterion")
        .column("variant")
        .number_column("score");
    for criterion in report.key("criteria").items() {
        let name = criterion.key("name").text().unwrap_or_default();
        // A variant that failed has no score.
        let score = |variant: &Json| variant.key("scores").key(name).key("value").number();
        let scored = variants
            .iter()
            .filter_map(|variant| Some((variant, score(variant)?)));
        let best = scored.max_by(|(_, one), (_, other)| one.total_cmp(other));
        let Some((variant, score)) = best else {
            continue;
        };
        let called = variant.key("name").text().unwrap_or_default();
        section = section.row([name.to_owned(), called.to_owned(), format!("{score:.1}")]);
    }
    let to_flip = report.key("recommendation").key("flip_distance");
    if let Some(distance) = to_flip.number() {
        section = section.paragraph(format!(
            "Another variant would win if the weights moved by {distance:.2} in all."
        ));
    }
    Ok(vec![section])
}
