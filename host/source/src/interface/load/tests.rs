//! The packages that bakeoff itself defines follow the conventions of WASI.

use super::*;
use wit_parser::{Docs, Stability, Type, WorldItem};

/// Returns the breaches of conventions, by the path of the item.
fn broken(resolve: &Resolve, package: PackageId) -> Vec<String> {
    let mut broken = Vec::new();
    let mut documented = |at: &str, docs: &Docs| {
        if docs
            .contents
            .as_deref()
            .unwrap_or_default()
            .trim()
            .is_empty()
        {
            broken.push(format!("{at} is not documented"));
        }
    };
    let mut undated = Vec::new();
    let mut dated = |at: &str, stability: &Stability| {
        let since =
            matches!(stability, Stability::Stable { since, .. } if since.to_string() == "0.1.0");
        if !since {
            undated.push(format!("{at} has no @since"));
        }
    };
    let mut others = Vec::new();
    let package = &resolve.packages[package];
    documented("the package", &package.docs);
    for (name, id) in &package.worlds {
        let world = &resolve.worlds[*id];
        documented(name, &world.docs);
        dated(name, &world.stability);
        let exports = world.exports.values();
        if !exports
            .into_iter()
            .all(|item| matches!(item, WorldItem::Interface { .. }))
        {
            others.push(format!("{name} exports something else than interfaces"));
        }
    }
    for (name, id) in &package.interfaces {
        let interface = &resolve.interfaces[*id];
        documented(name, &interface.docs);
        dated(name, &interface.stability);
        for (function, one) in &interface.functions {
            let at = format!("{name}.{function}");
            documented(&at, &one.docs);
            dated(&at, &one.stability);
        }
        for (type_name, id) in &interface.types {
            let (at, def) = (format!("{name}.{type_name}"), &resolve.types[*id]);
            // What comes from another interface is documented there.
            if matches!(def.kind, TypeDefKind::Type(_)) {
                continue;
            }
            documented(&at, &def.docs);
            dated(&at, &def.stability);
            let within = |inner: &str| format!("{at}.{inner}");
            match &def.kind {
                TypeDefKind::Record(record) => {
                    for field in &record.fields {
                        documented(&within(&field.name), &field.docs);
                        if field.name == "duration" && field.ty != Type::U64 {
                            others.push(format!("{} is no u64", within(&field.name)));
                        }
                    }
                }
                TypeDefKind::Variant(variant) => {
                    for case in &variant.cases {
                        documented(&within(&case.name), &case.docs);
                    }
                    let last = variant
                        .cases
                        .last()
                        .map(|case| (case.name.as_str(), case.ty));
                    if type_name == "error" && last != Some(("other", Some(Type::String))) {
                        others.push(format!("{at} does not end in other(string)"));
                    }
                }
                TypeDefKind::Enum(one) => {
                    for case in &one.cases {
                        documented(&within(&case.name), &case.docs);
                    }
                }
                TypeDefKind::Flags(flags) => {
                    for flag in &flags.flags {
                        documented(&within(&flag.name), &flag.docs);
                    }
                }
                _ => {}
            }
        }
    }
    broken.extend(undated);
    broken.extend(others);
    broken
}

#[test]
fn every_item_of_the_own_packages_is_documented_and_dated() {
    for world in [World::Evaluator, World::Aggregator, World::Proposer] {
        let interface = Interface::of_own_world(world).unwrap();
        let package = interface.resolve.worlds[interface.called].package.unwrap();
        assert_eq!(
            interface.package(),
            format!("bakeoff:{0}@0.1.0", world.name())
        );
        assert_eq!(
            broken(&interface.resolve, package),
            [""; 0],
            "{}",
            world.name()
        );
    }
}

#[test]
fn what_proposers_may_ask_a_model_is_documented_and_dated_too() {
    let interface = Interface::of_own_world(World::Proposer).unwrap();
    let mut packages = interface.resolve.packages.iter();
    let (id, _) = packages
        .find(|(_, package)| package.name.to_string() == "bakeoff:completions@0.1.0")
        .unwrap();
    assert_eq!(broken(&interface.resolve, id), [""; 0]);
}

#[test]
fn what_breaks_a_convention_is_found() {
    let text = "package a:b@0.1.0;
/// A world.
@since(version = 0.1.0)
world prototype { export i; export f: func(); }
@since(version = 0.1.0)
interface i {
  /// Why not.
  @since(version = 0.1.0)
  variant error { other(u32) }
  /// Some.
  record sample { duration: f64 }
  g: func();
}
";
    let file = WitFile {
        name: "a.wit".to_owned(),
        text: text.to_owned(),
    };
    let (resolve, package) = resolve(&[file]).unwrap();
    assert_eq!(
        broken(&resolve, package),
        [
            "the package is not documented",
            "i is not documented",
            "i.g is not documented",
            "i.error.other is not documented",
            "i.sample.duration is not documented",
            "i.g has no @since",
            "i.sample has no @since",
            "prototype exports something else than interfaces",
            "i.error does not end in other(string)",
            "i.sample.duration is no u64",
        ]
    );
}
