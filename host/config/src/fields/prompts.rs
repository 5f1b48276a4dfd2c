//! Keys of `[prompts]`: one for each kind of question to a model.

use super::field::{Absent, Field, Table};
use super::kinds::File;
use crate::prompt_template::PromptKind;

/// All keys of `[prompts]`.
pub(crate) const PROMPTS: Table = Table {
    keys: &[
        &RESEARCH, &PLAN, &IDEAS, &PROTOTYPE, &REPAIR, &COMBINE, &IMPROVE,
    ],
};

/// The key of each kind.
pub(crate) const PROMPT_FILES: [(PromptKind, &Field<File>); 7] = [
    (PromptKind::Research, &RESEARCH),
    (PromptKind::Plan, &PLAN),
    (PromptKind::Ideas, &IDEAS),
    (PromptKind::Prototype, &PROTOTYPE),
    (PromptKind::Repair, &REPAIR),
    (PromptKind::Combine, &COMBINE),
    (PromptKind::Improve, &IMPROVE),
];

const RESEARCH: Field<File> = template(
    "research",
    "the template for what is known of the problem, before ideas are asked for",
    "research = \"prompts/research.md\"",
);

const PLAN: Field<File> = template(
    "plan",
    "the template for the plan of a generation in a run",
    "plan = \"prompts/plan.md\"",
);

const IDEAS: Field<File> = template(
    "ideas",
    "the template for ideas that differ from those that there are",
    "ideas = \"prompts/ideas.md\"",
);

const PROTOTYPE: Field<File> = template(
    "prototype",
    "the template for the source of one idea",
    "prototype = \"prompts/prototype.md\"",
);

const REPAIR: Field<File> = template(
    "repair",
    "the template for a source that failed, written anew",
    "repair = \"prompts/repair.md\"",
);

const COMBINE: Field<File> = template(
    "combine",
    "the template for one source made of two",
    "combine = \"prompts/combine.md\"",
);

const IMPROVE: Field<File> = template(
    "improve",
    "the template for a better candidate of [rounds](rounds.md#a-model), or a first try beside it",
    "improve = \"prompts/improve.md\"",
);

const fn template(key: &'static str, about: &'static str, example: &'static str) -> Field<File> {
    Field {
        key,
        about,
        absent: Absent::Otherwise("built in"),
        example,
        kind: File,
    }
}
