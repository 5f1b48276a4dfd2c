//! `[generate]`: approaches that a model is asked for.
//!
//! An experiment may come from anybody. So its file names no program, no address and no file outside of its
//! folder, and the table alone asks no model: the user gives leave for that on the command line.

use super::amounts::{duration, whole, word_or_whole};
use super::asked_model::{self, AskedModel, RepairModel};
use super::error::Finding;
use super::fields::generate::{
    APPROACHES, DEPTH, DIVERSITY, INSTRUCTIONS, REPAIR_MODEL, REPAIR_PROVIDER, REPAIRS, RESEARCH,
    TIMEOUT, WORKSPACE, Workspace,
};
use super::paths::FileRef;
use super::section::Section;
use bakeoff_domain::generate::{Depth, Diversity, ProviderKind};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// Options of an experiment for approaches that a model is asked for: the table `[generate]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Generate {
    /// The model, and what it may cost.
    pub asked: AskedModel,
    /// The number of approaches; `None` leaves it to the plan.
    pub approaches: Option<u32>,
    /// The number of repairs of one approach: requests to write code anew that failed.
    pub repairs: u32,
    /// The time for one approach with all its repairs.
    pub timeout: Duration,
    /// The depth of the prototypes: sketches, proofs of concept, or production-ready code.
    pub depth: Depth,
    /// The diversity of the approaches: how much they should differ.
    pub diversity: Diversity,
    /// A file with wishes for every prototype, relative to the experiment's folder.
    pub instructions: Option<PathBuf>,
    /// True if it is asked first what is known of the problem.
    pub research: bool,
    /// Writer of the approaches.
    pub workspace: Workspace,
}

/// The options that decide which approaches are asked for. Budgets and times are left out: a run that is given
/// more of them goes on with the same approaches.
#[derive(Serialize)]
struct WantedApproaches<'a> {
    provider: &'static str,
    model: Option<&'a str>,
    approaches: Option<u32>,
    repairs: u32,
    depth: Depth,
    diversity: Diversity,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    research: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    repaired_by: Option<(&'static str, &'a str)>,
}

impl Generate {
    /// Returns a text of all options that decide which approaches are asked for, to be compared with that of another
    /// run.
    pub fn wanted(&self) -> String {
        let wanted = WantedApproaches {
            provider: self.asked.provider.name(),
            model: self.asked.model.as_deref(),
            approaches: self.approaches,
            repairs: self.repairs,
            depth: self.depth,
            diversity: self.diversity,
            research: self.research,
            repaired_by: (self.asked.repairs.as_ref())
                .map(|one| (one.provider.name(), &*one.model)),
        };
        serde_json::to_string(&wanted).unwrap_or_default()
    }
}

/// `[generate]`
pub(super) fn generate(
    mut section: Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Generate> {
    let asked = AskedModel::read(&mut section, "--generate", files, found);
    let help = "write `approaches = \"auto\"` to leave it to the plan, or `approaches = 4`";
    let approaches = word_or_whole(&mut section, &APPROACHES, ("approaches", help), found);
    let repairs = whole(&mut section, &REPAIRS, found);
    let timeout = duration(&mut section, &TIMEOUT, found);
    let depth = section.choice(&DEPTH, found);
    let diversity = section.choice(&DIVERSITY, found);
    let repairs_by = repair_model(&mut section, asked.as_ref(), found);
    let instructions = asked_model::file(&INSTRUCTIONS, &mut section, files, found);
    let research = section.flag(&RESEARCH, found);
    let workspace = section.choice(&WORKSPACE, found);
    section.close(found);
    Some(Generate {
        asked: AskedModel {
            repairs: repairs_by,
            ..asked?
        },
        approaches: approaches.flatten(),
        repairs: repairs.map_or(2, |at| at.value.unsigned_abs() as u32),
        timeout: timeout.map_or(Duration::from_secs(1200), |at| at.value),
        depth: depth.map(|at| at.value).unwrap_or_default(),
        diversity: diversity.map(|at| at.value).unwrap_or_default(),
        instructions,
        research: research.is_some_and(|at| at.value),
        workspace: workspace.map(|at| at.value).unwrap_or_default(),
    })
}

/// Reads `repair_model` and `repair_provider`.
fn repair_model(
    section: &mut Section<'_>,
    asked: Option<&AskedModel>,
    found: &mut Vec<Finding>,
) -> Option<RepairModel> {
    let model = asked_model::model_name(&REPAIR_MODEL, section, found);
    let provider_at = section.value_place(&REPAIR_PROVIDER);
    let provider = section.choice(&REPAIR_PROVIDER, found);
    let Some(model) = model else {
        if let Some(place) = provider_at {
            found.push(Finding::new(
                place,
                "`repair_provider` names no model",
                "of which model",
                "add `repair_model = \"…\"`, or remove `repair_provider`",
            ));
        }
        return None;
    };
    let provider = provider.map(|at| at.value).or(Some(asked?.provider))?;
    if asked?.provider == ProviderKind::Replay {
        found.push(Finding::new(
            model.span,
            "a replay has no `repair_model`",
            "nobody is asked",
            "remove it: the cassette has the replies to repairs as well, whoever gave them",
        ));
        return None;
    }
    Some(RepairModel {
        provider,
        model: model.value,
    })
}

#[cfg(test)]
mod tests {
    use super::super::experiment::decode;

    fn findings(table: &str) -> Vec<String> {
        let text = format!(
            "name = \"x\"\nproblem = \"y\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n[workload]\nsource = \"w.rs\"\n\
             sizes = [9]\n[[approach]]\nname = \"a\"\nsource = \"a.rs\"\n[generate]\n{table}"
        );
        let found = decode(&text).found.into_iter();
        found.map(|one| one.message).collect()
    }

    #[test]
    fn case_143_a_file_names_no_program_and_no_address() {
        assert_eq!(findings("provider = \"command\""), Vec::<String>::new());
        for (table, key) in [
            (
                "provider = \"command\"\ncommand = [\"sh\", \"-c\", \"x\"]",
                "`command`",
            ),
            (
                "provider = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"",
                "`base_url`",
            ),
        ] {
            let found = findings(table);
            let said = found
                .iter()
                .any(|one| one.contains(key) && one.contains("from anybody"));
            assert!(said, "{found:?}");
        }
    }

    #[test]
    fn case_144_files_that_a_model_is_told_lie_in_the_folder() {
        for path in ["../secret", "/etc/passwd", "a/../../secret"] {
            let told = format!("provider = \"ollama\"\ninstructions = \"{path}\"");
            assert_eq!(findings(&told).len(), 1, "{path}");
            let replayed = format!("provider = \"replay\"\ncassette = \"{path}\"");
            assert_eq!(findings(&replayed).len(), 1, "{path}");
        }
    }

    #[test]
    fn values_have_bounds() {
        for wrong in [
            "approaches = 11",
            "approaches = -1",
            "approaches = \"many\"",
            "usd = 0",
            "usd = nan",
            "tokens = 0",
            "repairs = 11",
            "timeout_per_approach = \"0 s\"",
            "depth = \"deep\"",
            "diversity = \"none\"",
            "research = \"yes\"",
            "model = \"a b\"",
            "repair_model = \"a b\"",
            "repair_model = \"m\"\nrepair_provider = \"replay\"",
            "repair_provider = \"anthropic\"",
            "cassette = \"x\"",
        ] {
            let found = findings(&format!("provider = \"ollama\"\n{wrong}"));
            assert_eq!(found.len(), 1, "{wrong}: {found:?}");
        }
        assert_eq!(findings("provider = \"replay\"").len(), 1);
        let replay = "provider = \"replay\"\ncassette = \"x\"\nrepair_model = \"m\"";
        assert_eq!(findings(replay), ["a replay has no `repair_model`"]);
        assert_eq!(findings("").len(), 1);
    }
}
