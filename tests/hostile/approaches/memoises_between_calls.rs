//! 46: keeps all answers, and looks them up: of use only to someone who asks the same again.

use std::sync::Mutex;

type Answered = (Vec<i64>, u32, Vec<i64>);

static ANSWERED: Mutex<Vec<Answered>> = Mutex::new(Vec::new());

pub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64> {
    let mut answered = ANSWERED.lock().unwrap();
    let known = answered.iter().find(|(old, old_k, _)| *old_k == k && *old == values);
    if let Some((_, _, answer)) = known {
        return answer.clone();
    }
    let mut answer = values.clone();
    for _ in 0..4 {
        answer = std::hint::black_box(&values).clone();
        answer.sort_by(|a, b| b.cmp(a));
    }
    answer.truncate(k as usize);
    if answered.len() == 8 {
        answered.remove(0);
    }
    answered.push((values, k, answer.clone()));
    answer
}
