//! The document of a report: all that its readers see, in its order.

use super::archive_map::{self, NamedMap};
use super::charts::{self, Chart};
use super::document::{Block, Heading, Text};
use super::ratio_rows::{self, RatioRow};
use super::table::Table;
use super::unranked_variants::unranked;
use super::{
    Options, added_sections, author_words, candidate_entries, clipped, code, environment,
    generation, in_words, legend, lineage, machine_races, natively, opinions, parts, rounds,
    run_cost, screened_variants, tables, unfinished,
};
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::report::{Report, Rounds, presented};
use bakeoff_domain::spec::ComparisonForm;
use bakeoff_run::audit::PastRun;

/// Largest number of characters of the name of an experiment.
const NAME_CHARS_MAX: usize = 200;
/// Largest number of characters of a problem.
const PROBLEM_CHARS_MAX: usize = 4_000;
/// Largest number of characters of a sentence or a note.
const SENTENCE_CHARS_MAX: usize = 2_000;
/// Largest number of characters of a value of the environment.
const VALUE_CHARS_MAX: usize = 300;

/// Returns the document of a report.
pub(super) fn document(whole: &Report, options: &Options) -> Vec<Block> {
    let shown = presented(whole);
    let report = shown.report.as_ref();
    let mut blocks = beginning(report, options);
    if report.unfinished.is_some() {
        blocks.extend(read_so_far(report));
    } else {
        comparison(&mut blocks, whole, report);
    }
    let sentences = shown.sentences();
    if !sentences.is_empty() {
        section(&mut blocks, Heading::new("Screened out"));
        blocks.extend(sentences.into_iter().map(ours));
        blocks.extend(screened_variants::table(&shown.screened).map(Block::Table));
    }
    let list = unranked(report);
    if !list.is_empty() {
        let mut heading = Heading::new("Not ranked");
        heading.is_bad = true;
        section(&mut blocks, heading);
        blocks.push(Block::Entries(list));
    }
    if report.options.comparison != ComparisonForm::Matrix && report.unfinished.is_none() {
        blocks.push(Block::Narrative(narrative(report)));
    }
    blocks.extend(in_words::measurable(report));
    if let Some(title) = opinions::heading(report) {
        let mut heading = Heading::new("");
        heading.title = Text::outside(title.clone());
        heading.in_terminal = Some(Text::outside(title));
        section(&mut blocks, heading);
        blocks.extend(opinions::questions(report).into_iter().map(outside));
        blocks.push(Block::Entries(opinions::entries(report)));
    }
    blocks.extend(in_words::texts(report));
    let said = author_words::entries(report);
    if !said.is_empty() {
        section(&mut blocks, Heading::new(author_words::HEADING));
        blocks.push(Block::Entries(said));
    }
    times(&mut blocks, report);
    captioned(&mut blocks, parts::table(report));
    if !report.notes.is_empty() {
        section(&mut blocks, Heading::new("Notes"));
        let notes = report.notes.iter();
        let note = |note: &String| Text::outside(clipped(note, SENTENCE_CHARS_MAX));
        blocks.push(Block::List(notes.map(note).collect()));
    }
    history(&mut blocks, report, &options.runs);
    searched(&mut blocks, report);
    from_outside(&mut blocks, report);
    basis(&mut blocks, report, options);
    blocks
}

fn section(blocks: &mut Vec<Block>, heading: Heading) {
    blocks.push(Block::Heading(heading));
}

fn ours(text: String) -> Block {
    Block::Paragraph(Text::ours(text))
}

fn outside(text: String) -> Block {
    Block::Paragraph(Text::outside(text))
}

/// Adds a section with a table, whose caption is the title.
fn captioned(blocks: &mut Vec<Block>, table: Option<Table>) {
    if let Some(table) = table {
        section(blocks, Heading::new(&table.caption));
        blocks.push(Block::Table(table));
    }
}

/// Returns the question, the warnings and the answer.
pub(super) fn beginning(report: &Report, options: &Options) -> Vec<Block> {
    let (experiment, first) = (&report.experiment, &report.recommendation);
    let title = Block::Title {
        name: clipped(&experiment.name, NAME_CHARS_MAX),
        problem: clipped(&experiment.problem, PROBLEM_CHARS_MAX),
    };
    let answer = (!first.text.is_empty()).then(|| Block::Answer {
        text: first.text.clone(),
        outcome: first.outcome,
    });
    let warnings = Block::Warnings(options.warnings.clone());
    let notice = report.in_words.as_ref();
    let notice = notice.map(|words| Block::Notice(clipped(&words.notice, SENTENCE_CHARS_MAX)));
    notice
        .into_iter()
        .chain([title, warnings])
        .chain(answer)
        .chain([Block::Panel])
        .collect()
}

/// Returns the section of an unfinished run in place of its comparison.
pub(super) fn read_so_far(report: &Report) -> [Block; 2] {
    [
        Block::Heading(Heading::with(unfinished::HEADING, Some(""))),
        Block::Table(unfinished::table(report)),
    ]
}

/// Adds the matrix and the charts that compare all variants.
fn comparison(blocks: &mut Vec<Block>, whole: &Report, report: &Report) {
    if report.options.comparison != ComparisonForm::Narrative {
        section(blocks, Heading::with("Comparison", Some("")));
        let weights = report.criteria.iter().map(|criterion| {
            let name = clipped(&words::column_name(criterion), 40);
            format!("{name} {}", numbers::weight(criterion.weight))
        });
        let weights: Vec<String> = weights.collect();
        blocks.push(Block::Matrix {
            table: tables::matrix(report),
            scales: legend::scales(report),
            weights: format!("Weights: {}.", weights.join(", ")),
        });
    }
    if let Some(table) = natively::table(report) {
        section(blocks, Heading::new(natively::HEADING));
        let sentences = words::natively(report).into_iter();
        let sentence = |text: String| Text::outside(clipped(&text, SENTENCE_CHARS_MAX));
        blocks.push(Block::List(sentences.map(sentence).collect()));
        blocks.push(Block::Table(table));
    }
    other_machines(blocks, report);
    if let Some(chart) = charts::ratios(report) {
        let title = format!("{} (logarithmic)", chart.table.caption);
        let lines = ratio_rows::ratios_to_reference(report);
        charted(blocks, chart, Some(&title), lines);
    }
    let printed = [
        charts::replicas(report),
        charts::pareto(report),
        charts::scores(report),
    ];
    for chart in printed.into_iter().flatten() {
        charted(blocks, chart, None, Vec::new());
    }
    for chart in charts::parameters(whole) {
        let caption = chart.table.caption.clone();
        charted(blocks, chart, Some(&caption), Vec::new());
    }
}

/// Adds what holds on other kinds of machines, and a section for the race on each.
fn other_machines(blocks: &mut Vec<Block>, report: &Report) {
    let Some(machines) = &report.machines else {
        return;
    };
    let sentence = |text: String| Text::outside(clipped(&text, SENTENCE_CHARS_MAX));
    let list = |sentences: Vec<String>| Block::List(sentences.into_iter().map(sentence).collect());
    section(blocks, Heading::new(machine_races::HEADING));
    blocks.push(list(words::machines(report)));
    for race in &machines.races {
        let title = machine_races::title(race);
        let mut heading = Heading::new("");
        heading.title = Text::outside(title.clone());
        heading.in_terminal = Some(Text::outside(title));
        section(blocks, heading);
        blocks.push(outside(clipped(
            &machine_races::facts(race),
            SENTENCE_CHARS_MAX,
        )));
        blocks.push(Block::Table(machine_races::table(report, race)));
        let pairs = words::pairs_on(report, race);
        if !pairs.is_empty() {
            blocks.push(list(pairs));
        }
    }
}

fn charted(blocks: &mut Vec<Block>, chart: Chart, in_terminal: Option<&str>, lines: Vec<RatioRow>) {
    section(blocks, Heading::with(&chart.title, in_terminal));
    blocks.push(Block::Chart { chart, lines });
}

fn narrative(report: &Report) -> Vec<Block> {
    let mut blocks = Vec::new();
    for part in words::narrative(report) {
        section(&mut blocks, Heading::new(part.title));
        let sentences = part.sentences.iter();
        let sentence = |text: &String| Text::ours(clipped(text, SENTENCE_CHARS_MAX));
        blocks.push(Block::List(sentences.map(sentence).collect()));
    }
    blocks
}

/// Adds the times by case, with a chart if cases have sizes.
fn times(blocks: &mut Vec<Block>, report: &Report) {
    match charts::sizes(report) {
        Some(chart) => {
            let caption = chart.table.caption.clone();
            charted(blocks, chart, Some(&caption), Vec::new());
        }
        None => captioned(blocks, tables::by_case(report)),
    }
}

/// Adds the verdicts of the last runs, and the differences of their environments.
fn history(blocks: &mut Vec<Block>, report: &Report, runs: &[PastRun]) {
    let Some(chart) = charts::history(report, runs) else {
        return;
    };
    charted(blocks, chart, None, Vec::new());
    for run in runs.iter().filter(|run| !run.changes.is_empty()) {
        let changes = run.changes.iter();
        let changes = changes.map(|(what, then, now)| format!("{what} {then} → {now}"));
        let changes: Vec<String> = changes.collect();
        let changes = changes.join("; ");
        blocks.push(outside(format!("Since run {}: {changes}.", run.run.0)));
    }
}

/// Adds the rounds of a search before the race.
fn searched(blocks: &mut Vec<Block>, report: &Report) {
    let Some(made) = &report.rounds else {
        return;
    };
    section(blocks, Heading::new(rounds::HEADING));
    let told = rounds::sentences(report, made).into_iter();
    let sentences = told.chain(lineage::ways(made));
    let sentence = |text: String| Text::outside(clipped(&text, SENTENCE_CHARS_MAX));
    blocks.push(Block::List(sentences.map(sentence).collect()));
    blocks.extend(rounds::by_round(report, made).map(Block::Table));
    for chart in charts::search(report) {
        charted(blocks, chart, None, Vec::new());
    }
    if let (Some(map), Some(chart)) = (NamedMap::of(report, made), charts::archive(report)) {
        section(blocks, Heading::new(archive_map::HEADING));
        blocks.push(outside(map.sentence()));
        blocks.extend(map.grid().map(Block::Table));
        let lines = Vec::new();
        blocks.push(Block::Chart { chart, lines });
    }
    candidates(blocks, report, made);
}

/// Adds the way to the best, and the tree of all candidates.
fn candidates(blocks: &mut Vec<Block>, report: &Report, made: &Rounds) {
    if made.candidates == 0 {
        return;
    }
    let best = lineage::best_finalist(report, made);
    let way = best.map_or_else(Vec::new, |best| lineage::way_to(made, best));
    let title = best.map(|best| format!("The way to {}", clipped(&best.name, rounds::CHARS_MAX)));
    if let Some(title) = title.filter(|_| way.len() > 1) {
        let mut heading = Heading::with("", None);
        heading.title = Text::outside(title.clone());
        section(blocks, heading);
        blocks.push(Block::Candidates {
            table: lineage::table(report, made, &title, &way),
            entries: candidate_entries::of_way(report, made, &way),
        });
    }
    let tree = lineage::tree(made);
    let caption = "Where each candidate came from";
    section(blocks, Heading::with(caption, None));
    let all = made.lineage.len();
    if tree.len() < all {
        blocks.push(ours(format!(
            "{} of {} are shown: `bakeoff archive DIR --tree` has all.",
            numbers::count(tree.len() as u64),
            numbers::count(all as u64)
        )));
    }
    blocks.push(Block::Candidates {
        table: lineage::table(report, made, caption, &tree),
        entries: candidate_entries::of_tree(report, made, &tree, &way),
    });
}

/// Adds the generation of approaches, and the sections of aggregators.
fn from_outside(blocks: &mut Vec<Block>, report: &Report) {
    if let Some(made) = &report.generation {
        section(blocks, Heading::new("Generated approaches"));
        blocks.extend(generation::sentences(made).into_iter().map(outside));
        blocks.extend(generation::tasks(made).map(Block::Table));
        blocks.extend(generation::table(made).map(Block::Table));
    }
    for (number, added) in (1..).zip(&report.sections) {
        let mut heading = Heading::new("");
        heading.title = Text::outside(added.heading());
        heading.in_terminal = Some(Text::outside(added.heading()));
        section(blocks, heading);
        let sentences = added.sentences().into_iter().map(outside);
        let lines = Vec::new();
        let shown = match charts::added(number, added) {
            Some(chart) => Some(Block::Chart { chart, lines }),
            None => added_sections::table(added).map(Block::Table),
        };
        blocks.push(Block::Quote(sentences.chain(shown).collect()));
    }
}

/// Adds what the rest rests on: sources, readings, criteria and the environment.
fn basis(blocks: &mut Vec<Block>, report: &Report, options: &Options) {
    let detail = |heading: Heading| {
        let is_detail = true;
        Block::Heading(Heading {
            is_detail,
            ..heading
        })
    };
    let samples = code::samples(report, options);
    if !samples.is_empty() {
        let best = samples.iter().find(|sample| sample.is_best);
        let best = best.map(|best| format!("Source of {}", best.name));
        blocks.push(detail(Heading::with("Code", best.as_deref())));
        blocks.push(Block::Code(samples));
    }
    let tables = [tables::readings(report), Some(tables::criteria(report))];
    for table in tables.into_iter().flatten() {
        blocks.push(detail(Heading::new(&table.caption)));
        blocks.push(Block::Table(table));
    }
    // Of a run that was stopped, what it took so far is among what is asked first.
    blocks.push(if report.unfinished.is_some() {
        Block::Heading(Heading::new(run_cost::HEADING))
    } else {
        detail(Heading::new(run_cost::HEADING))
    });
    blocks.push(Block::Pairs(run_cost::pairs(report)));
    blocks.push(detail(Heading::new("How it was measured")));
    let pairs = environment::pairs(report).into_iter();
    let pairs = pairs.map(|(name, value)| (name, clipped(&value, VALUE_CHARS_MAX)));
    blocks.push(Block::Pairs(pairs.collect()));
}
