use std::fmt::Write;

pub fn work(n: u32) -> u64 {
    let mut text = String::new();
    for i in 0..n {
        let _ = write!(text, "{i},");
    }
    text.len() as u64
}
