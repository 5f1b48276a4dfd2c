//! Ideas of how a problem can be solved, as a model names them, and their comparison.

use super::replies::WrittenIdea;
use bakeoff_domain::is_active;
use bakeoff_domain::spec::AuthorWords;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The longest name of an idea, in characters.
const ID_CHARS_MAX: usize = 40;

/// The longest sentence of a model that is kept, in characters.
const SENTENCE_CHARS_MAX: usize = 300;

/// The most sentences of one kind that are kept.
const SENTENCES_MAX: usize = 8;

/// The longest guidelines of a model that are kept, in characters.
const GUIDELINES_CHARS_MAX: usize = 1_200;

/// An idea of how a problem can be solved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Idea {
    /// Name of the approach: words of lower-case letters and digits, made from the model's own name for it.
    pub name: String,
    /// Description of the approach, in a sentence of the model's.
    pub description: String,
    /// Reason why the approach may be good, in a sentence of the model's.
    pub rationale: String,
    /// Features that tell the approach from others, in a few words each.
    pub characteristics: Vec<String>,
    /// Sentences of the model's that speak for the approach.
    pub pros: Vec<String>,
    /// Sentences of the model's that speak against the approach.
    pub cons: Vec<String>,
    /// Guidelines of the model's for the writer of the prototype.
    pub guidelines: String,
}

/// An idea of the user's own, which a model is to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WishedIdea {
    /// The idea, under the user's name for it.
    pub idea: Idea,
    /// File with wishes for this idea.
    pub instructions: Option<WishFile>,
}

/// File of wishes that an experiment names, which may be anybody's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WishFile {
    /// Path of the file.
    pub file: PathBuf,
    /// Folder that it must lie in, by no link that leads out.
    pub within: PathBuf,
}

impl WishedIdea {
    /// Makes the idea of a user: its name becomes that of files, and is told to the model with the description.
    pub fn new(name: &str, description: &str, words: &AuthorWords) -> Self {
        let short = slug(name);
        let idea = Idea {
            name: if short.is_empty() {
                format!(
                    "idea-{}",
                    &bakeoff_source::content_address(name.as_bytes())[..8]
                )
            } else {
                short
            },
            description: if description.is_empty() {
                name.to_owned()
            } else {
                description.to_owned()
            },
            rationale: words.rationale.clone().unwrap_or_default(),
            characteristics: words.characteristics.clone(),
            pros: words.pros.clone(),
            cons: words.cons.clone(),
            guidelines: String::new(),
        };
        Self {
            idea,
            instructions: None,
        }
    }
}

impl Idea {
    /// Takes over an idea of a model: its texts become one line each, and its name one that is not among `taken`.
    pub(super) fn of(written: &WrittenIdea, place: usize, taken: &[String]) -> Self {
        let slug = slug(&written.name);
        let base = if slug.is_empty() {
            format!("approach-{place}")
        } else {
            slug
        };
        Self {
            name: free_name(&base, |name| taken.iter().any(|other| other == name)),
            description: sentence(&written.description),
            rationale: sentence(&written.rationale),
            characteristics: sentences(&written.key_characteristics),
            pros: sentences(&written.pros),
            cons: sentences(&written.cons),
            guidelines: clipped(&written.guidelines, GUIDELINES_CHARS_MAX),
        }
    }

    /// Returns what the model says of the approach.
    pub fn words(&self) -> AuthorWords {
        AuthorWords {
            rationale: Some(self.rationale.clone()).filter(|text| !text.is_empty()),
            characteristics: self.characteristics.clone(),
            pros: self.pros.clone(),
            cons: self.cons.clone(),
        }
    }

    /// Returns true if `other` has the same name, or the same characteristics.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let words = |idea: &Self| -> BTreeSet<String> {
            idea.characteristics
                .iter()
                .map(|text| slug(text))
                .filter(|text| !text.is_empty())
                .collect()
        };
        let (mine, others) = (words(self), words(other));
        slug(&self.name) == slug(&other.name) || (!mine.is_empty() && mine == others)
    }
}

/// Returns a name that is not taken: this one, or else the first of it with a number behind, from 2.
pub(super) fn free_name(base: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2_u64..).map(|number| format!("{base}-{number}"));
    let mut names = std::iter::once(base.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

/// Returns the text's lower-case letters and digits of ASCII, in words with single hyphens between them.
pub(super) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for letter in text.chars() {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() == ID_CHARS_MAX {
            break;
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// Returns a text of several lines without control and formatting characters, shortened.
pub(super) fn clipped_lines(text: &str, chars_max: usize) -> String {
    let lines = text.lines().map(|line| {
        let shown = line.chars().filter(|one| *one == '\t' || !is_active(*one));
        shown.collect::<String>().trim_end().to_owned()
    });
    let lines: Vec<String> = lines.collect();
    let lines = lines.join("\n");
    let lines = lines.trim_matches('\n');
    match lines.char_indices().nth(chars_max.saturating_sub(1)) {
        Some((end, _)) => format!("{}…", &lines[..end]),
        None => lines.to_owned(),
    }
}

/// Returns sentences that say something, each as one line.
pub(super) fn sentences(texts: &[String]) -> Vec<String> {
    let sentences = texts.iter().map(|text| sentence(text));
    let saying = sentences.filter(|text| !text.is_empty());
    saying.take(SENTENCES_MAX).collect()
}

/// Returns a text as one line without control and formatting characters, shortened.
pub(super) fn sentence(text: &str) -> String {
    clipped(text, SENTENCE_CHARS_MAX)
}

/// Returns a text as one line without control and formatting characters, of so many characters at most.
pub(super) fn clipped(text: &str, chars_max: usize) -> String {
    let words: Vec<&str> = text
        .split(|letter: char| letter.is_whitespace() || is_active(letter))
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ").chars().take(chars_max).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(name: &str, characteristics: &[&str]) -> WrittenIdea {
        WrittenIdea {
            name: name.to_owned(),
            description: "It\u{1b}[2J \u{202e}sorts\n\nall.".to_owned(),
            rationale: String::new(),
            key_characteristics: characteristics.iter().map(|&text| text.into()).collect(),
            pros: vec!["\u{7}".to_owned(), "fast\n".to_owned()],
            cons: Vec::new(),
            guidelines: String::new(),
        }
    }

    #[test]
    fn names_are_ours_whatever_the_model_writes() {
        let name = |text: &str| Idea::of(&written(text, &[]), 3, &["heap".to_owned()]).name;
        assert_eq!(name("Bounded Min-Heap!"), "bounded-min-heap");
        assert_eq!(name("../../etc/passwd\0"), "etc-passwd");
        assert_eq!(name("\u{202e}…"), "approach-3");
        assert_eq!(name("heap"), "heap-2");
        assert_eq!(name(&"x".repeat(900)).len(), ID_CHARS_MAX);
        let idea = Idea::of(&written("a", &[]), 1, &[]);
        assert_eq!(idea.description, "It [2J sorts all.");
        assert_eq!(idea.words().pros, ["fast"]);
        assert_eq!(idea.words().rationale, None);
    }

    #[test]
    fn an_idea_of_the_user_has_a_name_for_files_and_a_description() {
        let idea = |name: &str, description: &str| {
            WishedIdea::new(name, description, &AuthorWords::default()).idea
        };
        let functional = idea("Functional style", "Pure functions.");
        assert_eq!(functional.name, "functional-style");
        assert_eq!(functional.description, "Pure functions.");
        assert_eq!(idea("heap", "").description, "heap");
        assert!(idea("…", "").name.starts_with("idea-"));
    }

    #[test]
    fn ideas_are_alike_by_name_or_by_all_their_characteristics() {
        let idea =
            |name, characteristics: &[&str]| Idea::of(&written(name, characteristics), 1, &[]);
        let heap = idea("Heap", &["O(n log k)", "one pass"]);
        assert!(heap.is_like(&idea("heap ", &[])));
        assert!(heap.is_like(&idea("queue", &["One pass", "o(n log k)"])));
        assert!(!heap.is_like(&idea("queue", &["one pass"])));
        assert!(!idea("a", &[]).is_like(&idea("b", &[])));
    }
}
