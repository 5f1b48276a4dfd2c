//! One side of the pair as a program, for tools that time programs: `peers SIDE CALLS`.

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = || -> usize {
        let argument = arguments.next().expect("peers SIDE CALLS");
        argument.parse().expect("a number")
    };
    let side = peers::Side::new(number());
    let calls = number();
    let total: u64 = (0..calls).map(|_| side.call()).sum();
    assert_eq!(total, 0);
}
