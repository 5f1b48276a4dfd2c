//! The fields agree with what the parser makes of them.

use super::build::EDITION;
use super::criterion::BY;
use super::experiment::TOP;
use super::field::{Absent, Table};
use super::generate::{PROVIDER, REPAIR_PROVIDER};
use super::prompts::PROMPT_FILES;
use crate::experiment::decode;
use crate::prompt_template::PromptKind;
use bakeoff_domain::spec::MeasuredBy;

const FILE: &str = "name = \"x\"\nproblem = \"y\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n[workload]\n\
                    source = \"w.rs\"\nsizes = [9]\n[[approach]]\nname = \"a\"\nsource = \"a.rs\"\n";

/// Checks that each default of a table gives what its absence gives. `file` has a file around the keys.
fn hold_defaults(table: &Table, file: impl Fn(&str) -> String) -> usize {
    let parsed = |keys: &str| {
        let parsed = decode(&file(keys));
        let experiment = parsed.experiment.expect(keys);
        (experiment, parsed.generate, parsed.rounds, parsed.judge)
    };
    let keys = table.keys.iter();
    let needed = keys.filter(|field| matches!(field.absent, Absent::Needed));
    let needed: String = needed.map(|field| format!("{}\n", field.example)).collect();
    let mut defaults = 0;
    for field in table.keys {
        if let Absent::Default(value) = field.absent {
            let with = format!("{needed}{} = {value}\n", field.key);
            assert!(parsed(&with) == parsed(&needed), "{with}");
            defaults += 1;
        }
    }
    defaults
}

#[test]
fn defaults_are_those_of_the_parser() {
    let kind = TOP.keys.iter().find(|field| field.key == "kind");
    let value = match kind.map(|field| field.absent) {
        Some(Absent::Default(value)) => value,
        _ => panic!("`kind` has no default"),
    };
    let with = decode(&format!("kind = {value}\n{FILE}")).experiment;
    assert!(with.is_some() && with == decode(FILE).experiment);
    let mut defaults = 0;
    for field in TOP.keys {
        let declared = ["interface", "workload", "approach"].contains(&field.key);
        if let Some(table) = field.kind.section().filter(|_| !declared) {
            defaults += hold_defaults(table, |keys| format!("{FILE}{}\n{keys}", field.example));
        }
    }
    assert!(defaults > 30, "{defaults}");
}

#[test]
fn words_are_those_of_the_core() {
    for (word, kind) in PROVIDER.kind.0.iter().chain(REPAIR_PROVIDER.kind.0) {
        assert_eq!(*word, kind.name());
    }
    for (word, edition) in EDITION.kind.0 {
        assert_eq!(*word, edition.name());
    }
    let commands: Vec<MeasuredBy> = BY.kind.0.iter().map(|(_, by)| *by).collect();
    assert_eq!(commands, MeasuredBy::ALL);
    for (word, by) in BY.kind.0 {
        assert_eq!(*word, by.name());
    }
    assert_eq!(PROMPT_FILES.map(|(kind, _)| kind), PromptKind::ALL);
    for (kind, field) in PROMPT_FILES {
        assert_eq!(field.key, kind.name());
    }
}
