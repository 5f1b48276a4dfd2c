//! Collections of the standard library that a function may take or return; in WIT they are lists.

/// A collection of the standard library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Collection {
    /// The Rust type, with the item left to the compiler.
    pub(super) path: &'static str,
    /// True for a map, whose items are pairs of key and value.
    is_map: bool,
    /// True if the order of the items is part of the value.
    pub(super) is_ordered: bool,
}

impl Collection {
    /// Returns true for a map, whose items are pairs of key and value.
    pub(super) fn is_map(self) -> bool {
        self.is_map
    }

    /// Returns the Rust expression that compares two items `a` and `b`, to sort a collection without an order.
    pub(super) fn comparison(self) -> &'static str {
        if self.is_map {
            "a.0.cmp(&b.0)"
        } else {
            "a.cmp(b)"
        }
    }
}

/// The collections, by their names.
const COLLECTIONS: [(&str, Collection); 5] = [
    ("VecDeque", of_items("std::collections::VecDeque<_>", true)),
    ("BTreeSet", of_items("std::collections::BTreeSet<_>", true)),
    ("HashSet", of_items("std::collections::HashSet<_>", false)),
    (
        "BTreeMap",
        of_pairs("std::collections::BTreeMap<_, _>", true),
    ),
    (
        "HashMap",
        of_pairs("std::collections::HashMap<_, _>", false),
    ),
];

const fn of_items(path: &'static str, is_ordered: bool) -> Collection {
    Collection {
        path,
        is_map: false,
        is_ordered,
    }
}

const fn of_pairs(path: &'static str, is_ordered: bool) -> Collection {
    Collection {
        path,
        is_map: true,
        is_ordered,
    }
}

/// Returns the collection of this name.
pub(super) fn collection(name: &str) -> Option<Collection> {
    let mut known = COLLECTIONS.iter();
    let found = known.find(|(known, _)| *known == name);
    found.map(|(_, collection)| *collection)
}
