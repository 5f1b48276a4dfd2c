//! Killed at random moments and at every record boundary: nothing finished is lost or half there.

use super::{begun, child, job, open_race, replica, trial};
use bakeoff_store::events::{Envelope, Event};
use bakeoff_store::{Key, Mode, Owner, ResultKind, RunId, Store};
use rustix::process::{Signal, getpid, kill_process};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// How often the writer is killed at a moment that it does not choose: in the suite, and in all.
const SOME_KILLS: u64 = 40;
const ALL_KILLS: u64 = 2_000;
/// Kills in the same folder, before another one is begun.
const KILLS_PER_FOLDER: u64 = 20;
/// Records at whose boundaries the writer kills itself.
const BOUNDARIES: u32 = 24;

fn gate(number: u32) -> (Key, Owner<'static>) {
    let owner = Owner {
        variant: "heap",
        iteration: number + 1,
    };
    (Key::new([("number", number.to_string())]), owner)
}

/// Writes records up to a number, and says each when it is kept; then kills itself. A record is one
/// commit: a replica, or a gate with its trials, by turns; every third is followed by an event.
#[test]
fn writer() {
    let Some(job) = job() else { return };
    let (folder, last) = job.split_once('|').unwrap();
    let last: u32 = last.parse().unwrap();
    let mut store = begun(Path::new(folder));
    let race = open_race(&mut store).unwrap();
    let mut stdout = std::io::stdout();
    for number in records(&store)..last {
        if number % 2 == 0 {
            store.put_replica(race, &replica(number / 2)).unwrap();
        } else {
            let (key, owner) = gate(number / 2);
            let trials = [trial(0, u64::from(number)), trial(1, 2)];
            store
                .put_with_trials(ResultKind::Gate, &key, owner, &number, &trials)
                .unwrap();
        }
        writeln!(stdout, "\nkept {}", number + 1).unwrap();
        stdout.flush().unwrap();
        if number % 3 == 0 {
            let message = number.to_string();
            store.emit(Event::Warning { message }).unwrap();
        }
    }
    kill_process(getpid(), Signal::KILL).unwrap();
}

/// Counts the records in a store; whatever is there must be there wholly.
fn records(store: &Store) -> u32 {
    let Some((race, _)) = store.race_of(RunId(1)).unwrap() else {
        return 0;
    };
    let replicas = store.replicas(race).unwrap();
    for (index, found) in (0..).zip(&replicas) {
        assert_eq!(found, &replica(index));
    }
    let gates = store.results::<u32>(RunId(1), ResultKind::Gate).unwrap();
    for (index, found) in (0..).zip(&gates) {
        let (key, owner) = gate(index);
        assert_eq!((found.value, found.iteration), (2 * index + 1, index + 1));
        assert_eq!(found.key, key.digest());
        let trials = store.trials(RunId(1), ResultKind::Gate, owner).unwrap();
        assert_eq!(trials, [trial(0, u64::from(2 * index + 1)), trial(1, 2)]);
    }
    let (replicas, gates) = (replicas.len(), gates.len());
    assert!(
        replicas == gates || replicas == gates + 1,
        "{replicas} replicas, {gates} gates"
    );
    u32::try_from(replicas + gates).unwrap()
}

/// Opens what a killed writer left, and counts.
fn found(folder: &Path) -> u32 {
    let store = Store::open(folder, Mode::Write).unwrap();
    let text = std::fs::read_to_string(folder.join("events.jsonl")).unwrap();
    for (line, expected) in text.lines().zip(1..) {
        let envelope: Envelope = serde_json::from_str(line).unwrap();
        assert_eq!(envelope.sequence, expected);
    }
    assert_eq!(
        store.events_after(0, u32::MAX).unwrap().len(),
        text.lines().count()
    );
    records(&store)
}

/// When a writer is killed.
enum Moment {
    /// This long after it was started.
    AfterStart(Duration),
    /// This long after it said that a record is kept.
    AfterRecord(Duration),
    /// By itself, after its last record.
    Itself,
}

/// Runs the writer until it is dead, and says the last record that it said was kept.
fn write_until(folder: &Path, last: u32, moment: Moment) -> Option<u32> {
    let job = format!("{}|{last}", folder.display());
    let mut writer = child("store::kill::writer", &job)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    let mut kept = || loop {
        let line = lines.next()?.unwrap();
        if let Some(number) = line.strip_prefix("kept ") {
            return Some(number.parse().unwrap());
        }
    };
    let mut last = None;
    match moment {
        Moment::AfterStart(time) => std::thread::sleep(time),
        Moment::AfterRecord(time) => {
            last = kept();
            std::thread::sleep(time);
        }
        Moment::Itself => {}
    }
    if !matches!(moment, Moment::Itself) {
        writer.kill().unwrap();
    }
    while let Some(number) = kept() {
        last = Some(number);
    }
    assert!(!writer.wait().unwrap().success());
    last
}

#[test]
fn at_random_moments_everything_said_to_be_kept_is_there() {
    killed_at_random_moments(SOME_KILLS);
}

#[test]
#[ignore = "takes minutes: one of the campaigns in CONTRIBUTING"]
fn at_2000_random_moments_everything_said_to_be_kept_is_there() {
    killed_at_random_moments(ALL_KILLS);
}

fn killed_at_random_moments(kills: u64) {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..kills / KILLS_PER_FOLDER {
        let folder = tempfile::tempdir().unwrap();
        let mut before = 0;
        for kill in 0..KILLS_PER_FOLDER {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let moment = match kill % 4 {
                0 => Moment::AfterStart(Duration::from_micros(random % 20_000)),
                _ => Moment::AfterRecord(Duration::from_micros(random % 6_000)),
            };
            let said = write_until(folder.path(), u32::MAX, moment).unwrap_or(before);
            let after = found(folder.path());
            assert!(
                after == said || after == said + 1,
                "said {said}, found {after}"
            );
            before = after;
        }
    }
}

#[test]
fn at_every_record_boundary_exactly_what_was_kept_is_there() {
    let folder = tempfile::tempdir().unwrap();
    for last in 1..=BOUNDARIES {
        // One more record each time: the ones before are not written again.
        assert_eq!(write_until(folder.path(), last, Moment::Itself), Some(last));
        assert_eq!(found(folder.path()), last);
    }
}
