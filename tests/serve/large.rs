//! Runs of a thousand variants and ten thousand events.

use super::client::{Server, events};
use crate::store::fixture::begun;
use bakeoff_domain::plan::RunSeed;
use bakeoff_store::events::{Event, Stage, TasksState, WaitingTask};
use std::fs;

/// The most bytes of a page, whatever its run has.
const PAGE_BYTES_MAX: usize = 100 << 10;

#[test]
fn a_thousand_tasks_and_ten_thousand_events_are_a_small_page_and_no_event_is_left_out() {
    const VARIANTS: u64 = 1_000;
    const EVENTS: u64 = 10_000;
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("large");
    fs::create_dir(&folder).unwrap();
    // It has the lock: a run goes on.
    let mut store = begun(&folder);
    let mut count = 0;
    let mut emit = |event: Event| {
        store.emit(event).unwrap();
        count += 1;
    };
    emit(Event::RunStart {
        experiment: "large".to_owned(),
        experiment_id: "e".to_owned(),
        seed: RunSeed::Named(1),
    });
    emit(Event::StageStart {
        stage: Stage::Build,
        steps: VARIANTS,
    });
    for number in 0..VARIANTS {
        emit(Event::ApproachGenerated {
            approach_id: format!("variant-{number}"),
            description: "x".repeat(100),
        });
    }
    let waits = (0..VARIANTS).map(|number| WaitingTask {
        task: format!("build of variant-{number}"),
        waits_for: "a core".to_owned(),
    });
    emit(Event::Tasks(TasksState {
        waiting: VARIANTS,
        waits: waits.collect(),
        ..TasksState::default()
    }));
    for number in 0..EVENTS {
        emit(Event::BuildStart {
            variant_id: format!("variant-{}", number % VARIANTS),
        });
    }
    let server = Server::start(root.path().to_str().unwrap());
    let list = server.page("");
    let run = server.run_path(&list);
    // It is read in parts, so that no viewer waits for all of it.
    let page = super::client::until(|| {
        Some(server.page(&run).body).filter(|body| body.contains("1000 waiting"))
    });
    assert!(page.len() < PAGE_BYTES_MAX, "{} bytes", page.len());
    assert!(
        page.contains("936 more variants have no row here."),
        "{page}"
    );
    assert!(page.contains("and 992 more"), "{page}");
    let log = page.split("id=\"log\"").nth(1).unwrap();
    assert!(log.matches("<li>").count() <= 40, "{log}");
    // Some of these events are the store's own.
    let sent = events(&mut server.follow(&run, &[], 0), |found| {
        found.ids().len() as u64 >= count
    });
    let ids = sent.ids();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<u64>>());
}
