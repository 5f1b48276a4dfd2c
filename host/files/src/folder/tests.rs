use super::*;
use crate::pipe::make_pipe;
use std::fs;
use std::os::unix::fs::symlink;

/// Makes a folder beside a secret file, with symbolic links and a hard link to the secret, and a pipe.
fn hostile() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    fs::create_dir_all(at("folder/deep")).unwrap();
    fs::create_dir(at("outside")).unwrap();
    fs::write(at("outside/secret"), "secret").unwrap();
    fs::write(at("folder/deep/own"), "own").unwrap();
    symlink("../outside/secret", at("folder/link")).unwrap();
    symlink("../outside", at("folder/folder-link")).unwrap();
    symlink("deep/own", at("folder/inner-link")).unwrap();
    fs::hard_link(at("outside/secret"), at("folder/second")).unwrap();
    make_pipe(&at("folder/pipe"));
    home
}

#[test]
fn what_is_no_plain_file_below_it_is_refused_by_its_kind() {
    let home = hostile();
    let folder = Folder::named_by_user(&home.path().join("folder")).unwrap();
    assert_eq!(folder.read("deep/own", 3).unwrap().unwrap(), b"own");
    assert_eq!(folder.read("./deep/own", 2).unwrap(), None);
    for (name, why) in [
        ("link", "is a link"),
        ("inner-link", "is a link"),
        ("folder-link/secret", "is a link"),
        ("pipe", "a pipe"),
        ("deep", "a folder"),
        ("pipe/x", "pipe is a pipe, not a folder"),
        ("../outside/secret", "leaves"),
        ("/etc/passwd", "leaves"),
    ] {
        let said = folder.read(name, 99).unwrap_err().to_string();
        assert!(
            said.contains(why) && !said.contains("secret"),
            "{name}: {said}"
        );
        if !why.contains("leaves") {
            assert!(folder.refusal(name).unwrap().contains(why));
        }
    }
    assert_eq!(folder.refusal("deep/own"), None);
    assert_eq!(folder.refusal("none"), None);
}

#[test]
fn nothing_is_written_through_a_link_or_under_a_second_name() {
    let home = hostile();
    let at = |name: &str| home.path().join(name);
    let folder = Folder::named_by_user(&at("folder")).unwrap();
    for name in ["link", "second", "pipe", "inner-link", "folder-link/new"] {
        folder.open_to_append(name).unwrap_err();
    }
    folder.make("folder-link/new").unwrap_err();
    folder.new_file("folder-link/new").unwrap_err();
    // A new file takes the place of the name, and what had it stays as it was.
    for name in ["link", "second", "made/on/the/way"] {
        let new = folder.new_file(name).unwrap();
        new.file().write_all(b"new").unwrap();
        new.put_in_place().unwrap();
        assert_eq!(folder.read(name, 9).unwrap().unwrap(), b"new");
    }
    let mut kept = folder.open_to_append("deep/own").unwrap();
    kept.write_all(b"+").unwrap();
    assert_eq!(fs::read(at("folder/deep/own")).unwrap(), b"own+");
    assert_eq!(fs::read(at("outside/secret")).unwrap(), b"secret");
    assert_eq!(fs::read_dir(at("outside")).unwrap().count(), 1);
}

#[test]
fn what_is_set_aside_is_renamed_and_never_opened() {
    let home = hostile();
    let folder = Folder::named_by_user(&home.path().join("folder")).unwrap();
    assert_eq!(folder.set_aside("link").unwrap(), "link.aside-1");
    symlink("x", home.path().join("folder/link")).unwrap();
    assert_eq!(folder.set_aside("link").unwrap(), "link.aside-2");
    assert_eq!(folder.set_aside("pipe").unwrap(), "pipe.aside-1");
    assert!(!folder.has("link") && folder.has("link.aside-1"));
    folder.remove("link.aside-1").unwrap();
    folder.remove("link.aside-1").unwrap();
    let secret = fs::read(home.path().join("outside/secret")).unwrap();
    assert_eq!(secret, b"secret");
}

#[test]
fn the_folder_of_a_file_is_no_link_itself() {
    let home = hostile();
    let at = |name: &str| home.path().join(name);
    assert!(Folder::of_file(&at("folder/deep/own")).is_ok());
    let refused = Folder::of_file(&at("folder/folder-link/secret")).unwrap_err();
    assert!(refused.to_string().contains("is a link"), "{refused}");
    assert!(Folder::of_file(Path::new("x")).is_ok());
    assert!(Folder::of_file(Path::new("/x")).is_ok());
    assert!(is_link(&at("folder/link")) && !is_link(&at("folder/deep")));
}

#[test]
fn entries_are_listed_by_their_kind_up_to_a_bound() {
    let home = hostile();
    let folder = Folder::named_by_user(&home.path().join("folder")).unwrap();
    let listed = folder.entries(6).unwrap().unwrap();
    let listed: Vec<_> = listed
        .iter()
        .map(|entry| (entry.name.to_str().unwrap(), entry.kind))
        .collect();
    let expected = [
        ("deep", FolderEntryKind::Folder),
        ("folder-link", FolderEntryKind::Link),
        ("inner-link", FolderEntryKind::Link),
        ("link", FolderEntryKind::Link),
        ("pipe", FolderEntryKind::Other),
        ("second", FolderEntryKind::File),
    ];
    assert_eq!(listed, expected);
    assert_eq!(folder.entries(5).unwrap(), None);
    for (name, kind) in expected {
        assert_eq!(folder.look(name).unwrap().unwrap().kind, kind);
    }
    let second = folder.look("second").unwrap().unwrap();
    assert_eq!((second.bytes, second.names), (6, 2));
    assert_eq!(folder.look("none").unwrap(), None);
    assert!(folder.look("folder-link/secret").is_err());
}

#[test]
fn names_are_moved_and_made_without_a_link_on_their_way() {
    let home = hostile();
    let folder = Folder::named_by_user(&home.path().join("folder")).unwrap();
    folder.rename("deep/own", "moved").unwrap();
    assert_eq!(folder.read("moved", 3).unwrap().unwrap(), b"own");
    folder.rename("moved", "folder-link/moved").unwrap_err();
    folder.rename("folder-link/secret", "moved").unwrap_err();
    folder.rename("link", "moved").unwrap();
    let moved = folder.look("moved").unwrap().unwrap();
    assert_eq!(moved.kind, FolderEntryKind::Link);
    let taken = folder.make_new("folder-link").unwrap_err();
    assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
    folder.make_new("folder-link/new").unwrap_err();
    let made = folder.make_new("deep/new").unwrap();
    assert_eq!(made.path(), home.path().join("folder/deep/new"));
    assert!(home.path().join("folder/deep/new").is_dir());
    assert_eq!(
        fs::read_dir(home.path().join("outside")).unwrap().count(),
        1
    );
}

/// A name that is swapped for a link, again and again, while it is read.
#[test]
fn a_link_that_takes_the_place_of_a_file_is_not_followed() {
    let home = hostile();
    let at = |name: &str| home.path().join("folder").join(name);
    fs::write(at("file"), "own").unwrap();
    let folder = Folder::named_by_user(&home.path().join("folder")).unwrap();
    std::thread::scope(|scope| {
        let changing = scope.spawn(|| {
            for number in 0..2_000 {
                match number % 2 {
                    0 => symlink("../outside/secret", at("next")).unwrap(),
                    _ => fs::write(at("next"), "own").unwrap(),
                }
                fs::rename(at("next"), at("file")).unwrap();
            }
        });
        while !changing.is_finished() {
            if let Ok(read) = folder.read("file", 9) {
                assert_eq!(read.unwrap(), b"own");
            }
        }
    });
}

#[test]
fn a_further_file_leaves_what_killed_writers_left_and_a_folder_is_removed_without_what_links_lead_to()
 {
    let home = tempfile::tempdir().unwrap();
    let folder = Folder::named_by_user(home.path()).unwrap();
    let at = |name: &str| home.path().join(name);
    std::fs::create_dir(at("x")).unwrap();
    std::fs::write(at("x/.bakeoff-new-abc123"), "").unwrap();
    folder
        .further_new_file("x/a")
        .unwrap()
        .put_in_place()
        .unwrap();
    assert!(at("x/a").exists() && at("x/.bakeoff-new-abc123").exists());
    folder.new_file("x/b").unwrap().put_in_place().unwrap();
    assert!(at("x/b").exists() && !at("x/.bakeoff-new-abc123").exists());
    std::fs::write(at("kept"), "").unwrap();
    std::os::unix::fs::symlink(home.path(), at("x/link")).unwrap();
    folder.remove_folder("x").unwrap();
    folder.remove_folder("x").unwrap();
    assert!(!at("x").exists() && at("kept").exists());
    std::os::unix::fs::symlink(home.path(), at("link")).unwrap();
    let _ = folder.remove_folder("link");
    assert!(at("kept").exists());
}
