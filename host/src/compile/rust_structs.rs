//! The structs that a source file declares, and its own names for types.

/// The structs that a file declares at its top and that others can name, and other names of types, whoever
/// can use these.
#[derive(Default)]
pub(super) struct Structs<'a> {
    structs: Vec<&'a syn::ItemStruct>,
    aliases: Vec<&'a syn::ItemType>,
}

impl<'a> Structs<'a> {
    pub(super) fn of(file: &'a syn::File) -> Self {
        let structs = file.items.iter().filter_map(|item| match item {
            syn::Item::Struct(item) if is_public(&item.vis) => Some(item),
            _ => None,
        });
        let aliases = file.items.iter().filter_map(|item| match item {
            syn::Item::Type(item) if item.generics.params.is_empty() => Some(item),
            _ => None,
        });
        Self {
            structs: structs.collect(),
            aliases: aliases.collect(),
        }
    }

    /// The type that a name without parameters stands for.
    pub(super) fn meant(&self, name: &str) -> Option<&'a syn::Type> {
        let alias = self.aliases.iter().find(|item| item.ident == name);
        alias.map(|item| &*item.ty)
    }

    pub(super) fn find(&self, name: &str) -> Option<&'a syn::ItemStruct> {
        self.structs.iter().copied().find(|item| item.ident == name)
    }
}

/// Returns true of what the whole crate can name.
pub(super) fn is_public(visibility: &syn::Visibility) -> bool {
    match visibility {
        syn::Visibility::Public(_) => true,
        syn::Visibility::Restricted(within) => within.path.is_ident("crate"),
        syn::Visibility::Inherited => false,
    }
}
