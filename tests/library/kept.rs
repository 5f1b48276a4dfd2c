//! Kept results of a run, and the oracle of an experiment, asked for by a program.

use super::{cache, experiment};
use bakeoff::{Difference, Error, ErrorKind, Experiment, OracleCheck, Report, Verification};
use std::fs;
use std::path::Path;
use std::time::Duration;

fn opened(folder: &Path) -> Experiment {
    Experiment::open(folder).unwrap().cache(cache())
}

pub(super) fn is_verified() {
    let folder = experiment();
    let nothing: Error = opened(folder.path()).report().unwrap_err();
    assert_eq!(nothing.kind(), ErrorKind::Experiment, "{nothing}");
    assert!(
        nothing.to_string().contains("no results of sums"),
        "{nothing}"
    );
    let nothing = opened(folder.path()).verify().unwrap_err();
    assert_eq!(nothing.kind(), ErrorKind::Experiment, "{nothing}");

    let run = opened(folder.path()).budget(Duration::from_secs(20)).run();
    let run = run.unwrap();
    // What is verified is what was run, also where its file says something else by now.
    let file = folder.path().join("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("precision = 0.5", "precision = 0.4")).unwrap();
    let report: Report = opened(folder.path()).report().unwrap();
    assert_eq!(report.json(), run.json());
    assert_eq!(report.text(), run.text());

    let verified: Verification = opened(folder.path()).verify().unwrap();
    assert!(verified.is_reproduced(), "{}", verified.text());
    assert!(verified.reproduced() > 10 && verified.not_repeated() > 0);
    assert_eq!(verified.differences().count(), 0);
    assert!(verified.text().contains("0 differ"), "{}", verified.text());
    assert!(verified.json().contains("\"differ\": 0"));

    // Somebody changes what the run found out.
    let database = folder.path().join(".bakeoff/sums/bakeoff.db");
    let changed = rusqlite::Connection::open(database).unwrap();
    let forged = "UPDATE run SET report = json_set(report, '$.recommendation.winner', 'slow')";
    assert_eq!(changed.execute(forged, []).unwrap(), 1);
    drop(changed);
    let verified = opened(folder.path()).verify().unwrap();
    assert!(!verified.is_reproduced(), "{}", verified.text());
    let difference = verified.differences().find(|one| one.figure == "winner");
    let difference: Difference<'_> = difference.unwrap();
    assert_eq!((difference.about, difference.here), ("report", "quick"));
    assert_eq!(difference.kept, "slow");
    assert!(verified.text().contains("DIFFERS"), "{}", verified.text());
    let report = opened(folder.path()).report().unwrap();
    assert_eq!(report.winner(), Some("quick"));
    let text = report
        .text()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        text.contains("is not what follows from the samples"),
        "{text}"
    );
}

pub(super) fn has_a_checked_oracle() {
    let folder = experiment();
    let checked: OracleCheck = opened(folder.path()).check().unwrap();
    assert!(checked.is_believed(), "{}", checked.text());
    assert_eq!(checked.accepted_share(), Some(0.0), "{}", checked.text());
    assert!(
        checked
            .text()
            .starts_with(&format!("sums: {}", checked.sentence()))
    );
    assert!(
        checked.json().contains("\"accepted_share\": 0.0"),
        "{}",
        checked.json()
    );
}
