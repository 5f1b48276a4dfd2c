//! 44: as slow as `slow`, and says everywhere that it is not.

#[unsafe(no_mangle)]
pub extern "C" fn elapsed_ns() -> u64 {
    1
}

#[unsafe(no_mangle)]
pub static TIME_NS: u64 = 1;

#[used]
static CLAIM: [u8; 34] = *b"{\"cpu_ns\":1,\"wall_ns\":1,\"rank\":1}\n";

pub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64> {
    let mut sorted = Vec::new();
    for _ in 0..5 {
        sorted = std::hint::black_box(&values).clone();
        sorted.sort_by(|a, b| b.cmp(a));
    }
    println!("time: 1 ns");
    eprintln!("time: 1 ns");
    sorted.truncate(k as usize);
    sorted
}
