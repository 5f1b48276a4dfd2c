use super::{bindings_text, fingerprint, options};
use crate::BuildKind;
use bakeoff_source::interface::{Interface, World};
use std::path::Path;
use wit_bindgen_rust::Opts;

#[test]
fn all_that_decides_the_component_is_in_the_fingerprint() {
    let whole = fingerprint().concat();
    for part in [
        "name = \"wit-bindgen-rust\"",
        "name = \"wit-component\"",
        "fn add_world",
        "fn add_realloc",
        "fn componentise",
        "-Copt-level=3",
        "fn rust_signature",
        "cabi_realloc",
        "fn adapted",
        "fn give_bound",
        "fn of_bounds",
    ] {
        assert!(whole.contains(part), "{part}");
    }
}

/// The bindings in the guest SDK are those of `wit/`, made by the version of the generator that is locked.
/// `BLESS=1` writes them anew.
#[test]
fn the_bindings_of_the_guest_sdk_are_those_of_the_packages() {
    for world in [World::Evaluator, World::Aggregator, World::Proposer] {
        let interface = Interface::of_own_world(world).unwrap();
        let (resolve, id) = interface.resolved(world).unwrap();
        let name = world.name();
        let options = Opts {
            pub_export_macro: true,
            export_macro_name: Some(format!("export_{name}_world")),
            ..options(BuildKind::Release)
        };
        let text = bindings_text(resolve, id, options).unwrap();
        let made = prettyplease::unparse(&syn::parse_file(&text).unwrap());
        let made = format!("// Made from wit/{name}, not by hand.\n{made}");
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../../guest-sdk/src/worlds/{name}/bindings.rs"));
        if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
            std::fs::write(&path, &made).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == made, "{}: BLESS=1 writes it anew", path.display());
    }
}
