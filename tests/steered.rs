//! Differences behind branches that few drawn inputs take, in `bakeoff compare a.rs b.rs`.

use crate::derived::compare;

/// A seed by which no drawn input shows the differences below.
const SEED: &str = "7919";

#[test]
fn what_leads_to_rare_ways_is_changed_further() {
    for pair in [
        [
            "pub fn f(n: u32) -> u32 { n % 7 }",
            "pub fn f(n: u32) -> u32 { if n % 360 == 0 { if n / 360 > 1000 { return 9; } } n % 7 }",
        ],
        [
            "pub fn f(y: i64) -> bool { y % 4 == 0 && (y % 100 != 0 || y % 400 == 0) }",
            "pub fn f(y: i64) -> bool { if y > 3000 && y % 100 == 0 && y % 400 != 0 { return true; }
                y % 4 == 0 && (y % 100 != 0 || y % 400 == 0) }",
        ],
    ] {
        // The search may take a tenth of the budget, however slow the machine is.
        let more = ["--seed", SEED, "--budget", "200s", "--size", "8"];
        let output = compare(&pair, &more);
        let text = &output.stdout;
        assert_eq!(output.status, 1, "{text}{}", output.stderr);
        assert!(text.contains("nothing was timed. f("), "{text}");
        assert!(text.contains("unusual paths through the files"), "{text}");
    }
}
