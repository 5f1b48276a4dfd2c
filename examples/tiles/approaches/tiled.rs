//! One tile after the other, so that what a tile reads and writes stays in the cache. One row of one column is no tiling.

use crate::bakeoff::param;

pub fn transpose(matrix: Vec<f32>, n: u32) -> Vec<f32> {
    let n = n as usize;
    let (height, width): (usize, usize) = (param::get("height"), param::get("width"));
    let mut transposed = vec![0.0; matrix.len()];
    for top in (0..n).step_by(height) {
        for left in (0..n).step_by(width) {
            for row in top..n.min(top + height) {
                for column in left..n.min(left + width) {
                    transposed[column * n + row] = matrix[row * n + column];
                }
            }
        }
    }
    transposed
}
