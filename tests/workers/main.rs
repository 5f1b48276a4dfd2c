//! Runs with workers on other machines, which here are other ends of a wire in memory: honest ones, and some that lie.
//! Children are the same program, so this one says first what it is.

mod builds;
mod elsewhere;
mod liar;
mod machines;
mod memory;
mod session;

use libtest_mimic::{Arguments, Trial};
use session::{Behaviour, Experiment, Session};
use std::process::ExitCode;

/// Runs in which it is left to chance whether something is believed before it is looked at. It is, in about every other one.
const CHANCES: u32 = 40;

fn main() -> ExitCode {
    if let Some(status) = bakeoff::enter_if_child() {
        return status;
    }
    let trials = vec![
        trial(
            "an_honest_worker_finds_what_this_machine_finds_to_the_last_bit",
            an_honest_worker_finds_what_this_machine_finds_to_the_last_bit,
        ),
        trial(
            "what_nobody_works_out_once_more_is_believed",
            what_nobody_works_out_once_more_is_believed,
        ),
        trial(
            "case_290_a_lie_is_found_out_where_answers_are_worked_out_once_more",
            case_290_a_lie_is_found_out_where_answers_are_worked_out_once_more,
        ),
        trial(
            "case_290_a_lie_that_is_found_out_late_drops_what_was_believed_before",
            case_290_a_lie_that_is_found_out_late_drops_what_was_believed_before,
        ),
        trial(
            "what_a_model_writes_is_checked_elsewhere_as_it_is_here",
            elsewhere::what_a_model_writes_is_checked_elsewhere_as_it_is_here,
        ),
        trial(
            "case_306_a_worker_that_lies_about_what_a_model_wrote_is_named",
            elsewhere::case_306_a_worker_that_lies_about_what_a_model_wrote_is_named,
        ),
        trial(
            "a_run_is_verified_with_checks_elsewhere_and_who_did_them_is_said",
            elsewhere::a_run_is_verified_with_checks_elsewhere_and_who_did_them_is_said,
        ),
        trial(
            "case_307_a_worker_that_lied_in_a_run_repeats_its_lie_and_this_machine_finds_it",
            elsewhere::case_307_a_worker_that_lied_in_a_run_repeats_its_lie_and_this_machine_finds_it,
        ),
        trial(
            "a_search_has_its_builds_elsewhere_and_they_are_those_of_this_machine",
            builds::a_search_has_its_builds_elsewhere_and_they_are_those_of_this_machine,
        ),
        trial(
            "a_run_builds_what_races_here",
            builds::a_run_builds_what_races_here,
        ),
        trial(
            "a_worker_without_the_compiler_of_the_run_checks_and_builds_nothing",
            builds::a_worker_without_the_compiler_of_the_run_checks_and_builds_nothing,
        ),
        trial(
            "case_309_a_build_that_is_no_component_of_the_interface_is_refused_and_its_worker_named",
            builds::case_309_a_build_that_is_no_component_of_the_interface_is_refused_and_its_worker_named,
        ),
        trial(
            "case_309_a_build_of_another_source_is_found_out_where_builds_are_made_once_more",
            builds::case_309_a_build_of_another_source_is_found_out_where_builds_are_made_once_more,
        ),
        trial(
            "each_other_kind_has_a_race_of_its_own_which_is_kept",
            machines::each_other_kind_has_a_race_of_its_own_which_is_kept,
        ),
        trial(
            "without_other_kinds_this_machine_is_said_to_be_the_only_one",
            machines::without_other_kinds_this_machine_is_said_to_be_the_only_one,
        ),
        trial(
            "case_297_a_race_whose_worker_ends_is_begun_anew_or_left_out",
            machines::case_297_a_race_whose_worker_ends_is_begun_anew_or_left_out,
        ),
        trial(
            "case_298_samples_of_another_replica_end_a_race_elsewhere",
            machines::case_298_samples_of_another_replica_end_a_race_elsewhere,
        ),
        trial(
            "case_296_made_up_times_change_nothing_but_their_own_section",
            machines::case_296_made_up_times_change_nothing_but_their_own_section,
        ),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn trial(name: &str, test: fn()) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

fn lied(session: &Session) -> bool {
    let fuel = session.fuel().into_values().flatten();
    fuel.into_iter().any(|fuel| fuel == liar::FUEL)
}

fn an_honest_worker_finds_what_this_machine_finds_to_the_last_bit() {
    let experiment = Experiment::new();
    let alone = experiment.run("alone", None).unwrap();
    let with = experiment.run("with", Some((Behaviour::Honest, "1")));
    let with = with.unwrap();
    assert_eq!(with.gates, alone.gates);
    let said = with.warnings.join("\n");
    assert!(said.contains("other did"), "{said}");
    assert!(!said.contains("gets no more tasks"), "{said}");
}

fn what_nobody_works_out_once_more_is_believed() {
    let experiment = Experiment::new();
    let with = experiment.run("with", Some((Behaviour::Lies, "0")));
    let with = with.unwrap();
    assert!(lied(&with), "{:?}", with.gates);
    let said = with.warnings.join("\n");
    assert!(!said.contains("gets no more tasks"), "{said}");
}

fn case_290_a_lie_is_found_out_where_answers_are_worked_out_once_more() {
    let experiment = Experiment::new();
    let alone = experiment.run("alone", None).unwrap();
    let with = experiment.run("with", Some((Behaviour::Lies, "1")));
    let with = with.unwrap();
    assert_eq!(with.gates, alone.gates);
    let said = with.warnings.join("\n");
    assert!(
        said.contains("worker other gets no more tasks of this run: its answer to `check of"),
        "{said}"
    );
}

fn case_290_a_lie_that_is_found_out_late_drops_what_was_believed_before() {
    let experiment = Experiment::new();
    let alone = experiment.run("alone", None).unwrap();
    let late = (0..CHANCES).find_map(|number| {
        let name = format!("late-{number}");
        let session = experiment.run(&name, Some((Behaviour::Lies, "0.5")));
        Some((name, session.err()?))
    });
    let (name, stopped) = late.expect("a lie is found out after another one was believed");
    assert!(
        stopped.contains("worker other answered otherwise") && stopped.contains("are dropped"),
        "{stopped}"
    );
    let again = experiment.go_on(&name).unwrap();
    assert_eq!(again.gates, alone.gates);
}
