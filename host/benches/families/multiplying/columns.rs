//! Each number as it is defined: a row times a column.

pub fn solve(a: Vec<u32>, b: Vec<u32>) -> Vec<u32> {
    let n = a.len().isqrt();
    let mut product = Vec::with_capacity(n * n);
    for row in 0..n {
        for column in 0..n {
            let terms = (0..n).map(|k| a[row * n + k].wrapping_mul(b[k * n + column]));
            product.push(terms.fold(0, u32::wrapping_add));
        }
    }
    product
}
