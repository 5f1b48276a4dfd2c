//! Boyer, Moore and Horspool: the text's letter under the pattern's end says how far to go on.

pub fn find_all(text: Vec<u8>, pattern: Vec<u8>) -> Vec<u32> {
    let mut found = Vec::new();
    let Some(last) = pattern.len().checked_sub(1) else {
        return found;
    };
    let mut shift = [pattern.len(); 256];
    for (i, &letter) in pattern[..last].iter().enumerate() {
        shift[usize::from(letter)] = last - i;
    }
    let mut at = 0;
    while let Some(window) = text.get(at..at + pattern.len()) {
        if window == pattern {
            found.push(at as u32);
        }
        at += shift[usize::from(window[last])];
    }
    found
}
