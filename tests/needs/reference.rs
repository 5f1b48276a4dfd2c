//! Runs whose every verdict is worked out again by the program in `tests/reference`, which was written
//! in another language and from the documentation alone.

mod experiment;
mod forged;
mod judged;

use crate::support::{CommandOutput, root, run_bakeoff};
use experiment::Run;
use forged::{Forged, SIZES};
pub(crate) use judged::verdicts_about_rows_follow_from_the_rows;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use std::sync::LazyLock;

/// Returns true if Python is installed, and new enough for the program.
pub(crate) fn is_installed() -> bool {
    let new_enough = "import sys; sys.exit(sys.version_info < (3, 10))";
    let output = Command::new("python3").args(["-c", new_enough]).output();
    output.is_ok_and(|output| output.status.success())
}

/// Four variants and a duplicate on three sizes, by every reading that varies.
static RUN: LazyLock<Run> = LazyLock::new(Run::new);

/// How many verdicts the reference found as they are reported, by reading and verdict.
struct Agreement(String);

impl Agreement {
    fn count(&self, reading: &str, verdict: &str) -> u32 {
        let end = format!(" {reading} {verdict}");
        let line = self.0.lines().find_map(|line| line.strip_suffix(&end));
        line.map_or(0, |count| count.parse().unwrap())
    }

    fn has(&self, reading: &str, verdict: &str) {
        assert!(
            self.count(reading, verdict) > 0,
            "no {reading} {verdict}:\n{}",
            self.0
        );
    }
}

/// The report that follows from a folder of results, after this change to what is told of it, and what
/// the reference says of it.
fn compare(dir: &str, change: impl FnOnce(&mut Value)) -> (Value, Result<Agreement, String>) {
    let folder = tempfile::tempdir().unwrap();
    let [export, report] = ["export", "report.json"].map(|name| folder.path().join(name));
    let output = run_bakeoff(&["report", dir, "--format", "json"]);
    assert!([0, 1].contains(&output.status), "{}", output.stderr);
    let mut shown = output.json();
    change(&mut shown);
    fs::write(&report, shown.to_string()).unwrap();
    let to = export.to_str().unwrap();
    let exported = run_bakeoff(&["export", dir, "--format", "jsonl", "--out", to]);
    assert_eq!(exported.status, 0, "{}", exported.stderr);
    // Without -B it would leave compiled files beside its source.
    let mut reference = Command::new("python3");
    reference.arg("-B").arg(root().join("tests/reference"));
    let output = CommandOutput::from(reference.args([&export, &report]).output().unwrap());
    let agreement = match output.status {
        0 => Ok(Agreement(output.stdout)),
        _ => Err(output.stdout + &output.stderr),
    };
    (shown, agreement)
}

/// The report, and the verdicts that the reference agrees with: all of them.
fn agreed(dir: &str) -> (Value, Agreement) {
    let (report, agreement) = compare(dir, |_| ());
    let agreement = agreement.unwrap_or_else(|differences| panic!("{differences}"));
    (report, agreement)
}

pub(crate) fn every_verdict_of_a_run_follows_from_its_export() {
    let (report, agreement) = agreed(RUN.copy().dir());
    let rows = |key: &str| report[key].as_array().unwrap().len();
    assert_eq!(rows("verdicts"), 10 + 3 * 9);
    let lines = agreement.0.lines();
    let total: u32 = lines
        .map(|line| line.split(' ').next().unwrap().parse::<u32>().unwrap())
        .sum();
    agreement.has("assess:picked", "tie");
    let told = ["beats", "beaten"].map(|verdict| agreement.count("assess:picked", verdict));
    assert!(told[0] + told[1] > 0, "{}", agreement.0);
    // Time, wall, cold start, build time (of five prototypes four differ) and what `assess` says.
    assert_eq!(total, 37 + 10 + 10 + 10 + 10, "{}", agreement.0);
}

pub(crate) fn the_verdict_about_two_follows_from_its_export() {
    let (report, _) = agreed(Run::of_two().copy().dir());
    assert_eq!(report["verdicts"].as_array().unwrap().len(), 1);
}

pub(crate) fn verdicts_of_every_kind_follow_from_the_export() {
    let agreement = |forged: Forged| {
        let copy = RUN.copy();
        forged.write(&copy);
        agreed(copy.dir())
    };
    // A loser that left early: that the first beats it is implied.
    let (report, said) = agreement(Forged::with_a_loser_that_leaves());
    said.has("time", "beats");
    said.has("wall", "beats");
    said.has("cold-start", "beats");
    let end = |a: &str, b: &str| {
        let row = row(&report, a, b);
        assert_eq!(row["verdict"], "beats", "{row:#}");
        row["high"].as_f64().unwrap()
    };
    let implied = end("largest", "greatest") * end("greatest", "smallest");
    assert!((implied / end("largest", "smallest") - 1.0).abs() < 1e-5);

    let (_, said) = agreement(Forged::equal());
    assert!(said.count("time", "tie") > 6, "{}", said.0);

    // One size that counts is the same as all of them.
    let (report, said) = agreement(Forged::with_a_loser_that_leaves().on_one_size());
    said.has("time", "beats");
    assert_eq!(report["verdicts"].as_array().unwrap().len(), 10);

    // Half of the time is known by blocks before there are enough replicas; one per cent is not.
    let (report, said) = agreement(Forged::with_obvious_differences());
    assert_eq!(report["protocol"]["replicas"], 3);
    said.has("time", "beats");
    said.has("wall", "beats");
    assert_eq!(row(&report, "first", "greatest")["verdict"], "no-call");

    // Without the samples of a pilot the first two replicas set the scale, and nothing else.
    let (_, said) = agreement(Forged::equal().without_pilot());
    assert!(said.count("time", "tie") > 6, "{}", said.0);

    // The replicas after a gap do not count, by whatever clock.
    let (report, _) = agreement(Forged::equal().without_replica(9));
    assert_eq!(report["protocol"]["replicas"], 9);

    // Who is faster in most samples and slower in total wins nothing, and both are said.
    let (report, said) = agreement(Forged::with_a_tail());
    said.has("time", "beats");
    for other in ["first", "greatest"] {
        let row = row(&report, "largest", other);
        assert_ne!(row["verdict"], "beats", "{row:#}");
        let is = |key: &str, expected: fn(f64) -> bool| row[key].as_f64().is_some_and(expected);
        assert!(is("ratio", |ratio| ratio > 2.0), "{row:#}");
        assert!(is("typical", |ratio| ratio < 1.0), "{row:#}");
    }

    // A sample that was ended counts with the time that it had taken: against whoever it belongs to, and never for
    // them.
    let (before, _) = agreement(Forged::with_overruns().without_overruns());
    let (report, said) = agreement(Forged::with_overruns());
    said.has("time", "beats");
    let verdict = |report: &Value, a: &str, b: &str| row(report, a, b)["verdict"].clone();
    for (a, b, otherwise) in [
        ("largest", "first", "no-call"),
        ("largest", "greatest", "no-call"),
        ("first", "greatest", "beats"),
        ("first", "smallest", "beats"),
    ] {
        assert_eq!(verdict(&before, a, b), "beats", "{a} against {b}");
        assert_eq!(verdict(&report, a, b), otherwise, "{a} against {b}");
    }
    let ratio = |report| row(report, "first", "smallest")["ratio"].as_f64().unwrap();
    assert!(ratio(&report) < 0.9 * ratio(&before), "{report:#}");

    // Who changes during the race has no verdict where no effect is left, and an interval that holds the totals.
    let (report, said) = agreement(Forged::that_changes());
    said.has("time", "beats");
    let changed = row(&report, "largest", "first");
    assert_eq!(changed["verdict"], "no-call", "{changed:#}");
    let end = |key: &str| changed[key].as_f64().unwrap();
    assert!(
        end("low") < end("ratio") && end("ratio") < end("high"),
        "{changed:#}"
    );

    // Code in few places: what that may be worth is not sure, and more than that is.
    let (report, said) = agreement(Forged::with_few_layouts());
    said.has("time", "beats");
    let close = row(&report, "largest", "greatest");
    assert_eq!(close["verdict"], "no-call", "{close:#}");

    // A variant that failed in the race has no verdicts; it still counts in the number of pairs.
    let (report, _) = agreement(Forged::with_a_loser_that_leaves().with_failed(3));
    assert_eq!(report["verdicts"].as_array().unwrap().len(), 6 + 3 * 5);

    the_verdicts_about_a_fixed_set_follow_from_its_export();
}

/// The verdict by time about two over all cases.
fn row<'r>(report: &'r Value, a: &str, b: &str) -> &'r Value {
    let mut rows = report["verdicts"].as_array().unwrap().iter();
    let found = rows.find(|row| row["a"] == a && row["b"] == b && row["case"].is_null());
    found.unwrap_or_else(|| panic!("{a} against {b}"))
}

fn the_verdicts_about_a_fixed_set_follow_from_its_export() {
    let run = Run::of_set();
    let (report, _) = agreed(run.copy().dir());
    assert_eq!(report["verdicts"].as_array().unwrap().len(), 10);
    let copy = run.copy();
    Forged::of_set().write(&copy);
    let (report, _) = agreed(copy.dir());
    // The whole set is one scope, and each block has other instances of it.
    assert_eq!(report["verdicts"].as_array().unwrap().len(), 10);
    assert_eq!(row(&report, "largest", "first")["verdict"], "tie");
    assert_eq!(row(&report, "largest", "greatest")["verdict"], "beats");
    assert_eq!(row(&report, "largest", "smallest")["verdict"], "beats");
}

pub(crate) fn verdicts_by_other_readings_follow_from_the_export() {
    let copy = RUN.copy();
    forged::builds(&copy, 20);
    forged::answers(&copy, SIZES);
    let (_, said) = agreed(copy.dir());
    said.has("build-time", "beats");

    // Without a range only signs are bet on.
    let copy = RUN.copy();
    copy.execute(
        "UPDATE run SET settings =
         json_set(settings, '$.criteria[4].scale', json('{\"ratio\":{\"base\":10.0}}'))",
    );
    let (_, said) = agreed(copy.dir());
    said.has("assess:picked", "beats");
    // What few inputs say is not known, be it a difference or none.
    let copy = RUN.copy();
    forged::answers(&copy, 5 * SIZES);
    let (_, said) = agreed(copy.dir());
    assert_eq!(said.count("assess:picked", "no-call"), 9, "{}", said.0);
}

pub(crate) fn what_does_not_follow_is_found() {
    let copy = RUN.copy();
    Forged::with_a_loser_that_leaves().write(&copy);
    let different = |change: fn(&mut Value)| {
        let (_, agreement) = compare(copy.dir(), change);
        agreement.err().unwrap_or_default()
    };
    // Another share of α, an end that lies one step of the grid elsewhere, a verdict.
    let other = different(|report| report["protocol"]["confidence"] = 0.949.into());
    assert!(other.contains("time ("), "{other}");
    let other = different(|report| {
        let low = report["verdicts"][0]["low"].as_f64().unwrap();
        report["verdicts"][0]["low"] = (low * 2.0_f64.powi(-17).exp()).into();
    });
    assert_eq!(other.matches("reference:").count(), 1, "{other}");
    let other = different(|report| {
        report["wall_verdicts"][1]["verdict"] = "tie".into();
    });
    assert_eq!(other.matches("wall (").count(), 1, "{other}");
}

pub(crate) fn the_same_data_in_another_order_give_mirrored_verdicts() {
    let kinds: [fn() -> Forged; 4] = [
        Forged::with_a_loser_that_leaves,
        Forged::equal,
        Forged::with_obvious_differences,
        Forged::with_a_tail,
    ];
    for kind in kinds {
        let (copy, turned) = (RUN.copy(), RUN.copy());
        kind().write(&copy);
        kind().reversed().write(&turned);
        let (one, _) = agreed(copy.dir());
        let (other, _) = agreed(turned.dir());
        for key in ["verdicts", "wall_verdicts"] {
            for row in one[key].as_array().unwrap() {
                assert_mirrored(row, &other[key]);
            }
        }
    }
}

/// Looks for the row about the same data among those of the reversed list.
fn assert_mirrored(row: &Value, rows: &Value) {
    let Some((a, b)) = forged::place(&row["a"]).zip(forged::place(&row["b"])) else {
        return;
    };
    let of = |place: usize| json!(forged::ids()[forged::VARIANTS - 1 - place]);
    let same =
        |other: &&Value| other["a"] == of(b) && other["b"] == of(a) && other["case"] == row["case"];
    let other = rows.as_array().unwrap().iter().find(same).unwrap();
    let mirrored = match row["verdict"].as_str().unwrap() {
        "beats" => "beaten",
        "beaten" => "beats",
        same => same,
    };
    assert_eq!(other["verdict"], mirrored, "{row}\n{other}");
    let mirrors = [("low", "high"), ("high", "low")].into_iter();
    let inverted = ["ratio", "typical"].map(|key| (key, key));
    for (end, opposite) in mirrors.chain(inverted) {
        let logarithm = |value: &Value| value.as_f64().map(f64::ln);
        match (logarithm(&row[end]), logarithm(&other[opposite])) {
            (None, None) => {}
            (Some(here), Some(there)) => {
                assert!((here + there).abs() < 1e-12, "{row}\n{other}");
            }
            _ => panic!("{row}\n{other}"),
        }
    }
}
