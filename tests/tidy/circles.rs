//! Circles of files: a file that uses one which uses it.

use super::source::{Segments, Source, absolute};
use std::collections::{BTreeMap, BTreeSet};

/// How many re-exports in a row are followed.
const EXPORTS_MAX: usize = 8;

/// By module: the modules of the same crate that its file uses.
pub(crate) type Edges = BTreeMap<Segments, BTreeSet<Segments>>;

/// The files that each file uses. A name that a module re-exports counts for the file that defines
/// it; `pub use` alone is not a use.
pub(crate) fn edges(modules: &BTreeMap<Segments, Source>) -> Edges {
    let mut edges = Edges::new();
    for (module, source) in modules {
        let mut paths = source.absolute_paths(module);
        for path in &mut paths {
            let child = [&module[..], &path[..1]].concat();
            if modules.contains_key(&child) {
                path.splice(..0, module.iter().cloned());
            }
        }
        let used = paths
            .iter()
            .filter_map(|path| defining_module(modules, path, 0))
            .filter(|used| used != module);
        edges.insert(module.clone(), used.collect());
    }
    edges
}

/// The module whose file defines what a path names.
fn defining_module(
    modules: &BTreeMap<Segments, Source>,
    path: &[String],
    exports: usize,
) -> Option<Segments> {
    let length = (1..=path.len())
        .rev()
        .find(|length| modules.contains_key(&path[..*length]))?;
    let (module, rest) = path.split_at(length);
    let source = &modules[module];
    let mut known = source.exports.iter().chain(&source.imports);
    let found = rest
        .first()
        .and_then(|name| known.find(|(known, _)| known == name))
        .filter(|_| exports < EXPORTS_MAX);
    let through = found.and_then(|(_, target)| {
        let mut target = absolute(target, module);
        let child = [module, &target[..1]].concat();
        if modules.contains_key(&child) {
            target.splice(..0, module.iter().cloned());
        }
        target.extend_from_slice(&rest[1..]);
        defining_module(modules, &target, exports + 1)
    });
    through.or_else(|| Some(module.to_vec()))
}

/// The circles, each as lines of a file and the files of the same circle that it uses.
pub(crate) fn circles(edges: &Edges) -> Vec<String> {
    let reach: BTreeMap<&Segments, BTreeSet<&Segments>> = edges
        .keys()
        .map(|module| (module, reachable(edges, module)))
        .collect();
    let is_mutual = |a: &Segments, b: &Segments| reach[a].contains(b) && reach[b].contains(a);
    let mut shown = Vec::new();
    for (module, used) in edges {
        let others: Vec<String> = used
            .iter()
            .filter(|other| is_mutual(module, other))
            .map(|other| other.join("::"))
            .collect();
        if !others.is_empty() {
            shown.push(format!("{} uses {}", module.join("::"), others.join(", ")));
        }
    }
    shown
}

fn reachable<'a>(edges: &'a Edges, from: &Segments) -> BTreeSet<&'a Segments> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Segments> = edges[from].iter().collect();
    while let Some(module) = open.pop() {
        if found.insert(module) {
            open.extend(edges.get(module).into_iter().flatten());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::source::Tests;
    use super::*;

    fn crate_of(files: &[(&str, &str)]) -> BTreeMap<Segments, Source> {
        let module = |(path, text): &(&str, &str)| {
            let path = path.split("::").map(str::to_owned).collect();
            (path, Source::parse(text, Tests::LeftOut))
        };
        files.iter().map(module).collect()
    }

    #[test]
    fn a_planted_circle_is_seen_through_a_re_export() {
        let modules = crate_of(&[
            ("crate", "pub mod room;"),
            (
                "crate::room",
                "mod a; mod b; mod c; pub use a::A; pub use b::B;",
            ),
            ("crate::room::a", "use super::b::helper; pub struct A;"),
            (
                "crate::room::b",
                "use crate::room::A; pub struct B; pub fn helper() {}",
            ),
            ("crate::room::c", "use super::{A, B};"),
        ]);
        assert_eq!(
            circles(&edges(&modules)),
            [
                "crate::room::a uses crate::room::b",
                "crate::room::b uses crate::room::a"
            ]
        );
    }

    #[test]
    fn a_child_that_uses_what_its_user_defines_is_a_circle() {
        let modules = crate_of(&[
            ("crate", ""),
            ("crate::room", "mod a; pub struct R; fn f() { a::g() }"),
            ("crate::room::a", "pub fn g() { super::R; }"),
        ]);
        assert_eq!(circles(&edges(&modules)).len(), 2);
    }

    #[test]
    fn re_exports_and_tests_make_no_circle() {
        let modules = crate_of(&[
            ("crate", ""),
            (
                "crate::room",
                "mod a; mod b; pub use b::B; pub const C: u8 = 0;",
            ),
            (
                "crate::room::a",
                "pub struct A; #[cfg(test)] mod tests { use super::super::B; }",
            ),
            (
                "crate::room::b",
                "use super::a::A; use super::C; pub struct B;",
            ),
        ]);
        assert_eq!(circles(&edges(&modules)), Vec::<String>::new());
    }
}
