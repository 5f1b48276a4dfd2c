//! Summaries of policies, for reports.

use super::{At, GenerateBounds, Policy};
use crate::units::{show_bytes, show_duration};

impl Policy {
    /// Returns a summary for reports: `defaults` without a file.
    pub fn summary(&self) -> String {
        if self.file.is_none() {
            return "defaults".to_owned();
        }
        let mut parts = Vec::new();
        if let Some(folders) = &self.folders {
            parts.push(match folders.value.len() {
                0 => "no files can be granted".to_owned(),
                1 => "files from 1 folder can be granted".to_owned(),
                more => format!("files from {more} folders can be granted"),
            });
        }
        let limits = [
            (
                "memory",
                self.memory_bytes.as_ref().map(|at| show_bytes(at.value)),
            ),
            ("fuel", self.fuel.as_ref().map(|at| at.value.to_string())),
            ("wall", self.wall.as_ref().map(|at| show_duration(at.value))),
            (
                "output",
                self.output_bytes.as_ref().map(|at| show_bytes(at.value)),
            ),
        ];
        let limits = limits.into_iter();
        parts.extend(limits.filter_map(|(name, most)| Some(format!("{name} at most {}", most?))));
        if !self.allows_wasi() {
            parts.push("no component imports WASI".to_owned());
        }
        match &self.programs {
            Some(At { value: true, .. }) => parts.push("programs of experiments run".to_owned()),
            Some(At { value: false, .. }) => {
                parts.push("no program of an experiment runs".to_owned());
            }
            None => {}
        }
        if matches!(self.crates, Some(At { value: false, .. })) {
            parts.push("no source uses crates".to_owned());
        }
        if self.permit_models("--generate").is_err() {
            parts.push("no model is asked by a run".to_owned());
        }
        let bounds = self.generate_bounds;
        if bounds != GenerateBounds::default() {
            let usd = bounds.microdollars.map(|most| most as f64 / 1e6);
            let usd = usd.map(|most| format!("{most} US dollars"));
            let tokens = bounds.tokens.map(|most| format!("{most} tokens"));
            let most: Vec<String> = usd.into_iter().chain(tokens).collect();
            parts.push(format!("models take at most {}", most.join(" and ")));
        }
        if self.permit_unconfined().is_err() {
            parts.push("nothing runs unconfined".to_owned());
        }
        if parts.is_empty() {
            "a file that restricts nothing".to_owned()
        } else {
            parts.join("; ")
        }
    }
}
