//! Turns the second matrix around first, so that both factors are read along rows.

pub fn solve(a: Vec<u32>, b: Vec<u32>) -> Vec<u32> {
    let n = a.len().isqrt();
    let mut turned = vec![0_u32; n * n];
    for row in 0..n {
        for column in 0..n {
            turned[column * n + row] = b[row * n + column];
        }
    }
    let mut product = Vec::with_capacity(n * n);
    for row in a.chunks(n) {
        for column in turned.chunks(n) {
            let terms = row.iter().zip(column).map(|(x, y)| x.wrapping_mul(*y));
            product.push(terms.fold(0, u32::wrapping_add));
        }
    }
    product
}
