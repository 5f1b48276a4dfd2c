//! Each import and each bound, in both engines.

use super::components::{
    self, NO_ENTRY, NOT_PERMITTED, READ_ONLY, clocks, exits, hoards, looks_around, random_bytes,
    reads, sleeps, writes,
};
use super::*;
use bakeoff_compile::{ImportSupport, import_support};
use bakeoff_source::{GrantedFolder, read_granted};
use std::fs;

const ANSWER: &str = "(i64.extend_i32_u (local.get 0))";

#[test]
fn the_world_is_empty() {
    in_both(|profile| assert_eq!(Guest::new(profile, &looks_around()).number(7), 0));
}

#[test]
fn clocks_and_random_numbers_are_the_same_in_every_instance_and_move_on() {
    in_both(|profile| {
        for component in [clocks(3), random_bytes(64 << 10)] {
            let mut one = Guest::new(profile, &component);
            let first = one.number(7);
            assert_eq!(Guest::new(profile, &component).number(7), first);
            assert_ne!(one.number(7), first);
        }
        // The first of January 2025: nothing of the machine's own clock.
        let seen = Guest::new(profile, &clocks(1)).number(7);
        assert_eq!(seen, 1_735_689_600 + 2_000);
    });
}

#[test]
fn sleeping_takes_no_time_and_is_added_to_the_wall_clock() {
    in_both(|profile| {
        let mut guest = Guest::new(profile, &sleeps(3_000_000_000));
        let time = guest.call(7).unwrap().time.time;
        assert!(time.wall_ns >= 3_000_000_000, "{time:?}");
        assert!(time.cpu_ns < 3_000_000_000, "{time:?}");
        // The limit is per call.
        for _ in 0..10 {
            assert_eq!(guest.number(7), 7);
        }
        let mut guest = Guest::new(profile, &sleeps(u64::MAX));
        assert_eq!(guest.error(), ("wall-limit".into(), "wall = 10 s".into()));
        assert_eq!(guest.attempts(), [(AttemptKind::OverlongSleep, 1)]);
    });
}

#[test]
fn an_exit_is_a_failure() {
    in_both(|profile| {
        let mut guest = Guest::new(profile, &exits());
        let error = guest.call(7).unwrap_err();
        assert_eq!(error.class.name(), "exited");
        assert!(error.message.contains("status 1"), "{}", error.message);
        assert_eq!(guest.attempts(), [(AttemptKind::Exit, 1)]);
    });
}

#[test]
fn an_output_is_bounded_and_its_end_explains_a_trap() {
    in_both(|profile| {
        let mut guest = Guest::new(profile, &writes(4096, 200, "", ANSWER));
        assert_eq!((guest.number(7), guest.number(7)), (7, 7));
        let mut guest = Guest::new(profile, &writes(4096, 300, "", ANSWER));
        assert_eq!(
            guest.error(),
            ("output-limit".into(), "output = 1 MiB".into())
        );
        assert_eq!(guest.attempts(), [(AttemptKind::OutputFlood, 1)]);
        let mut guest = Guest::new(profile, &writes(10, 1, "out of luck", "unreachable"));
        let error = guest.call(7).unwrap_err();
        assert_eq!(error.class.name(), "trap");
        assert!(
            error.message.ends_with("its last output: out of luc"),
            "{}",
            error.message
        );
    });
}

#[test]
fn calls_of_the_host_are_counted_also_those_that_write_nothing() {
    in_both(|profile| {
        let limit = ("host-limit".into(), "host calls = 1000000".into());
        for component in [writes(0, u64::MAX, "", ANSWER), clocks(u64::MAX)] {
            let mut guest = Guest::new(profile, &component);
            assert_eq!(guest.error(), limit);
            assert_eq!(guest.attempts(), [(AttemptKind::HostCallFlood, 1)]);
        }
        // The count is per call.
        let mut guest = Guest::new(profile, &clocks(300_000));
        for _ in 0..3 {
            guest.call(7).unwrap();
        }
    });
}

#[test]
fn random_bytes_and_handles_are_bounded() {
    in_both(|profile| {
        let mut guest = Guest::new(profile, &random_bytes((64 << 10) + 1));
        assert_eq!(
            guest.error(),
            ("host-limit".into(), "random = 64 KiB".into())
        );
        let mut guest = Guest::new(profile, &hoards(1_000));
        assert_eq!(guest.number(7), 7);
        // Those of an earlier call are still held.
        assert_eq!(
            guest.error(),
            ("host-limit".into(), "handles = 1000".into())
        );
        assert_eq!(guest.attempts(), [(AttemptKind::HandleFlood, 1)]);
    });
}

/// What one may have, without end.
#[test]
fn floods_end_by_the_bound_that_they_meet() {
    in_both(|profile| {
        let calls = ("host-limit".to_owned(), "host calls = 1000000".to_owned());
        let handles = ("host-limit".to_owned(), "handles = 1000".to_owned());
        let (_home, folders) = granted();
        for (name, component, bound) in [
            ("naps", floods::naps(), &calls),
            ("draws", floods::draws(), &calls),
            ("reads again", floods::reads_again(), &calls),
            ("lists", floods::lists(), &calls),
            ("opens", floods::opens(), &handles),
            ("keeps lists", floods::keeps_lists(), &handles),
            ("makes resources", floods::makes_resources(), &handles),
        ] {
            let mut guest = Guest::with_folders(profile, &component, folders.clone());
            assert_eq!(guest.error(), *bound, "{name}");
        }
    });
}

/// Resources of the component's own, of which no table of the host knows.
#[test]
fn handles_of_the_components_own_resources_are_bounded() {
    let own = |count: u32| {
        component(
            "",
            r#"
  (type $thing (resource (rep i32)))
  (core func $new (canon resource.new $thing))"#,
            &format!(
                r#"
  (import "host" "new" (func $new (param i32) (result i32)))
  (func (export "solve") (param i32) (result i64)
    (local $left i32)
    (local.set $left (i32.const {count}))
    (loop $again
      (drop (call $new (i32.const 1)))
      (local.set $left (i32.sub (local.get $left) (i32.const 1)))
      (br_if $again (local.get $left)))
    (i64.const 7))"#
            ),
        )
    };
    in_both(|profile| {
        assert_eq!(Guest::new(profile, &own(1_000)).number(7), 7);
        let error = Guest::new(profile, &own(1_001)).error();
        assert_eq!(error, ("host-limit".into(), "handles = 1000".into()));
    });
}

#[test]
fn tables_instances_and_data_into_the_host_are_bounded() {
    in_both(|profile| {
        let table = |elements: u32| {
            component(
                "",
                "",
                &format!(
                    "(table {elements} funcref) (func (export \"solve\") (param i32) (result i64) {ANSWER})"
                ),
            )
        };
        assert_eq!(Guest::new(profile, &table(1_000)).number(7), 7);
        let mut bomb = Guest::new(profile, &table(9_000_000));
        assert_eq!(
            bomb.error(),
            ("memory-limit".into(), "memory = 16 MiB".into())
        );
        assert_eq!(bomb.attempts(), [(AttemptKind::MemoryGrowth, 1)]);

        let instances = |count: usize| {
            let more = "(core module $empty)".to_owned()
                + &"(core instance (instantiate $empty))".repeat(count);
            component(
                &more,
                "",
                &format!("(func (export \"solve\") (param i32) (result i64) {ANSWER})"),
            )
        };
        assert_eq!(Guest::new(profile, &instances(500)).number(7), 7);
        let (class, limit) = Guest::new(profile, &instances(600)).error();
        assert_eq!(class, "host-limit");
        assert!(limit.contains("= 512"), "{limit}");

        // A megabyte and a half in one write: more than a host function takes in.
        let mut guest = Guest::new(profile, &writes(900_000, 2, "", ANSWER));
        assert_ne!(guest.error().0, "runner-crashed");
    });
}

fn granted() -> (tempfile::TempDir, Folders) {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join("data/inner")).unwrap();
    fs::write(home.path().join("data/inner/b"), [1, 2, 4]).unwrap();
    fs::write(home.path().join("secret"), [64]).unwrap();
    let folders = read_granted(&[GrantedFolder {
        at: "/data".into(),
        home: home.path().to_owned(),
        folder: "data".into(),
        shown: "data".into(),
    }]);
    (home, folders.unwrap())
}

#[test]
fn granted_files_are_read_and_nothing_else_is() {
    in_both(|profile| {
        let (_home, folders) = granted();
        let open = |path: &str, how: u32, rights: u32| {
            let component = reads(path, how, rights);
            let mut guest = Guest::with_folders(profile, &component, folders.clone());
            (guest.number(7), guest.attempts())
        };
        for path in ["inner/b", "./inner/../inner/b", "inner//b"] {
            assert_eq!(open(path, 0, 1), (7, Vec::new()), "{path}");
        }
        assert_eq!(open("none", 0, 1), (NO_ENTRY, Vec::new()));
        let outside = vec![(AttemptKind::OpenOutside, 1)];
        for path in ["../secret", "/etc/passwd", "inner/../../secret", ".."] {
            assert_eq!(open(path, 0, 1), (NOT_PERMITTED, outside.clone()), "{path}");
        }
        let write = vec![(AttemptKind::WriteToGrant, 1)];
        for (how, rights) in [(0, 2), (1, 1), (8, 1), (0, 32)] {
            assert_eq!(open("inner/b", how, rights), (READ_ONLY, write.clone()));
        }
        // Without a grant there is no folder at all.
        assert_eq!(Guest::new(profile, &reads("inner/b", 0, 1)).number(7), 999);
    });
}

#[test]
fn what_is_not_linked_cannot_be_imported_even_past_the_builder() {
    for import in ["wasi:sockets/tcp@0.2.0", "wasi:http/types@0.2.0"] {
        let code = engine::precompile(Profile::Timed, &components::imports(import)).unwrap();
        let sandbox = Sandbox::new(Profile::Timed, limits()).unwrap();
        // SAFETY: the engine made the code just now.
        let prepared = unsafe { sandbox.prepare(&code, Imports::Wasi(Arc::default())) };
        let error = prepared.err().unwrap();
        assert_eq!(error.class.name(), "forbidden-import");
        assert!(error.message.contains(import), "{}", error.message);
    }
}

/// What the build lets pass is there, under every release that it lets pass.
#[test]
fn every_interface_that_may_be_imported_is_linked() {
    let interfaces = [
        "cli/environment",
        "cli/exit",
        "cli/stdin",
        "cli/stdout",
        "cli/stderr",
        "cli/terminal-input",
        "cli/terminal-output",
        "cli/terminal-stdin",
        "cli/terminal-stdout",
        "cli/terminal-stderr",
        "clocks/monotonic-clock",
        "clocks/wall-clock",
        "filesystem/types",
        "filesystem/preopens",
        "io/error",
        "io/poll",
        "io/streams",
        "random/random",
        "random/insecure",
        "random/insecure-seed",
    ];
    for release in ["0.2.0", "0.2.6", "0.2.12"] {
        let names = interfaces.map(|interface| format!("wasi:{interface}@{release}"));
        let all: String = names
            .iter()
            .map(|name| format!("(import \"{name}\" (instance))"))
            .collect();
        for name in &names {
            assert!(
                matches!(import_support(name), ImportSupport::Virtual(_)),
                "{name}"
            );
        }
        let body = format!("(func (export \"solve\") (param i32) (result i64) {ANSWER})");
        let component = component(&all, "", &body);
        assert_eq!(Guest::new(Profile::Timed, &component).number(7), 7);
    }
}
