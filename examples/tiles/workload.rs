//! Square matrices of small whole numbers, which `f32` has exactly.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> (Vec<f32>, u32) {
    let mut rng = Rng::new(seed);
    let count = size as usize * size as usize;
    let matrix = (0..count).map(|_| rng.below(1_000) as f32).collect();
    (matrix, size)
}

pub fn check(matrix: Vec<f32>, n: u32, answer: Vec<f32>) -> Result<(), String> {
    let n = n as usize;
    if answer.len() != matrix.len() {
        return Err(format!("expected {} numbers, got {}", matrix.len(), answer.len()));
    }
    for row in 0..n {
        for column in 0..n {
            let (wanted, got) = (matrix[row * n + column], answer[column * n + row]);
            if wanted != got {
                return Err(format!("row {column}, column {row}: expected {wanted}, got {got}"));
            }
        }
    }
    Ok(())
}
