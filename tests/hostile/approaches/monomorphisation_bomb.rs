//! 7: each of 24 levels makes two functions of every one of the level above.

pub struct Zero;
pub struct More<N>(N);
pub struct Left<P>(P);
pub struct Right<P>(P);

pub trait Bomb {
    fn go<P>(n: u64) -> u64;
}

impl Bomb for Zero {
    fn go<P>(n: u64) -> u64 {
        n.wrapping_mul(size_of::<P>() as u64 + 3)
    }
}

impl<N: Bomb> Bomb for More<N> {
    #[inline(never)]
    fn go<P>(n: u64) -> u64 {
        N::go::<Left<P>>(n + 1) ^ N::go::<Right<P>>(n + 2)
    }
}

type Four<N> = More<More<More<More<N>>>>;
type Many = Four<Four<Four<Four<Four<Four<Zero>>>>>>;

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize + (never() == 7) as usize);
    values
}

pub fn never() -> u64 {
    Many::go::<()>(1)
}
