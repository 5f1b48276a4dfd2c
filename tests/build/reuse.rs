//! What was built before.

use super::*;
use std::path::{Path, PathBuf};

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.extension().is_some_and(|end| end == "built"))
        .collect()
}

#[tokio::test]
async fn a_second_build_comes_from_the_cache_and_a_tampered_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let builder = builder(Some(Cache::open(folder.path()).unwrap())).await;
    let request = source(&top_k(), SORT);
    let first = builder.build(&request).await.unwrap();
    let second = builder.build(&request).await.unwrap();
    assert!(!first.cached && second.cached);
    assert_eq!(first.timed, second.timed);

    let [entry] = &entries(folder.path())[..] else {
        panic!("one entry")
    };
    let good = std::fs::read(entry).unwrap();
    let mut changed = good.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    for bad in [&changed[..], &good[..good.len() - 1], b""] {
        std::fs::write(entry, bad).unwrap();
        let again = builder.build(&request).await.unwrap();
        assert!(!again.cached, "an entry that was tampered with is believed");
        assert_eq!(again.timed, first.timed);
        assert!(
            builder.build(&request).await.unwrap().cached,
            "the entry was not made anew"
        );
    }
}

#[tokio::test]
async fn everything_that_decides_what_is_built_is_in_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let builder = builder(Some(Cache::open(folder.path()).unwrap())).await;
    let request = source(&top_k(), SORT);
    let other_interface = TOP_K.replace("example:top-k", "example:top-l");
    let diagnostic = BuildRequest {
        kind: BuildKind::Diagnostic,
        ..request.clone()
    };
    let calibrator = BuildRequest {
        code: BuildInput::Calibrator,
        ..request.clone()
    };
    let other_source = source(&top_k(), &format!("{SORT}// changed\n"));
    let other_interface = source(&interface(&other_interface, "top-k"), SORT);
    for (index, request) in [
        request,
        diagnostic,
        calibrator,
        other_source,
        other_interface,
    ]
    .iter()
    .enumerate()
    {
        assert!(!builder.build(request).await.unwrap().cached);
        assert_eq!(entries(folder.path()).len(), index + 1);
        assert!(builder.build(request).await.unwrap().cached);
    }
}

#[tokio::test]
async fn the_name_of_the_users_file_is_no_part_of_a_release() {
    let folder = tempfile::tempdir().unwrap();
    let builder = builder(Some(Cache::open(folder.path()).unwrap())).await;
    let mut request = source(&top_k(), SORT);
    builder.build(&request).await.unwrap();
    request.code = BuildInput::Source {
        path_shown: "b.rs".into(),
        text: SORT.into(),
    };
    assert!(builder.build(&request).await.unwrap().cached);
}

#[tokio::test]
async fn several_at_once_all_come_out() {
    let folder = tempfile::tempdir().unwrap();
    let builder = Arc::new(builder(Some(Cache::open(folder.path()).unwrap())).await);
    let requests = (0..4).map(|index| {
        let text = format!("{SORT}pub const N: u32 = {};", index % 2);
        let (builder, request) = (builder.clone(), source(&top_k(), &text));
        tokio::spawn(async move { builder.build(&request).await })
    });
    let tasks: Vec<_> = requests.collect();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(entries(folder.path()).len(), 2);
}
