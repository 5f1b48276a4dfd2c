//! Declarations of the library: the names that are public, and the items behind them.

use crate::tidy::source::rust_files;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::{Attribute, Item, ItemImpl, Type, UseTree, Visibility};

/// The modules of the library, by their paths: `generation::options`. The path of its root is empty.
pub(super) struct Library(BTreeMap<String, syn::File>);

pub(super) fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn parsed(path: &Path) -> syn::File {
    let text = std::fs::read_to_string(path).unwrap();
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the names that a declaration brings in, with the modules that lead to each.
pub(super) fn imported(tree: &UseTree, above: &[String]) -> Vec<(Vec<String>, String)> {
    match tree {
        UseTree::Path(path) => {
            let above = [above, &[path.ident.to_string()]].concat();
            imported(&path.tree, &above)
        }
        UseTree::Name(name) => vec![(above.to_vec(), name.ident.to_string())],
        UseTree::Group(group) => {
            let trees = group.items.iter();
            trees.flat_map(|tree| imported(tree, above)).collect()
        }
        // Its path ends with its own name: no public item is brought in so.
        UseTree::Rename(rename) => {
            let above = [above, &[rename.ident.to_string()]].concat();
            vec![(above, rename.rename.to_string())]
        }
        UseTree::Glob(_) => panic!("{} are brought in without their names", above.join("::")),
    }
}

pub(super) fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

pub(super) fn has(attributes: &[Attribute], text: &str) -> bool {
    let is_it = |attribute: &Attribute| {
        let Ok(list) = attribute.meta.require_list() else {
            return false;
        };
        let is_read = list.path.is_ident("cfg") || list.path.is_ident("doc");
        is_read && list.tokens.to_string() == text
    };
    attributes.iter().any(is_it)
}

/// Returns the name of an item that can be public, its visibility and its attributes.
pub(super) fn named(item: &mut Item) -> Option<(String, &Visibility, &mut Vec<Attribute>)> {
    Some(match item {
        Item::Const(item) => (item.ident.to_string(), &item.vis, &mut item.attrs),
        Item::Enum(item) => (item.ident.to_string(), &item.vis, &mut item.attrs),
        Item::Fn(item) => (item.sig.ident.to_string(), &item.vis, &mut item.attrs),
        Item::Static(item) => (item.ident.to_string(), &item.vis, &mut item.attrs),
        Item::Struct(item) => (item.ident.to_string(), &item.vis, &mut item.attrs),
        Item::Trait(item) => (item.ident.to_string(), &item.vis, &mut item.attrs),
        Item::Type(item) => (item.ident.to_string(), &item.vis, &mut item.attrs),
        Item::Union(item) => (item.ident.to_string(), &item.vis, &mut item.attrs),
        _ => return None,
    })
}

impl Library {
    /// Reads all modules.
    pub(super) fn read() -> Self {
        let folder = sources().join("library");
        let mut modules = BTreeMap::new();
        for (path, _) in rust_files(&folder) {
            let inside = path.strip_prefix(&folder).unwrap().with_extension("");
            let names = inside.iter().map(|name| name.to_str().unwrap());
            let names: Vec<&str> = names.filter(|name| *name != "mod").collect();
            modules.insert(names.join("::"), parsed(&path));
        }
        Self(modules)
    }

    /// Returns a module.
    pub(super) fn module(&self, name: &str) -> &syn::File {
        &self.0[name]
    }

    /// Returns the module that declares a public item, and the item.
    pub(super) fn find(&self, module: &str, name: &str) -> (&str, Item) {
        let (module, file) = self.0.get_key_value(module).unwrap();
        for item in &file.items {
            if let Item::Use(item) = item
                && is_public(&item.vis)
            {
                for (above, found) in imported(&item.tree, &[]) {
                    if found == name {
                        let above = above.iter().map(String::as_str);
                        let inside: Vec<&str> = std::iter::once(module.as_str())
                            .filter(|module| !module.is_empty())
                            .chain(above)
                            .collect();
                        return self.find(&inside.join("::"), name);
                    }
                }
            }
            let mut item = item.clone();
            if let Some((found, visibility, _)) = named(&mut item)
                && found == name
            {
                assert!(is_public(visibility), "{module}: {name} is not public");
                return (module, item);
            }
        }
        panic!("{module} declares no {name}")
    }

    /// Returns the implementations for a type, in all modules.
    pub(super) fn implementations(&self, name: &str) -> impl Iterator<Item = &ItemImpl> {
        let items = self.0.values().flat_map(|file| &file.items);
        items.filter_map(move |item| match item {
            Item::Impl(item) if is_named(&item.self_ty, name) => Some(item),
            _ => None,
        })
    }
}

fn is_named(of: &Type, name: &str) -> bool {
    let Type::Path(path) = of else { return false };
    path.path
        .segments
        .last()
        .is_some_and(|last| last.ident == name)
}

/// Returns the names that `lib.rs` makes public.
pub(super) fn public_names() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for mut item in parsed(&sources().join("lib.rs")).items {
        match &mut item {
            Item::Use(item) if is_public(&item.vis) => {
                for (above, name) in imported(&item.tree, &[]) {
                    assert_eq!(above, ["library"], "{name} comes from another room");
                    names.insert(name);
                }
            }
            Item::Use(_) => {}
            Item::Mod(item) => {
                let is_hidden = has(&item.attrs, "hidden");
                assert!(
                    is_hidden || !is_public(&item.vis),
                    "{} is public",
                    item.ident
                );
            }
            other => panic!(
                "lib.rs declares {}",
                named(other).map_or_else(String::new, |(name, ..)| name)
            ),
        }
    }
    names
}
