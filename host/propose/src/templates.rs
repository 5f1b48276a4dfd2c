//! Texts of questions: the templates that are built in, and those of an experiment that take their place.

use bakeoff_config::{PromptKind, PromptTemplate, Prompts};
use bakeoff_domain::report::UsedPrompt;
use bakeoff_source::content_address;

/// Returns the text of the template that is built in for a kind of question.
pub fn built_in_prompt(kind: PromptKind) -> &'static str {
    match kind {
        PromptKind::Research => include_str!("prompts/research.md"),
        PromptKind::Plan => include_str!("prompts/plan.md"),
        PromptKind::Ideas => include_str!("prompts/ideas.md"),
        PromptKind::Prototype => include_str!("prompts/prototype.md"),
        PromptKind::Repair => include_str!("prompts/repair.md"),
        PromptKind::Combine => include_str!("prompts/combine.md"),
        PromptKind::Improve => include_str!("prompts/improve.md"),
    }
}

/// Returns the templates of an experiment's own, each with the digest of its text.
pub fn used_prompts(prompts: &Prompts) -> Vec<UsedPrompt> {
    let used = prompts.all().map(|(kind, own)| UsedPrompt {
        question: kind.name().to_owned(),
        file: own.file.display().to_string(),
        digest: content_address(own.template.text().as_bytes()),
    });
    used.collect()
}

/// Returns the templates of an experiment's own by which approaches are asked for, each with the digest of its text.
pub fn generation_prompts(prompts: &Prompts) -> Vec<UsedPrompt> {
    let mut used = used_prompts(prompts);
    used.retain(|one| one.question != PromptKind::Improve.name());
    used
}

/// Returns a text that identifies these templates; empty without any.
pub fn prompts_identity(prompts: &Prompts) -> String {
    let used = generation_prompts(prompts).into_iter();
    let used = used.map(|one| format!(", {} asked by {}", one.question, one.digest));
    used.collect()
}

/// Returns the text of a question: the template for its kind, with every place filled.
pub(super) fn filled(prompts: &Prompts, kind: PromptKind, values: &[(&str, &str)]) -> String {
    if let Some(own) = prompts.get(kind) {
        return own.template.fill(values);
    }
    let built_in = PromptTemplate::parse(kind, built_in_prompt(kind));
    // A test parses all that are built in.
    built_in.map_or_else(|_| String::new(), |template| template.fill(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_that_is_built_in_has_every_place_of_its_kind() {
        for kind in PromptKind::ALL {
            let text = built_in_prompt(kind);
            let parsed = PromptTemplate::parse(kind, text);
            assert!(parsed.is_ok(), "{kind:?}: {parsed:?}");
            for place in kind.places() {
                let written = format!("{{{{{}}}}}", place.name);
                assert!(text.contains(&written), "{kind:?} lacks {written}");
            }
        }
    }
}
