//! The structs, enums, constants and type aliases that a source file declares.

/// The deepest nesting of an array's length, constants that name others included. Each level may hold two of the next, so
/// that this bounds the time that reading takes, too.
const LENGTH_DEPTH_MAX: usize = 8;

/// The structs and enums at the top of a file that are public in its crate, and all its constants and type aliases
/// without parameters.
#[derive(Default)]
pub(super) struct Structs<'a> {
    structs: Vec<&'a syn::ItemStruct>,
    enums: Vec<&'a syn::ItemEnum>,
    aliases: Vec<&'a syn::ItemType>,
    constants: Vec<&'a syn::ItemConst>,
}

impl<'a> Structs<'a> {
    pub(super) fn of(file: &'a syn::File) -> Self {
        let structs = file.items.iter().filter_map(|item| match item {
            syn::Item::Struct(item) if is_public(&item.vis) => Some(item),
            _ => None,
        });
        let enums = file.items.iter().filter_map(|item| match item {
            syn::Item::Enum(item) if is_public(&item.vis) => Some(item),
            _ => None,
        });
        let constants = file.items.iter().filter_map(|item| match item {
            syn::Item::Const(item) => Some(item),
            _ => None,
        });
        let aliases = file.items.iter().filter_map(|item| match item {
            syn::Item::Type(item) if item.generics.params.is_empty() => Some(item),
            _ => None,
        });
        Self {
            structs: structs.collect(),
            enums: enums.collect(),
            aliases: aliases.collect(),
            constants: constants.collect(),
        }
    }

    /// Returns the type that an alias without parameters stands for.
    pub(super) fn meant(&self, name: &str) -> Option<&'a syn::Type> {
        let alias = self.aliases.iter().find(|item| item.ident == name);
        alias.map(|item| &*item.ty)
    }

    /// Returns the length of an array that is written as a number, as a constant of the file, or as a sum, difference,
    /// product or quotient of these.
    pub(super) fn length(&self, length: &syn::Expr) -> Option<usize> {
        self.number(length, LENGTH_DEPTH_MAX)
    }

    fn number(&self, written: &syn::Expr, depth: usize) -> Option<usize> {
        let depth = depth.checked_sub(1)?;
        match written {
            syn::Expr::Path(path) => {
                let mut constants = self.constants.iter();
                let constant = constants.find(|item| path.path.is_ident(&item.ident))?;
                self.number(&constant.expr, depth)
            }
            syn::Expr::Paren(inner) => self.number(&inner.expr, depth),
            syn::Expr::Cast(cast) => self.number(&cast.expr, depth),
            syn::Expr::Binary(both) => {
                let left = self.number(&both.left, depth)?;
                let right = self.number(&both.right, depth)?;
                match both.op {
                    syn::BinOp::Add(_) => left.checked_add(right),
                    syn::BinOp::Sub(_) => left.checked_sub(right),
                    syn::BinOp::Mul(_) => left.checked_mul(right),
                    syn::BinOp::Div(_) => left.checked_div(right),
                    _ => None,
                }
            }
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Int(number),
                ..
            }) => number.base10_parse().ok(),
            _ => None,
        }
    }

    pub(super) fn find_enum(&self, name: &str) -> Option<&'a syn::ItemEnum> {
        self.enums.iter().copied().find(|item| item.ident == name)
    }

    /// Returns true if an enum derives `Debug`.
    pub(super) fn is_shown(&self, name: &str) -> bool {
        let derives = |attribute: &syn::Attribute| match &attribute.meta {
            syn::Meta::List(list) if list.path.is_ident("derive") => {
                let text = list.tokens.to_string();
                let mut names = text.split(|letter: char| !letter.is_alphanumeric());
                names.any(|name| name == "Debug")
            }
            _ => false,
        };
        let found = self.find_enum(name);
        found.is_some_and(|item| item.attrs.iter().any(derives))
    }

    pub(super) fn find(&self, name: &str) -> Option<&'a syn::ItemStruct> {
        self.structs.iter().copied().find(|item| item.ident == name)
    }
}

/// Refuses a struct or enum with parameters, with the change that lets it be passed.
pub(super) fn refuse_parameters(name: &str, generics: &syn::Generics) -> Result<(), String> {
    match generics.params.first() {
        None => Ok(()),
        Some(syn::GenericParam::Lifetime(parameter)) => Err(format!(
            "{name} (which borrows for {}: declare it with fields that own their values, such as String for &str)",
            parameter.lifetime
        )),
        Some(_) => Err(format!(
            "{name} (which has type parameters: declare it with the types that are meant)"
        )),
    }
}

/// Returns true if the whole crate can name an item of this visibility.
pub(super) fn is_public(visibility: &syn::Visibility) -> bool {
    match visibility {
        syn::Visibility::Public(_) => true,
        syn::Visibility::Restricted(within) => within.path.is_ident("crate"),
        syn::Visibility::Inherited => false,
    }
}
