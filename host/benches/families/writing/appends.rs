//! Digit by digit onto one string that grows.

pub fn solve(numbers: Vec<u32>) -> String {
    let mut text = String::new();
    for (at, number) in numbers.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        let (mut digits, mut first, mut left) = ([0; 10], 10, *number);
        loop {
            first -= 1;
            digits[first] = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 {
                break;
            }
        }
        for digit in &digits[first..] {
            text.push(char::from(*digit));
        }
    }
    text
}
