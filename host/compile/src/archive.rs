//! Objects in the compiler's output, an archive in the format of `ar` that the child reads.

/// The first bytes of an archive.
const MAGIC: &[u8] = b"!<arch>\n";

/// The size of a member's header, in bytes.
const HEADER_BYTES: usize = 60;

/// A member of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member<'a> {
    pub(super) name: &'a str,
    pub(super) bytes: &'a [u8],
}

/// Returns the members of an archive, without its tables of symbols and long names. `None` if it is
/// malformed.
pub(super) fn members(archive: &[u8]) -> Option<Vec<Member<'_>>> {
    let mut rest = archive.strip_prefix(MAGIC)?;
    let mut long_names: &[u8] = &[];
    let mut members = Vec::new();
    while !rest.is_empty() {
        let (header, after) = rest.split_at_checked(HEADER_BYTES)?;
        let name = text(&header[..16])?;
        let size: usize = text(&header[48..58])?.parse().ok()?;
        if &header[58..] != b"`\n" {
            return None;
        }
        let (bytes, after) = after.split_at_checked(size)?;
        match name {
            "/" | "/SYM64/" => {}
            "//" => long_names = bytes,
            _ => members.push(Member {
                name: full_name(name, long_names)?,
                bytes,
            }),
        }
        // Members begin at even places.
        rest = after.get(size % 2..).unwrap_or_default();
    }
    Some(members)
}

/// Returns the text in a field of fixed width.
fn text(field: &[u8]) -> Option<&str> {
    Some(std::str::from_utf8(field).ok()?.trim_end())
}

/// Returns the name of a member: from its header, `name/`, or from the table of long names at the
/// `/offset` in its header, up to `/` and a new line.
fn full_name<'a>(name: &'a str, long_names: &'a [u8]) -> Option<&'a str> {
    match name.strip_prefix('/') {
        None => Some(name.strip_suffix('/').unwrap_or(name)),
        Some(offset) => {
            let from = long_names.get(offset.parse::<usize>().ok()?..)?;
            let end = memchr::memchr(b'\n', from)?;
            let name = std::str::from_utf8(&from[..end]).ok()?;
            Some(name.strip_suffix('/').unwrap_or(name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, size: usize) -> String {
        format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644)
    }

    #[test]
    fn members_are_found_by_short_and_long_names() {
        let long = "a-name-of-more-than-sixteen-bytes.o/\n";
        let archive = format!(
            "!<arch>\n{}\0\0\0\0{}{long}\n{}abc\n{}de",
            header("/", 4),
            header("//", long.len()),
            header("/0", 3),
            header("b.o/", 2)
        );
        let found = members(archive.as_bytes()).unwrap();
        let found: Vec<_> = found.iter().map(|m| (m.name, m.bytes)).collect();
        let first = ("a-name-of-more-than-sixteen-bytes.o", &b"abc"[..]);
        assert_eq!(found, [first, ("b.o", b"de")]);
        assert_eq!(members(b"!<arch>\n").unwrap(), []);
    }

    #[test]
    fn what_is_cut_off_or_out_of_bounds_is_no_archive() {
        let whole = format!("!<arch>\n{}abc", header("a.o/", 3));
        assert_eq!(members(whole.as_bytes()).unwrap().len(), 1);
        for length in 9..whole.len() {
            assert_eq!(members(&whole.as_bytes()[..length]), None, "{length}");
        }
        for wrong in [
            "!<thin>\n".to_owned(),
            format!("!<arch>\n{}abc", header("/7", 3)),
            format!("!<arch>\n{}abc", header("a.o/", usize::MAX)),
        ] {
            assert_eq!(members(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
