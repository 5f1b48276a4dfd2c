//! A prototype that works out the seeds of later calls from that of its first one.

use super::experiment::{assert_wins, run, source_in, wins};

/// Instances are kept, which is the only way to carry anything from one call to another.
const EXPERIMENT: &str = "name = \"seeds\"
problem = \"Go through a chain.\"
interface = { wit = \"chain.wit\", call = \"chained\" }
workload = { source = \"workload.rs\", sizes = [20_000] }
measure = { state = \"kept\", confidence = 0.999 }
";

#[test]
fn case_63_seed_unmix() {
    let files = [
        ("chain.wit", include_str!("seeds/chain.wit")),
        ("workload.rs", include_str!("seeds/workload.rs")),
    ];
    let prototypes = ["honest", "goes-back", "undoes-seeds"].map(|name| source_in("seeds", name));
    let (_, report) = run(EXPERIMENT, &files, &prototypes, &["--budget", "10s"]);
    let won = wins(&report, "undoes-seeds", "honest");
    assert!(won.is_empty(), "{won:#?}");
    assert_wins(&report, "honest", "goes-back");
}
