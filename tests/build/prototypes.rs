//! Prototypes as people and models write them.

use super::*;

#[tokio::test]
async fn a_plain_file_becomes_a_component_without_imports() {
    let built = build(&source(&top_k(), SORT)).await.unwrap();
    assert!(built.imports.is_empty());
    assert_eq!(
        built.exports,
        ["top-k: func(values: list<s64>, k: u32) -> list<s64>"]
    );
    assert_eq!(built.source_lines, Some(5));
    assert!(
        built.component.len() < 40_000,
        "{} bytes",
        built.component.len()
    );
    assert!(!built.cached && built.cpu >= built.source_cpu);
    let answer = Running::new(&built).call("top-k", &[list(&[3, 9, 1, 7]), Val::U32(2)]);
    assert_eq!(answer.unwrap(), list(&[9, 7]));
}

#[tokio::test]
async fn the_same_source_gives_the_same_bytes_wherever_it_is_kept() {
    let builder = builder(None).await;
    let mut request = source(&top_k(), SORT);
    let first = builder.build(&request).await.unwrap();
    request.code = BuildInput::Source {
        path_shown: "elsewhere.rs".into(),
        text: SORT.into(),
    };
    let second = builder.build(&request).await.unwrap();
    assert_eq!(first.component, second.component);
    assert_eq!(first.checked, second.checked);
    assert_eq!(first.timed, second.timed);
    assert_eq!(first.digest.len(), 64);
    let text = String::from_utf8_lossy(&first.component).into_owned();
    for local in ["bakeoff-work-", "rustlib/src", "/home/", "/root/"] {
        assert!(!text.contains(local), "the component names {local}");
    }
}

/// Each is refused with its class and a message that names the user's own file and line, and says
/// nothing of what is in files of this machine.
#[tokio::test]
async fn what_does_not_compile_is_explained_in_the_users_own_terms() {
    let builder = builder(None).await;
    let interface = top_k();
    let mut different = Vec::new();
    for path in golden::entries("build/reject", "rs") {
        let text = std::fs::read_to_string(&path).unwrap();
        let failure = match builder.build(&source(&interface, &text)).await {
            Err(failure) => failure,
            Ok(_) => panic!("{} is built", path.display()),
        };
        let limit = failure
            .limit
            .map_or(String::new(), |limit| format!("limit: {limit}\n"));
        let message = format!(
            "{} ({:?})\n{limit}{}",
            failure.class, failure.phase, failure.message
        );
        // A fence that cannot be raised refuses everything: that must never become a golden file.
        assert_eq!(
            failure.class.name().split('-').next(),
            Some("build"),
            "{message}"
        );
        assert!(!message.contains("root:"), "{message}");
        assert!(!message.contains("bakeoff-work-"), "{message}");
        golden::compare(&path, &message, &mut different);
    }
    golden::assert_none(&different);
}

#[tokio::test]
async fn what_compiles_in_ways_of_its_own_is_built() {
    let builder = builder(None).await;
    let interface = top_k();
    for path in golden::entries("build/accept", "rs") {
        let text = std::fs::read_to_string(&path).unwrap();
        let built = builder.build(&source(&interface, &text)).await;
        let built = built.unwrap_or_else(|failure| panic!("{}: {failure:?}", path.display()));
        let mut running = Running::new(&built);
        let answer = running
            .call("top-k", &[list(&[3, 9, 1, 7]), Val::U32(2)])
            .unwrap();
        assert_eq!(answer, list(&[9, 7]), "{}", path.display());
    }
}

#[tokio::test]
async fn a_source_has_a_largest_size() {
    let text = |bytes: usize| format!("{SORT}//{}", " ".repeat(bytes - SORT.len() - 2));
    let builder = builder(None).await;
    let most = bakeoff_source::SOURCE_BYTES_MAX;
    builder.build(&source(&top_k(), &text(most))).await.unwrap();
    let failure = builder
        .build(&source(&top_k(), &text(most + 1)))
        .await
        .unwrap_err();
    assert_eq!(failure.class.name(), "build-failed");
    assert_eq!(failure.limit.as_deref(), Some("source = 1048576 bytes"));
}
