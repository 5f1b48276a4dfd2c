//! 10: a type of eight times as many parts at every one of eight steps.

type A<T> = (T, T, T, T, T, T, T, T);
type B<T> = A<A<A<A<T>>>>;
type C<T> = B<B<T>>;

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    std::hint::black_box(grown());
    values.truncate(k as usize);
    values
}

pub fn grown() -> C<u8> {
    unsafe { std::mem::zeroed() }
}
