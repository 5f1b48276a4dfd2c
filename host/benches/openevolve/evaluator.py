"""What an experimenter writes for OpenEvolve: builds a candidate natively and calls it on the same inputs."""

import os
import subprocess
import tempfile

MAIN = """
#[path = "PROGRAM"]
mod prototype;

fn main() {
    for size in [1_000_u64, 10_000] {
        for seed in 0..2_u64 {
            let mut state = seed;
            let values: Vec<u32> = (0..size)
                .map(|_| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    (state >> 33) as u32
                })
                .collect();
            let wanted = values.iter().map(|value| u64::from(*value)).sum::<u64>();
            assert_eq!(prototype::total(values), wanted);
        }
    }
}
"""


def evaluate(program_path):
    with tempfile.TemporaryDirectory(dir=os.environ["BENCH_FOLDER"]) as folder:
        main, program = os.path.join(folder, "main.rs"), os.path.join(folder, "candidate")
        with open(main, "w") as file:
            file.write(MAIN.replace("PROGRAM", os.path.abspath(program_path)))
        build = subprocess.run(
            ["rustc", "--edition=2024", "-Copt-level=3", "-Awarnings", "-o", program, main],
            capture_output=True,
        )
        if build.returncode != 0:
            return {"combined_score": 0.0}
        run = subprocess.run([program], capture_output=True)
        is_right = run.returncode == 0
        if is_right:
            with open(os.path.join(os.environ["BENCH_FOLDER"], "right"), "a") as file:
                file.write("right\n")
        return {"combined_score": 1.0 if is_right else 0.0}
