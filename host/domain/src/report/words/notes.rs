//! Notes on how the numbers of a report came about, each said once.

use super::view::{listed, shortened};

/// The largest number of variants, cases or pairs that a note names.
const SUBJECTS_MAX: usize = 5;

/// Collects notes: what is said of several variants or cases is one note that names them.
///
/// ```
/// use bakeoff_domain::report::words::NoteList;
/// let mut notes = NoteList::default();
/// notes.about("For ", "heap", ": calls share state.");
/// notes.push("A single core.");
/// notes.about("For ", "sort", ": calls share state.");
/// let sentences = notes.into_sentences();
/// assert_eq!(sentences, ["For heap and sort: calls share state.", "A single core."]);
/// ```
#[derive(Debug, Default)]
pub struct NoteList {
    notes: Vec<Note>,
}

/// A sentence around a list of names, which may be empty.
#[derive(Debug)]
struct Note {
    before: String,
    subjects: Vec<String>,
    after: String,
}

impl NoteList {
    /// Adds a note that names no variant, case or pair.
    pub fn push(&mut self, text: impl Into<String>) {
        self.notes.push(Note {
            before: text.into(),
            subjects: Vec::new(),
            after: String::new(),
        });
    }

    /// Adds a note about a variant, a case or a pair, which stands between the two texts. With the same
    /// texts as an earlier note, it joins that.
    pub fn about(&mut self, before: &str, subject: &str, after: &str) {
        let same = |note: &&mut Note| {
            !note.subjects.is_empty() && note.before == before && note.after == after
        };
        match self.notes.iter_mut().find(same) {
            Some(note) if note.subjects.iter().any(|known| known == subject) => {}
            Some(note) => note.subjects.push(subject.to_owned()),
            None => self.notes.push(Note {
                before: before.to_owned(),
                subjects: vec![subject.to_owned()],
                after: after.to_owned(),
            }),
        }
    }

    /// The notes in the order in which they were first added.
    pub fn into_sentences(self) -> Vec<String> {
        let sentence = |note: Note| {
            let subjects = note.subjects.iter().map(|subject| shortened(subject));
            let subjects = listed(subjects.collect(), SUBJECTS_MAX);
            format!("{}{subjects}{}", note.before, note.after)
        };
        self.notes.into_iter().map(sentence).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fourteen_notes_that_say_the_same_are_one() {
        let mut notes = NoteList::default();
        for index in 0..14 {
            notes.about("For ", &format!("v{index}"), ": calls share state.");
            notes.about("For ", "v0", ": calls share state.");
        }
        notes.about("For ", "v3", ": something else.");
        assert_eq!(
            notes.into_sentences(),
            [
                "For v0, v1, v2, v3 and 10 others: calls share state.",
                "For v3: something else."
            ]
        );
    }
}
