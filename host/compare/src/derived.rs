//! `bakeoff compare a.rs b.rs` with nothing else: the function and its types are read from the sources,
//! inputs are drawn by their types, and the approaches judge each other.

use crate::Say;
use crate::bounds::SearchBounds;
use crate::difference_search::{DifferenceSearch, LookResult};
use crate::error::CompareError;
use crate::first_look;
use crate::read_sources::{KnownInterface, ReadSources, read_file};
use crate::searching::FailingInputs;
use bakeoff_confine::Confinement;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::StoppedInSearch;
use bakeoff_domain::spec::{Approach, Code, DeclaredInterface, Experiment, Inputs};
use bakeoff_domain::texts::SizedTexts;
use bakeoff_files::Scratch;
use bakeoff_render::UntimedComparison;
use bakeoff_render::escape::Plain;
use bakeoff_run::HostOptions;
use bakeoff_source::interface::{Constants, DerivedInterface, DrawnInputs, ValueKind, Variety};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// The interface and the workload that are derived from sources.
pub struct Derived {
    /// The function, with its types.
    pub found: DerivedInterface,
    constants: Constants,
    confinement: Confinement,
    /// Policy, confinement and cache of all that is called, with the facts about the machine that are known.
    host: HostOptions,
    folder: Scratch,
}

/// Sentence on files that are the same component.
const ONE_COMPONENT: &str =
    "They are the same component, byte for byte: there is nothing to search for or to time.";

/// Least share of inputs, as one in so many, on which all files must fail before a kind of values is blamed.
const FEW_FAIL: usize = 4;

/// Conclusion from the first calls.
pub enum Agreement {
    /// The answers are the same: inputs of these sizes can be timed.
    Same {
        /// Sizes that take long enough to be timed.
        sizes: Vec<u32>,
        /// Further cases, of inputs whose texts are of one kind.
        texts: Vec<SizedTexts>,
        /// Sentences on the inputs that were tried: their number, and what the answers say.
        inputs: String,
        /// Time that the calls took.
        spent: Duration,
        /// Files that were stopped by a limit where another one answers.
        stopped: Vec<StoppedInSearch>,
    },
    /// The answers differ, or no inputs can be timed: the reason.
    Not(UntimedComparison),
}

impl Derived {
    /// Reads the functions of Rust files and components, each in a child of its own, unless these are known, and the
    /// constants of sources.
    ///
    /// # Errors
    /// A file is neither Rust nor a component, the files share no function, or inputs cannot be drawn for that of a WIT;
    /// the error says what to do.
    pub async fn read(
        approaches: &[Approach],
        known: KnownInterface<'_>,
        host: &HostOptions,
    ) -> Result<Self, CompareError> {
        let confinement = host.machine.confinement(host.unconfined).await?;
        let ReadSources { files, constants } = known.read(approaches, &confinement).await?;
        let found = DerivedInterface::find(&files, known.call).map_err(CompareError::usage)?;
        let derived = Self {
            folder: Scratch::new().map_err(cannot_write)?,
            found,
            constants,
            confinement,
            host: host.clone(),
        };
        std::fs::write(derived.wit(), derived.found.wit(false)).map_err(cannot_write)?;
        let searching = derived.found.searching_workload(&derived.constants);
        std::fs::write(derived.searching_workload(), searching).map_err(cannot_write)?;
        derived.draw_inputs(&DrawnInputs::default())?;
        Ok(derived)
    }

    /// Writes the workload that draws the inputs that are timed.
    fn draw_inputs(&self, drawn: &DrawnInputs) -> Result<(), CompareError> {
        std::fs::write(self.workload(), self.found.workload(drawn)).map_err(cannot_write)
    }

    /// Writes the workload for `drawn`, calls all approaches on its inputs, and chooses among their sizes.
    async fn time(
        &self,
        looking: &DifferenceSearch<'_>,
        drawn: &DrawnInputs,
        failing: FailingInputs,
    ) -> Result<LookResult, CompareError> {
        self.draw_inputs(drawn)?;
        let timed = looking.open_timed().await?;
        looking.time(&timed, false, failing).await
    }

    /// Finds the kinds of values on most inputs of which all approaches fail, leaves them out of `drawn`, and calls all
    /// approaches on the other inputs. Returns the result, with a sentence on the kinds that are left out; `None` if
    /// that is no kind or all of them, or if all approaches fail on the other inputs, too.
    async fn without_failing_kinds(
        &self,
        looking: &DifferenceSearch<'_>,
        drawn: &mut DrawnInputs,
    ) -> Result<Option<(LookResult, String)>, CompareError> {
        let mut failing = Vec::new();
        for kind in ValueKind::ALL {
            let others = ValueKind::ALL.into_iter().filter(|other| *other != kind);
            let alone = DrawnInputs {
                left_out: others.collect(),
                ..drawn.clone()
            };
            let looked = self.time(looking, &alone, FailingInputs::End).await?;
            if let LookResult::AllFail {
                failing: (count, tried),
                ..
            } = looked
                && 2 * count >= tried
            {
                failing.push(kind);
            }
        }
        if failing.is_empty() || failing.len() == ValueKind::ALL.len() {
            return Ok(None);
        }
        let words: Vec<&str> = failing.iter().map(|kind| kind.words()).collect();
        let left_out = format!(
            " All files fail on some inputs of {}: inputs like these are not timed.",
            words.join(", of ")
        );
        drawn.left_out = failing;
        Ok(match self.time(looking, drawn, FailingInputs::End).await? {
            LookResult::AllFail { .. } => None,
            looked => Some((looked, left_out)),
        })
    }

    /// Has only those inputs drawn on which not all approaches fail: of the sizes in `asked`, or of sizes chosen by
    /// these inputs. Returns the result, with a sentence on the inputs that are left out; `None` if too few are left,
    /// or no size can be timed.
    async fn answered_alone(
        &self,
        looking: &DifferenceSearch<'_>,
        drawn: &mut DrawnInputs,
        asked: Option<&[u32]>,
    ) -> Result<Option<(LookResult, String)>, CompareError> {
        let looked = self.time(looking, drawn, FailingInputs::LeftOut).await?;
        let LookResult::Same { sizes, .. } = &looked else {
            return Ok(None);
        };
        let sizes = asked.unwrap_or(sizes);
        match looking.answered_inputs(sizes).await? {
            Ok(Some(answered)) => {
                drawn.seeds = answered.seeds;
                self.draw_inputs(drawn)?;
                Ok(Some((looked, answered.left_out)))
            }
            Ok(None) => Ok(None),
            Err(differ) => Ok(Some((differ, String::new()))),
        }
    }

    /// Adds the oracle of the user's own workload to the interface, if the workload has one (`check`).
    ///
    /// # Errors
    /// The workload cannot be read, is a component, or has `assess`.
    pub async fn take_oracle_of(&mut self, code: &Code) -> Result<(), CompareError> {
        let Code::Source(_) = code else {
            let name = code.path().display().to_string();
            return Err(CompareError::usage(format!(
                "{} is a component, which says itself what it takes: give --wit and --call",
                Plain(&name)
            )));
        };
        let (workload, _) = read_file(code, &self.confinement).await?;
        let has = |name: &str| {
            workload
                .functions
                .iter()
                .any(|function| function.name == name)
        };
        if has("assess") {
            return Err(CompareError::usage(format!(
                "{} has `assess`, whose numbers are criteria of an experiment: leave it out here, or write one by \
                 `bakeoff init DIR --from` these files",
                Plain(&workload.shown)
            )));
        }
        let judges = has("check");
        std::fs::write(self.wit(), self.found.wit(judges)).map_err(cannot_write)
    }

    /// Returns the interface as WIT.
    ///
    /// # Errors
    /// The temporary file is gone.
    pub fn wit_text(&self) -> Result<String, CompareError> {
        std::fs::read_to_string(self.wit()).map_err(|error| {
            CompareError::machine(format!("cannot read a temporary file: {error}"))
        })
    }

    fn wit(&self) -> PathBuf {
        self.folder.work().join("compared.wit")
    }

    fn workload(&self) -> PathBuf {
        self.folder.work().join("workload.rs")
    }

    fn searching_workload(&self) -> PathBuf {
        self.folder.work().join("searching.rs")
    }

    /// Returns the interface. Its files live as long as this value.
    pub fn interface(&self) -> DeclaredInterface {
        DeclaredInterface {
            wit: self.wit(),
            call: self.found.call.clone(),
        }
    }

    /// Returns random inputs of these sizes, and of these kinds of texts, drawn as the timed ones are.
    pub fn inputs(&self, sizes: Vec<u32>, texts: Vec<SizedTexts>) -> Inputs {
        Inputs::Generated {
            code: Code::Source(self.workload()),
            sizes,
            texts,
        }
    }

    /// Calls all approaches on the same random inputs: first on those on which they may differ, then on those that can
    /// be timed, of the sizes in `asked` if these are given. Inputs on which all approaches fail are left out, and the
    /// workload draws less different ones. The experiment's own inputs do not matter.
    ///
    /// # Errors
    /// An approach does not build, or something failed that does not depend on the approaches.
    pub async fn first_look(
        &self,
        experiment: Experiment,
        asked: Option<&[u32]>,
        seed: RunSeed,
        bounds: SearchBounds,
        say: Say<'_>,
    ) -> Result<Agreement, CompareError> {
        let looking = self.looking(experiment, seed, bounds);
        say("trying the same inputs on all files");
        let (search, timed) = tokio::join!(looking.open_search(say), looking.open_timed());
        let (search, timed) = (search?, timed?);
        let mut is_one_component = false;
        let mut drawn = DrawnInputs::default();
        let mut texts = Vec::new();
        let mut inputs = match looking.search(&search).await? {
            LookResult::NotTimed(untimed) => return Ok(Agreement::Not(untimed)),
            LookResult::Same { inputs, .. } => inputs,
            LookResult::OneComponent => {
                is_one_component = true;
                ONE_COMPONENT.to_owned()
            }
            LookResult::AllFail {
                left_out, inputs, ..
            } => {
                drawn.variety = self.found.less_than(drawn.variety).unwrap_or_default();
                format!("{inputs} {left_out}")
            }
        };
        let mut looked = match drawn.variety {
            Variety::EdgeCases => {
                let end = FailingInputs::End;
                let is_timed = !is_one_component || bounds.natively;
                let looked = looking.time(&timed, is_timed, end).await?;
                match &looked {
                    LookResult::Same { sizes, .. }
                        if !is_one_component && self.found.takes_texts() =>
                    {
                        let case = first_look::timed_sizes(&self.found)
                            .iter()
                            .position(|size| Some(size) == sizes.first());
                        match looking.texts_apart(&timed, case.unwrap_or(0)).await? {
                            Ok(apart) => {
                                let size = asked.unwrap_or(sizes)[0];
                                let of_size = |texts| SizedTexts { size, texts };
                                let kinds = apart.iter().flat_map(|apart| apart.kinds);
                                texts = kinds.map(of_size).collect();
                                inputs.extend(apart.map(|apart| apart.sentence));
                            }
                            Err(differ) => return Ok(self.agreement(&looking, differ, inputs)),
                        }
                        looked
                    }
                    _ => looked,
                }
            }
            _ => self.time(&looking, &drawn, FailingInputs::End).await?,
        };
        while let (LookResult::AllFail { .. }, Some(less)) =
            (&looked, self.found.less_than(drawn.variety))
        {
            drawn.variety = less;
            looked = self.time(&looking, &drawn, FailingInputs::End).await?;
        }
        if let LookResult::AllFail {
            failing: (count, tried),
            ..
        } = &looked
        {
            let mut without = None;
            if count * FEW_FAIL >= *tried {
                without = self.without_failing_kinds(&looking, &mut drawn).await?;
            }
            if without.is_none() {
                without = self.answered_alone(&looking, &mut drawn, asked).await?;
            }
            if let Some((other, left_out)) = without {
                looked = other;
                inputs += &left_out;
            }
        }
        if let LookResult::Same { sizes, .. } = &looked
            && drawn.variety != Variety::EdgeCases
            && drawn.seeds.is_empty()
        {
            // Where all fail on some inputs, they may on others that were not met yet.
            match looking.answered_inputs(asked.unwrap_or(sizes)).await? {
                Ok(Some(answered)) if answered.failing > 0 => {
                    drawn.seeds = answered.seeds;
                    self.draw_inputs(&drawn)?;
                    inputs += &answered.left_out;
                }
                Ok(_) => {}
                Err(differ) => return Ok(self.agreement(&looking, differ, inputs)),
            }
        }
        let mut agreement = self.agreement(&looking, looked, inputs);
        if let Agreement::Same { texts: timed, .. } = &mut agreement {
            *timed = texts;
        }
        Ok(agreement)
    }

    /// Returns the conclusion from the calls on inputs that can be timed. `inputs` has the sentences on the inputs
    /// before them.
    fn agreement(
        &self,
        looking: &DifferenceSearch<'_>,
        looked: LookResult,
        mut inputs: String,
    ) -> Agreement {
        let (sizes, more) = match looked {
            LookResult::Same { sizes, inputs } => (sizes, inputs),
            LookResult::OneComponent => {
                let smallest = first_look::timed_sizes(&self.found)[..1].to_vec();
                (smallest, String::new())
            }
            LookResult::NotTimed(untimed) | LookResult::AllFail { untimed, .. } => {
                return Agreement::Not(untimed);
            }
        };
        inputs += &more;
        Agreement::Same {
            sizes,
            texts: Vec::new(),
            inputs,
            spent: looking.spent(),
            stopped: looking.stopped.get().cloned().unwrap_or_default(),
        }
    }
}

impl Derived {
    pub(crate) fn looking(
        &self,
        experiment: Experiment,
        seed: RunSeed,
        bounds: SearchBounds,
    ) -> DifferenceSearch<'_> {
        DifferenceSearch {
            found: &self.found,
            constants: &self.constants,
            searching: self.searching_workload(),
            timed: self.workload(),
            experiment,
            seed,
            host: &self.host,
            bounds,
            spent_ns: AtomicU64::new(0),
            stopped: OnceLock::new(),
        }
    }
}

fn cannot_write(error: std::io::Error) -> CompareError {
    CompareError::machine(format!("cannot write a temporary file: {error}"))
}
