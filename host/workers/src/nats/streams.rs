//! Streams, subjects and the bucket of a team.

use super::super::address::ServerAddress;
use super::super::error::WorkersError;
use super::complaints::Complaints;
use super::with_causes;
use async_nats::Client;
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context};
use std::error::Error;
use std::time::Duration;

/// The largest message, in bytes: what a server takes if nobody told it otherwise.
const MESSAGE_BYTES_MAX: i32 = 1 << 20;

/// The most bytes that tasks and answers take on the server, each.
const STREAM_BYTES_MAX: i64 = 512 << 20;

/// The most bytes that contents take on the server.
const CONTENT_BYTES_MAX: i64 = 2 << 30;

/// The longest time for which a task is kept that its machine does not take: its lease ran out long before.
const TASK_AGE_MAX: Duration = Duration::from_secs(600);

/// The longest time for which an answer is kept for a run whose connection is lost.
const ANSWER_AGE_MAX: Duration = Duration::from_secs(600);

/// The longest time for which contents are kept.
const CONTENT_AGE_MAX: Duration = Duration::from_secs(24 * 3_600);

/// The words of a server that does not let somebody do something.
const FORBIDDEN: &str = "Permissions Violation";

/// The time for which the server remembers the ids of tasks, so that none is kept twice.
const IDS_KEPT: Duration = Duration::from_secs(120);

/// The streams and the bucket that a team has on a server.
pub(super) struct TeamStreams {
    pub(super) client: Client,
    pub(super) context: Context,
    pub(super) tasks: Stream,
    pub(super) answers: Stream,
    pub(super) contents: ObjectStore,
    complaints: Complaints,
    team: String,
}

/// Returns the stream of a team's tasks.
fn tasks(team: &str) -> Config {
    Config {
        name: format!("bakeoff-{team}-tasks"),
        subjects: vec![format!("bakeoff.{team}.task.*")],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        max_age: TASK_AGE_MAX,
        max_bytes: STREAM_BYTES_MAX,
        max_message_size: MESSAGE_BYTES_MAX,
        duplicate_window: IDS_KEPT,
        ..Config::default()
    }
}

/// Returns the stream of a team's answers.
fn answers(team: &str) -> Config {
    Config {
        name: format!("bakeoff-{team}-answers"),
        subjects: vec![format!("bakeoff.{team}.answer.*.*")],
        discard: DiscardPolicy::Old,
        max_age: ANSWER_AGE_MAX,
        max_bytes: STREAM_BYTES_MAX,
        max_message_size: MESSAGE_BYTES_MAX,
        ..Config::default()
    }
}

/// Returns the name of a team's bucket.
fn bucket(team: &str) -> String {
    format!("bakeoff-{team}")
}

/// Returns the reason why a stream that is there already cannot be used as this one. Its owner may have given it other bounds.
fn difference(there: &Config, ours: &Config) -> Option<String> {
    let takes = |most: i32| most < 0 || most >= ours.max_message_size;
    let what = if there.retention != ours.retention {
        "another retention"
    } else if there.subjects != ours.subjects {
        "other subjects"
    } else if !takes(there.max_message_size) {
        "a smaller largest message"
    } else {
        return None;
    };
    let name = &ours.name;
    Some(format!(
        "the stream {name} is there already, with {what}; remove it, or name another team"
    ))
}

impl TeamStreams {
    /// Opens the streams of a team, and makes those that are missing.
    pub(super) async fn open(
        (client, complaints): (Client, Complaints),
        address: &ServerAddress,
    ) -> Result<Self, WorkersError> {
        let context = jetstream::new(client.clone());
        let team = address.team.clone();
        let missing = |reason: String| {
            let (address, reason) = (address.to_string(), complaints.added_to(reason));
            if reason.contains(FORBIDDEN) {
                WorkersError::Forbidden { address, reason }
            } else {
                WorkersError::NoStore { address, reason }
            }
        };
        let of_team = [tasks(&team), answers(&team)];
        let mut opened = Vec::new();
        for ours in &of_team {
            let stream = context.get_or_create_stream(ours.clone()).await;
            let stream = stream.map_err(|error| missing(with_causes(&error)))?;
            if let Some(why) = difference(&stream.cached_info().config, ours) {
                return Err(missing(why));
            }
            opened.push(stream);
        }
        let contents = open_contents(&context, &team).await;
        let contents = contents.map_err(|error| missing(with_causes(&*error)))?;
        let [tasks, answers] =
            <[Stream; 2]>::try_from(opened).map_err(|_| missing("it has no streams".to_owned()))?;
        Ok(Self {
            client,
            context,
            tasks,
            answers,
            contents,
            complaints,
            team,
        })
    }

    /// Makes those streams anew that the server lost, with its store. What was in them is lost.
    pub(super) async fn restore(&self) {
        for ours in [tasks(&self.team), answers(&self.team)] {
            // Where it cannot be had now, it is tried again by whoever needs it.
            let _ = self.context.get_or_create_stream(ours).await;
        }
        let _ = open_contents(&self.context, &self.team).await;
    }

    /// Returns an error of the wire, with what the server said last if it said something by itself.
    pub(super) fn wrong(&self, error: &(dyn Error + 'static)) -> WorkersError {
        WorkersError::Wire(self.complaints.added_to(with_causes(error)))
    }

    /// Returns true if the bucket of contents has no room for so many bytes.
    pub(super) async fn is_full(&self, bytes: usize) -> bool {
        let name = format!("OBJ_{}", bucket(&self.team));
        let Ok(stream) = self.context.get_stream_no_info(name).await else {
            return false;
        };
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        stream.get_info().await.is_ok_and(|info| {
            u64::try_from(info.config.max_bytes)
                .is_ok_and(|most| info.state.bytes.saturating_add(bytes) > most)
        })
    }

    /// Returns the subject of the tasks of a machine.
    pub(super) fn task(&self, machine: &str) -> String {
        format!("bakeoff.{}.task.{machine}", self.team)
    }

    /// Returns the subject of the answers of a machine to a session; `*` stands for any machine.
    pub(super) fn answer(&self, session: &str, machine: &str) -> String {
        format!("bakeoff.{}.answer.{session}.{machine}", self.team)
    }

    /// Returns the subject of the announcements of a machine; `*` stands for any machine.
    pub(super) fn facts(&self, machine: &str) -> String {
        format!("bakeoff.{}.worker.{machine}", self.team)
    }

    /// Returns the subject of the question who is there.
    pub(super) fn question(&self) -> String {
        format!("bakeoff.{}.who", self.team)
    }

    /// Returns the subject of what a machine need not do any more.
    pub(super) fn cancelled(&self, machine: &str) -> String {
        format!("bakeoff.{}.cancel.{machine}", self.team)
    }
}

/// Opens the bucket of a team's contents, and makes it if it is missing.
async fn open_contents(
    context: &Context,
    team: &str,
) -> Result<ObjectStore, Box<dyn Error + Send + Sync>> {
    if let Ok(contents) = context.get_object_store(bucket(team)).await {
        return Ok(contents);
    }
    let contents = context.create_object_store(object_store::Config {
        bucket: bucket(team),
        max_age: CONTENT_AGE_MAX,
        max_bytes: CONTENT_BYTES_MAX,
        ..object_store::Config::default()
    });
    Ok(contents.await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_of_others_is_refused_and_one_with_other_bounds_is_not() {
        let ours = tasks("a");
        assert_eq!(difference(&ours, &ours), None);
        let bounded = Config {
            max_bytes: 1,
            max_age: Duration::from_secs(1),
            max_message_size: -1,
            ..ours.clone()
        };
        assert_eq!(difference(&bounded, &ours), None);
        let small = Config {
            max_message_size: 1_000,
            ..ours.clone()
        };
        for (there, what) in [
            (small, "smaller"),
            (tasks("b"), "subjects"),
            (answers("a"), "retention"),
        ] {
            let refused = difference(&there, &ours).unwrap();
            assert!(refused.contains(what), "{refused}");
            assert!(refused.contains("bakeoff-a-tasks"), "{refused}");
        }
    }
}
