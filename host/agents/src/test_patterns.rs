//! Patterns of tests.

/// The patterns of files that are tests unless others are named.
pub const TEST_PATTERNS: [&str; 15] = [
    "tests/**",
    "test/**",
    "**/tests/**",
    "**/test/**",
    "**/__tests__/**",
    "**/test_*",
    "**/*_test.*",
    "**/*.test.*",
    "**/*.spec.*",
    "spec/**",
    "**/*_spec.*",
    "**/*Test.*",
    "**/*Tests.*",
    "**/conftest.py",
    "**/pytest.ini",
];

/// Sign before a pattern of files that are no tests, whatever other patterns say.
pub(crate) const EXCEPT: char = '!';

/// Returns the patterns of tests: the usual ones, and those that the user named.
pub fn with_usual_tests(named: &[String]) -> Vec<String> {
    let usual = TEST_PATTERNS.map(str::to_owned).into_iter();
    let mut patterns: Vec<String> = usual.collect();
    for pattern in named {
        if !patterns.contains(pattern) {
            patterns.push(pattern.clone());
        }
    }
    patterns
}

/// Returns true if a file is taken from the base where what an agent left is verified or measured: a test, by these
/// patterns, or attributes of git, by which other files are converted when they are laid out.
pub(crate) fn is_of_base(patterns: &[String], path: &str) -> bool {
    is_attributes(path) || is_test(patterns, path)
}

/// Returns true if a path fits a pattern, and none behind a `!`.
fn is_test(patterns: &[String], path: &str) -> bool {
    let excepted = patterns
        .iter()
        .filter_map(|pattern| pattern.strip_prefix(EXCEPT));
    patterns.iter().any(|pattern| matches(pattern, path))
        && !excepted.into_iter().any(|pattern| matches(pattern, path))
}

/// Returns true for a file with attributes of git.
pub(crate) fn is_attributes(path: &str) -> bool {
    path.rsplit('/').next() == Some(".gitattributes")
}

/// Returns true if a path fits a pattern: `*` stands for anything within a name, `**/` for folders or none, and `/**` for
/// all below a folder.
pub(crate) fn matches(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    parts_match(&pattern, &path)
}

fn parts_match(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((&"**", [])), found) => found.is_some(),
        (Some((&"**", rest)), found) => {
            parts_match(rest, path) || found.is_some_and(|(_, below)| parts_match(pattern, below))
        }
        (Some((first, rest)), Some((name, below))) => {
            name_matches(first.as_bytes(), name.as_bytes()) && parts_match(rest, below)
        }
        _ => false,
    }
}

/// Returns true if a name fits, in time of the product of their lengths: the last star alone is tried again.
fn name_matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut retry = None;
    while n < name.len() {
        if pattern.get(p) == Some(&b'*') {
            retry = Some((p, n));
            p += 1;
        } else if pattern.get(p) == Some(&name[n]) {
            p += 1;
            n += 1;
        } else if let Some((star, from)) = retry {
            retry = Some((star, from + 1));
            p = star + 1;
            n = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_pattern_adds_to_the_usual_ones_and_an_excepted_one_takes_away() {
        let named = ["*.check", "!tests/golden/**"].map(str::to_owned);
        let patterns = with_usual_tests(&named);
        for (path, is_one) in [
            ("tests/a.rs", true),
            ("a.check", true),
            ("tests/golden/a.rs", false),
            ("tests/golden/.gitattributes", true),
            ("src/a.rs", false),
        ] {
            assert_eq!(is_of_base(&patterns, path), is_one, "{path}");
        }
    }

    #[test]
    fn the_usual_tests_are_found_and_nothing_else() {
        let is_test = |path: &str| TEST_PATTERNS.iter().any(|pattern| matches(pattern, path));
        for test in [
            "tests/a.rs",
            "tests/deep/er/a.rs",
            "a/tests/b",
            "test_a.py",
            "x/test_a.py",
            "a_test.go",
            "src/a.test.ts",
            "b.spec.js",
        ] {
            assert!(is_test(test), "{test}");
        }
        for other in [
            "src/a.rs",
            "tests",
            "latest_a.py",
            "src/contest/a",
            "attest.rs",
        ] {
            assert!(!is_test(other), "{other}");
        }
        assert!(!matches("a*b*c", "a/b/c") && matches("a*b*c", "aXbbYc"));
    }
}
