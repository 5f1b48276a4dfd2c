//! Interfaces as people write them: which are taken, and what the others are told.

use crate::golden;
use bakeoff_source::interface::{
    InputRequest, Interface, InterfaceError, WitFile, World, rust_signature,
};
use std::path::Path;

/// Reads a fixture. Its first line is `// call`; lines `//! file` begin further files.
fn read(path: &Path) -> (Vec<WitFile>, String) {
    let text = std::fs::read_to_string(path).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let call = first.trim_start_matches("// ").to_owned();
    let mut files = vec![WitFile {
        name: "wit/main.wit".into(),
        text: String::new(),
    }];
    for line in rest.lines() {
        match line.strip_prefix("//! ") {
            Some(name) => files.push(WitFile {
                name: name.into(),
                text: String::new(),
            }),
            None => {
                let file = files.last_mut().unwrap();
                file.text.push_str(line);
                file.text.push('\n');
            }
        }
    }
    (files, call)
}

/// What a prototype's and a workload's author need to know.
fn describe(interface: &Interface) -> Result<String, InterfaceError> {
    let call = interface.call();
    let mut text = format!("{}\n{}\n", call.function, rust_signature(&call.function));
    if !interface.exports(World::Workload).is_empty() {
        let workload = interface.workload(InputRequest::SizeAndSeed)?;
        text.push_str(&format!("{:?}\n", workload.arguments));
        let functions = [Some(workload.generate), workload.check, workload.assess];
        for function in functions.into_iter().flatten() {
            text.push_str(&format!("{function}\n{}\n", rust_signature(&function)));
        }
    }
    Ok(text)
}

#[test]
fn good_interfaces_are_understood() {
    let mut different = Vec::new();
    for path in golden::entries("interface/accept", "wit") {
        let (files, call) = read(&path);
        let interface = Interface::parse(files, &call).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        let text = describe(&interface).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        golden::compare(&path, &text, &mut different);
    }
    golden::assert_none(&different);
}

#[test]
fn bad_interfaces_get_one_clear_error() {
    let mut different = Vec::new();
    for path in golden::entries("interface/reject", "wit") {
        let (files, call) = read(&path);
        let error = Interface::parse(files, &call).and_then(|interface| {
            describe(&interface)?;
            interface.workload(InputRequest::SizeAndSeed)
        });
        let error = error.err().unwrap_or_else(|| panic!("{path:?} is taken"));
        golden::compare(&path, &error.to_string(), &mut different);
    }
    golden::assert_none(&different);
}

#[test]
fn each_generate_fits_its_own_key_and_the_difference_is_named_for_the_other() {
    let fits = |generate: &str, request| {
        let text = format!(
            "package a:b; world prototype {{ export f: func(a: u32, b: string) -> u32; }}
             world workload {{ export generate: func({generate}) -> tuple<u32, string>; }}"
        );
        let file = WitFile {
            name: "a.wit".to_owned(),
            text,
        };
        let interface = Interface::parse(vec![file], "f").unwrap();
        interface.workload(request).map(|found| found.generate)
    };
    let (sized, named) = ("size: u32, seed: u64", "instance: string");
    assert!(fits(sized, InputRequest::SizeAndSeed).is_ok());
    assert!(fits(named, InputRequest::Instance).is_ok());
    for (generate, request, wanted) in [
        (sized, InputRequest::Instance, named),
        (named, InputRequest::SizeAndSeed, sized),
    ] {
        let error = fits(generate, request).unwrap_err().to_string();
        let types = generate
            .replace("size: ", "")
            .replace("seed: ", "")
            .replace("instance: ", "");
        for part in [types.as_str(), wanted] {
            assert!(error.contains(part), "{error}");
        }
    }
}

#[test]
fn a_folder_is_read_with_its_dependencies() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(
        "main.wit",
        "package a:b; world prototype { use c:d/t.{n}; export f: func(a: n) -> e; type e = u8; }",
    );
    write("deps/d/t.wit", "package c:d; interface t { type n = u32; }");
    write("deps/unused.wit", "package e:f;");
    write("notes.txt", "not WIT");
    let interface = Interface::load(folder.path(), "f").unwrap();
    assert_eq!(interface.files().len(), 3);
    assert_eq!(
        rust_signature(&interface.call().function),
        "pub fn f(a: u32) -> u8"
    );
}

#[test]
fn what_cannot_be_read_is_named() {
    let empty = tempfile::tempdir().unwrap();
    for (path, reason) in [
        (Path::new("/nonexistent.wit"), "No such file"),
        (empty.path(), "no file that ends in .wit"),
    ] {
        let message = Interface::load(path, "f").unwrap_err().to_string();
        assert!(message.contains(&path.display().to_string()), "{message}");
        assert!(message.contains(reason), "{message}");
    }
    let large = empty.path().join("large.wit");
    std::fs::File::create(&large)
        .unwrap()
        .set_len(2 << 20)
        .unwrap();
    let message = Interface::load(empty.path(), "f").unwrap_err().to_string();
    assert!(
        message.contains("large.wit: it has more than 1048576 bytes"),
        "{message}"
    );
}
