//! Asks for a parameter that its sweep does not have.

use crate::bakeoff::param;

pub fn total(values: Vec<u64>) -> u64 {
    let rounds: u64 = param::get::<u64>("rounds") + param::get::<u64>("round");
    values.iter().sum::<u64>() + rounds
}
