//! What a bench found, as a table on stdout and, with `--json FILE`, as JSON: a list of
//!
//! ```json
//! {"id": "E1", "what": "2 identical variants: false winner", "value": 2.8, "unit": "%",
//!  "demand": {"at_most": 5.0}, "met": true}
//! ```
//!
//! `demand` and `met` are null where nothing is demanded. Values are ratios and rates, or seconds
//! where seconds are the point.

use serde_json::{Value, json};
use std::path::PathBuf;

/// The unit of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Per cent.
    PerCent,
    /// Nothing: a ratio or a count.
    One,
}

/// The demand on a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Demand {
    /// A figure that is not above this one.
    AtMost(f64),
    /// A figure that is not below this one.
    AtLeast(f64),
    /// Nothing is demanded: the figure is there to compare with.
    None,
}

impl Demand {
    fn met(self, value: f64) -> Option<bool> {
        match self {
            Self::AtMost(most) => Some(value <= most),
            Self::AtLeast(least) => Some(value >= least),
            Self::None => None,
        }
    }
}

/// Figures as they come in.
pub(crate) struct Figures {
    json: Option<PathBuf>,
    rows: Vec<Value>,
}

impl Figures {
    /// Prints the heading, and returns no figures yet. The file is the argument after `--json`.
    pub(crate) fn begin() -> Self {
        let mut arguments = std::env::args_os().skip_while(|argument| argument != "--json");
        let json = arguments.nth(1).map(PathBuf::from);
        println!(
            "{:<4} {:<58} {:>10}   {:<10} met",
            "", "", "found", "demand"
        );
        Self {
            json,
            rows: Vec::new(),
        }
    }

    /// Prints a figure and keeps it.
    pub(crate) fn row(&mut self, id: &str, what: &str, value: f64, unit: Unit, demand: Demand) {
        let sign = match unit {
            Unit::PerCent => " %",
            Unit::One => "",
        };
        let (shown, wanted) = match demand {
            Demand::AtMost(most) => (format!("≤ {most}{sign}"), json!({ "at_most": most })),
            Demand::AtLeast(least) => (format!("≥ {least}{sign}"), json!({ "at_least": least })),
            Demand::None => (String::new(), Value::Null),
        };
        let met = demand.met(value);
        let word = met.map_or("", |met| if met { "yes" } else { "NO" });
        let number = format!("{value:.2}{sign}");
        println!("{id:<4} {what:<58} {number:>10}   {shown:<10} {word}");
        let unit = sign.trim();
        self.rows.push(json!({
            "id": id, "what": what, "value": value, "unit": unit, "demand": wanted, "met": met,
        }));
    }

    /// Writes the JSON, if it was asked for.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn finish(self) -> std::io::Result<()> {
        let Some(file) = self.json else {
            return Ok(());
        };
        let text = serde_json::to_string_pretty(&self.rows).unwrap_or_default();
        std::fs::write(&file, text + "\n").map_err(|error| {
            std::io::Error::new(error.kind(), format!("{}: {error}", file.display()))
        })
    }
}
