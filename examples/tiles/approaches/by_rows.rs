//! Reads in order, and writes all over.

pub fn transpose(matrix: Vec<f32>, n: u32) -> Vec<f32> {
    let n = n as usize;
    let mut transposed = vec![0.0; matrix.len()];
    for row in 0..n {
        for column in 0..n {
            transposed[column * n + row] = matrix[row * n + column];
        }
    }
    transposed
}
