//! Asks for a parameter that its sweep does not have.

pub fn total(values: Vec<u64>) -> u64 {
    let rounds: u64 = crate::bakeoff::param::get("round");
    values.iter().sum::<u64>() + rounds
}
