//! Lines of modules that became a part of their source's text, as lines of the modules' own files.

use std::fmt::Write as _;

/// The sign between the head of a module and the name of its file.
const OPENING: &str = " { // module ";
/// The line that ends a module.
const CLOSING: &str = "} // end of module";

/// Returns a module as text behind a source: its head is `pub mod helper`, and its file `helper.rs`.
pub(super) fn module(head: &str, file: &str, content: &str) -> String {
    format!("\n{head}{OPENING}{file}\n{content}\n{CLOSING}\n")
}

/// Returns a message in which places in the text of a source are places in the files of its modules, where they lie in
/// one: `a.rs:9:5` becomes `helper.rs:3:5`. A place is looked for behind `path_shown`, the name of the source; the lines
/// that a compiler shows below a place, `9 | code`, have the numbers of that file as well.
pub fn in_own_files(message: &str, path_shown: &str, text: &str) -> String {
    if path_shown.is_empty() || !text.contains(OPENING) {
        return message.to_owned();
    }
    let lines = own_lines(text);
    let folder = path_shown.rfind('/').map_or("", |end| &path_shown[..=end]);
    let before = format!("{path_shown}:");
    let mut parts = message.split(&before);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let (line, rest) = part.split_at(digits);
        let line = line
            .parse::<usize>()
            .ok()
            .and_then(|line| line.checked_sub(1));
        // Writing to a text cannot fail.
        let _ = match line.and_then(|line| *lines.get(line)?) {
            Some((file, own)) => {
                let rest = with_own_numbers(rest, file, &lines);
                write!(shown, "{folder}{file}:{own}{rest}")
            }
            None => write!(shown, "{before}{part}"),
        };
    }
    shown
}

/// Returns lines of code as a compiler shows them below a place in the file of a module, with the numbers of that file in
/// front. Numbers stay as wide as they were, so that the bars behind them stay in one column.
fn with_own_numbers(shown: &str, file: &str, lines: &[Option<(&str, usize)>]) -> String {
    let renumbered = |line: &str| {
        let (number, code) = line.split_once(" |")?;
        let place = number.trim().parse::<usize>().ok()?.checked_sub(1)?;
        match lines.get(place) {
            Some(Some((of, own))) if *of == file => {
                Some(format!("{own:<width$} |{code}", width = number.len()))
            }
            _ => None,
        }
    };
    shown
        .split_inclusive('\n')
        .map(|line| renumbered(line).unwrap_or_else(|| line.to_owned()))
        .collect()
}

/// Returns for each line of a text the file of its module and the line there; `None` for a line of the source itself.
fn own_lines(text: &str) -> Vec<Option<(&str, usize)>> {
    let mut within: Vec<(&str, usize)> = Vec::new();
    let mut own_line = |line| {
        if let Some((_, file)) = str::split_once(line, OPENING) {
            within.push((file, 0));
            return None;
        }
        if line == CLOSING {
            within.pop();
            return None;
        }
        let innermost = within.last_mut()?;
        innermost.1 += 1;
        Some(*innermost)
    };
    text.lines().map(&mut own_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_module_is_one_of_its_own_file() {
        let inner = module("mod c", "b/c.rs", "one\ntwo\nthree");
        let text = format!(
            "first\nsecond{}",
            module("pub mod b", "b.rs", &format!("one{inner}"))
        );
        let shown = |message| in_own_files(message, "approaches/a.rs", &text);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines[3], lines[6]), ("one", "two"));
        assert_eq!(shown("at approaches/a.rs:2:1"), "at approaches/a.rs:2:1");
        assert_eq!(
            shown("at approaches/a.rs:4:1, approaches/a.rs:7:3."),
            "at approaches/b.rs:1:1, approaches/b/c.rs:2:3."
        );
        assert_eq!(
            shown("error\n --> approaches/a.rs:4:1\n  |\n4 | one\n7 | two\n  | ^"),
            "error\n --> approaches/b.rs:1:1\n  |\n1 | one\n7 | two\n  | ^"
        );
        for other in [
            "approaches/a.rs:99",
            "approaches/a.rs: no",
            "a.rs:4",
            "approaches/a.rs:0",
        ] {
            assert_eq!(shown(other), other);
        }
        assert_eq!(in_own_files("a.rs:4", "a.rs", "mod b {"), "a.rs:4");
        // Ends without beginnings, which a source may have itself, end nothing.
        assert_eq!(own_lines("} // end of module\nx"), [None, None]);
    }
}
