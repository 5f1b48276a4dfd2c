//! Results are found again by what they depend on, and by nothing else.

use super::{begin, begun, heap, open_race, race_key, replica, report, trial};
use bakeoff_domain::report::VariantStatus;
use bakeoff_domain::verdict::Verdict;
use bakeoff_run::audit::compare_runs;
use bakeoff_store::{Key, Mode, Owner, ResultKind, RunId, RunStatus, SafeId, Start, Store};

fn source(digest: &str) -> Key {
    Key::new([("source", digest), ("compiler", "rustc 1.95.0")])
}

#[test]
fn what_is_unchanged_is_kept_and_what_changed_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = begun(folder.path());
    store
        .put(ResultKind::Build, &source("1"), heap(), &"c1")
        .unwrap();
    drop(store);

    let mut store = Store::open(folder.path(), Mode::Write).unwrap();
    let again = begin(&mut store, "e1", Start::Resume).unwrap();
    assert_eq!(again.id, RunId(1));
    assert_eq!((again.continues, again.kept), (Some(RunId(1)), 1));
    let changes = store
        .changes(ResultKind::Build, &source("1"), heap())
        .unwrap();
    assert_eq!(changes, Some(Vec::new()));
    let kept: Option<String> = store.get(ResultKind::Build, &source("1"), heap()).unwrap();
    assert_eq!(kept.as_deref(), Some("c1"));

    let changes = store
        .changes(ResultKind::Build, &source("2"), heap())
        .unwrap();
    assert_eq!(changes, Some(vec!["source".to_owned()]));
    let gone: Option<String> = store.get(ResultKind::Build, &source("2"), heap()).unwrap();
    assert_eq!(gone, None);
    let other = Owner {
        variant: "sort",
        iteration: 1,
    };
    assert_eq!(
        store
            .changes(ResultKind::Build, &source("2"), other)
            .unwrap(),
        None
    );
    // The same inputs are the same result, whoever asks; another kind is another result.
    let shared: Option<String> = store.get(ResultKind::Build, &source("1"), other).unwrap();
    assert_eq!(shared.as_deref(), Some("c1"));
    let gate: Option<String> = store.get(ResultKind::Gate, &source("1"), heap()).unwrap();
    assert_eq!(gate, None);
}

#[test]
fn a_changed_experiment_is_a_new_run_that_uses_the_old_ones_results() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = begun(folder.path());
    let trials = [trial(0, 10), trial(1, u64::MAX)];
    store
        .put_with_trials(ResultKind::Gate, &source("1"), heap(), &"right", &trials)
        .unwrap();
    let next = begin(&mut store, "e2", Start::Resume).unwrap();
    assert_eq!(
        (next.id, next.continues, next.kept),
        (RunId(2), Some(RunId(1)), 1)
    );
    let nothing = store.trials(RunId(2), ResultKind::Gate, heap()).unwrap();
    assert_eq!(nothing, [], "a run rests on what it asked for");
    let kept: Option<String> = store.get(ResultKind::Gate, &source("1"), heap()).unwrap();
    assert_eq!(kept.as_deref(), Some("right"));
    for run in [RunId(1), RunId(2)] {
        assert_eq!(store.trials(run, ResultKind::Gate, heap()).unwrap(), trials);
        let results = store.results::<String>(run, ResultKind::Gate).unwrap();
        assert_eq!(results.len(), 1);
        assert_eq!(results[0].key, source("1").digest());
        assert_eq!(results[0].inputs, source("1").inputs());
    }
}

#[test]
fn fresh_forgets_nothing_and_uses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = begun(folder.path());
    store
        .put(ResultKind::Pilot, &race_key(), Owner::RUN, &16)
        .unwrap();
    let race = open_race(&mut store).unwrap();
    store.put_replica(race, &replica(0)).unwrap();
    store.finish_run(&report()).unwrap();

    let fresh = begin(&mut store, "e1", Start::Fresh).unwrap();
    assert_eq!((fresh.id, fresh.continues, fresh.kept), (RunId(2), None, 0));
    let pilot: Option<u32> = store
        .get(ResultKind::Pilot, &race_key(), Owner::RUN)
        .unwrap();
    assert_eq!(pilot, None);
    let fresh_race = open_race(&mut store).unwrap();
    assert_ne!(fresh_race, race);
    assert_eq!(store.replica_count(fresh_race).unwrap(), 0);
    assert_eq!(store.replicas(race).unwrap(), [replica(0)]);

    let runs = store.runs().unwrap();
    let statuses: Vec<RunStatus> = runs.iter().map(|run| run.status).collect();
    assert_eq!(statuses, [RunStatus::Finished, RunStatus::Running]);
    assert_eq!(runs[0].winner.as_deref(), Some("heap"));
    assert_eq!(store.report(None).unwrap(), Some(report()));
    assert_eq!(store.report(Some(RunId(2))).unwrap(), None);
    let text = store.report(Some(RunId(9))).unwrap_err().to_string();
    assert!(text.contains("no run 9"), "{text}");
}

#[test]
fn a_report_that_could_not_be_read_back_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = begun(folder.path());
    let mut broken = report();
    broken.cost.seconds = f64::NAN;
    let text = store.finish_run(&broken).unwrap_err().to_string();
    assert!(text.contains("not finite"), "{text}");
    assert_eq!(store.report(None).unwrap(), None);
}

#[test]
fn replicas_come_back_bit_by_bit_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = begun(folder.path());
    let race = open_race(&mut store).unwrap();
    // Replicas that run side by side finish in any order.
    for index in [1, 0, 4, 2] {
        store.put_replica(race, &replica(index)).unwrap();
    }
    store.put_replica(race, &replica(2)).unwrap_err();
    drop(store);
    let store = Store::open(folder.path(), Mode::Read).unwrap();
    let (race, lists) = store.race_of(RunId(1)).unwrap().unwrap();
    assert_eq!(lists.variants, ["heap", "sort"]);
    let expected: Vec<_> = [0, 1, 2, 4].map(replica).into();
    assert_eq!(store.replicas(race).unwrap(), expected);
    assert_eq!(store.replica_count(race).unwrap(), 4);
}

#[test]
fn a_replaced_result_has_its_own_trials_only() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = begun(folder.path());
    for fuel in [[10, 20, 30].as_slice(), &[40]] {
        let trials: Vec<_> = fuel.iter().map(|&fuel| trial(0, fuel)).collect();
        store
            .put_with_trials(ResultKind::Gate, &source("1"), heap(), &fuel.len(), &trials)
            .unwrap();
    }
    assert_eq!(
        store.trials(RunId(1), ResultKind::Gate, heap()).unwrap(),
        [trial(0, 40)]
    );
}

#[test]
fn a_value_of_another_shape_counts_as_absent() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = begun(folder.path());
    store
        .put(ResultKind::Build, &source("1"), heap(), &"text")
        .unwrap();
    let number: Option<u32> = store.get(ResultKind::Build, &source("1"), heap()).unwrap();
    assert_eq!(number, None);
}

#[test]
fn a_reader_and_a_store_without_a_run_keep_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Store::open(&folder.path().join("none"), Mode::Read).unwrap_err();
    assert!(missing.is_missing());
    let mut store = Store::open(folder.path(), Mode::Write).unwrap();
    store
        .put(ResultKind::Build, &source("1"), heap(), &1)
        .unwrap_err();
    begin(&mut store, "e1", Start::Resume).unwrap();
    let mut reader = Store::open(folder.path(), Mode::Read).unwrap();
    begin(&mut reader, "e1", Start::Resume).unwrap_err();
    assert!(SafeId::new("../../x").is_err());
}

#[test]
fn two_runs_are_compared_by_variant_and_verdict() {
    let before = report();
    let mut after = report();
    after.environment.cpu = "another cpu".into();
    after.recommendation.winner = None;
    after.variants.retain(|variant| variant.id == "heap");
    after.variants[0].readings.get_mut("fuel").unwrap().value = 12.0;
    // The pair is told the other way round, and means the same on size 1000.
    for row in &mut after.verdicts {
        std::mem::swap(&mut row.a, &mut row.b);
    }
    let difference = compare_runs(&before, &after);
    assert_eq!(difference.winner, (Some("heap".into()), None));
    assert_eq!(difference.environment.len(), 1);
    assert_eq!(difference.variants[0].readings[0].1, 10.0);
    assert_eq!(difference.variants[0].readings[0].2, 12.0);
    assert_eq!(difference.variants[1].id, "loop");
    assert_eq!(
        difference.variants[1].status,
        (Some(VariantStatus::Failed), None)
    );
    assert_eq!(difference.verdicts.len(), 1);
    let change = &difference.verdicts[0];
    assert_eq!(
        (change.before, change.after),
        (Verdict::Beaten, Verdict::Beats)
    );
    assert_eq!(change.case, None);
}
