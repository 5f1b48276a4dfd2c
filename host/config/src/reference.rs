//! Components in registries, which an experiment file names by `oci://registry/name:tag@sha256:…`.

use super::error::{Finding, quoted};
use super::paths::{self, FileKind, FileRef};
use super::section::At;
use bakeoff_domain::reference::ComponentReference;
use bakeoff_domain::spec::Code;
use std::ops::Range;
use std::path::PathBuf;

/// Reads the name of a component: a file's path, or a reference.
pub(super) fn component(
    named: &At<&str>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Code> {
    if !ComponentReference::is_meant(named.value) {
        let file = paths::relative(named, FileKind::Component, found)?;
        files.push(file.clone());
        return Some(Code::Component(file.path));
    }
    match ComponentReference::parse(named.value) {
        Ok(reference) => {
            files.push(FileRef {
                path: reference.as_str().into(),
                span: named.span.clone(),
                kind: FileKind::Reference,
            });
            Some(Code::Reference(reference))
        }
        Err(why) => {
            found.push(Finding::new(
                named.span.clone(),
                // Not repeated: it may hold a password.
                format!("the reference {why}"),
                "this reference",
                "a component in a registry is `oci://registry/name:tag`, to which `bakeoff vendor` adds the digest",
            ));
            None
        }
    }
}

/// Refuses a reference without a digest: a tag is another component whenever its owner wants.
pub(super) fn look_up(file: &FileRef, found: &mut Vec<Finding>) {
    let named = file.path.display().to_string();
    let has_digest =
        ComponentReference::parse(&named).is_ok_and(|reference| reference.digest().is_some());
    if !has_digest {
        found.push(Finding::new(
            file.span.clone(),
            format!(
                "{} has no digest, and a tag alone may be another component tomorrow",
                quoted(&named)
            ),
            "named here",
            "run `bakeoff vendor` for this experiment, which asks the registry, writes the digest here and fetches the \
             component",
        ));
    }
}

/// The components in registries that an experiment file names, with the file's text.
#[derive(Clone, Debug)]
pub struct References {
    /// The experiment file.
    pub file: PathBuf,
    /// The references in the order in which they stand there.
    pub list: Vec<NamedReference>,
    text: String,
}

/// A reference that an experiment file names.
#[derive(Clone, Debug)]
pub struct NamedReference {
    /// The reference.
    pub reference: ComponentReference,
    span: Range<usize>,
}

impl References {
    pub(super) fn new(file: PathBuf, text: String, files: &[FileRef]) -> Self {
        let named = files
            .iter()
            .filter(|file| file.kind == FileKind::Reference)
            .filter_map(|file| {
                let text = file.path.to_str()?;
                Some(NamedReference {
                    reference: ComponentReference::parse(text).ok()?,
                    span: file.span.clone(),
                })
            });
        let mut list: Vec<NamedReference> = named.collect();
        list.sort_by_key(|one| one.span.start);
        Self { file, list, text }
    }

    /// Returns the text of the file with other references, one for each of the list, and nothing else changed; `None` if all
    /// are as they were.
    ///
    /// # Errors
    /// A reference that changes is not written plainly between quotes; it is returned as it should be.
    pub fn rewritten(
        &self,
        references: &[ComponentReference],
    ) -> Result<Option<String>, ComponentReference> {
        let mut text = self.text.clone();
        // From the end, so that the places before stay.
        for (named, new) in self.list.iter().zip(references).rev() {
            if named.reference == *new {
                continue;
            }
            let Range { start, end } = named.span;
            let written = text.get(start..end).unwrap_or_default();
            let mut quotes = ["\"", "'"].into_iter();
            let quote =
                quotes.find(|quote| written == format!("{quote}{}{quote}", named.reference));
            let quote = quote.ok_or_else(|| new.clone())?;
            text.replace_range(start..end, &format!("{quote}{new}{quote}"));
        }
        Ok((text != self.text).then_some(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::decode;

    const DIGEST: &str = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    fn experiment(workload: &str, approach: &str) -> String {
        format!(
            "name = 'x'\nproblem = '?'\n[interface]\nwit = 'a.wit'\ncall = 'f'\n[workload]\ncomponent = {workload}\n\
             sizes = [1]\n[[approach]]\nname = 'a'\ncomponent = {approach} # kept\n"
        )
    }

    #[test]
    fn digests_are_written_where_references_stand_and_nothing_else_changes() {
        let text = experiment(
            "'oci://localhost:5000/w:1'",
            "\"oci://localhost:5000/heap:2\"",
        );
        let decoded = decode(&text);
        assert!(decoded.found.is_empty(), "{:?}", decoded.found);
        let references = References::new("bakeoff.toml".into(), text.clone(), &decoded.files);
        let names: Vec<&str> = references
            .list
            .iter()
            .map(|one| one.reference.as_str())
            .collect();
        assert_eq!(
            names,
            ["oci://localhost:5000/w:1", "oci://localhost:5000/heap:2"]
        );
        let same: Vec<_> = references
            .list
            .iter()
            .map(|one| one.reference.clone())
            .collect();
        assert_eq!(references.rewritten(&same), Ok(None));
        let pinned: Vec<_> = same.iter().map(|one| one.pinned(DIGEST).unwrap()).collect();
        let written = references.rewritten(&pinned).unwrap().unwrap();
        let wanted = experiment(
            &format!("'oci://localhost:5000/w:1@{DIGEST}'"),
            &format!("\"oci://localhost:5000/heap:2@{DIGEST}\""),
        );
        assert_eq!(written, wanted);
    }

    #[test]
    fn a_reference_that_is_escaped_is_not_rewritten() {
        let text = experiment("'w.wasm'", "\"oci://localhost/h\\u0065ap:2\"");
        let references = References::new("f".into(), text.clone(), &decode(&text).files);
        let pinned = references.list[0].reference.pinned(DIGEST).unwrap();
        assert_eq!(
            references.rewritten(std::slice::from_ref(&pinned)),
            Err(pinned)
        );
    }

    #[test]
    fn only_a_reference_with_a_digest_can_be_run() {
        let said = |approach: &str| {
            let mut decoded = decode(&experiment("'w.wasm'", approach));
            for file in &decoded.files {
                if file.kind == FileKind::Reference {
                    look_up(file, &mut decoded.found);
                }
            }
            let mut found = decoded.found.into_iter();
            found.next().map(|one| one.message)
        };
        assert_eq!(said(&format!("'oci://localhost/a:1@{DIGEST}'")), None);
        assert!(said("'oci://localhost/a:1'").unwrap().contains("no digest"));
        assert!(
            said("'oci://localhost/../a:1'")
                .unwrap()
                .contains("no name")
        );
        assert!(
            said("'oci://u:p@localhost/a:1'")
                .unwrap()
                .contains("password")
        );
    }
}
