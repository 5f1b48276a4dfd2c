//! The prototypes as components: the verdicts of `bakeoff run` on each pair.

use super::families::Family;
use super::natively::folder;
use super::quiet::Quiet;
use super::support::is_quick;
use super::{APART, Failure, pairs};
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// The most additional races of a pair alone, while too few of its replicas were quiet.
const RACES_MORE_MAX: u64 = 4;

/// The verdict on a pair.
pub(crate) struct Verdict {
    /// Time of the first over time of the second; `None` if they never ran together.
    pub(crate) ratio: Option<f64>,
    /// `Less` if the first is faster, `Greater` if the second is: surely, or else by the ratio, if
    /// that is more than 2 δ away from 1.
    pub(crate) order: Ordering,
    /// `true` if the order is sure.
    pub(crate) sure: bool,
    /// The ratio in the replicas that had a quiet core, of these races and of the additional ones;
    /// `None` if there were too few.
    pub(crate) quiet: Option<f64>,
}

/// Returns the order of two prototypes by their ratio, if that is more than 2 δ away from 1.
pub(crate) fn by_ratio(ratio: f64) -> Ordering {
    match ratio.max(1.0 / ratio) > APART {
        true => ratio.total_cmp(&1.0),
        false => Ordering::Equal,
    }
}

/// Returns the verdicts on all pairs of prototypes, by their indexes. Prototypes that are beaten
/// leave the race early, so a pair of them is often not sure: it gets a race of its own.
pub(crate) fn verdicts(
    family: &Family,
    quiet: &mut Quiet,
) -> Result<BTreeMap<(usize, usize), Verdict>, Failure> {
    let mut races = Races { family, quiet };
    let all = races.hold(family.prototypes, 1)?;
    let mut found = BTreeMap::new();
    for (a, b) in pairs(family.prototypes.len()) {
        let (first, second) = (family.prototypes[a], family.prototypes[b]);
        let lacks = || format!("{}: no verdict on {first} and {second}", family.name);
        let mut verdict = row(&all, first, second).ok_or_else(lacks)?;
        if !verdict.sure {
            let alone = races.hold(&[first, second], 1)?;
            verdict = row(&alone, first, second).ok_or_else(lacks)?;
        }
        for more in 0..RACES_MORE_MAX {
            if races.quiet.ratio(family.name, first, second).is_some() {
                break;
            }
            races.hold(&[first, second], 2 + more)?;
        }
        verdict.quiet = races.quiet.ratio(family.name, first, second);
        found.insert((a, b), verdict);
    }
    Ok(found)
}

/// The races of a family.
struct Races<'a> {
    family: &'a Family,
    quiet: &'a mut Quiet,
}

impl Races<'_> {
    /// Runs a race between some prototypes, and returns its report.
    fn hold(&mut self, prototypes: &[&str], seed: u64) -> Result<Value, Failure> {
        let results = tempfile::tempdir()?;
        let report = raced(self.family, prototypes, seed, results.path(), &[])?;
        let name = self.family.name;
        self.quiet.take_in(name, &report, results.path())?;
        Ok(report)
    }
}

/// Runs a race between some prototypes, whose results are kept in a folder, and returns its report.
fn raced(
    family: &Family,
    prototypes: &[&str],
    seed: u64,
    results: &Path,
    options: &[&str],
) -> Result<Value, Failure> {
    let experiment = tempfile::tempdir()?;
    write(family, prototypes, experiment.path())?;
    let output = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
        .args(["run", "--quiet", "--format", "json"])
        .args(["--seed", &seed.to_string()])
        .args(options)
        .args([Path::new("--out"), results])
        .arg(experiment.path())
        .env(
            "BAKEOFF_CACHE_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"),
        )
        .stdin(Stdio::null())
        .output()?;
    // 1 stands for a report that recommends nothing.
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Holds one race of all prototypes as components, and one natively, and returns the report.
pub(crate) fn one_race_both(family: &Family, seed: u64) -> Result<Value, Failure> {
    let results = tempfile::tempdir()?;
    raced(
        family,
        family.prototypes,
        seed,
        results.path(),
        &["--natively"],
    )
}

/// Holds one race of all prototypes, and returns its report.
pub(crate) fn one_race(family: &Family, seed: u64, quiet: &mut Quiet) -> Result<Value, Failure> {
    Races { family, quiet }.hold(family.prototypes, seed)
}

/// Returns the verdict on two prototypes, over all cases; `None` if the report has none.
pub(crate) fn row(report: &Value, first: &str, second: &str) -> Option<Verdict> {
    let row = report["verdicts"].as_array()?.iter().find(|row| {
        let is = |a: &str, b: &str| row["a"] == a && row["b"] == b;
        row["case"].is_null() && (is(first, second) || is(second, first))
    })?;
    let ratio = row["ratio"].as_f64();
    let (order, sure) = match row["verdict"].as_str()? {
        "beats" => (Ordering::Less, true),
        "beaten" => (Ordering::Greater, true),
        "tie" => (Ordering::Equal, true),
        _ => (ratio.map_or(Ordering::Equal, by_ratio), false),
    };
    let turned = row["a"] != first;
    Some(Verdict {
        ratio: ratio.map(|ratio| if turned { 1.0 / ratio } else { ratio }),
        order: if turned { order.reverse() } else { order },
        sure,
        quiet: None,
    })
}

fn write(family: &Family, prototypes: &[&str], to: &Path) -> Result<(), Failure> {
    let from = folder(family);
    std::fs::create_dir(to.join("wit"))?;
    std::fs::copy(from.join("world.wit"), to.join("wit/world.wit"))?;
    std::fs::copy(from.join("workload.rs"), to.join("workload.rs"))?;
    let budget = if is_quick() { "8 s" } else { "20 s" };
    let mut text = format!(
        "name = \"{}\"\nproblem = \"Which is fastest?\"\n\
         [interface]\nwit = \"wit\"\ncall = \"solve\"\n\
         [workload]\nsource = \"workload.rs\"\nsizes = [{}]\n\
         [measure]\nbudget = \"{budget}\"\n",
        family.name, family.size
    );
    for name in prototypes {
        let file = format!("{name}.rs");
        std::fs::copy(from.join(&file), to.join(&file))?;
        text.push_str(&format!(
            "[[approach]]\nname = \"{name}\"\nsource = \"{file}\"\n"
        ));
    }
    std::fs::write(to.join("bakeoff.toml"), text)?;
    Ok(())
}
