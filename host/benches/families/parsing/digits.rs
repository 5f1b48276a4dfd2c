//! Digit by digit.

pub fn solve(text: Vec<u8>) -> u64 {
    let (mut sum, mut number) = (0, 0);
    for byte in text {
        if byte == b',' {
            sum += number;
            number = 0;
        } else {
            number = 10 * number + u64::from(byte - b'0');
        }
    }
    sum + number
}
