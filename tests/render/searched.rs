//! The page of a report whose approaches come from a search: what each candidate changed, whatever its source says, and
//! how long the page is.

use super::{exploring, fixture};
use bakeoff_domain::report::{
    CandidateDifference, DIFFERENCES_BYTES_MAX, DIFFERENCES_MAX, DifferenceLine, Finalist, Report,
    RoundCandidate, Rounds, ValueDifference,
};
use bakeoff_render::Options;

/// A search of one approach and two candidates, in which the text stands everywhere that text from outside can stand.
pub(super) fn rounds_named(text: &str) -> Rounds {
    let name = |place: usize| format!("{text}{place}");
    // Long enough in any case to be told as a sentence, too.
    let change = format!("{text}{}", " and more".repeat(10));
    let candidate = |place: usize| RoundCandidate {
        name: name(place),
        round: place as u32,
        parent: if place == 0 {
            String::new()
        } else {
            name(place - 1)
        },
        by: text.to_owned(),
        wish: Some(text.to_owned()),
        change: change.clone(),
        outcome: format!("{text}!"),
        message: Some(text.to_owned()),
        ratio: Some(1.5),
        ..RoundCandidate::default()
    };
    let difference = |place: usize| CandidateDifference {
        candidate: name(place),
        values: vec![ValueDifference {
            name: text.to_owned(),
            before: None,
            after: Some(text.to_owned()),
        }],
        lines: vec![
            DifferenceLine::Same(text.to_owned()),
            DifferenceLine::Before(text.to_owned()),
            DifferenceLine::After(text.to_owned()),
            DifferenceLine::LeftOut(2),
        ],
        more_lines: 1,
    };
    Rounds {
        count: 2,
        candidates: 2,
        ended: text.to_owned(),
        reference: text.to_owned(),
        finalists: vec![Finalist {
            name: name(2),
            origin: text.to_owned(),
            ..Finalist::default()
        }],
        lineage: (0..3).map(candidate).collect(),
        differences: (1..3).map(difference).collect(),
        ..Rounds::default()
    }
}

fn page(rounds: Rounds) -> String {
    let report = Report {
        rounds: Some(rounds),
        ..fixture::report()
    };
    bakeoff_render::html(&report, &Options::default())
}

#[test]
fn a_source_is_text_in_the_page_whatever_it_says() {
    let line = "</code></pre></details></li></ul><script>alert(1)</script><img src=x onerror=alert(1)> \u{202e}\u{1b}[2J";
    let mut rounds = rounds_named("a");
    rounds.differences[1].lines = vec![
        DifferenceLine::After(line.to_owned()),
        DifferenceLine::Before("\t".repeat(200)),
    ];
    let page = page(rounds);
    let shown = exploring::without_data(&page);
    assert!(
        shown.contains("<ins>+ &lt;/code&gt;&lt;/pre&gt;&lt;/details&gt;"),
        "{shown}"
    );
    assert!(
        !shown.contains("<img") && !shown.contains("<script>alert"),
        "{shown}"
    );
    let active = |c: char| c != '\n' && bakeoff_render::escape::is_active(c);
    assert!(!shown.chars().any(active));
    // What the sliders carry has no differences: no weight changes them.
    assert!(!page.contains("\"differences\""));
    for tag in ["ul", "li", "details", "pre"] {
        let count = |part: &str| shown.matches(part).count();
        let open = count(&format!("<{tag}>")) + count(&format!("<{tag} "));
        assert_eq!(open, count(&format!("</{tag}>")), "{tag}");
    }
}

#[test]
fn the_page_of_a_search_of_a_thousand_candidates_is_below_2_mib() {
    let example = rounds_named("a");
    let changed = (0..10).map(|line| {
        let text = format!("let value_{line} = other::<Vec<u32>>(&mut state, {line}) && \"done\";");
        DifferenceLine::After(text)
    });
    let lines: Vec<DifferenceLine> = changed.collect();
    let mut rounds = Rounds {
        lineage: vec![example.lineage[0].clone()],
        differences: Vec::new(),
        candidates: 1_000,
        ..example.clone()
    };
    for place in 1..=1_000 {
        let name = format!("a {place}.1");
        rounds.lineage.push(RoundCandidate {
            name: name.clone(),
            round: place,
            parent: if place % 7 == 0 {
                format!("a {}.1", place - 3)
            } else {
                example.lineage[0].name.clone()
            },
            ..example.lineage[1].clone()
        });
        rounds.differences.push(CandidateDifference {
            candidate: name,
            lines: lines.clone(),
            ..CandidateDifference::default()
        });
    }
    rounds.finalists[0].name = "a 994.1".to_owned();
    rounds.count = 1_000;
    rounds.differences.truncate(DIFFERENCES_MAX);
    let mut bytes = 0;
    rounds.differences.retain(|one| {
        bytes += one.bytes();
        bytes <= DIFFERENCES_BYTES_MAX
    });
    assert!(rounds.differences.len() > 200);
    assert_eq!(rounds.check(), Ok(()));
    let page = page(rounds);
    assert!(page.len() < 2 << 20, "{} bytes", page.len());
    assert!(page.contains("The way to a 994.1"));
    assert!(page.contains("500 of 1001 are shown"));
    assert!(page.contains("What it changed is not in this report: bakeoff archive DIR --diff"));
}
