//! What others see of an item: its signature, public fields and variants, and the attributes that they notice.

use super::declarations::{has, is_public, named};
use syn::{Attribute, Fields, ImplItem, Item, ItemImpl, Pat};

/// Attributes that a program which uses an item notices.
const NOTICED: [&str; 6] = [
    "cfg",
    "deprecated",
    "derive",
    "must_use",
    "non_exhaustive",
    "repr",
];

fn without_what_nobody_notices(attributes: &mut Vec<Attribute>) {
    attributes.retain(|attribute| {
        let is_noticed = NOTICED.iter().any(|name| attribute.path().is_ident(name));
        is_noticed || has(std::slice::from_ref(attribute), "hidden")
    });
}

fn without_names_inside(signature: &mut syn::Signature) {
    for input in &mut signature.inputs {
        match input {
            syn::FnArg::Receiver(receiver) if receiver.reference.is_none() => {
                receiver.mutability = None
            }
            syn::FnArg::Receiver(_) => {}
            syn::FnArg::Typed(typed) => {
                if let Pat::Ident(pattern) = &mut *typed.pat {
                    pattern.mutability = None;
                }
            }
        }
    }
}

/// Leaves the public fields, and a word for all others, which make that nobody else can build such a value.
fn with_public_fields(fields: &mut Fields) {
    match fields {
        Fields::Named(named) => {
            let all = std::mem::take(&mut named.named);
            let count = all.len();
            named.named = all
                .into_iter()
                .filter(|field| is_public(&field.vis))
                .collect();
            if named.named.len() < count {
                named.named.push(syn::parse_quote!(private: Fields));
            }
        }
        Fields::Unnamed(unnamed) => {
            for field in &mut unnamed.unnamed {
                if !is_public(&field.vis) {
                    field.ty = syn::parse_quote!(Private);
                }
            }
        }
        Fields::Unit => {}
    }
    for field in fields {
        without_what_nobody_notices(&mut field.attrs);
    }
}

/// Returns what of an item others see.
pub(super) fn seen(mut item: Item) -> Item {
    match &mut item {
        Item::Fn(item) => {
            without_names_inside(&mut item.sig);
            item.block.stmts.clear();
        }
        Item::Struct(item) => with_public_fields(&mut item.fields),
        Item::Enum(item) => {
            for variant in &mut item.variants {
                without_what_nobody_notices(&mut variant.attrs);
                for field in &mut variant.fields {
                    without_what_nobody_notices(&mut field.attrs);
                }
            }
        }
        Item::Const(_) | Item::Type(_) => {}
        other => panic!(
            "{:?} is of a kind that is not read yet",
            named(other).map(|(name, ..)| name)
        ),
    }
    without_what_nobody_notices(named(&mut item).unwrap().2);
    item
}

/// Returns what of an implementation others see; of a trait's, that there is one, with its types.
pub(super) fn seen_implementation(mut item: ItemImpl) -> Option<ItemImpl> {
    without_what_nobody_notices(&mut item.attrs);
    let is_of_trait = item.trait_.is_some();
    item.items.retain_mut(|inner| match inner {
        ImplItem::Fn(function) if !is_of_trait && is_public(&function.vis) => {
            without_what_nobody_notices(&mut function.attrs);
            without_names_inside(&mut function.sig);
            function.block.stmts.clear();
            true
        }
        ImplItem::Const(inner) => is_public(&inner.vis) && !is_of_trait,
        ImplItem::Type(_) => true,
        ImplItem::Macro(_) => panic!("a macro makes items of an implementation"),
        _ => false,
    });
    (is_of_trait || !item.items.is_empty()).then_some(item)
}
