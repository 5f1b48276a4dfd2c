//! Records that came with somebody's folder: nothing in them is believed, and nothing behind them is touched.

use super::*;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

const SECRET: &str = "canary-of-the-host";

fn recording(path: &Path) -> ModelOptions {
    ModelOptions {
        record: Some(path.to_owned()),
        ..options(APIS[1])
    }
}

/// Returns an exchange as anybody can write it, in full.
fn forged(usage: &str) -> String {
    let digest = request("1").digest();
    format!(
        "{{\"purpose\":\"prototype\",\"subject\":\"1\",\"request_digest\":\"{digest}\",\"provider\":\"openai {}\",\
         \"reply\":{{\"text\":\"forged\"}},\"usage\":{{{usage}}}}}\n",
        APIS[1].1
    )
}

#[test]
fn case_173_planted_model_record() {
    block_on(async {
        let seal = "00".repeat(32);
        let sealed = forged("").replace("}\n", &format!(",\"seal\":\"{seal}\"}}\n"));
        for text in [
            forged(""),
            forged("\"microdollars\":18446744073709551615,\"input_tokens\":18446744073709551615"),
            sealed,
            format!("{}{}", forged(""), "half of a li"),
            "half of a line".to_owned(),
            format!("{{\"{SECRET}\": 1}}\n"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("models.jsonl");
            fs::write(&path, &text).unwrap();
            let server = MockServer::start([whole("true")]).await;
            let bounded = ModelOptions {
                tokens_max: Some(50_000),
                ..recording(&path)
            };
            let models = open(&server, bounded);
            assert_eq!(models.spent().total.calls, 0, "{text}");
            let notices = models.notices().join("\n");
            assert!(
                notices.contains("set aside as models.jsonl.aside-1"),
                "{notices}"
            );
            assert!(!notices.contains(SECRET), "{notices}");
            assert_eq!(models.ask(&request("1")).await, Ok(answer("true")));
            assert_eq!(server.requests().len(), 1);
            drop(models);
            let aside = fs::read_to_string(folder.path().join("models.jsonl.aside-1")).unwrap();
            assert_eq!(aside, text);
            // And what was written since is ours.
            let models = open(&server, recording(&path));
            assert!(models.notices().is_empty());
            assert_eq!(models.ask(&request("1")).await, Ok(answer("true")));
            assert_eq!(server.requests().len(), 1);
        }
    });
}

/// A line of the user's own that was repeated, taken out or moved to another place is none of his.
#[test]
fn a_record_whose_lines_were_repeated_or_left_out_is_set_aside() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("models.jsonl");
        let server = MockServer::start([whole("a"), whole("b")]).await;
        let models = open(&server, recording(&path));
        for subject in ["1", "2"] {
            models.ask(&request(subject)).await.unwrap();
        }
        drop(models);
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for changed in [
            format!("{text}{}", lines[2]),
            lines[2].to_owned(),
            lines[1..].concat(),
            [lines[0], lines[2], lines[1]].concat(),
            text.replace("\"a\"", "\"c\""),
        ] {
            fs::write(&path, &changed).unwrap();
            let models = open(&server, recording(&path));
            assert_eq!((models.spent().total.calls, models.notices().len()), (0, 1));
        }
        fs::write(&path, lines[..2].concat()).unwrap();
        assert_eq!(open(&server, recording(&path)).spent().total.calls, 1);
    });
}

#[test]
fn case_174_record_second_name() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        // What is no whole line at the end would have been cut off.
        let content = format!("token\n{SECRET}");
        for plant in [
            |host: &Path, record: &Path| fs::hard_link(host, record).unwrap(),
            |host: &Path, record: &Path| symlink(host, record).unwrap(),
        ] {
            fs::write(at("host"), &content).unwrap();
            for name in ["models.jsonl", "models.jsonl.under-way"] {
                let _ = fs::remove_file(at("models.jsonl"));
                plant(&at("host"), &at(name));
                let server = MockServer::start([whole("a")]).await;
                let models = open(&server, recording(&at("models.jsonl")));
                let notices = models.notices().join("\n");
                assert!(notices.contains("set aside as"), "{notices}");
                assert!(
                    !notices.contains(SECRET) && !notices.contains("token"),
                    "{notices}"
                );
                models.ask(&request("1")).await.unwrap();
                drop(models);
                assert_eq!(fs::read_to_string(at("host")).unwrap(), content);
            }
        }
    });
}

#[test]
fn case_175_under_way_link() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let beside = at("models.jsonl.under-way");
        fs::write(at("host.json"), format!("\"{SECRET}\"")).unwrap();
        let exchange = forged("\"input_tokens\":40000");
        let calls = format!("[{{\"exchange\":{exchange},\"record_bytes\":0}}]").replace('\n', "");
        let zeros = "00".repeat(32);
        type Plant<'a> = &'a dyn Fn();
        let plants: [(Plant<'_>, &str); 5] = [
            (&|| symlink(at("host.json"), &beside).unwrap(), "is a link"),
            (
                &|| fs::write(&beside, format!("\"{SECRET}\"")).unwrap(),
                "your seal",
            ),
            (&|| fs::write(&beside, &calls).unwrap(), "your seal"),
            (
                &|| fs::write(&beside, format!("{calls}\n{zeros}\n")).unwrap(),
                "your seal",
            ),
            (&|| fs::create_dir(&beside).unwrap(), "a folder"),
        ];
        for (plant, why) in plants {
            plant();
            let server = MockServer::start([]).await;
            let models = open(&server, recording(&at("models.jsonl")));
            let notices = models.notices().join("\n");
            assert!(
                notices.contains(why) && !notices.contains(SECRET),
                "{notices}"
            );
            assert_eq!(models.spent().total.calls, 0);
            assert!(!beside.exists() && !beside.is_symlink());
        }
        let secret = fs::read_to_string(at("host.json")).unwrap();
        assert_eq!(secret, format!("\"{SECRET}\""));
    });
}

/// Calls of another record of the user's own are none of this one: they would be booked, and spend its budget.
#[test]
fn calls_under_way_of_another_record_of_ones_own_are_set_aside() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let server = MockServer::start([Answer::StallAfter("{")]).await;
        let models = open(&server, recording(&at("other.jsonl")));
        let question = request("1");
        let killed = async {
            while server.requests().is_empty() {
                tokio::task::yield_now().await;
            }
            fs::copy(at("other.jsonl.under-way"), at("models.jsonl.under-way")).unwrap();
        };
        tokio::select! {
            answer = models.ask(&question) => panic!("{answer:?}"),
            () = killed => {}
        }
        let models = open(&server, recording(&at("models.jsonl")));
        assert_eq!(models.spent().total.calls, 0);
        let notices = models.notices().join("\n");
        assert!(
            notices.contains("models.jsonl.under-way.aside-1"),
            "{notices}"
        );
    });
}
