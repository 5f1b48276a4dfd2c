pub fn is_palindrome(text: &str) -> bool {
    let letters: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).collect();
    let count = letters.len();
    for i in 0..count / 2 {
        if !letters[i].to_lowercase().eq(letters[count - 1 - i].to_lowercase()) {
            return false;
        }
    }
    true
}

pub fn caesar(text: &str, by: u8) -> String {
    let shift = |c: char, first: u8| char::from((c as u8 - first + by % 26) % 26 + first);
    text.chars()
        .map(|c| match c {
            'a'..='z' => shift(c, b'a'),
            'A'..='Z' => shift(c, b'A'),
            _ => c,
        })
        .collect()
}

pub fn run_lengths(text: &str) -> Vec<(char, u32)> {
    let mut runs: Vec<(char, u32)> = Vec::new();
    for letter in text.chars() {
        match runs.last_mut() {
            Some((last, count)) if *last == letter => *count += 1,
            _ => runs.push((letter, 1)),
        }
    }
    runs
}

pub fn balanced(text: &str) -> bool {
    let mut open = Vec::new();
    for letter in text.chars() {
        match letter {
            '(' | '[' | '{' => open.push(letter),
            ')' if open.pop() != Some('(') => return false,
            ']' if open.pop() != Some('[') => return false,
            '}' if open.pop() != Some('{') => return false,
            _ => {}
        }
    }
    open.is_empty()
}

pub fn roman_value(text: &str) -> Option<u32> {
    let value = |c: char| match c {
        'I' => Some(1),
        'V' => Some(5),
        'X' => Some(10),
        'L' => Some(50),
        'C' => Some(100),
        'D' => Some(500),
        'M' => Some(1000),
        _ => None,
    };
    let values: Vec<u32> = text.chars().map(value).collect::<Option<_>>()?;
    let mut sum = 0i64;
    for i in 0..values.len() {
        if i + 1 < values.len() && values[i] < values[i + 1] {
            sum -= i64::from(values[i]);
        } else {
            sum += i64::from(values[i]);
        }
    }
    u32::try_from(sum).ok()
}

/// ```
/// assert_eq!(edit_distance("kitten", "sitting"), 3);
/// ```
pub fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut before = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = before + usize::from(x != *y);
            before = row[j + 1];
            row[j + 1] = cost.min(before + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

pub fn common_prefix(words: &[String]) -> String {
    let Some(first) = words.first() else {
        return String::new();
    };
    let mut length = first.chars().count();
    for word in words {
        let same = first.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
        length = length.min(same);
    }
    first.chars().take(length).collect()
}

pub fn anagrams(a: &str, b: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
        letters.sort_unstable();
        letters
    };
    sorted(a) == sorted(b)
}

/// Reads a date: `2024-02-29`.
/// ```
/// assert_eq!(parse_date("2024-02-29"), Some((2024, 2, 29)));
/// assert_eq!(parse_date("2024-2-29"), None);
/// ```
pub fn parse_date(text: &str) -> Option<(u16, u8, u8)> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 || month.len() != 2 || day.len() != 2 {
        return None;
    }
    let (month, day): (u8, u8) = (month.parse().ok()?, day.parse().ok()?);
    if month < 1 || month > 12 || day < 1 || day > 31 {
        return None;
    }
    Some((year.parse().ok()?, month, day))
}

/// Reads an address: `127.0.0.1`.
/// ```
/// assert_eq!(parse_address("127.0.0.1"), Some(2130706433));
/// ```
pub fn parse_address(text: &str) -> Option<u32> {
    let mut address = 0u32;
    let mut count = 0;
    for part in text.split('.') {
        if part.is_empty() || part.len() > 3 || !part.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let number: u32 = part.parse().ok()?;
        if number > 255 {
            return None;
        }
        address = (address << 8) | number;
        count += 1;
        if count > 4 {
            return None;
        }
    }
    (count == 4).then_some(address)
}

/// Evaluates sums and products without brackets.
/// ```
/// assert_eq!(evaluate("1 + 2 * 3"), Some(7));
/// ```
pub fn evaluate(text: &str) -> Option<i64> {
    let mut sum = 0i64;
    for term in text.split('+') {
        let mut product = 1i64;
        for factor in term.split('*') {
            let factor = factor.trim();
            if factor.is_empty() || !factor.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            product = product.wrapping_mul(factor.parse().ok()?);
        }
        sum = sum.wrapping_add(product);
    }
    Some(sum)
}

pub fn word_counts(text: &str) -> Vec<(String, u32)> {
    let mut counts = std::collections::BTreeMap::new();
    for word in text.split_whitespace() {
        *counts.entry(word.to_lowercase()).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

pub fn title_case(text: &str) -> String {
    let mut title = String::new();
    let mut starts = true;
    for letter in text.chars() {
        if starts && letter.is_alphabetic() {
            title.extend(letter.to_uppercase());
        } else {
            title.push(letter);
        }
        starts = letter.is_whitespace();
    }
    title
}

pub fn wrapped(text: &str, width: u8) -> Vec<String> {
    let width = usize::from(width.max(1));
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

pub fn find(hay: &[u8], needle: &[u8]) -> Option<usize> {
    if needle.is_empty() {
        return Some(0);
    }
    if needle.len() > hay.len() {
        return None;
    }
    for start in 0..=hay.len() - needle.len() {
        if hay[start..start + needle.len()] == *needle {
            return Some(start);
        }
    }
    None
}

pub fn snake_case(text: &str) -> String {
    let mut name = String::new();
    for (place, letter) in text.char_indices() {
        if letter.is_uppercase() {
            if place > 0 && !name.ends_with('_') {
                name.push('_');
            }
            name.extend(letter.to_lowercase());
        } else if letter == '-' || letter == ' ' {
            name.push('_');
        } else {
            name.push(letter);
        }
    }
    name
}

pub fn hex(bytes: &[u8]) -> String {
    let digit = |n: u8| char::from(if n < 10 { b'0' + n } else { b'a' + n - 10 });
    let mut text = String::new();
    for byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(byte & 15));
    }
    text
}

pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    if text.len() % 2 != 0 {
        return None;
    }
    let digits: Vec<u32> = text.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let mut bytes = Vec::new();
    for pair in digits.chunks(2) {
        bytes.push((pair[0] * 16 + pair[1]) as u8);
    }
    Some(bytes)
}

pub fn luhn(text: &str) -> bool {
    let (mut sum, mut count) = (0, 0);
    for letter in text.chars().rev().filter(|c| *c != ' ') {
        let Some(mut digit) = letter.to_digit(10) else {
            return false;
        };
        if count % 2 == 1 {
            digit *= 2;
            if digit > 9 {
                digit -= 9;
            }
        }
        sum += digit;
        count += 1;
    }
    count > 1 && sum % 10 == 0
}

/// ```
/// assert_eq!(query("a=1&b=two"), vec![("a".to_owned(), "1".to_owned()), ("b".to_owned(), "two".to_owned())]);
/// ```
pub fn query(text: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for part in text.split('&') {
        if part.is_empty() {
            continue;
        }
        match part.split_once('=') {
            Some((key, value)) => pairs.push((key.to_owned(), value.to_owned())),
            None => pairs.push((part.to_owned(), String::new())),
        }
    }
    pairs
}
