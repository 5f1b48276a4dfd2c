//! The page in which weights can be moved: its core in WebAssembly against the same core here, and its parts.

use super::fixture;
use bakeoff_domain::report::{
    CaseLabel, Question, ReplicaTimes, Report, ReportView, VerdictRow, assemble, explore, rescore,
    words,
};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use wasmtime::{Engine, Instance, Memory, Module, Store, TypedFunc};

/// The elements of a page that hold data or the script, by their opening tags.
const DATA: [&str; 3] = [
    r#"<script type="application/json" id="report">"#,
    r#"<script type="application/gzip" id="core">"#,
    "<script>",
];

/// The text of an element of [`DATA`].
fn element<'a>(page: &'a str, opening: &str) -> &'a str {
    let (_, rest) = page
        .split_once(opening)
        .unwrap_or_else(|| panic!("no {opening}"));
    rest.split_once("</script>").unwrap().0
}

/// The page with the text of these elements left out.
pub(super) fn without_data(page: &str) -> String {
    DATA.iter().fold(page.to_owned(), |page, opening| {
        match page.contains(opening) {
            true => page.replace(element(&page, opening), "…"),
            false => page,
        }
    })
}

/// The page without the core, which is the same in every page and long.
pub(super) fn without_core(page: &str) -> String {
    match page.contains(DATA[1]) {
        true => page.replace(element(page, DATA[1]), "…"),
        false => page.to_owned(),
    }
}

fn unbase64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => panic!("not base64: {c}"),
    };
    let digits: Vec<u8> = text.trim_end_matches('=').bytes().map(digit).collect();
    let mut bytes = Vec::new();
    for chunk in digits.chunks(4) {
        let bits = chunk
            .iter()
            .fold(0_u32, |bits, digit| bits << 6 | u32::from(*digit));
        let bits = bits << (6 * (4 - chunk.len()) + 8);
        bytes.extend(&bits.to_be_bytes()[..chunk.len() - 1]);
    }
    bytes
}

/// The module behind the text of a page, which is the same in every page.
fn module(text: &str) -> &'static Module {
    static MODULE: OnceLock<(String, Module)> = OnceLock::new();
    let (known, module) = MODULE.get_or_init(|| {
        let packed = unbase64(text);
        // The header of gzip is 10 bytes where there is no name; at the end are a checksum and a length.
        assert_eq!(packed[..4], [0x1f, 0x8b, 8, 0]);
        let bytes = miniz_oxide::inflate::decompress_to_vec(&packed[10..packed.len() - 8]).unwrap();
        (
            text.to_owned(),
            Module::new(&Engine::default(), bytes).unwrap(),
        )
    });
    assert_eq!(known, text);
    module
}

/// The core that a page carries, as a browser runs it.
struct Core {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
}

impl Core {
    /// Takes core and report out of a page.
    fn of_page(page: &str) -> Self {
        let module = module(element(page, DATA[1]));
        let engine = module.engine();
        assert_eq!(module.imports().count(), 0);
        let mut store = Store::new(engine, ());
        let instance = Instance::new(&mut store, module, &[]).unwrap();
        let memory = instance.get_memory(&mut store, "memory").unwrap();
        let mut core = Self {
            store,
            instance,
            memory,
        };
        assert_eq!(core.ask("open", element(page, DATA[0])), "{}");
        core
    }

    fn function<P: wasmtime::WasmParams, R: wasmtime::WasmResults>(
        &mut self,
        name: &str,
    ) -> TypedFunc<P, R> {
        self.instance.get_typed_func(&mut self.store, name).unwrap()
    }

    fn ask(&mut self, call: &str, text: &str) -> String {
        let input = self.function::<u32, u32>("input");
        let place = input.call(&mut self.store, text.len() as u32).unwrap();
        self.memory
            .write(&mut self.store, place as usize, text.as_bytes())
            .unwrap();
        let call = self.function::<(), u32>(call);
        let length = call.call(&mut self.store, ()).unwrap();
        let output = self.function::<(), u32>("output");
        let place = output.call(&mut self.store, ()).unwrap() as usize;
        let memory = &self.memory.data(&self.store)[place..][..length as usize];
        String::from_utf8(memory.to_vec()).unwrap()
    }

    fn explore(&mut self, question: &Question) -> String {
        self.ask("explore", &serde_json::to_string(question).unwrap())
    }
}

fn page(report: &Report) -> String {
    bakeoff_render::html(report, &super::options())
}

/// A weight as a slider gives it, as a person writes it, or anything between.
fn weight(random: &mut Xoshiro256PlusPlus) -> String {
    let bits = random.next_u64();
    match bits % 4 {
        0 => "0".to_owned(),
        1 => ((bits >> 8) % 200).to_string(),
        2 => (((bits >> 8) % 1_000) as f64 / 10.0).to_string(),
        _ => ((bits >> 11) as f64 / (1_u64 << 53) as f64).to_string(),
    }
}

#[test]
fn the_core_in_the_page_agrees_with_the_command_on_1_000_weightings() {
    let report = fixture::report();
    let mut core = Core::of_page(&page(&report));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(18);
    let mut winners = BTreeMap::<Option<String>, u32>::new();
    for number in 0..1_000 {
        let weights: Vec<(String, String)> = report
            .criteria
            .iter()
            .map(|criterion| (criterion.name.clone(), weight(&mut random)))
            .collect();
        let question = Question {
            weights: weights
                .iter()
                .map(|(name, weight)| format!("{name}={weight}"))
                .collect(),
            ..Question::default()
        };
        let got = core.explore(&question);
        let parsed = weights
            .iter()
            .map(|(name, weight)| (name.clone(), weight.parse().unwrap()));
        let again = match rescore(&report, &parsed.collect()) {
            Ok(again) => again,
            Err(error) => {
                let wanted = serde_json::json!({ "error": error.to_string() }).to_string();
                assert_eq!(got, wanted, "{weights:?}");
                continue;
            }
        };
        // To the last digit of every total, and to the last word.
        let explored: ReportView = serde_json::from_str(&got).unwrap();
        assert_eq!(explored.answer, again.recommendation.text, "{weights:?}");
        assert_eq!(
            explored.outcome, again.recommendation.outcome,
            "{weights:?}"
        );
        let totals = again.variants.iter();
        let totals = totals.map(|variant| variant.total.map(|total| total.value));
        assert_eq!(explored.totals, totals.collect::<Vec<_>>(), "{weights:?}");
        let ranks = again
            .variants
            .iter()
            .map(|variant| words::rank(&again, variant));
        let shown = explored.rows.iter().map(|row| row[row.len() - 1].clone());
        assert!(shown.eq(ranks), "{weights:?}");
        if number % 20 == 0 {
            assert_eq!(
                explored,
                explore(&report, &question).unwrap(),
                "{weights:?}"
            );
        }
        *winners.entry(again.recommendation.winner).or_default() += 1;
    }
    assert!(winners.len() > 2, "{winners:?}");
}

#[test]
fn with_the_weights_of_the_run_the_page_stays_as_it_is() {
    let report = fixture::report();
    let page = page(&report);
    let explored = Core::of_page(&page).explore(&Question::default());
    let explored: ReportView = serde_json::from_str(&explored).unwrap();
    let escaped = |text: &str| bakeoff_render::escape::Html(text).to_string();
    assert!(page.contains(&format!("<p>{}</p>", escaped(&explored.answer))));
    for section in &explored.sections {
        for sentence in &section.sentences {
            assert!(
                page.contains(&format!("<li>{}</li>", escaped(sentence))),
                "{sentence}"
            );
        }
    }
    for row in &explored.rows {
        assert!(page.contains(&format!("<th scope=\"row\">{}</th>", escaped(&row[0]))));
        for cell in &row[1..] {
            assert!(page.contains(&format!(">{}</td>", escaped(cell))), "{cell}");
        }
    }
    let sections = words::narrative(&report).len();
    assert_eq!(
        (explored.rows.len(), explored.sections.len()),
        (report.variants.len(), sections)
    );
}

#[test]
fn rows_are_sorted_and_filtered() {
    let report = fixture::report();
    let names = |question: Question| -> Vec<String> {
        let rows = explore(&report, &question).unwrap().rows;
        rows.into_iter().map(|row| row[0].clone()).collect()
    };
    let sorted = |column, descending| {
        names(Question {
            column: Some(column),
            descending,
            ..Question::default()
        })
    };
    let mut wanted = sorted(0, false);
    wanted.sort();
    assert_eq!(sorted(0, false), wanted);
    wanted.reverse();
    assert_eq!(sorted(0, true), wanted);
    // What has no value is last, either way.
    let unranked = report
        .variants
        .iter()
        .filter(|variant| variant.rank.is_none())
        .count();
    assert!(unranked > 0);
    let rank = report.criteria.len() + 2;
    let (up, down) = (sorted(rank, false), sorted(rank, true));
    assert_ne!(up, down);
    let last = |names: &[String]| {
        let mut last = names[names.len() - unranked..].to_vec();
        last.sort();
        last
    };
    assert_eq!(last(&up), last(&down));
    let filtered = names(Question {
        filter: " SORT ".to_owned(),
        ..Question::default()
    });
    assert!(filtered.len() > 1 && filtered.iter().all(|name| name.contains("sort")));
}

#[test]
fn the_core_refuses_what_it_cannot_read() {
    let mut core = Core::of_page(&page(&fixture::report()));
    for question in ["", "{", "1", "{\"weights\":[1]}", "{\"other\":1}", "\u{0}"] {
        let answer = core.ask("explore", question);
        assert!(
            answer.starts_with("{\"error\":\"the question cannot be read"),
            "{answer}"
        );
    }
    for (weight, why) in [
        ("memory=-1", "a weight is 0 or more"),
        ("memory=x", "is not a number"),
        ("memory=1e400", "must be a finite number"),
        ("memory", "is written NAME=X"),
        ("other=1", "there is no criterion"),
    ] {
        let question = Question {
            weights: vec![weight.to_owned()],
            ..Question::default()
        };
        let answer = core.explore(&question);
        assert!(
            answer.starts_with("{\"error\":") && answer.contains(why),
            "{answer}"
        );
    }
    let unreadable = core.ask("open", "{\"schema_version\":");
    assert!(
        unreadable.contains("the report cannot be read"),
        "{unreadable}"
    );
    let input = core.function::<u32, u32>("input");
    assert_eq!(input.call(&mut core.store, u32::MAX).unwrap(), 0);
    // It goes on with the report that it had.
    let answer = core.explore(&Question::default());
    assert!(answer.starts_with("{\"answer\":\"Take heap"), "{answer}");
}

#[test]
fn a_page_of_ten_variants_is_below_1_mib() {
    let mut facts = fixture::facts();
    let example = facts.variants[0].clone();
    facts.variants = (0..10)
        .map(|number| {
            let mut variant = example.clone();
            variant.id = format!("v{number}");
            variant.name = format!("variant-{number}");
            variant
        })
        .collect();
    let row = facts.verdicts[0].clone();
    let cases = fixture::SIZES
        .map(|size| Some(CaseLabel::Size(size)))
        .into_iter()
        .chain([None]);
    let pairs: Vec<(usize, usize)> = (0..10).flat_map(|a| (0..a).map(move |b| (b, a))).collect();
    facts.verdicts = cases
        .flat_map(|case| pairs.iter().map(move |(a, b)| (case.clone(), *a, *b)))
        .map(|(case, a, b)| VerdictRow {
            case,
            a: format!("v{a}"),
            b: format!("v{b}"),
            ..row.clone()
        })
        .collect();
    facts.replicas = Some(ReplicaTimes {
        variants: (0..10).map(|number| format!("v{number}")).collect(),
        log_times: (0..200)
            .map(|replica| vec![Some(9.0 + f64::from(replica) / 1e4); 10])
            .collect(),
    });
    let report = assemble(facts);
    let sources = report.variants.iter();
    // No line of one is in another.
    let lines =
        |id: &str| -> String { (0..300).map(|n| format!("fn {id}_{n}() {{}}\n")).collect() };
    let sources = sources.map(|variant| (variant.id.clone(), lines(&variant.id)));
    let options = bakeoff_render::Options {
        sources: sources.collect(),
        ..super::options()
    };
    let page = bakeoff_render::html(&report, &options);
    assert!(page.contains("id=\"core\""));
    // Points of all variants, thinned out, with the first and the last.
    assert_eq!(page.matches(", replica ").count(), 480);
    assert!(page.contains(", replica 1: ") && page.contains(", replica 200: "));
    assert!(
        page.contains("3 of the others are left out"),
        "too many rows"
    );
    assert!(page.len() < 1 << 20, "{}", page.len());
}

#[test]
fn a_page_has_no_sliders_where_nothing_can_be_weighed() {
    let mut one = fixture::report();
    one.criteria.truncate(1);
    let mut endless = fixture::report();
    endless.notes = vec!["note ".repeat(200_000)];
    for report in [one, endless] {
        let page = page(&report);
        // The points of charts have a script in any page.
        assert!(!page.contains("<script type=") && page.matches("<script>").count() == 1);
        assert!(!page.contains("wasm-unsafe-eval"));
    }
}
