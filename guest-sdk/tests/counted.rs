//! The counts of `branches` and `source-size`, which have tokenizers of their own, beside those of `syn` and `proc-macro2` of the
//! same files: all the Rust of this project, and more by `SOURCES=FOLDER`.

/// The module that an evaluator's file uses.
pub mod bakeoff {
    pub use bakeoff_guest::evaluator::*;
}

/// Branching complexity.
#[path = "../../components/branches/branches.rs"]
pub mod branches;
/// Size as it is read.
#[path = "../../components/source-size/source_size.rs"]
pub mod source_size;

#[path = "counted/by_syn.rs"]
mod by_syn;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::path::{Path, PathBuf};

/// The Rust files below a folder.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
}

/// The files that are compared: those that `syn` reads.
fn sources() -> Vec<(PathBuf, String, syn::File)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for folder in ["host", "guest-sdk", "components", "examples", "tests"] {
        rust_files(&root.join(folder), &mut files);
    }
    if let Some(more) = std::env::var_os("SOURCES") {
        rust_files(Path::new(&more), &mut files);
    }
    files.sort();
    let texts = files
        .into_iter()
        .filter_map(|path| Some((std::fs::read_to_string(&path).ok()?, path)));
    texts
        .filter_map(|(text, path)| Some((path, syn::parse_file(&text).ok()?, text)))
        .map(|(path, file, text)| (path, text, file))
        .collect()
}

/// The tokens of a stream, brackets included, without documentation; and how deep braces nest.
fn counted(stream: TokenStream) -> (usize, usize) {
    let (mut tokens, mut depth) = (0, 0);
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut place = 0;
    while let Some(tree) = trees.get(place) {
        let documentation = documentation(&trees[place..]);
        if documentation > 0 {
            place += documentation;
            continue;
        }
        place += 1;
        tokens += 1;
        if let TokenTree::Group(group) = tree {
            let (inside, inner) = counted(group.stream());
            let braces = usize::from(group.delimiter() == Delimiter::Brace);
            // Without brackets of its own, a group is none.
            tokens += 1 + inside;
            depth = depth.max(inner + braces);
        }
    }
    (tokens, depth)
}

/// The tokens of a comment with documentation that comes first: `#[doc = "…"]` or `#![doc = "…"]`.
fn documentation(trees: &[TokenTree]) -> usize {
    let is_sign = |tree: Option<&TokenTree>, sign: char| matches!(tree, Some(TokenTree::Punct(one)) if one.as_char() == sign);
    if !is_sign(trees.first(), '#') {
        return 0;
    }
    let place = 1 + usize::from(is_sign(trees.get(1), '!'));
    let Some(TokenTree::Group(group)) = trees.get(place) else {
        return 0;
    };
    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
    let is_doc = matches!(inside.first(), Some(TokenTree::Ident(name)) if *name == "doc");
    let is_text = matches!(inside.get(2), Some(TokenTree::Literal(_)));
    // What a person writes as an attribute has the span of its name.
    match is_doc && is_sign(inside.get(1), '=') && is_text && inside.len() == 3 {
        true => place + 1,
        false => 0,
    }
}

#[test]
fn branches_are_those_of_the_syntax_tree() {
    let sources = sources();
    assert!(sources.len() > 300, "{}", sources.len());
    let mut wrong = Vec::new();
    for (path, text, file) in &sources {
        let (found, wanted) = (
            branches::branches(&branches::tokens(text)),
            1 + by_syn::branches(file),
        );
        if found != wanted {
            wrong.push(format!("{}: {found}, by syn {wanted}", path.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}\n{}",
        wrong.len(),
        sources.len(),
        wrong.join("\n")
    );
}

#[test]
fn tokens_and_depth_are_those_of_the_compiler() {
    let sources = sources();
    let mut wrong = Vec::new();
    for (path, text, _) in &sources {
        // Attributes with documentation that are written as such cannot be told from comments.
        if text.contains("[doc = \"") {
            continue;
        }
        let (tokens, depth) = counted(text.parse().unwrap());
        let found = (
            source_size::tokens(text).len(),
            branches::depth(&branches::tokens(text)),
        );
        if found != (tokens, depth) {
            wrong.push(format!(
                "{}: {found:?}, not {:?}",
                path.display(),
                (tokens, depth)
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}\n{}",
        wrong.len(),
        sources.len(),
        wrong.join("\n")
    );
}
