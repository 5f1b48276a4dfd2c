//! Parsing the text of an experiment file to an experiment or findings. No file is read.

use super::error::{ConfigError, Finding, Findings, quoted};
use super::fields::build::CRATES;
use super::fields::experiment::{
    AGGREGATOR_TABLES, APPROACH_TABLES, BUILD_TABLE, CRITERION_TABLES, EVALUATOR_TABLES,
    GENERATE_TABLE, INTERFACE_TABLE, JUDGE_TABLE, KIND, LIMITS_TABLE, MEASURE_TABLE, NAME, PROBLEM,
    PROMPTS_TABLE, REPORT_TABLE, ROUNDS_TABLE, WORKLOAD_TABLE,
};
use super::fields::options::{FUEL, MEMORY, OUTPUT, WALL};
use super::fields::problem::{CALL, CASES, COMPONENT, INSTANCES, SIZES, SOURCE, WIT};
use super::generate::{self, Generate};
use super::judge::{self, JudgeTable};
use super::paths::FileRef;
use super::problem::ApproachPlace;
use super::prompts::{self, PromptFiles};
use super::prose::prose;
use super::rounds::{self, RoundsTable};
use super::section::{At, Section};
use super::user_scale::UserScale;
use super::wished_approaches::WishedApproach;
use super::{aggregators, crates, criteria, evaluators, options, problem, question};
use bakeoff_domain::crates::Crates;
use bakeoff_domain::edition::Edition;
use bakeoff_domain::simd::Simd;
use bakeoff_domain::spec::{
    Approach, Code, DeclaredInterface, DeclaringPlace, Experiment, Inputs, Limits, Measure,
    ReportOptions, Source, Workload,
};
use std::ops::Range;
use toml::de::DeTable;

/// The fewest sizes from which the growth of fuel can be estimated: fewer points fit every class.
pub const GROWTH_SIZES_MIN: usize = 7;

/// A part of the experiment file that a later finding may be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigPlace {
    /// `wit` of `[interface]`.
    Wit,
    /// `call` of `[interface]`.
    Call,
    /// `kind`.
    Kind,
    /// The code or the cases of `[workload]`.
    Workload,
    /// The code of an approach, by its index.
    Approach(usize),
    /// The folder of a grant, by the index of the approach and of the grant.
    Grant(usize, usize),
    /// The source of a criterion's readings, by its index.
    Criterion(usize),
    /// The code of an evaluator, by its index.
    Evaluator(usize),
    /// The code of an aggregator, by its index.
    Aggregator(usize),
    /// The crates of `[build]`.
    Crates,
    /// A value of `[limits]`, if it is there.
    Limit(LimitKey),
}

/// A key of `[limits]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKey {
    /// `memory`
    Memory,
    /// `fuel`
    Fuel,
    /// `wall`
    Wall,
    /// `output`
    Output,
}

impl LimitKey {
    const ALL: [Self; 4] = [Self::Memory, Self::Fuel, Self::Wall, Self::Output];

    /// Returns the key as files write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => MEMORY.key,
            Self::Fuel => FUEL.key,
            Self::Wall => WALL.key,
            Self::Output => OUTPUT.key,
        }
    }
}

/// The spans of the parts of an experiment file, in bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    kind: Range<usize>,
    wit: Range<usize>,
    call: Range<usize>,
    workload: Range<usize>,
    sizes: Option<Range<usize>>,
    approaches: Vec<ApproachPlace>,
    criteria: Vec<Range<usize>>,
    scales: Vec<UserScale>,
    evaluators: Vec<Range<usize>>,
    aggregators: Vec<Range<usize>>,
    crates: Range<usize>,
    limits: Vec<(LimitKey, Range<usize>)>,
}

impl Places {
    /// Returns the span of the sizes, or else of the workload.
    fn sizes_or_workload(&self) -> Range<usize> {
        self.sizes.clone().unwrap_or(self.workload.clone())
    }

    /// Returns the span of a part; the file's start for a part that does not exist.
    pub(super) fn of(&self, place: ConfigPlace) -> Range<usize> {
        match place {
            ConfigPlace::Wit => self.wit.clone(),
            ConfigPlace::Call => self.call.clone(),
            ConfigPlace::Kind => self.kind.clone(),
            ConfigPlace::Workload => self.workload.clone(),
            ConfigPlace::Approach(index) => {
                let approach = self.approaches.get(index);
                approach.map(|place| place.code.clone()).unwrap_or_default()
            }
            ConfigPlace::Grant(approach, index) => {
                let grants = self.approaches.get(approach).map(|place| &place.grants);
                let place = grants.and_then(|grants| grants.get(index));
                place.cloned().unwrap_or_default()
            }
            ConfigPlace::Criterion(index) => {
                let place = self.criteria.get(index);
                place.cloned().unwrap_or_default()
            }
            ConfigPlace::Evaluator(index) => {
                let place = self.evaluators.get(index);
                place.cloned().unwrap_or_default()
            }
            ConfigPlace::Aggregator(index) => {
                let place = self.aggregators.get(index);
                place.cloned().unwrap_or_default()
            }
            ConfigPlace::Crates => self.crates.clone(),
            ConfigPlace::Limit(key) => self.limit(key).unwrap_or_default(),
        }
    }

    /// Returns the properties of a criterion's readings that the user declares.
    pub(super) fn user_scale(&self, criterion: usize) -> UserScale {
        self.scales.get(criterion).cloned().unwrap_or_default()
    }

    /// Returns the span of a limit, if the file declares it.
    pub(super) fn limit(&self, key: LimitKey) -> Option<Range<usize>> {
        let found = self.limits.iter().find(|(other, _)| *other == key);
        found.map(|(_, place)| place.clone())
    }
}

/// The result of parsing a text, usable or not.
#[derive(Debug, Default)]
pub(super) struct ParsedExperiment {
    /// The experiment, if nothing is wrong.
    pub(super) experiment: Option<Experiment>,
    /// The files that the text names by valid paths.
    pub(super) files: Vec<FileRef>,
    /// The findings.
    pub(super) found: Vec<Finding>,
    /// The spans of the parts.
    pub(super) places: Places,
    /// The table `[generate]`, if it is there and valid.
    pub(super) generate: Option<Generate>,
    /// The table `[rounds]`, if it is there.
    pub(super) rounds: Option<RoundsTable>,
    /// The table `[judge]`, if it is there and valid.
    pub(super) judge: Option<JudgeTable>,
    /// The files of the table `[prompts]`.
    pub(super) prompts: PromptFiles,
    /// The approaches that a model is to write.
    pub(super) wished: Vec<WishedApproach>,
}

/// Parses the text of an experiment file, with all defaults filled in. Files are not looked up.
/// `name` is the name of the text in messages.
///
/// # Errors
/// [`ConfigError::Invalid`] with all findings: syntax, unknown keys, wrong types, impossible values,
/// paths that leave the folder.
pub fn parse(text: &str, name: &str) -> Result<Experiment, ConfigError> {
    let decoded = decode(text);
    match decoded.experiment {
        Some(experiment) if decoded.found.is_empty() => Ok(experiment),
        _ => Err(ConfigError::Invalid(Findings::new(
            name,
            text,
            decoded.found,
        ))),
    }
}

/// Parses TOML, with all errors of syntax.
pub(super) fn syntax(text: &str) -> Result<toml::Spanned<DeTable<'_>>, Vec<Finding>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(table);
    }
    let finding = |error: &toml::de::Error| Finding {
        message: "this is not TOML".into(),
        span: error.span().unwrap_or_default(),
        label: error.message().trim().to_owned(),
        other: None,
        help: None,
    };
    Err(errors.iter().map(finding).collect())
}

/// Parses as much of a text as possible, to find all errors.
pub(super) fn decode(text: &str) -> ParsedExperiment {
    match syntax(text) {
        Ok(table) => sections(&table),
        Err(found) => ParsedExperiment {
            found,
            ..ParsedExperiment::default()
        },
    }
}

fn sections(table: &toml::Spanned<DeTable<'_>>) -> ParsedExperiment {
    let mut decoded = ParsedExperiment::default();
    let (files, found) = (&mut decoded.files, &mut decoded.found);
    // The whole file is where a missing section is missing; its first byte stands for it.
    let mut root = Section::new("the file", table.get_ref(), 0..0);

    let name = root.text(&NAME, found);
    root.missing_field(&NAME, "it names the results", found);
    let name = prose(name, &NAME, found);
    let question = root.text(&PROBLEM, found);
    root.missing_field(&PROBLEM, "reports begin with it", found);
    let question = prose(question, &PROBLEM, found);

    decoded.places.kind = root.value_place(&KIND).unwrap_or_default();
    let Some(in_words) = question::is_in_words(&mut root, found) else {
        return decoded;
    };
    if in_words {
        question::refuse_run_tables(&mut root, found);
        return in_words_sections(root, (name, question), decoded);
    }
    root.missing_field(&INTERFACE_TABLE, "it declares the function", found);
    let interface = root.section(&INTERFACE_TABLE, found).and_then(|section| {
        let wit = section.value_place(&WIT).unwrap_or(section.span.clone());
        decoded.places.call = section.value_place(&CALL).unwrap_or(wit.clone());
        decoded.places.wit = wit;
        problem::interface(section, files, found)
    });
    root.missing_field(&WORKLOAD_TABLE, "it gives the inputs", found);
    let workload = root.section(&WORKLOAD_TABLE, found).and_then(|section| {
        let code = [SOURCE.key, COMPONENT.key, CASES.key];
        let place = code.into_iter().find_map(|key| section.value_place(key));
        let sizes = section.value_place(&SIZES);
        decoded.places.sizes = sizes.or_else(|| section.value_place(&INSTANCES));
        decoded.places.workload = place.unwrap_or(section.span.clone());
        problem::workload(section, files, found)
    });
    let why = "there must be something to compare";
    root.missing_field(&APPROACH_TABLES, why, found);
    let approaches = root.tables(&APPROACH_TABLES, found);
    let is_searched = root.is_table(&ROUNDS_TABLE);
    let approaches = problem::approaches(approaches, is_searched, files, found);

    let limits = match root.section(&LIMITS_TABLE, found) {
        Some(section) => {
            let place = |key: LimitKey| Some((key, section.value_place(key.name())?));
            decoded.places.limits = LimitKey::ALL.into_iter().filter_map(place).collect();
            options::limits(section, found)
        }
        None => Limits::default(),
    };
    let measure = match root.section(&MEASURE_TABLE, found) {
        Some(section) => options::measure(section, found),
        None => Measure::default(),
    };
    let declared = root.tables(&CRITERION_TABLES, found);
    let criteria = if declared.is_empty() {
        Some(None)
    } else {
        criteria::criteria(declared, found).map(Some)
    };
    let evaluators = root.tables(&EVALUATOR_TABLES, found);
    let evaluators = evaluators::evaluators(evaluators, files, found);
    let aggregators = root.tables(&AGGREGATOR_TABLES, found);
    let aggregators = aggregators::aggregators(aggregators, files, found);
    let (allowed, simd, edition) = match root.section(&BUILD_TABLE, found) {
        Some(section) => {
            decoded.places.crates = section.value_place(&CRATES).unwrap_or(section.span.clone());
            crates::build(section, found)
        }
        None => Default::default(),
    };
    decoded.generate = root
        .section(&GENERATE_TABLE, found)
        .and_then(|section| generate::generate(section, files, found));
    let own = root.section(&PROMPTS_TABLE, found);
    decoded.prompts = own
        .map(|section| prompts::prompts(section, files, found))
        .unwrap_or_default();
    decoded.rounds = root
        .section(&ROUNDS_TABLE, found)
        .map(|section| rounds::rounds(section, files, found));
    let judge_at = root.key(&JUDGE_TABLE);
    let (judge, report) = judge_and_report(&mut root, files, found);
    decoded.judge = judge;
    root.close(found);

    decoded.experiment = (|| {
        let approaches = approaches?;
        decoded.places.approaches = approaches.places;
        decoded.wished = approaches.wished;
        let approaches = approaches.list;
        let criteria = match criteria? {
            None => criteria::default_criteria(),
            Some(declared) => {
                let places = declared.iter().map(|one| one.place.clone());
                decoded.places.criteria = places.collect();
                decoded.places.scales = declared.iter().map(|one| one.scale.clone()).collect();
                declared.into_iter().map(|one| one.criterion).collect()
            }
        };
        let (evaluators, places) = evaluators?;
        decoded.places.evaluators = places;
        let (aggregators, places) = aggregators?;
        decoded.places.aggregators = places;
        Some(Experiment {
            name: name?.value,
            problem: question?.value,
            interface: interface?,
            workload: workload?,
            approaches,
            limits,
            measure,
            evaluators,
            aggregators,
            crates: Crates {
                allowed,
                lock: String::new(),
            },
            simd,
            edition,
            criteria,
            report,
            declared: DeclaringPlace::InFile,
        })
    })();
    if let Some(experiment) = &decoded.experiment {
        refuse_incomputable(experiment, &decoded.places, &mut decoded.found);
        let place = |index| decoded.places.of(ConfigPlace::Criterion(index));
        evaluators::refuse_undeclared(experiment, place, &mut decoded.found);
        let (criteria, found) = (&experiment.criteria, &mut decoded.found);
        question::refuse_criteria(false, criteria, place, found);
        judge::refuse_alone(false, criteria, place, judge_at, found);
    }
    decoded
}

/// Reads the tables of every kind of file that are about its report: `[judge]` and `[report]`.
fn judge_and_report(
    root: &mut Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> (Option<judge::JudgeTable>, ReportOptions) {
    let judge = root.section(&JUDGE_TABLE, found);
    let judge = judge.and_then(|section| judge::judge(section, files, found));
    let report = root.section(&REPORT_TABLE, found);
    let report = report.map_or_else(ReportOptions::default, |section| {
        options::report(section, found)
    });
    (judge, report)
}

/// Parses the rest of a question in words.
fn in_words_sections(
    mut root: Section<'_>,
    (name, question): (Option<At<String>>, Option<At<String>>),
    mut decoded: ParsedExperiment,
) -> ParsedExperiment {
    let (files, found) = (&mut decoded.files, &mut decoded.found);
    let why = "there must be something to compare";
    root.missing_field(&APPROACH_TABLES, why, found);
    let approaches = question::approaches(&mut root, files, found);
    let why = "something must be asked about each approach";
    root.missing_field(&CRITERION_TABLES, why, found);
    let declared = root.tables(&CRITERION_TABLES, found);
    let criteria = criteria::criteria(declared, found);
    let judge_at = root.key(&JUDGE_TABLE);
    let (judge, report) = judge_and_report(&mut root, files, found);
    decoded.judge = judge;
    root.close(found);
    decoded.experiment = (|| {
        let approaches = approaches?;
        decoded.places.approaches = approaches.places;
        let criteria = criteria?;
        let places = criteria.iter().map(|one| one.place.clone());
        decoded.places.criteria = places.collect();
        Some(Experiment {
            name: name?.value,
            problem: question?.value,
            interface: DeclaredInterface::default(),
            workload: Workload {
                inputs: Inputs::None,
                seed: None,
            },
            approaches: approaches.list,
            limits: Limits::default(),
            measure: Measure::default(),
            evaluators: Vec::new(),
            aggregators: Vec::new(),
            crates: Crates::default(),
            simd: Simd::default(),
            edition: Edition::default(),
            criteria: criteria.into_iter().map(|one| one.criterion).collect(),
            report,
            declared: DeclaringPlace::InFile,
        })
    })();
    if let Some(experiment) = &decoded.experiment {
        let place = |index| decoded.places.of(ConfigPlace::Criterion(index));
        let (criteria, found) = (&experiment.criteria, &mut decoded.found);
        question::refuse_criteria(true, criteria, place, found);
        judge::refuse_alone(true, criteria, place, judge_at, found);
    }
    decoded
}

/// Refuses criteria that cannot be computed with this workload, or for any of these approaches.
fn refuse_incomputable(experiment: &Experiment, places: &Places, found: &mut Vec<Finding>) {
    let inputs = &experiment.workload.inputs;
    let sizes = match inputs {
        Inputs::Generated { sizes, .. } => Some(sizes.len()),
        Inputs::Instances { .. } | Inputs::Cases(_) | Inputs::None => None,
    };
    let is_source = |approach: &Approach| matches!(approach.code, Code::Source(_));
    let approaches = &experiment.approaches;
    // A model writes sources.
    let no_source = !approaches.is_empty() && !approaches.iter().any(is_source);
    for (index, criterion) in experiment.criteria.iter().enumerate() {
        if criterion.source == Source::SourceLines && no_source {
            found.push(Finding::new(
                places.of(ConfigPlace::Criterion(index)),
                format!(
                    "no variant has a reading for the criterion {}",
                    quoted(&criterion.name)
                ),
                "every approach is a component or a program, and none has a source",
                "take `component-size`, give the approaches `source`, or remove the criterion",
            ));
        }
        let (message, label, help) = match (&criterion.source, sizes) {
            (Source::Assess(_), None) if inputs.code().is_none() => (
                "needs a workload that assesses answers",
                "cases in a file assess nothing".to_owned(),
                "write the workload as code with an export `assess`, or remove the criterion",
            ),
            (Source::Growth, None) if inputs.are_instances() => (
                "needs a workload that makes inputs of any size",
                "instances have no sizes".to_owned(),
                "give the workload `sizes`, or remove the criterion",
            ),
            (Source::Growth, None) => (
                "needs a workload that makes inputs of any size",
                "cases in a file have no sizes".to_owned(),
                "write the workload as code with an export `generate`, or remove the criterion",
            ),
            (Source::Growth, Some(count)) if count < GROWTH_SIZES_MIN => (
                "needs at least 7 sizes",
                format!("{count} of them here"),
                "add sizes, each about four times the last; or remove the criterion",
            ),
            _ => continue,
        };
        found.push(Finding::new(
            places.sizes_or_workload(),
            format!("the criterion {} {message}", quoted(&criterion.name)),
            label,
            help,
        ));
    }
}
