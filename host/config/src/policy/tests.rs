//! Policies as they are parsed, and applied to experiments.

use super::*;

#[test]
fn what_models_may_take_is_bounded_by_the_host() {
    let policy = |text: &str| Policy::parse(text, "policy.toml");
    let bounded = policy("[generate]\nusd = 0.5\ntokens = 1_000\n").unwrap();
    let bounds = bounded.generate_bounds();
    assert_eq!(
        (bounds.microdollars, bounds.tokens),
        (Some(500_000), Some(1_000))
    );
    assert!(bounded.permit_models("--generate").is_ok());
    assert!(bounded.summary().contains("0.5 US dollars and 1000 tokens"));
    let none = policy("[generate]\nallow = false\n").unwrap();
    let said = none.permit_models("--generate").unwrap_err().to_string();
    assert!(said.contains("policy.toml:2"), "{said}");
    for wrong in ["usd = 0", "tokens = 0", "allow = 1", "model = \"x\""] {
        assert!(
            policy(&format!("[generate]\n{wrong}\n")).is_err(),
            "{wrong}"
        );
    }
}

#[test]
fn case_293_an_experiment_names_no_server_of_workers() {
    let of = |more: &str| {
        let text = format!(
            "name = 'x'\nproblem = '?'\n[interface]\nwit = 'w'\ncall = 'f'\n[workload]\nsource = 'w.rs'\nsizes = [1]\n\
             [[approach]]\nname = 'a'\nsource = 'a.rs'\n{more}"
        );
        crate::parse(&text, "bakeoff.toml").map(drop)
    };
    assert!(of("").is_ok());
    for more in [
        "[workers]\nnats = 'nats://elsewhere'\n",
        "[measure]\nworkers = 'nats://elsewhere'\n",
    ] {
        assert!(of(more).is_err(), "{more}");
    }
}
