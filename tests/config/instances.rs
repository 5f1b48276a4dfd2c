//! The names of fixed inputs, in the experiment file and in a file of their own.

use super::render;
use bakeoff_domain::spec::Inputs;

#[test]
fn instances_are_a_bounded_list_of_names() {
    let file = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        format!(
            "name = 'x'\nproblem = '?'\n[interface]\nwit = 'w'\ncall = 'f'\n[workload]\n\
             source = 'w.rs'\ninstances = [{}]\n[[approach]]\nname = 'a'\nsource = 'a.rs'\n",
            names.join(", ")
        )
    };
    let names = |count: usize, chars: usize| -> Vec<String> {
        (0..count)
            .map(|number| format!("{number:0chars$}"))
            .collect()
    };
    let most = names(bakeoff_config::INSTANCES_MAX, 5);
    let read = bakeoff_config::parse(&file(&most), "t")
        .unwrap_or_else(|error| panic!("{}", render(&error)));
    assert!(matches!(&read.workload.inputs, Inputs::Instances { names, .. } if *names == most));
    for (names, why) in [
        (
            names(bakeoff_config::INSTANCES_MAX + 1, 5),
            "has 10001 elements",
        ),
        (names(5_000, 150), "750000 bytes"),
    ] {
        let error = bakeoff_config::parse(&file(&names), "t").unwrap_err();
        assert!(render(&error).contains(why), "{}", render(&error));
    }
}

#[test]
fn a_file_of_instances_has_the_bounds_of_a_list() {
    let lines = |count: usize, chars: usize| -> String {
        let lines = (0..count).map(|number| format!("{number:0chars$}\n"));
        lines.collect()
    };
    let parse = |text: &str| bakeoff_config::parse_instances(text, "instances.txt");
    let most = parse(&lines(bakeoff_config::INSTANCES_MAX, 50)).unwrap();
    assert_eq!(most.len(), bakeoff_config::INSTANCES_MAX);
    let blank = "\n".repeat(1 << 20);
    for (text, why) in [
        (
            lines(bakeoff_config::INSTANCES_MAX + 1, 5),
            "has 10001 lines",
        ),
        (lines(5_000, 150), "750000 bytes"),
        (lines(1, 201), "201 characters"),
        ("a\nb\u{1b}[2J\n".to_owned(), "control character"),
        (blank, "has 1048576 lines"),
    ] {
        let error = render(&parse(&text).unwrap_err());
        assert!(error.contains(why), "{error}");
        assert!(!error.contains('\u{1b}'), "{error}");
    }
    // What is wrong on every line is not said of every line.
    let error = render(&parse(&"\n".repeat(bakeoff_config::INSTANCES_MAX)).unwrap_err());
    assert!(error.lines().count() < 150, "{error}");
}

/// An error about what is wrong in a file quotes it.
#[test]
fn case_83_file_of_instances_that_is_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("experiment");
    std::fs::create_dir(&home).unwrap();
    let write = |name: &str, text: &str| std::fs::write(home.join(name), text).unwrap();
    write(
        "bakeoff.toml",
        "name = 'x'\nproblem = '?'\n[interface]\nwit = 'a.wit'\ncall = 'f'\n[workload]\n\
         source = 'w.rs'\ninstances = { file = 'names' }\n[[approach]]\nname = 'a'\nsource = 'w.rs'\n",
    );
    write("a.wit", "");
    write("w.rs", "");
    std::fs::write(folder.path().join("secret"), "s3cret\n\n").unwrap();
    let names = home.join("names");
    for target in ["../secret", "real"] {
        write("real", "a\nb\n");
        std::os::unix::fs::symlink(target, &names).unwrap();
        match bakeoff_config::load(&home) {
            Ok(loaded) => {
                assert_eq!(target, "real");
                assert_eq!(loaded.instances.as_deref(), Some("a\nb\n"));
                let inputs = loaded.experiment.workload.inputs;
                assert!(matches!(inputs, Inputs::Instances { names, .. } if names == ["a", "b"]));
            }
            Err(error) => {
                let said = render(&error);
                assert_eq!(target, "../secret", "{said}");
                assert!(said.contains("leaves the experiment's"), "{said}");
                assert!(!said.contains("s3cret"), "{said}");
            }
        }
        std::fs::remove_file(&names).unwrap();
    }
    write("names", &"x".repeat((1 << 20) + 1));
    let said = render(&bakeoff_config::load(&home).unwrap_err());
    assert!(said.contains("larger than 1 MiB"), "{said}");
}
