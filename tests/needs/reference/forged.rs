//! Samples that were never measured, in the place of those of a real run: for what a race seldom comes
//! to within seconds.

use super::experiment::Run;
use bakeoff_domain::measurement::{Replica, Sample, Surroundings};
use rusqlite::{Connection, params};
use serde_json::{Value, json};

pub(super) const VARIANTS: usize = 4;
pub(super) const SIZES: usize = 3;
const BLOCKS: u32 = 5;
/// The calls of a sample.
const CALLS: u32 = 10;
/// The time of a call that does nothing.
const BASELINE_NS: f64 = 800.0;

/// The raced variants, in their order.
pub(super) fn ids() -> [&'static str; VARIANTS] {
    ["largest", "first", "greatest", "smallest"]
}

/// The place of a raced variant.
pub(super) fn place(id: &Value) -> Option<usize> {
    ids().iter().position(|known| *id == *known)
}

/// A call that is timed.
#[derive(Clone, Copy)]
struct Call {
    variant: usize,
    case: usize,
    replica: u32,
    block: u32,
}

/// A number from −1 to 1 that follows from these, mostly near 0.
fn noise(of: [u64; 5]) -> f64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut sum = 0.0;
    for round in 0..3 {
        for number in of {
            state = (state ^ (number + round)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            state ^= state >> 29;
        }
        sum += (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
    }
    sum / 1.5
}

/// A race that might have been.
pub(super) struct Forged {
    replicas: u32,
    /// By variant and replica: the logarithm of its slowness.
    effect: fn(usize, u32) -> f64,
    /// How many times as long the first variant takes in one sample in nine.
    tail: f64,
    /// How far replicas and blocks scatter.
    spread: f64,
    /// The variant that leaves, and after how many replicas.
    leaves: Option<(usize, u32)>,
    /// By variant, in how many places its code lies.
    layouts: [u32; VARIANTS],
    /// The replica that never came.
    missing: Option<u32>,
    /// The variant that failed in the race.
    failed: Option<usize>,
    /// By variant: how long a sample of it had taken on the second size when it was ended, in nanoseconds.
    overruns: Vec<(usize, u64)>,
    /// True if only the first size is not too short to time.
    short: bool,
    /// True to list what is the first variant here as the last.
    reversed: bool,
    /// True if there was no time for a pilot.
    without_pilot: bool,
    /// True if each block leaves one case out, as blocks do that draw instances of a set.
    draws: bool,
}

impl Forged {
    /// Four that are the same.
    pub(super) fn equal() -> Self {
        Self {
            replicas: 40,
            effect: |_, _| 0.0,
            tail: 1.0,
            spread: 0.002,
            leaves: None,
            layouts: [8; VARIANTS],
            missing: None,
            failed: None,
            overruns: Vec::new(),
            short: false,
            reversed: false,
            without_pilot: false,
            draws: false,
        }
    }

    /// The last is surely beaten soon, by the third; the first beats the third late.
    pub(super) fn with_a_loser_that_leaves() -> Self {
        Self {
            effect: |variant, replica| {
                let own = noise([variant as u64, replica.into(), 1, 2, 3]);
                match variant {
                    0 => -0.04 + 0.12 * own,
                    1 => 0.3,
                    2 => 0.0,
                    _ => 0.012,
                }
            },
            leaves: Some((3, 15)),
            replicas: 60,
            ..Self::equal()
        }
    }

    /// The first takes half of the time of the next two, and a quarter of that of the last. Three replicas are too
    /// few to tell any but obvious differences.
    pub(super) fn with_obvious_differences() -> Self {
        Self {
            effect: |variant, _| [0.0, 0.7, 0.71, 1.4][variant],
            replicas: 3,
            ..Self::equal()
        }
    }

    /// The first is faster in most samples, and slower in total.
    pub(super) fn with_a_tail() -> Self {
        Self {
            effect: |variant, _| [-0.08, 0.0, 0.02, 0.3][variant],
            tail: 25.0,
            ..Self::equal()
        }
    }

    /// The first takes least and the last takes most, but for one sample of each of the first two, which was ended after a
    /// second: many times what all others of it took together.
    pub(super) fn with_overruns() -> Self {
        Self {
            effect: |variant, _| [-0.2, 0.0, 0.2, 0.4][variant],
            overruns: vec![(0, 1_000_000_000), (3, 1_500_000_000)],
            ..Self::equal()
        }
    }

    /// The same without samples that were ended.
    pub(super) fn without_overruns(mut self) -> Self {
        self.overruns.clear();
        self
    }

    /// The code of the last two lies in few places; they are closer to the first than that is worth, and
    /// further away.
    pub(super) fn with_few_layouts() -> Self {
        Self {
            effect: |variant, _| [0.0, 0.03, 0.03, 0.2][variant],
            layouts: [8, 8, 4, 1],
            ..Self::equal()
        }
    }

    /// The first becomes slower during the race, so that no value of its effect fits all replicas.
    pub(super) fn that_changes() -> Self {
        Self {
            effect: |variant, replica| match (variant, replica) {
                (0, 25..) => 0.5,
                (0, _) => 0.1,
                (variant, _) => 0.2 * variant as f64,
            },
            replicas: 60,
            ..Self::equal()
        }
    }

    /// Instances of a fixed set, of which each block draws two of three; for the run of [`Run::of_set`].
    pub(super) fn of_set() -> Self {
        Self {
            effect: |variant, _| [0.0, 0.0, 0.1, 0.9][variant],
            draws: true,
            ..Self::equal()
        }
    }

    /// The same without the samples of a pilot.
    pub(super) fn without_pilot(mut self) -> Self {
        self.without_pilot = true;
        self
    }

    /// The same without one replica.
    pub(super) fn without_replica(mut self, replica: u32) -> Self {
        self.missing = Some(replica);
        self
    }

    /// The same with a variant that failed in the race.
    pub(super) fn with_failed(mut self, variant: usize) -> Self {
        self.failed = Some(variant);
        self
    }

    /// The same where a single size counts.
    pub(super) fn on_one_size(mut self) -> Self {
        self.short = true;
        self
    }

    /// The same with the variants listed the other way round.
    pub(super) fn reversed(mut self) -> Self {
        self.reversed = true;
        self
    }

    /// The place at which a variant is listed.
    fn listed(&self, variant: usize) -> usize {
        match self.reversed {
            true => VARIANTS - 1 - variant,
            false => variant,
        }
    }

    /// The time of a call.
    fn call_ns(&self, call: Call) -> f64 {
        let Call {
            variant,
            case,
            replica,
            block,
        } = call;
        let parts = [variant as u64, case as u64, replica.into(), block.into()];
        let of_block = noise([parts[0], parts[1], parts[2], parts[3], 0]);
        let of_replica = noise([parts[0], parts[1], parts[2], 77, 77]);
        let slowness = (self.effect)(variant, replica) + self.spread * (of_block + of_replica);
        let is_rare = variant == 0 && (replica + 4 * block + case as u32).is_multiple_of(9);
        let tail = if is_rare { self.tail } else { 1.0 };
        tail * 30_000.0 * (1 + case) as f64 * slowness.exp()
    }

    /// Returns true if a block has samples on a case.
    fn has(&self, replica: u32, block: u32, case: usize) -> bool {
        !self.draws || (replica + block) as usize % SIZES != case
    }

    /// The samples of a replica.
    fn samples(&self, replica: u32) -> Vec<Sample> {
        let has_left = |variant: usize| {
            let mut leaves = self.leaves.iter();
            leaves.any(|(gone, after)| *gone == variant && replica >= *after)
        };
        let mut samples = Vec::new();
        for variant in (0..VARIANTS).filter(|variant| !has_left(*variant)) {
            for case in 0..SIZES {
                for block in (0..BLOCKS).filter(|block| self.has(replica, *block, case)) {
                    let call_ns = BASELINE_NS
                        + self.call_ns(Call {
                            variant,
                            case,
                            replica,
                            block,
                        });
                    let cpu_ns = (call_ns * f64::from(CALLS)).round() as u64;
                    samples.push(Sample {
                        variant: self.listed(variant),
                        case,
                        block,
                        position: 0,
                        calls: CALLS,
                        cpu_ns,
                        wall_ns: cpu_ns + cpu_ns / 50 + u64::from(block % 3),
                    });
                }
            }
        }
        samples
    }

    /// Puts it in the place of the race of a run.
    pub(super) fn write(&self, run: &Run) {
        let db = run.database();
        let tables = ["sample", "baseline", "cold", "replica"];
        for table in tables {
            db.execute(&format!("DELETE FROM {table}"), []).unwrap();
        }
        self.write_pilot(&db);
        // What is assessed is not the question, and takes time.
        answers(run, 10 * SIZES);
        let race: i64 = one(&db, "SELECT id FROM result WHERE kind = 'race'");
        for replica in (0..self.replicas).filter(|replica| self.missing != Some(*replica)) {
            self.write_replica(&db, race, replica);
        }
        if let Some(variant) = self.failed {
            let place = self.listed(variant);
            let failure =
                json!({"class": "trap", "message": "?", "phase": "measure", "limit": null});
            let value = json!({"variant": place, "failure": failure, "calls": []});
            write_of_variant(&db, "dropout", "variant", place, &value);
        }
        for (variant, cpu_ns) in &self.overruns {
            let place = self.listed(*variant);
            let wall_ns = cpu_ns + cpu_ns / 50;
            let value = json!({
                "variant": place, "case": 1, "calls": CALLS, "cpu_ns": cpu_ns, "wall_ns": wall_ns,
            });
            write_of_variant(&db, "overrun", "overrun", place, &value);
        }
    }

    fn write_pilot(&self, db: &Connection) {
        let text: String = one(db, "SELECT value FROM result WHERE kind = 'pilot'");
        let mut pilot: Value = serde_json::from_str(&text).unwrap();
        let baseline = json!({"cpu_ns": BASELINE_NS, "wall_ns": BASELINE_NS});
        pilot["replica"] = json!(Replica {
            index: 0,
            solo: true,
            samples: self.samples(1_000),
            baselines: Vec::new(),
            cold_ns: vec![None; VARIANTS],
            parts: Vec::new(),
            surroundings: Surroundings::default(),
        });
        pilot["replica"]["baselines"] = vec![baseline; SIZES].into();
        if self.without_pilot {
            pilot["replica"] = Value::Null;
        }
        pilot["sampling"]["too_short"] = json!([]);
        assert_eq!(
            pilot["layouts"],
            json!(vec![8; VARIANTS]),
            "as it was measured"
        );
        let mut layouts = self.layouts;
        if self.reversed {
            layouts.reverse();
        }
        pilot["layouts"] = json!(layouts);
        let counts = |case| if case > 0 && self.short { 0 } else { CALLS };
        pilot["sampling"]["calls"] = (0..SIZES).map(counts).collect();
        db.execute(
            "UPDATE result SET value = ?1 WHERE kind = 'pilot'",
            [pilot.to_string()],
        )
        .unwrap();
    }

    fn write_replica(&self, db: &Connection, race: i64, replica: u32) {
        db.execute(
            "INSERT INTO replica (race, number, solo, run, at, core, started_s, seconds, preemptions,
                                  steal_ticks, load)
             VALUES (?1, ?2, 0, 1, 't', 0, ?2, 0.5, 0, 0, 0.5)",
            params![race, replica],
        )
        .unwrap();
        let id = db.last_insert_rowid();
        for case in 0..SIZES {
            db.execute(
                "INSERT INTO baseline VALUES (?1, ?2, ?3, ?3)",
                params![id, case as i64, BASELINE_NS],
            )
            .unwrap();
        }
        let mut cold = [None; VARIANTS];
        for (number, sample) in self.samples(replica).into_iter().enumerate() {
            db.execute(
                "INSERT INTO sample (replica, number, entrant, race_case, block, position, calls,
                                     cpu_ns, wall_ns)
                 VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?7, ?8)",
                params![
                    id,
                    number as i64,
                    sample.variant as i64,
                    sample.case as i64,
                    sample.block,
                    sample.calls,
                    sample.cpu_ns as i64,
                    sample.wall_ns as i64,
                ],
            )
            .unwrap();
            cold[sample.variant].get_or_insert(sample.cpu_ns as i64);
        }
        for (variant, cpu_ns) in cold.into_iter().enumerate() {
            db.execute(
                "INSERT INTO cold VALUES (?1, ?2, ?3)",
                params![id, variant as i64, cpu_ns],
            )
            .unwrap();
        }
    }
}

/// Adds a result of a kind about a variant of the race: its inputs are those of the pilot followed by its place, under
/// this name.
fn write_of_variant(db: &Connection, kind: &str, name: &str, place: usize, value: &Value) {
    db.execute(
        "INSERT INTO result (root, kind, key, inputs, run, at, value)
         SELECT root, ?1, key || ?3, json_insert(inputs, '$[#]', json_array(?2, ?3)), run, at, ?4
         FROM result WHERE kind = 'pilot'",
        params![kind, name, place.to_string(), value.to_string()],
    )
    .unwrap();
    db.execute(
        "INSERT INTO reliance VALUES (1, ?1, ?2, 1, last_insert_rowid())",
        params![kind, ids()[place]],
    )
    .unwrap();
}

fn one<T: rusqlite::types::FromSql>(db: &Connection, sql: &str) -> T {
    db.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Puts this many rounds of builds in the place of those of a run.
pub(super) fn builds(run: &Run, rounds: u32) {
    let db = run.database();
    let first = "SELECT id FROM result WHERE kind = 'build-round' ORDER BY id LIMIT 1";
    let first: i64 = one(&db, first);
    let value: String = one(&db, &format!("SELECT value FROM result WHERE id = {first}"));
    let mut value: Value = serde_json::from_str(&value).unwrap();
    db.execute("DELETE FROM reliance WHERE kind = 'build-round'", [])
        .unwrap();
    for round in 1..=rounds {
        for (place, build) in value["builds"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .enumerate()
        {
            let scatter = noise([place as u64, round.into(), 5, 6, 7]);
            build["cpu_ns"] = json!((4e8 * (0.2 * place as f64 + 0.05 * scatter).exp()) as u64);
        }
        db.execute(
            "INSERT INTO result (root, kind, key, inputs, run, at, value)
             SELECT root, kind, key || ?1, inputs, run, at, ?2 FROM result WHERE id = ?3",
            params![round, value.to_string(), first],
        )
        .unwrap();
        db.execute(
            "INSERT INTO reliance VALUES (1, 'build-round', '', ?1, last_insert_rowid())",
            [round],
        )
        .unwrap();
    }
}

/// Leaves only the first answers of every assessment.
pub(super) fn answers(run: &Run, count: usize) {
    let db = run.database();
    let ids: Vec<i64> = {
        let mut rows = db
            .prepare("SELECT id FROM result WHERE kind = 'assessment'")
            .unwrap();
        let ids = rows.query_map([], |row| row.get(0)).unwrap();
        ids.collect::<Result<_, _>>().unwrap()
    };
    for id in ids {
        let value: String = one(&db, &format!("SELECT value FROM result WHERE id = {id}"));
        let mut value: Value = serde_json::from_str(&value).unwrap();
        value["answers"].as_array_mut().unwrap().truncate(count);
        db.execute(
            "UPDATE result SET value = ?1 WHERE id = ?2",
            params![value.to_string(), id],
        )
        .unwrap();
    }
}
