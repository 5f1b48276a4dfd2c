//! The modules around a file that implements one of bakeoff's own worlds: the SDK that it uses, and the glue that
//! calls it.

use bakeoff_source::interface::World;

const EVALUATOR: &str = include_str!("../guest-sdk/evaluator.rs");
const EVALUATOR_GLUE: &str = include_str!("../guest-sdk/evaluator/export.rs");
const AGGREGATOR: &str = include_str!("../guest-sdk/aggregator.rs");
const AGGREGATOR_GLUE: &str = include_str!("../guest-sdk/aggregator/export.rs");
const PROPOSER: &str = include_str!("../guest-sdk/proposer.rs");
const PROPOSER_GLUE: &str = include_str!("../guest-sdk/proposer/export.rs");
const PROPOSER_ASK: &str = include_str!("../guest-sdk/proposer/ask.rs");
const JSON: &str = include_str!("../guest-sdk/json.rs");

/// The modules that call the functions of a user's file. A compile error in them is about that file.
const EVALUATOR_FILE: &str = "\
impl crate::evaluation::Evaluator for crate::Component {
    fn describe() -> Vec<crate::evaluation::Criterion> {
        crate::evaluator::describe()
    }
    fn evaluate(
        evidence: &dyn crate::evaluation::Evidence,
    ) -> Result<Vec<crate::evaluation::Reading>, crate::evaluation::Error> {
        crate::evaluator::evaluate(evidence)
    }
}
";
const AGGREGATOR_FILE: &str = "\
impl crate::aggregation::Aggregator for crate::Component {
    fn aggregate(report: &str) -> Result<Vec<crate::aggregation::Section>, crate::aggregation::Error> {
        crate::aggregator::aggregate(report)
    }
}
";
const PROPOSER_FILE: &str = "\
impl crate::proposing::Proposer for crate::Component {
    fn propose(
        task: &crate::proposing::Task,
    ) -> Result<Vec<crate::proposing::Proposal>, crate::proposing::Error> {
        crate::proposer::propose(task)
    }
}
";

/// All these texts and this file, on which components depend; part of their cache keys.
pub(super) const TEXTS: &str = concat!(
    include_str!("../guest-sdk/evaluator.rs"),
    include_str!("../guest-sdk/evaluator/export.rs"),
    include_str!("../guest-sdk/aggregator.rs"),
    include_str!("../guest-sdk/aggregator/export.rs"),
    include_str!("../guest-sdk/proposer.rs"),
    include_str!("../guest-sdk/proposer/export.rs"),
    include_str!("../guest-sdk/proposer/ask.rs"),
    include_str!("../guest-sdk/json.rs"),
    include_str!("own_modules.rs"),
);

/// The modules around the file of a user.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnModules {
    /// The name in the crate of the guest SDK's module, which differs from that of the user's file, and its text.
    sdk: (&'static str, &'static str),
    /// The glue between that module and the bindings.
    glue: &'static str,
    /// The module that calls the user's functions.
    file: &'static str,
    /// True if the file gets the JSON parser.
    reads_json: bool,
    /// True if the file may ask a model.
    asks: bool,
}

/// Returns the modules for one of bakeoff's own worlds; `None` for others.
pub(super) fn of(world: World) -> Option<OwnModules> {
    let (sdk, glue, file) = match world {
        World::Prototype | World::Workload => return None,
        World::Evaluator => (("evaluation", EVALUATOR), EVALUATOR_GLUE, EVALUATOR_FILE),
        World::Aggregator => (
            ("aggregation", AGGREGATOR),
            AGGREGATOR_GLUE,
            AGGREGATOR_FILE,
        ),
        World::Proposer => (("proposing", PROPOSER), PROPOSER_GLUE, PROPOSER_FILE),
    };
    Some(OwnModules {
        sdk,
        glue,
        file,
        reads_json: world == World::Aggregator,
        asks: world == World::Proposer,
    })
}

impl OwnModules {
    /// Returns the names and texts of the files.
    pub(super) fn files(&self) -> Vec<(&'static str, String)> {
        let json = self.reads_json.then_some(("json.rs", JSON));
        let files = [
            ("bakeoff.rs", self.sdk.1),
            ("export.rs", self.glue),
            ("file.rs", self.file),
        ];
        let ask = self.asks.then_some(("ask.rs", PROPOSER_ASK));
        let files = files.into_iter().chain(json).chain(ask);
        files.map(|(name, text)| (name, text.to_owned())).collect()
    }

    /// Returns the declarations of the modules in the crate's root.
    pub(super) fn declarations(&self) -> String {
        let (module, _) = self.sdk;
        let (json, uses_json) = if self.reads_json {
            ("mod json;\n", "    pub use crate::json::Json;\n")
        } else {
            ("", "")
        };
        let ask = if self.asks { "mod ask;\n" } else { "" };
        format!(
            "mod random;\n{json}{ask}#[path = \"bakeoff.rs\"]\nmod {module};\npub mod bakeoff {{\n    \
             pub use crate::{module}::*;\n    pub use crate::random::Rng;\n{uses_json}}}\nmod export;\nmod file;\n"
        )
    }
}
