//! Adds multiples of whole rows.

pub fn solve(a: Vec<u32>, b: Vec<u32>) -> Vec<u32> {
    let n = a.len().isqrt();
    let mut product = vec![0_u32; n * n];
    for (row, factors) in product.chunks_mut(n).zip(a.chunks(n)) {
        for (&factor, other) in factors.iter().zip(b.chunks(n)) {
            for (sum, &number) in row.iter_mut().zip(other) {
                *sum = sum.wrapping_add(factor.wrapping_mul(number));
            }
        }
    }
    product
}
