//! A question to a model.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// Purpose of a question. Progress, cassettes and cost are told apart by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// An analysis of the problem, with the tasks to be done.
    Plan,
    /// The interface of a problem.
    Interface,
    /// The inputs of a problem, and the check of answers.
    Workload,
    /// Algorithms, pitfalls and edge cases that are known of a problem.
    Research,
    /// Ideas of how a problem can be solved.
    Approaches,
    /// The source of one approach.
    Prototype,
    /// A source that failed, written anew.
    Repair,
    /// A source made from two others.
    Combination,
    /// A completion that a proposer component asks for.
    Completion,
    /// An opinion of sources.
    Opinion,
}

impl Purpose {
    /// Every purpose, in the order of a run.
    pub const ALL: [Self; 10] = [
        Self::Plan,
        Self::Interface,
        Self::Workload,
        Self::Research,
        Self::Approaches,
        Self::Prototype,
        Self::Repair,
        Self::Combination,
        Self::Completion,
        Self::Opinion,
    ];

    /// Returns the name in cassettes and reports: `prototype`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Interface => "interface",
            Self::Workload => "workload",
            Self::Research => "research",
            Self::Approaches => "approaches",
            Self::Prototype => "prototype",
            Self::Repair => "repair",
            Self::Combination => "combination",
            Self::Completion => "completion",
            Self::Opinion => "opinion",
        }
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A question to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Purpose of the question.
    pub purpose: Purpose,
    /// Subject of the question, in words of ours and never of the model's: "approach 2", or
    /// nothing.
    pub subject: String,
    /// Instructions that hold for the whole conversation.
    pub system: String,
    /// The question itself.
    pub prompt: String,
    /// The JSON schema (draft 2020-12) of the reply, which is always an object.
    pub schema: Value,
    /// The most tokens of the reply, thoughts included.
    pub output_tokens_max: u32,
}

impl Request {
    /// Returns the SHA-256 of all that the reply depends on, in hexadecimal digits.
    pub fn digest(&self) -> String {
        // The keys of a JSON object are in alphabetical order, so equal requests have equal texts.
        let parts = json!({
            "purpose": self.purpose.name(),
            "subject": self.subject,
            "system": self.system,
            "prompt": self.prompt,
            "schema": self.schema,
            "output_tokens_max": self.output_tokens_max,
        });
        bakeoff_domain::hex(&Sha256::digest(parts.to_string()))
    }

    /// Returns the question again, with the problem of the reply to it.
    pub(super) fn again(&self, problem: &str, reply_excerpt: &str) -> Self {
        let prompt = format!(
            "{}\n\nAn earlier reply to this could not be used: {problem}.\nIt began with: {reply_excerpt}\nReply again, \
             with one whole JSON object that matches the schema and nothing else.",
            self.prompt
        );
        Self {
            prompt,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_cassettes_are_written_with() {
        for purpose in Purpose::ALL {
            assert_eq!(json!(purpose), json!(purpose.name()));
        }
    }

    #[test]
    fn every_part_of_a_request_counts_in_its_digest() {
        let request = Request {
            purpose: Purpose::Plan,
            subject: "a".to_owned(),
            system: "b".to_owned(),
            prompt: "c".to_owned(),
            schema: json!({"type": "object"}),
            output_tokens_max: 9,
        };
        let changes: [fn(&mut Request); 6] = [
            |request| request.purpose = Purpose::Repair,
            |request| request.subject.push('x'),
            |request| request.system.push('x'),
            |request| request.prompt.push('x'),
            |request| request.schema = json!({"type": "object", "title": "x"}),
            |request| request.output_tokens_max += 1,
        ];
        assert_eq!(request.digest(), request.clone().digest());
        assert_eq!(request.digest().len(), 64);
        for change in changes {
            let mut changed = request.clone();
            change(&mut changed);
            assert_ne!(changed.digest(), request.digest());
        }
    }
}
