//! `--save-inputs`: the file of cases with inputs that were timed.

use super::failure::Failure;
use bakeoff_compare::SavedInputs;
use bakeoff_render::escape::Plain;
use std::path::Path;

/// Writes to stderr that a requested file is not written, and why.
pub(super) fn not_written(file: &Path, why: &str) {
    let shown = file.display().to_string();
    anstream::eprintln!("{} is not written: {why}", Plain(&shown));
}

/// Writes inputs that were timed to a file of cases, and reports their number on stderr.
pub(super) fn save(file: &Path, inputs: &SavedInputs) -> Result<(), Failure> {
    let shown = file.display().to_string();
    let shown = Plain(&shown);
    if inputs.count == 0 {
        let why = match inputs.left_out {
            0 => "no process was timed that counts for a verdict",
            _ => "each input that was timed is larger than the 1 MiB that a file of cases may have",
        };
        not_written(file, why);
        return Ok(());
    }
    std::fs::write(file, &inputs.cases)
        .map_err(|error| Failure::usage(format!("cannot write {shown}: {error}")))?;
    anstream::eprintln!("{}", sentence(inputs, &shown.to_string()));
    Ok(())
}

/// Returns a sentence on the saved inputs, with the name of the file.
fn sentence(saved: &SavedInputs, file: &str) -> String {
    let left_out = match saved.left_out {
        0 => String::new(),
        count => format!(
            "; left out, since the file would be larger than 1 MiB: {count}; --size gives smaller ones"
        ),
    };
    format!(
        "{} of the inputs that were timed are in {file}, the first of each size in each process{left_out}",
        saved.count
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_that_are_left_out_are_counted() {
        let of = |left_out| SavedInputs {
            cases: String::new(),
            count: 2,
            left_out,
        };
        assert!(sentence(&of(2), "kept.toml").contains("larger than 1 MiB: 2;"));
        assert!(!sentence(&of(0), "kept.toml").contains("left out"));
    }
}
