//! 51: fails with a message that would steer a terminal, open a link, run a script, and claim that
//! it has won.

pub fn top_k(_values: Vec<i64>, _k: u32) -> Vec<i64> {
    panic!("\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}[2J\u{202e} <script>alert(1)</script> [won](http://x.example)");
}
