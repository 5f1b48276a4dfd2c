//! Options on how Rust files named on the command line are compiled: `--no-simd` and `--edition`.

use super::failure::Failure;
use bakeoff_domain::edition::Edition;
use bakeoff_domain::simd::Simd;
use bakeoff_domain::spec::Experiment;
use clap::{Args, ValueEnum};

/// Options of the target that Rust files are compiled for.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct CompiledFor {
    /// Compile Rust files without vectors, WebAssembly's feature simd128
    #[arg(long)]
    no_simd: bool,
    /// The edition of Rust of the files [default: 2024]
    #[arg(long, value_enum, value_name = "YEAR")]
    edition: Option<EditionName>,
}

/// The name of an edition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EditionName {
    /// Edition 2021
    #[value(name = "2021")]
    Rust2021,
    /// Edition 2024
    #[value(name = "2024")]
    Rust2024,
}

impl CompiledFor {
    /// Returns the use of vectors (WebAssembly's simd128): off with `--no-simd`.
    pub(super) fn simd(self) -> Simd {
        if self.no_simd { Simd::Off } else { Simd::On }
    }

    /// Returns true if an edition was given.
    pub(super) fn has_edition(self) -> bool {
        self.edition.is_some()
    }

    /// Returns the edition of Rust that the files are written in.
    pub(super) fn edition(self) -> Edition {
        match self.edition {
            Some(EditionName::Rust2021) => Edition::Rust2021,
            Some(EditionName::Rust2024) | None => Edition::default(),
        }
    }

    /// Sets these options on an experiment, for its Rust sources.
    pub(super) fn apply_to(self, experiment: &mut Experiment) {
        experiment.simd = self.simd();
        experiment.edition = self.edition();
    }

    /// Returns the options by name, each with whether it was given.
    pub(super) fn given(self) -> [(&'static str, bool); 2] {
        [
            ("--no-simd", self.no_simd),
            ("--edition", self.edition.is_some()),
        ]
    }

    /// Returns an error if one of the options was given beside an experiment, which says itself how its files are
    /// compiled.
    pub(super) fn refuse_beside_an_experiment(self) -> Result<(), Failure> {
        match self.given().into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(Failure::usage(format!(
                "an experiment says itself what its files are compiled for, under [build]: leave out {name}"
            ))),
            None => Ok(()),
        }
    }
}
