//! Keeps the last answers, and looks them up: of use only to someone who asks the same again.

use std::collections::VecDeque;
use std::sync::Mutex;

type Answered = (Vec<i64>, u32, Vec<i64>);

static ANSWERED: Mutex<VecDeque<Answered>> = Mutex::new(VecDeque::new());

pub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64> {
    let mut answered = ANSWERED.lock().unwrap();
    let known = answered
        .iter()
        .find(|(old, old_k, _)| *old_k == k && *old == values);
    if let Some((_, _, answer)) = known {
        return answer.clone();
    }
    let mut answer = values.clone();
    answer.sort_unstable_by(|a, b| b.cmp(a));
    answer.truncate(k as usize);
    answered.push_back((values, k, answer.clone()));
    if answered.len() > 8 {
        answered.pop_front();
    }
    answer
}
