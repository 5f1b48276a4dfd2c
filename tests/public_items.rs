//! The public items of the library, held by `tests/golden/public-items.txt`: what a program that uses bakeoff may name, with
//! every signature, field, derive and implementation of a trait.
//!
//! They are read from the sources: `host/src/lib.rs` says which there are. What this reader could not follow (a glob, another
//! name, a macro that makes items, a type that nobody can name) makes the test fail, so that nothing is public unseen.

mod declarations;
mod seen;

use crate::tidy::source::rust_files;
use declarations::{Library, imported, public_names, sources};
use proc_macro2::{TokenStream, TokenTree};
use seen::{seen, seen_implementation};
use std::collections::BTreeSet;
use std::path::Path;
use syn::{Item, ItemImpl};

/// Names that need no import.
const PRELUDE: &str = "AsRef Box Clone Copy Debug Default Eq Err Fn FnMut Hash Into IntoIterator Item Iterator None Ok Option \
                       PartialEq Result Self Send String Sync Vec";

const fn crosses_threads<T: Send + Sync>() {}

/// Names the types that may be sent to other threads and shared with them, which no source says; otherwise, this does not
/// compile.
macro_rules! cross_threads {
    ($($name:ident)*) => {
        const CROSS_THREADS: &[&str] = &[$(stringify!($name)),*];
        const _: () = { $(crosses_threads::<bakeoff::$name>();)* };
    };
}

cross_threads! {
    AgentOutcome AgentResult Agents AgentsReport Comparison ComparisonResult Depth Difference Diversity Error ErrorKind Experiment
    Exploration ExplorationPlan ExplorationResult GenerateOptions GeneratedApproach Generation JudgeOptions Judgement ModelCost ModelOptions
    NotTimed OracleCheck Outcome Report Sketch Status TimeVerdict Variant Verdict Verification
}

fn text_of(items: Vec<Item>) -> String {
    prettyplease::unparse(&syn::File {
        shebang: None,
        attrs: Vec::new(),
        items,
    })
}

/// Adds the names of types and traits in a text.
fn add_type_names(tokens: TokenStream, names: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => add_type_names(group.stream(), names),
            TokenTree::Ident(ident) => {
                let name = ident.to_string();
                if name.starts_with(char::is_uppercase) {
                    names.insert(name);
                }
            }
            _ => {}
        }
    }
}

/// Returns the declarations by which a module has the names of a text from the standard library. Whatever else the text
/// names has to be public itself.
fn imports_of(
    text: &str,
    item: &Item,
    file: &syn::File,
    public: &BTreeSet<String>,
) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    add_type_names(text.parse().unwrap(), &mut names);
    let mut known: BTreeSet<String> = PRELUDE.split(' ').map(str::to_owned).collect();
    known.extend(["Fields", "Private"].map(str::to_owned));
    known.extend(public.iter().cloned());
    if let Item::Enum(item) = item {
        known.extend(
            item.variants
                .iter()
                .map(|variant| variant.ident.to_string()),
        );
    }
    let uses = file.items.iter().filter_map(|item| match item {
        Item::Use(item) => Some(imported(&item.tree, &[])),
        _ => None,
    });
    let all: Vec<(Vec<String>, String)> = uses.flatten().collect();
    let mut declarations = BTreeSet::new();
    for name in &names {
        match all.iter().find(|(_, found)| found == name) {
            Some((above, _)) if above[0] == "std" => {
                declarations.insert(format!("use {}::{name};", above.join("::")));
            }
            Some((above, _)) if above[0] != "super" || !public.contains(name) => {
                panic!(
                    "{}::{name} is in what is public, and is not public itself",
                    above.join("::")
                )
            }
            _ => assert!(
                known.contains(name),
                "{name} is in what is public, and is not public itself"
            ),
        }
    }
    declarations
}

/// Returns all that is public.
fn public_items() -> String {
    let library = Library::read();
    let public = public_names();
    let (mut declarations, mut texts) = (BTreeSet::new(), Vec::new());
    for name in &public {
        let (module, item) = library.find("", name);
        let of_traits = |item: &ItemImpl| item.trait_.is_some();
        let all: Vec<ItemImpl> = library.implementations(name).cloned().collect();
        let seen_of = |is_wanted: bool| {
            let wanted = all.iter().filter(move |item| of_traits(item) == is_wanted);
            wanted
                .cloned()
                .filter_map(seen_implementation)
                .map(Item::Impl)
        };
        let own: Vec<Item> = std::iter::once(seen(item.clone()))
            .chain(seen_of(false))
            .collect();
        let text = text_of(own);
        declarations.append(&mut imports_of(
            &text,
            &item,
            library.module(module),
            &public,
        ));
        let mut traits: Vec<String> = seen_of(true).map(|item| text_of(vec![item])).collect();
        traits.sort();
        texts.push(text + &traits.concat());
    }
    let declarations: Vec<String> = declarations.into_iter().collect();
    format!("{}\n\n{}", declarations.join("\n"), texts.join("\n"))
}

#[test]
fn what_versions_promise_changes_on_purpose_only() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/public-items.txt");
    let text = public_items();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == wanted,
        "what programs may rely on is another; if that is meant, BLESS=1 writes {}, and CHANGELOG.md says it\n{}",
        path.display(),
        changed_lines(&wanted, &text)
    );
}

/// Returns the lines that only one of two texts has.
fn changed_lines(before: &str, after: &str) -> String {
    let only = |a: &str, b: &str, sign: char| -> String {
        let other: BTreeSet<&str> = b.lines().collect();
        let lines = a.lines().filter(|line| !other.contains(line));
        lines.map(|line| format!("{sign} {line}\n")).collect()
    };
    only(before, after, '-') + &only(after, before, '+')
}

#[test]
fn every_public_type_says_if_it_crosses_threads() {
    let types = public_names();
    let types = types
        .iter()
        .filter(|name| name.starts_with(char::is_uppercase));
    assert!(
        types.eq(CROSS_THREADS.iter()),
        "name each type in `cross_threads`: {CROSS_THREADS:?}"
    );
}

#[test]
fn no_macro_of_this_crate_is_public() {
    for (path, text) in rust_files(&sources()) {
        assert!(!text.contains("macro_export"), "{}", path.display());
    }
}
