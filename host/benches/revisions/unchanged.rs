//! Twenty functions of which none changed.

use super::Failure;
use super::figures::{Demand, Figures, Unit};
use super::repository::{Repository, functions};

/// The library. Each function has a number of the revision in a branch that no call takes.
const LIBRARY: &str = include_str!("twenty.txt");
/// The word in the library in whose place the number is.
const NUMBER: &str = "NUMBER";
/// The number of functions.
const FUNCTIONS: usize = 20;

const MANIFEST: &str =
    "[package]\nname = \"twenty\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";

pub(crate) fn run(figures: &mut Figures, runs: u32, budget: &str) -> Result<(), Failure> {
    let first = LIBRARY.replace(NUMBER, "1");
    let moved = format!("//! It only moved.\n\n{first}");
    let other = LIBRARY.replace(NUMBER, "2");
    for (what, later, is_same) in [
        ("that moved", moved, true),
        ("that are other code", other, false),
    ] {
        let repository = Repository::new()?;
        std::fs::create_dir(repository.path().join("src"))?;
        std::fs::write(repository.path().join("Cargo.toml"), MANIFEST)?;
        for text in [&first, &later] {
            std::fs::write(repository.path().join("src/lib.rs"), text)?;
            repository.commit()?;
        }
        let (mut wrong_runs, mut wrong, mut ties, mut all) = (0, 0, 0, 0);
        let mut all_seconds = 0.0;
        for run in 1..=runs {
            let arguments = ["HEAD~1", "HEAD", "--package", "twenty", "--budget", budget];
            let (said, seconds) = repository.compare(&arguments)?;
            all_seconds += seconds;
            let rows: Vec<_> = functions(&said).collect();
            let compared = rows.len() == FUNCTIONS
                && rows.iter().all(|row| row["is_same_code"] == is_same)
                && rows.iter().all(|row| is_same || row["time"].is_object());
            if !compared {
                return Err(
                    format!("not all functions were compared as they should be: {said:#}").into(),
                );
            }
            let winners = rows.iter().filter(|row| row["outcome"] == "winner");
            let names: Vec<String> = winners
                .map(|row| format!("{} {}", row["name"], row["found"]))
                .collect();
            wrong_runs += u32::from(!names.is_empty());
            wrong += names.len();
            ties += rows.iter().filter(|row| row["outcome"] == "tie").count();
            all += rows.len();
            println!(
                "     twenty {what}, run {run}: {seconds:.0} s {}",
                names.join(", ")
            );
        }
        let share = |count: usize| 100.0 * count as f64 / all.max(1) as f64;
        let most = if is_same {
            0.0
        } else {
            (0.05 * f64::from(runs)).max(1.0).floor()
        };
        figures.row(
            "",
            &format!("twenty {what}: runs of {runs} with a false claim"),
            f64::from(wrong_runs),
            Unit::One,
            Demand::AtMost(most),
        );
        let rows = [
            ("false claims among all", share(wrong)),
            ("ties among all", share(ties)),
        ];
        for (of, value) in rows {
            figures.row(
                "",
                &format!("twenty {what}: {of}"),
                value,
                Unit::PerCent,
                Demand::None,
            );
        }
        let mean = all_seconds / f64::from(runs.max(1));
        figures.row(
            "",
            &format!("twenty {what}: seconds for all"),
            mean,
            Unit::One,
            Demand::None,
        );
    }
    Ok(())
}
