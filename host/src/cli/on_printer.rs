//! The output of a command on another machine, shown here: text and colours, and nothing else.

use bakeoff_remote::Stream;
use bakeoff_render::escape::Lines;

/// The longest line that is held back until its end is there, in bytes.
const LINE_BYTES_MAX: usize = 1 << 20;

/// The beginning of what sets colours on a terminal, and its longest form, in bytes.
const COLOUR: &str = "\u{1b}[";
const COLOUR_BYTES_MAX: usize = 40;

/// The largest of the numbers that set colours, and the one among them that hides text.
const COLOUR_MAX: u8 = 107;
const HIDDEN: u8 = 8;

/// Prints what a command of another machine prints, line by line. Streams get colours where they are wanted, and no other
/// commands.
#[derive(Debug, Default)]
pub(super) struct Printer {
    /// The beginning of a line that goes on, of each stream.
    pending: [Vec<u8>; 2],
}

impl Printer {
    pub(super) fn print(&mut self, stream: Stream, text: &[u8]) {
        let pending = &mut self.pending[usize::from(stream == Stream::Stderr)];
        pending.extend(text);
        let end = match pending.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => end + 1,
            None if pending.len() > LINE_BYTES_MAX => whole_characters(pending),
            None => 0,
        };
        if end > 0 {
            let lines: Vec<u8> = pending.drain(..end).collect();
            write(stream, &lines);
        }
    }

    pub(super) fn finish(&mut self) {
        for (stream, pending) in [Stream::Stdout, Stream::Stderr]
            .into_iter()
            .zip(&self.pending)
        {
            write(stream, pending);
        }
    }
}

/// Returns the length of a text without a character at its end of which bytes are still to come.
fn whole_characters(text: &[u8]) -> usize {
    match std::str::from_utf8(text) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => text.len(),
    }
}

fn write(stream: Stream, text: &[u8]) {
    // These leave colours out where they are not wanted.
    let mut to: Box<dyn std::io::Write> = match stream {
        Stream::Stdout => Box::new(anstream::stdout()),
        Stream::Stderr => Box::new(anstream::stderr()),
    };
    let text = coloured(&String::from_utf8_lossy(text));
    let written = to.write_all(text.as_bytes());
    // Whoever reads it may have seen enough.
    let _ = written.and_then(|()| to.flush());
}

/// Returns a text in which only colours are commands for the terminal. What bakeoff itself prints stays as it is, its
/// JSON byte for byte: it has no other control characters.
fn coloured(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(COLOUR) {
        let (before, sequence) = rest.split_at(at);
        shown += &plain(before);
        let length = colour_bytes(sequence);
        let (sequence, behind) = sequence.split_at(length.unwrap_or(COLOUR.len()));
        match length {
            Some(_) => shown += sequence,
            None => shown += &plain(sequence),
        }
        rest = behind;
    }
    shown + &plain(rest)
}

/// Returns a text whose control characters but line breaks and tabs are made visible.
fn plain(text: &str) -> String {
    let parts: Vec<String> = text
        .split('\t')
        .map(|part| Lines(part).to_string())
        .collect();
    parts.join("\t")
}

/// Returns the length of the command at the beginning of a text if it sets colours and hides nothing.
fn colour_bytes(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix(COLOUR)?;
    let end = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    let length = COLOUR.len() + end + 1;
    let is_end = numbers[end..].starts_with('m') && length <= COLOUR_BYTES_MAX;
    (is_end && are_colours(&numbers[..end])).then_some(length)
}

/// Returns true if numbers set colours or the weight of letters, and do not hide them.
fn are_colours(numbers: &str) -> bool {
    let mut numbers = numbers.split(';').map(|number| match number {
        "" => Some(0),
        number => number.parse::<u8>().ok(),
    });
    while let Some(number) = numbers.next() {
        match number {
            // A colour by its number or by three parts, whatever these are.
            Some(38 | 48 | 58) => {
                let more = match numbers.next() {
                    Some(Some(5)) => 1,
                    Some(Some(2)) => 3,
                    _ => return false,
                };
                if !(0..more).all(|_| numbers.next().flatten().is_some()) {
                    return false;
                }
            }
            Some(0..=COLOUR_MAX) if number != Some(HIDDEN) => {}
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::is_active;

    #[test]
    fn a_terminal_gets_colours_and_no_other_commands() {
        for colours in [
            "\u{1b}[1;32mgood\u{1b}[0m\n",
            "\u{1b}[mx",
            "\u{1b}[38;5;8mgrey\u{1b}[48;2;8;8;8mx",
        ] {
            assert_eq!(coloured(colours), colours);
        }
        for hostile in [
            "\u{1b}[2J",
            "\u{1b}]0;title\u{7}",
            "a\rb",
            "\u{1b}[1",
            "\u{1b}[31\u{1b}[2Jm",
            "\u{1b}[8mhidden",
            "\u{1b}[1;8m",
            "\u{1b}[38;8m",
            "\u{1b}[38;5m",
            "\u{1b}[999m",
            "\u{1b}[4294967304m",
            "\u{9b}2J",
            "\u{202e}",
            "\u{8}\u{7f}",
        ] {
            let shown = coloured(hostile);
            assert!(!shown.chars().any(is_active), "{shown:?}");
        }
    }

    #[test]
    fn case_315_what_bakeoff_prints_stays_byte_for_byte() {
        let json = "{\n\t\"text\": \"\\u001b[2J \\u202e a::b é\"\n}\n";
        assert_eq!(coloured(json), json);
        let long = "é".repeat(LINE_BYTES_MAX);
        let half = &long.as_bytes()[..LINE_BYTES_MAX + 1];
        assert_eq!(whole_characters(half), LINE_BYTES_MAX);
        assert_eq!(whole_characters(b"ab\xff"), 3);
    }
}
