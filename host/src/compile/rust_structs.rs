//! The structs that a source file declares.

/// The structs that a file declares at its top and that others can name.
#[derive(Default)]
pub(super) struct Structs<'a>(Vec<&'a syn::ItemStruct>);

impl<'a> Structs<'a> {
    pub(super) fn of(file: &'a syn::File) -> Self {
        let structs = file.items.iter().filter_map(|item| match item {
            syn::Item::Struct(item) if is_public(&item.vis) => Some(item),
            _ => None,
        });
        Self(structs.collect())
    }

    pub(super) fn find(&self, name: &str) -> Option<&'a syn::ItemStruct> {
        self.0.iter().copied().find(|item| item.ident == name)
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
