//! Events: kept in order, repaired, folded, told.

use super::{begin, begun};
use bakeoff_store::events::{Clock, Envelope, Event, Origin, Stage};
use bakeoff_store::{Mode, Start, Store};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn warning(text: &str) -> Event {
    Event::Warning {
        message: text.into(),
    }
}

fn lines(folder: &Path) -> Vec<Envelope> {
    let text = std::fs::read_to_string(folder.join("events.jsonl")).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn listeners_file_and_database_have_the_same_events() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = begun(folder.path());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&heard);
    store.subscribe(move |envelope: &Envelope| listener.lock().unwrap().push(envelope.clone()));
    store
        .emit(warning("a \"quoted\" line\nand another"))
        .unwrap();
    store
        .emit(Event::BuildComplete {
            variant_id: "heap".into(),
            origin: Origin::New,
            cpu_seconds: 0.25,
            component_bytes: 19_322,
        })
        .unwrap();
    let told = heard.lock().unwrap().clone();
    assert_eq!(told.len(), 2);
    assert_eq!(lines(folder.path()), told);
    let kept: Vec<Envelope> = store
        .events_after(0, 10)
        .unwrap()
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(kept, told);
    assert_eq!(store.events_after(1, 10).unwrap().len(), 1);
}

#[test]
fn a_torn_lost_or_foreign_file_is_repaired_from_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.jsonl");
    let mut store = begun(folder.path());
    for text in ["one", "two", "three"] {
        store.emit(warning(text)).unwrap();
    }
    drop(store);
    let whole = std::fs::read_to_string(&path).unwrap();
    let torn = &whole[..whole.len() - 20];
    for (damaged, aside) in [(torn, false), ("", false), ("not ours\n", true)] {
        std::fs::write(&path, damaged).unwrap();
        let store = Store::open(folder.path(), Mode::Write).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        drop(store);
        assert_eq!(folder.path().join("events.jsonl.aside-1").exists(), aside);
    }
}

#[test]
fn order_goes_on_over_sessions_and_runs_and_begins_anew_with_the_database() {
    let folder = tempfile::tempdir().unwrap();
    for (session, id) in ["e1", "e1", "e2"].into_iter().enumerate() {
        let mut store = Store::open(folder.path(), Mode::Write).unwrap();
        begin(&mut store, id, Start::Resume).unwrap();
        let envelope = store.emit(warning("x")).unwrap();
        assert_eq!(envelope.sequence, session as u64 + 1);
    }
    std::fs::write(folder.path().join("bakeoff.db"), "gone").unwrap();
    let mut store = Store::open(folder.path(), Mode::SetAside).unwrap();
    begin(&mut store, "e1", Start::Resume).unwrap();
    assert_eq!(store.emit(warning("x")).unwrap().sequence, 1);
    let sequences = |folder: &Path| {
        lines(folder)
            .iter()
            .map(|e| e.sequence)
            .collect::<Vec<u64>>()
    };
    assert_eq!(sequences(folder.path()), [1]);
    assert_eq!(sequences(&folder.path().join("aside-1")), [1, 2, 3]);
}

/// A machine whose wall clock can be set, and whose other clock only runs.
#[derive(Clone, Default)]
struct Machine {
    wall_s: Arc<AtomicU64>,
    up_ms: Arc<AtomicU64>,
}

impl Clock for Machine {
    fn monotonic_ms(&self) -> u64 {
        self.up_ms.load(Ordering::Relaxed)
    }
    fn wall(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.wall_s.load(Ordering::Relaxed))
    }
}

#[test]
fn durations_and_order_do_not_follow_a_wall_clock_that_jumps() {
    let folder = tempfile::tempdir().unwrap();
    let mut seen = Vec::new();
    for session in 0..2 {
        let machine = Machine::default();
        machine.up_ms.store(90_000 * session, Ordering::Relaxed);
        let mut store = Store::open(folder.path(), Mode::Write).unwrap();
        store.set_clock(Box::new(machine.clone()));
        begin(&mut store, "e1", Start::Resume).unwrap();
        for wall_s in [2_000_000_000, 1_000_000_000, 3_000_000_000] {
            machine.wall_s.store(wall_s, Ordering::Relaxed);
            machine.up_ms.fetch_add(250, Ordering::Relaxed);
            store.emit(warning("x")).unwrap();
        }
        assert_eq!(
            store.runs().unwrap()[0].seconds,
            0.75 * (session + 1) as f64
        );
    }
    for envelope in lines(folder.path()) {
        seen.push((envelope.sequence, envelope.at_ms));
    }
    let expected: Vec<_> = (1..=6).map(|n| (n, n * 250)).collect();
    assert_eq!(seen, expected);
}

#[test]
fn progress_follows_the_events() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = begun(folder.path());
    store
        .emit(Event::RunStart {
            experiment: "top-k".into(),
            experiment_id: "e1".into(),
            seed: bakeoff_domain::plan::RunSeed::Named(7),
        })
        .unwrap();
    store
        .emit(Event::StageStart {
            stage: Stage::Build,
            steps: 2,
        })
        .unwrap();
    store
        .emit(Event::BuildStart {
            variant_id: "heap".into(),
        })
        .unwrap();
    store
        .emit(Event::RunInterrupted {
            resume: "bakeoff run examples/top-k".into(),
        })
        .unwrap();
    let text = std::fs::read_to_string(folder.path().join("progress.json")).unwrap();
    let progress: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(progress["status"], "interrupted");
    assert_eq!(progress["message"], "bakeoff run examples/top-k");
    assert_eq!(progress["variants"]["heap"]["state"], "building");
    assert_eq!(progress["stages"]["build"]["steps"], 2);
    assert_eq!(progress["sequence"], 4);
}

#[test]
fn an_event_that_is_too_large_is_refused_and_leaves_no_gap() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = begun(folder.path());
    let error = store.emit(warning(&"x".repeat(3 << 20))).unwrap_err();
    assert!(error.to_string().contains("bytes"), "{error}");
    assert_eq!(store.emit(warning("x")).unwrap().sequence, 1);
}
