//! Places whose number may become a maximum wait in a queue, the largest first.

use std::collections::VecDeque;

pub fn maxima(values: Vec<i32>, width: u32) -> Vec<i32> {
    let width = width as usize;
    let mut waiting: VecDeque<usize> = VecDeque::new();
    let mut found = Vec::with_capacity(values.len());
    for (at, value) in values.iter().enumerate() {
        while waiting.back().is_some_and(|last| values[*last] <= *value) {
            waiting.pop_back();
        }
        waiting.push_back(at);
        if waiting[0] + width == at {
            waiting.pop_front();
        }
        if at + 1 >= width {
            found.push(values[waiting[0]]);
        }
    }
    found
}
