//! The door to folders that somebody else may have filled.

use super::modules_of_rooms;
use super::source::Tests;
use std::collections::{BTreeMap, BTreeSet};

/// What opens, makes, moves, looks at or writes a file by its path, and so through links.
const BY_PATH: [&str; 34] = [
    "std::fs::read",
    "std::fs::read_to_string",
    "std::fs::write",
    "std::fs::copy",
    "std::fs::rename",
    "std::fs::hard_link",
    "std::fs::remove_file",
    "std::fs::remove_dir",
    "std::fs::remove_dir_all",
    "std::fs::create_dir",
    "std::fs::create_dir_all",
    "std::fs::read_dir",
    "std::fs::read_link",
    "std::fs::canonicalize",
    "std::fs::metadata",
    "std::fs::symlink_metadata",
    "std::fs::set_permissions",
    "std::fs::exists",
    "std::fs::DirBuilder",
    "std::fs::File::open",
    "std::fs::File::create",
    "std::fs::File::create_new",
    "std::fs::File::options",
    "std::fs::OpenOptions",
    "crate::files::open_plain",
    "crate::files::read_bounded",
    "crate::files::not_plain",
    "crate::files::write_new",
    "crate::files::NewFile::for_path",
    "crate::files::NewFile::private",
    "crate::files::Reach::Anywhere",
    "crate::store::Store::open",
    "rusqlite::Connection::open",
    "rusqlite::Connection::open_with_flags",
];

/// Methods of paths that look at a file, or open it, through links. Some are those of what was found, too.
const METHODS: [&str; 9] = [
    "exists",
    "try_exists",
    "is_file",
    "is_dir",
    "is_symlink",
    "canonicalize",
    "read_dir",
    "read_link",
    "symlink_metadata",
];

/// The rooms in which a path may be somebody else's: there, files are opened through `files::Folder`, or `Reach`.
const STRANGERS: [&str; 16] = [
    "audit",
    "cli",
    "compare",
    "compile",
    "config",
    "doctor",
    "interface",
    "library",
    "mcp",
    "propose",
    "provider",
    "registry",
    "run",
    "serve",
    "source",
    "store",
];

/// Modules in which a path is the user's own word, or that of a folder of ours, and why.
const OWN_PATHS: [(&str, &str); 65] = [
    ("audit::bundle", "a folder of ours, to pack and unpack in"),
    ("cli::add", "files and a folder that the user named"),
    ("cli::archive", "what the user named: a folder or a file"),
    (
        "compare::undeclared_experiment",
        "files that the user named",
    ),
    ("compare::comparison", "the WIT that the user named"),
    ("cli::baseline", "what the user named: a folder or a file"),
    ("cli::build", "`-o`, and files that the user named"),
    ("cli::check", "what the user named: a folder or a file"),
    (
        "cli::compare",
        "whether there is what the user named: nothing is opened",
    ),
    (
        "cli::file_comparison",
        "the file of cases that the user named",
    ),
    (
        "compare::derived",
        "a folder of ours, and files that the user named",
    ),
    ("cli::export", "the folder that the user named"),
    ("compare::read_sources", "files that the user named"),
    ("cli::generate::by_component", "files that the user named"),
    ("cli::init", "the folder and files that the user named"),
    ("cli::init::of_sources", "the sources that the user named"),
    ("cli::publish", "the file that the user named"),
    (
        "cli::report_source",
        "whether the folder that the user named is that of an experiment: nothing is opened",
    ),
    ("cli::pick", "the file that the user named"),
    (
        "cli::repeat",
        "whether the file that the user named is one of an experiment's: nothing is opened",
    ),
    ("cli::revision_rows", "a folder of ours"),
    ("cli::rows_source", "the file that the user named"),
    ("cli::saved_inputs", "the file that the user named"),
    (
        "cli::show_status",
        "what the user named: a folder or a file",
    ),
    ("cli::step_summary", "the environment's word"),
    ("cli::time", "the file that the user named"),
    ("cli::time::export", "files that the user named"),
    ("cli::models", "answers in a file that the user named"),
    ("library::user_files", "files that the user named"),
    ("cli::two_runs", "what the user named: folders or files"),
    ("cli::verify", "what the user named: a folder or a file"),
    (
        "cli::work",
        "the folder or the file of tasks that the user named",
    ),
    ("compile::build_folder", "a folder of ours"),
    (
        "compile::c::clang",
        "the compiler for C and the system's libraries",
    ),
    ("compile::c::zig", "the compiler for Zig and its library"),
    (
        "compile::choice",
        "programs and folders of the user and the system",
    ),
    (
        "compile::crates::build",
        "a folder of ours, and the system's programs",
    ),
    ("compile::crates::child", "a folder of ours"),
    ("compile::crates::package", "a folder of ours"),
    (
        "compile::crates::vendor",
        "the user's cache, in which nobody else writes",
    ),
    ("compile::host_tools", "folders of the system"),
    ("compile::link", "a folder of ours"),
    ("compile::target", "the toolchain"),
    (
        "compile::toolchain",
        "the toolchain and the system's libraries",
    ),
    ("config::load", "what the user named: a folder or a file"),
    (
        "config::policy",
        "the user's policy, and folders that it names",
    ),
    (
        "config::text_file",
        "what a file is that cannot be read: nothing is opened",
    ),
    ("doctor::cores", "what the system tells of its processors"),
    ("interface::load", "what the user named: a folder or a file"),
    (
        "library::fence_reach",
        "the paths to read that the user named, and folders of the system",
    ),
    (
        "mcp::roots",
        "the roots that the user named; below them, `cap_std` is the door",
    ),
    ("mcp::runs", "a folder of ours"),
    ("mcp::short_calls", "a folder of ours"),
    ("mcp::workspace", "a folder of ours"),
    ("propose::draft", "a folder of ours"),
    ("propose::writer", "instructions that the user named"),
    ("provider::read_file", "files that the user named"),
    (
        "registry::credentials",
        "the file that `docker login` writes for the user",
    ),
    ("serve::peer", "the kernel's tables of connections"),
    ("serve::run_stop", "what the system tells of a process"),
    ("source::grant", "`cap_std` is the door to granted folders"),
    (
        "store::bundle::read",
        "a bundle that the user named, and a folder of ours",
    ),
    (
        "store::bundle::write",
        "the file that the user named, and a folder of ours",
    ),
    ("store::holder", "what the system tells of a process"),
    (
        "store::file_opening",
        "a path in an open folder, which SQLite opens by a function of ours",
    ),
];

#[test]
fn folders_of_others_are_entered_by_their_door() {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, source) in modules_of_rooms(Tests::LeftOut) {
        let room = module.get(1).map(String::as_str);
        if !room.is_some_and(|room| STRANGERS.contains(&room)) {
            continue;
        }
        let paths = source.absolute_paths(&module);
        let paths = paths.iter().map(|path| path.join("::"));
        let by_path = paths.filter(|path| {
            BY_PATH.iter().any(|by_path| {
                let rest = path.strip_prefix(by_path);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
            })
        });
        let methods = source.methods.iter();
        let methods = methods.filter(|name| METHODS.contains(&name.as_str()));
        let names: BTreeSet<String> = by_path
            .chain(methods.map(|name| format!(".{name}()")))
            .collect();
        if !names.is_empty() {
            found.insert(module[1..].join("::"), names);
        }
    }
    let is_own = |module: &str| OWN_PATHS.iter().any(|(own, _)| *own == module);
    let mut wrong: Vec<String> = found
        .iter()
        .filter(|(module, _)| !is_own(module))
        .map(|(module, names)| format!("{module} names {names:?}: `files::Folder` is the door"))
        .collect();
    let unused = OWN_PATHS
        .iter()
        .filter(|(own, _)| !found.contains_key(*own));
    wrong.extend(unused.map(|(own, _)| format!("{own} opens nothing by its path any more")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
