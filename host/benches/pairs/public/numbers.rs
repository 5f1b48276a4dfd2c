pub fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

pub fn is_prime(n: u32) -> bool {
    if n < 2 {
        return false;
    }
    if n % 2 == 0 {
        return n == 2;
    }
    let mut d = 3;
    while d <= n / d {
        if n % d == 0 {
            return false;
        }
        d += 2;
    }
    true
}

pub fn digit_sum(mut n: u64) -> u64 {
    let mut sum = 0;
    while n > 0 {
        sum += n % 10;
        n /= 10;
    }
    sum
}

pub fn collatz_steps(n: u32) -> Option<u32> {
    if n == 0 {
        return None;
    }
    let (mut n, mut steps) = (u64::from(n), 0);
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    Some(steps)
}

pub fn integer_root(n: u64) -> u64 {
    let (mut low, mut high) = (0, 1 << 32);
    while low + 1 < high {
        let middle = (low + high) / 2;
        if middle <= n / middle.max(1) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

pub fn power_modulo(mut base: u32, mut exponent: u32, modulus: u32) -> u32 {
    if modulus == 0 {
        return 0;
    }
    let mut result = 1 % modulus;
    base %= modulus;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = (u64::from(result) * u64::from(base) % u64::from(modulus)) as u32;
        }
        base = (u64::from(base) * u64::from(base) % u64::from(modulus)) as u32;
        exponent /= 2;
    }
    result
}

pub fn reversed_digits(n: i32) -> Option<i32> {
    let (mut rest, mut result) = (n, 0i32);
    while rest != 0 {
        result = result.checked_mul(10)?.checked_add(rest % 10)?;
        rest /= 10;
    }
    Some(result)
}

pub fn is_leap_year(year: u32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

pub fn days_in_month(year: u32, month: u32) -> Option<u32> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        4 | 6 | 9 | 11 => Some(30),
        2 if leap => Some(29),
        2 => Some(28),
        1..=12 => Some(31),
        _ => None,
    }
}

pub fn hamming_distance(a: u64, b: u64) -> u32 {
    let (mut rest, mut count) = (a ^ b, 0);
    while rest != 0 {
        rest &= rest - 1;
        count += 1;
    }
    count
}

pub fn gray_code(n: u32) -> u32 {
    n ^ (n >> 1)
}

pub fn binomial(n: u8, k: u8) -> u64 {
    let (n, k) = (u64::from(n % 60), u64::from(k % 60));
    if k > n {
        return 0;
    }
    let k = k.min(n - k);
    let mut result = 1u64;
    for i in 0..k {
        result = result * (n - i) / (i + 1);
    }
    result
}

pub fn clamp_to_byte(x: i32) -> u8 {
    if x < 0 {
        return 0;
    }
    if x > 255 {
        return 255;
    }
    x as u8
}

pub fn triangle_kind(a: u16, b: u16, c: u16) -> u8 {
    let (a, b, c) = (u32::from(a), u32::from(b), u32::from(c));
    if a + b <= c || a + c <= b || b + c <= a {
        return 0;
    }
    if a == b && b == c {
        return 3;
    }
    if a == b || b == c || a == c {
        return 2;
    }
    1
}

pub fn next_power_of_two(n: u32) -> u64 {
    let mut power = 1u64;
    while power < u64::from(n) {
        power *= 2;
    }
    power
}

pub fn trailing_zeros_of_factorial(n: u32) -> u32 {
    let (mut count, mut rest) = (0, n);
    while rest >= 5 {
        rest /= 5;
        count += rest;
    }
    count
}
