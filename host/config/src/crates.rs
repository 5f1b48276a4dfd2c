//! `[build]`: the crates that the user allows, SIMD, and the edition of sources.

use super::error::{Finding, quoted};
use super::fields::build::{
    CRATE_DEFAULT_FEATURES, CRATE_FEATURES, CRATE_NAME, CRATE_VERSION, CRATES, CRATES_MAX, EDITION,
    FEATURES_MAX, SIMD,
};
use super::section::{At, Section};
use bakeoff_domain::crates::{AllowedCrate, PACKAGE};
use bakeoff_domain::edition::Edition;
use bakeoff_domain::simd::Simd;
use std::ops::Range;
use toml::de::DeValue;

/// The most characters of the name of a crate, as the registry has it, of a version or of a feature.
const CHARS_MAX: usize = 64;

/// `[build]`
pub(super) fn build(
    mut section: Section<'_>,
    found: &mut Vec<Finding>,
) -> (Vec<AllowedCrate>, Simd, Edition) {
    let listed = section.array(&CRATES, "a list like `[\"hashbrown@0.15\"]`", found);
    let simd = match section.flag(&SIMD, found) {
        Some(At { value: false, .. }) => Simd::Off,
        _ => Simd::On,
    };
    let edition = section.choice(&EDITION, found);
    section.close(found);
    (
        listed.map_or_else(Vec::new, |listed| allowed(listed, found)),
        simd,
        edition.map_or_else(Edition::default, |edition| edition.value),
    )
}

fn allowed(listed: At<Vec<At<&DeValue<'_>>>>, found: &mut Vec<Finding>) -> Vec<AllowedCrate> {
    let mut crates: Vec<AllowedCrate> = Vec::new();
    if let Some(beyond) = listed.value.get(CRATES_MAX) {
        found.push(Finding::new(
            beyond.span.clone(),
            format!(
                "there are {} crates, and {CRATES_MAX} is the most",
                listed.value.len()
            ),
            "the first one too many",
            "allow fewer",
        ));
    }
    for one in listed.value.into_iter().take(CRATES_MAX) {
        let read = match one.value.as_table() {
            Some(table) => of_table(Section::new("a crate", table, one.span.clone()), found),
            None => of_text(one.value.as_str().unwrap_or_default(), &one.span, found),
        };
        let Some(named) = read else { continue };
        // A source names both by the same word.
        let word = |name: &str| name.replace('-', "_");
        if crates
            .iter()
            .any(|known| word(&known.name) == word(&named.name))
        {
            found.push(Finding::new(
                one.span,
                format!("the crate {} is listed twice", quoted(&named.name)),
                "the second one",
                "remove one",
            ))
        } else {
            crates.push(named);
        }
    }
    crates
}

fn not_a_crate(span: Range<usize>, text: &str, help: &str) -> Finding {
    let message = format!("{} is no crate with its version", quoted(text));
    Finding::new(span, message, "impossible value", help)
}

/// `"hashbrown@0.15"`
fn of_text(text: &str, span: &Range<usize>, found: &mut Vec<Finding>) -> Option<AllowedCrate> {
    let named = parse(text);
    if named.is_none() {
        let help = "write `NAME@VERSION`, like \"hashbrown@0.15\": any version compatible with 0.15; or a table \
                    that has `features`";
        found.push(not_a_crate(span.clone(), text, help));
    }
    named
}

/// `{ name = "serde", version = "1", features = ["derive"], default-features = false }`
fn of_table(mut table: Section<'_>, found: &mut Vec<Finding>) -> Option<AllowedCrate> {
    let before = found.len();
    let name = table.text(&CRATE_NAME, found);
    let version = table.text(&CRATE_VERSION, found);
    let features = table.array(&CRATE_FEATURES, "a list like `[\"derive\"]`", found);
    let default_features = table.flag(&CRATE_DEFAULT_FEATURES, found);
    table.missing_field(&CRATE_NAME, "it is the crate's", found);
    let why = "it says which versions are taken";
    table.missing_field(&CRATE_VERSION, why, found);
    table.close(found);
    let (name, version) = (name?, version?);
    let text = format!("{}@{}", name.value, version.value);
    let Some(named) = parse(&text) else {
        let help = "write `name` as the registry has it, and `version` like \"0.15\"";
        found.push(not_a_crate(version.span, &text, help));
        return None;
    };
    let features = features.map_or(Vec::new(), |features| features.value);
    for one in features.iter().skip(FEATURES_MAX).take(1) {
        found.push(Finding::new(
            one.span.clone(),
            format!(
                "there are {} features, and {FEATURES_MAX} is the most",
                features.len()
            ),
            "the first one too many",
            "name fewer",
        ));
    }
    let mut names: Vec<String> = Vec::new();
    for one in features.into_iter().take(FEATURES_MAX) {
        let name = one.value.as_str().unwrap_or_default();
        if is_feature(name) {
            names.push(name.to_owned());
        } else {
            found.push(Finding::new(
                one.span,
                format!("{} is no name of a feature", quoted(name)),
                "impossible value",
                "write it as the crate's documentation does, like \"derive\"",
            ))
        }
    }
    names.sort();
    names.dedup();
    (found.len() == before).then(|| AllowedCrate {
        features: names,
        default_features: default_features.is_none_or(|flag| flag.value),
        ..named
    })
}

/// Returns true if a text consists of 1 to [`CHARS_MAX`] ASCII letters, digits and the given signs, so that it can
/// be quoted in TOML without escapes.
fn fits(text: &str, signs: &str) -> bool {
    let usual = |c: char| c.is_ascii_alphanumeric() || signs.contains(c);
    (1..=CHARS_MAX).contains(&text.len()) && text.chars().all(usual)
}

fn is_feature(name: &str) -> bool {
    fits(name, "_-+.") && name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

fn parse(text: &str) -> Option<AllowedCrate> {
    let (name, version) = text.split_once('@')?;
    let is_name = fits(name, "-_") && name.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_version = fits(version, ".-") && version.starts_with(|c: char| c.is_ascii_digit());
    (is_name && is_version && name != PACKAGE).then(|| AllowedCrate::new(name, version))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crates(list: &[&str]) -> Vec<AllowedCrate> {
        list.iter().map(|text| parse(text).unwrap()).collect()
    }

    #[test]
    fn a_crate_has_a_name_and_a_version() {
        let shown = |text: &str| parse(text).map(|one| one.to_string());
        for text in ["hashbrown@0.15", "serde_json@1", "a-b@1.2.3-beta.1"] {
            assert_eq!(shown(text).as_deref(), Some(text));
        }
        for text in [
            "",
            "hashbrown",
            "hashbrown@",
            "@1",
            "a@b",
            "1a@1",
            "a b@1",
            "a@1\"",
            "a@1\n",
            "a@*",
            "../a@1",
            "bakeoff-crates@1",
            "a@1@2",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_crate_is_found_where_it_stands() {
        let text = "name = 'x'\nproblem = '?'\n[interface]\nwit = 'a.wit'\ncall = 'f'\n\
                    [workload]\nsource = 'w.rs'\nsizes = [1]\n\
                    [[approach]]\nname = 'a'\nsource = 'a.rs'\n[build]\ncrates = LIST\n";
        let said = |list: &str| {
            let parsed = super::super::parse(&text.replace("LIST", list), "t");
            parsed.map_err(|error| format!("{error:?}"))
        };
        let allowed = said("['a-b@1', 'c@0.2']").unwrap().crates.allowed;
        assert_eq!(allowed, crates(&["a-b@1", "c@0.2"]));
        let simd = |list: &str| said(list).unwrap().simd;
        assert_eq!(simd("[]\nsimd = false"), Simd::Off);
        let edition = |list: &str| said(list).map(|experiment| experiment.edition);
        assert_eq!(edition("[]\nedition = '2021'"), Ok(Edition::Rust2021));
        assert_eq!(edition("[]"), Ok(Edition::Rust2024));
        let unknown = edition("[]\nedition = '2018'").unwrap_err();
        assert!(unknown.contains("`edition` cannot be"), "{unknown}");
        assert_eq!((simd("[]"), simd("[]\nsimd = true")), (Simd::On, Simd::On));
        assert!(
            said("[]\nsimd = 1")
                .unwrap_err()
                .contains("`true` or `false`")
        );
        assert!(
            said("['a-b@1', 'a_b@2']")
                .unwrap_err()
                .contains("listed twice")
        );
        assert!(
            said("['a']")
                .unwrap_err()
                .contains("no crate with its version")
        );
        assert!(
            said("[1]")
                .unwrap_err()
                .contains("no crate with its version")
        );
        let table = "['a@1', {name='b', version='1.2', features=['y+z', 'x', 'x'], default-features=false}]";
        let allowed = said(table).unwrap().crates.allowed;
        let with_features = AllowedCrate {
            features: vec!["x".to_owned(), "y+z".to_owned()],
            default_features: false,
            ..AllowedCrate::new("b", "1.2")
        };
        assert_eq!(allowed, [AllowedCrate::new("a", "1"), with_features]);
        for (wrong, why) in [
            ("[{name='b'}]", "`version`"),
            ("[{version='1'}]", "`name`"),
            ("[{name='b', version='*'}]", "no crate with its version"),
            ("[{name='b', version='1', path='/x'}]", "known here"),
            ("[{name='b', version='1', features='x'}]", "a list like"),
            (
                "[{name='b', version='1', features=['a/b']}]",
                "no name of a feature",
            ),
            (
                "[{name='b', version='1', features=['\"]']}]",
                "no name of a feature",
            ),
            ("['b@1', {name='b', version='1'}]", "listed twice"),
        ] {
            let error = said(wrong).unwrap_err();
            assert!(error.contains(why), "{wrong}: {error}");
        }
        let many: Vec<String> = (0..33).map(|n| format!("'f{n}'")).collect();
        let many = format!("[{{name='b', version='1', features=[{}]}}]", many.join(","));
        assert!(said(&many).unwrap_err().contains("33 features"));
        let many: Vec<String> = (0..17).map(|n| format!("'c{n}@1'")).collect();
        assert!(
            said(&format!("[{}]", many.join(",")))
                .unwrap_err()
                .contains("17 crates")
        );
    }
}
