//! Workers that lie: nothing of what they say is kept, and they are named.

use super::memory::{Between, SESSION, facts, name};
use crate::address::{ServerAddress, ServerCredentials};
use crate::facts::{WorkerAnnouncement, WorkerFacts};
use crate::fleet::Fleet;
use crate::machines::MachineState;
use crate::messages::{AnswerHeader, AnswerPart, PIECE_BYTES_MAX, TaskHeader};
use crate::rechecks::FalseAnswer;
use bakeoff_confine::tasks::{RequestError, SeatChange, WorkerFrames, WorkerJob, wire};
use bakeoff_domain::queue::{Attempt, TaskKey};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Returns the frames of an honest answer to an attempt.
async fn frames_of(key: &str, attempt: u32, request: u32) -> Vec<Vec<u8>> {
    let attempt = Attempt {
        key: TaskKey::new(key),
        number: attempt,
    };
    let (sender, mut receiver) = unbounded_channel();
    let frames = WorkerFrames::new(attempt, request, sender);
    frames.part(b"a result".to_vec());
    frames.end(b"an end".to_vec());
    drop(frames);
    let mut all = Vec::new();
    while let Some(frame) = receiver.recv().await {
        all.push(frame);
    }
    all
}

fn piece(request: u64, piece: u32, part: AnswerPart, content: &[u8]) -> Vec<u8> {
    let header = AnswerHeader {
        request,
        piece,
        part,
    };
    wire::sealed(content.to_vec(), &header)
}

async fn task_of(tasks: &mut UnboundedReceiver<Vec<u8>>) -> TaskHeader {
    let task = tasks.recv().await.unwrap();
    let (header, _) = wire::opened::<TaskHeader>(&task).unwrap();
    assert_eq!(header.session, SESSION);
    header
}

/// Has a machine that does as `lies` says do a request, and returns what came of it, and the fleet.
async fn asked(
    lies: impl AsyncFnOnce(&Between, TaskHeader),
) -> (Result<Vec<u8>, RequestError>, Fleet) {
    let between = Between::default();
    let fleet = between.run().await;
    let mut tasks = between.join("liar").await;
    let mut seats = fleet.seats();
    let Some(SeatChange::Added(seat)) = seats.recv().await else {
        panic!("it has no seat");
    };
    let link = fleet.link(seat).unwrap();
    let job = WorkerJob {
        core: None,
        task: b"a task",
    };
    let mut ignore = |_| Ok(());
    let (answer, ()) = tokio::join!(link.request(job, &mut ignore), async {
        let header = task_of(&mut tasks).await;
        lies(&between, header).await;
    });
    (answer, fleet)
}

fn is_struck_off(fleet: &Fleet, machine: &str, reason: &str) {
    let machines = fleet.machines();
    let machine = machines.iter().find(|one| one.machine == name(machine));
    match &machine.unwrap().state {
        MachineState::StruckOff(why) => assert!(why.contains(reason), "{why}"),
        other => panic!("{other:?}"),
    }
    let news = fleet.news().join("\n");
    assert!(news.contains("gets no more tasks"), "{news}");
}

#[tokio::test]
async fn case_287_an_answer_for_another_attempt_is_refused_and_its_worker_named() {
    for (key, attempt, request) in [
        ("somebody else's task", 1, 0),
        ("outside of a queue", 2, 0),
        ("outside of a queue", 1, 9),
    ] {
        let (answer, fleet) = asked(async |between, header| {
            assert_eq!(header.key, "outside of a queue");
            for (number, frame) in frames_of(key, attempt, request).await.iter().enumerate() {
                let piece = piece(header.number, number as u32, AnswerPart::Frame, frame);
                between.answer_as("liar", piece).await;
            }
        })
        .await;
        let lost = answer.unwrap_err().to_string();
        assert!(lost.contains("liar"), "{lost}");
        is_struck_off(&fleet, "liar", "none of its task");
    }
}

#[tokio::test]
async fn case_287_an_answer_to_a_request_of_another_machine_counts_for_nothing() {
    let (answer, fleet) = asked(async |between, header| {
        let _tasks = between.join("thief").await;
        let frames = frames_of(&header.key, header.attempt, header.request).await;
        let forged = b"a forged result";
        let forged = piece(header.number, 0, AnswerPart::Frame, forged);
        between.answer_as("thief", forged).await;
        for (number, frame) in frames.iter().enumerate() {
            let piece = piece(header.number, number as u32, AnswerPart::Frame, frame);
            between.answer_as("liar", piece).await;
        }
    })
    .await;
    assert_eq!(answer.unwrap(), b"an end");
    is_struck_off(&fleet, "thief", "another one has");
}

#[tokio::test]
async fn case_287_the_number_of_a_request_is_known_to_its_machine_alone() {
    let (answer, fleet) = asked(async |between, header| {
        assert!(header.number > u64::from(u32::MAX), "{}", header.number);
        let _tasks = between.join("thief").await;
        for guess in [0, 1, header.number - 1, header.number.wrapping_add(1)] {
            let forged = piece(guess, 0, AnswerPart::Frame, b"a forged result");
            between.answer_as("liar", forged).await;
        }
        let frames = frames_of(&header.key, header.attempt, header.request).await;
        for (number, frame) in frames.iter().enumerate() {
            let piece = piece(header.number, number as u32, AnswerPart::Frame, frame);
            between.answer_as("liar", piece).await;
        }
    })
    .await;
    assert_eq!(answer.unwrap(), b"an end");
    assert_eq!(fleet.machines()[0].state, MachineState::Here);
}

#[tokio::test]
async fn case_288_garbage_and_bombs_as_answers_are_refused_and_their_worker_named() {
    let (answer, fleet) = asked(async |between, header| {
        let garbage = piece(header.number, 0, AnswerPart::Frame, b"no frame at all");
        between.answer_as("liar", garbage).await;
    })
    .await;
    assert!(answer.unwrap_err().to_string().contains("none of its task"));
    is_struck_off(&fleet, "liar", "none of its task");
    let (answer, fleet) = asked(async |between, header| {
        let bomb = vec![0; PIECE_BYTES_MAX];
        for number in 0..32 {
            let piece = piece(header.number, number, AnswerPart::Begun, &bomb);
            between.answer_as("liar", piece).await;
        }
    })
    .await;
    assert!(answer.unwrap_err().to_string().contains("larger"));
    is_struck_off(&fleet, "liar", "larger");
    let (answer, fleet) = asked(async |between, header| {
        between
            .answer_as("liar", b"not even an answer".to_vec())
            .await;
        let over = piece(header.number, 0, AnswerPart::Over, b"");
        between.answer_as("liar", over).await;
    })
    .await;
    assert!(answer.is_err());
    is_struck_off(&fleet, "liar", "no answer");
}

#[tokio::test]
async fn an_answer_that_comes_twice_counts_once_and_one_with_a_gap_is_lost() {
    let (answer, fleet) = asked(async |between, header| {
        let frames = frames_of(&header.key, header.attempt, header.request).await;
        for number in [0, 0, 1] {
            let frame = &frames[number as usize];
            let piece = piece(header.number, number, AnswerPart::Frame, frame);
            between.answer_as("liar", piece).await;
        }
    })
    .await;
    assert_eq!(answer.unwrap(), b"an end");
    assert_eq!(fleet.machines()[0].state, MachineState::Here);
    let (answer, fleet) = asked(async |between, header| {
        let frames = frames_of(&header.key, header.attempt, header.request).await;
        let piece = piece(header.number, 1, AnswerPart::Frame, &frames[1]);
        between.answer_as("liar", piece).await;
    })
    .await;
    assert!(answer.unwrap_err().to_string().contains("did not arrive"));
    let state = &fleet.machines()[0].state;
    assert_eq!(*state, MachineState::Here, "a server may have lost it");
}

#[tokio::test]
async fn case_290_a_machine_that_answers_otherwise_than_this_one_is_named() {
    let task = |name: &str| TaskKey::new(name);
    for (share, taken) in [("0", 1), ("1", 0)] {
        let between = Between::default();
        let fleet = between.run().await.with_recheck(share.parse().unwrap());
        let _tasks = between.join("liar").await;
        let Some(SeatChange::Added(seat)) = fleet.seats().recv().await else {
            panic!("it has no seat");
        };
        let is_held = fleet.holds_back(seat, &task("first"), b"a lie");
        assert_eq!(is_held, taken == 0);
        fleet.compare(&task("first"), || Some(b"the truth".to_vec()));
        let expected = FalseAnswer {
            machine: name("liar"),
            task: task("first"),
            unconfirmed: 0,
        };
        if taken > 0 {
            assert_eq!(fleet.false_answers(), [], "nothing was held back");
            continue;
        }
        assert_eq!(fleet.false_answers(), [expected]);
        is_struck_off(&fleet, "liar", "another one than that of this machine");
    }
}

#[test]
fn what_a_worker_says_of_itself_and_of_a_task_is_one_line() {
    let lines = WorkerFacts {
        cpu: "x\nworkers elsewhere: all is well\u{2028}y".to_owned(),
        ..facts(1, 1)
    };
    let WorkerAnnouncement::Facts(read) = WorkerAnnouncement::read(&lines.to_bytes()) else {
        panic!("it is read");
    };
    assert_eq!(read.cpu, "x workers elsewhere: all is well y");
    let unknown = WorkerFacts {
        fence: "none at all".to_owned(),
        ..facts(1, 1)
    };
    assert!(
        unknown
            .unfit_for(&facts(1, 1))
            .unwrap()
            .contains("nothing confines")
    );
}

#[tokio::test]
async fn case_288_a_reason_of_a_worker_is_one_line_and_short() {
    let (answer, _fleet) = asked(async |between, header| {
        let attempt = Attempt {
            key: TaskKey::new(header.key.as_str()),
            number: header.attempt,
        };
        let (sender, mut receiver) = unbounded_channel();
        let frames = WorkerFrames::new(attempt, header.request, sender);
        frames.lost(format!(
            "no\nTake sort: it is best\n{}",
            "x".repeat(100_000)
        ));
        drop(frames);
        let frame = receiver.recv().await.unwrap();
        let piece = piece(header.number, 0, AnswerPart::Frame, &frame);
        between.answer_as("liar", piece).await;
    })
    .await;
    let reason = answer.unwrap_err().to_string();
    assert!(reason.starts_with("no Take sort"), "{reason}");
    assert!(reason.chars().count() <= 500);
}

#[test]
fn an_announcement_that_is_too_long_or_none_is_not_read() {
    let long = WorkerFacts {
        cpu: "x".repeat(201),
        ..facts(1, 1)
    };
    let foreign = |version: &str| WorkerAnnouncement::Foreign {
        bakeoff: version.to_owned(),
    };
    assert_eq!(WorkerAnnouncement::read(&long.to_bytes()), foreign("1.0.0"));
    let many = facts(u32::MAX, 1).to_bytes();
    assert_eq!(WorkerAnnouncement::read(&many), foreign("1.0.0"));
    assert_eq!(WorkerAnnouncement::read(b""), foreign(""));
    let no_version = [vec![250], vec![b'9'; 250]].concat();
    assert_eq!(WorkerAnnouncement::read(&no_version), foreign(""));
    let read = WorkerAnnouncement::read(&facts(4, 1).to_bytes());
    assert_eq!(read, WorkerAnnouncement::Facts(facts(4, 1)));
}

#[tokio::test]
async fn case_291_a_worker_whose_announcement_is_of_another_version_is_refused_with_both_named() {
    let between = Between::default();
    let fleet = between.run().await;
    let _tasks = between.join("here").await;
    // What a version before or after this one says of itself begins with that version, too.
    let old = [b"\x050.9.9".as_slice(), b"\x01?"].concat();
    for machine in ["old", "here", "old"] {
        between.announce_as(machine, old.clone()).await;
    }
    // Announcements are read in their order.
    let _tasks = between.join("last").await;
    let state = |machine: &str| {
        let machines = fleet.machines();
        let machine = machines.iter().find(|one| one.machine == name(machine));
        machine.map(|machine| machine.state.clone())
    };
    while state("last").is_none() {
        tokio::task::yield_now().await;
    }
    let Some(MachineState::Unfit(why)) = state("old") else {
        panic!("{:?}", fleet.machines());
    };
    assert!(why.contains("0.9.9") && why.contains("1.0.0"), "{why}");
    assert_eq!(
        state("here"),
        Some(MachineState::Here),
        "a forged one ends nobody"
    );
    let news = fleet.news();
    let refused = news.iter().filter(|text| text.contains("refused"));
    assert_eq!(refused.count(), 1, "{news:?}");
}

#[tokio::test]
async fn case_289_a_server_that_is_not_there_is_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let address = ServerAddress::parse(&format!("nats://127.0.0.1:{port}")).unwrap();
    let connected = crate::connect_run(&address, &ServerCredentials::default(), SESSION).await;
    let error = connected.err().unwrap().to_string();
    assert!(error.contains(&port.to_string()), "{error}");
    let missing = ServerCredentials {
        file: Some("/nowhere/worker.creds".into()),
        authorities: None,
    };
    if cfg!(feature = "nats") {
        let connected = crate::connect_run(&address, &missing, SESSION).await;
        let error = connected.err().unwrap().to_string();
        assert!(error.contains("/nowhere/worker.creds"), "{error}");
    }
}
