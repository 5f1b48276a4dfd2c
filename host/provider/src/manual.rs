//! Questions that whoever calls answers: each is given out as a task, and its answer is handed in with a later call.

use super::cassette::Exchange;
use super::error::AskError;
use super::excerpt::excerpt;
use super::reply::Ending;
use super::request::{Purpose, Request};
use super::schema::ReplySchema;
use super::usage::Usage;
use bakeoff_files::parse_json_of;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The name under which answers are recorded.
pub(super) const NAME: &str = "manual";

/// The most answers that are handed in at once.
pub const ANSWERS_MAX: usize = 64;

/// The largest file of answers, in bytes, and the most JSON values in it.
pub const ANSWERS_BYTES_MAX: u64 = 32 << 20;
const VALUES_MAX: usize = 1 << 17;

/// Number of digits of a request's digest in the id of its task.
const ID_DIGITS: usize = 16;

/// An answer to a task.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskAnswer {
    /// The id of the task.
    pub task: String,
    /// The reply: an object of the task's schema, or that object as a text.
    pub reply: Value,
}

impl TaskAnswer {
    /// Reads the answers of a file: a JSON list.
    ///
    /// # Errors
    /// The text is no such list, has too many answers, or two to one task.
    pub fn read_all(json: &[u8]) -> Result<Vec<Self>, String> {
        let answers: Vec<Self> =
            parse_json_of(json, VALUES_MAX).map_err(|error| error.to_string())?;
        if answers.len() > ANSWERS_MAX {
            return Err(format!(
                "it has {} answers, and {ANSWERS_MAX} are taken at once",
                answers.len()
            ));
        }
        for (place, answer) in answers.iter().enumerate() {
            if answers[..place].iter().any(|one| one.task == answer.task) {
                return Err(format!(
                    "it has two answers to the task `{}`",
                    excerpt(&answer.task)
                ));
            }
        }
        Ok(answers)
    }
}

/// A question that waits for an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpenTask {
    /// The id of the task, which follows from all that is asked.
    pub task: String,
    /// Purpose of the question.
    pub purpose: Purpose,
    /// Subject of the question: "approach 2".
    pub subject: String,
    /// Instructions that hold for all questions.
    pub system: String,
    /// The question itself.
    pub prompt: String,
    /// The JSON schema of the reply.
    pub schema: Value,
    /// Reason why an answer that was handed in was not taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// Answers that were handed in, and the tasks that wait for one.
#[derive(Debug, Default)]
pub(super) struct Manual {
    answers: Mutex<BTreeMap<String, Value>>,
    open: Mutex<Vec<OpenTask>>,
}

impl Manual {
    pub(super) fn new(answers: Vec<TaskAnswer>) -> Self {
        let answers = answers.into_iter().map(|one| (one.task, one.reply));
        Self {
            answers: Mutex::new(answers.collect()),
            open: Mutex::default(),
        }
    }

    /// Returns the answer to a question: the one of the record, or the one that was handed in, which is recorded. An
    /// answer that does not fit the schema is not recorded, and the task waits on.
    ///
    /// # Errors
    /// The task has no answer yet.
    pub(super) fn answer(
        &self,
        request: &Request,
        recorded: Option<&Exchange>,
        record: impl FnOnce(&Exchange),
    ) -> Result<Value, AskError> {
        let schema = ReplySchema::new(&request.schema).map_err(|problem| AskError::Invalid {
            problem,
            reply_excerpt: String::new(),
        })?;
        if let Some(Ok(Ending::Complete(text))) = recorded.map(Exchange::ending)
            && let Ok(answer) = schema.check(&text)
        {
            return Ok(answer);
        }
        let task = request.digest()[..ID_DIGITS].to_owned();
        let handed_in = lock(&self.answers).remove(&task);
        let mut refused = None;
        if let Some(reply) = handed_in {
            let text = match reply {
                Value::String(text) => text,
                other => other.to_string(),
            };
            match schema.check(&text) {
                Ok(answer) => {
                    let ending = Ending::Complete(text);
                    record(&Exchange::of_reply(
                        request,
                        NAME,
                        &ending,
                        Usage::default(),
                        0.0,
                    ));
                    return Ok(answer);
                }
                Err(problem) => refused = Some(excerpt(&problem)),
            }
        }
        let open = OpenTask {
            task: task.clone(),
            purpose: request.purpose,
            subject: request.subject.clone(),
            system: request.system.clone(),
            prompt: request.prompt.clone(),
            schema: request.schema.clone(),
            refused,
        };
        lock(&self.open).push(open);
        Err(AskError::NotAnswered { task })
    }

    /// Returns the tasks that wait for an answer.
    pub(super) fn open(&self) -> Vec<OpenTask> {
        lock(&self.open).clone()
    }

    /// Returns the ids of the answers that fit no task which was asked.
    pub(super) fn unused(&self) -> Vec<String> {
        lock(&self.answers).keys().cloned().collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(prompt: &str) -> Request {
        Request {
            purpose: Purpose::Prototype,
            subject: "approach 1".to_owned(),
            system: String::new(),
            prompt: prompt.to_owned(),
            schema: json!({
                "type": "object", "additionalProperties": false, "required": ["source"],
                "properties": {"source": {"type": "string"}}
            }),
            output_tokens_max: 9,
        }
    }

    fn handed_in(task: &str, reply: Value) -> Manual {
        Manual::new(vec![TaskAnswer {
            task: task.to_owned(),
            reply,
        }])
    }

    #[test]
    fn a_question_is_given_out_and_its_answer_is_taken_and_recorded() {
        let asked = Manual::default();
        let refused = asked.answer(&request("a"), None, |_| panic!("recorded"));
        let task = asked.open()[0].task.clone();
        assert_eq!(refused, Err(AskError::NotAnswered { task: task.clone() }));
        let reply = json!({"source": "x"});
        for reply in [reply.clone(), json!(reply.to_string())] {
            let mut kept = None;
            let manual = handed_in(&task, reply);
            let answer = manual.answer(&request("a"), None, |exchange| {
                kept = Some(exchange.clone());
            });
            assert_eq!(answer, Ok(json!({"source": "x"})));
            assert!(manual.open().is_empty() && manual.unused().is_empty());
            let again =
                Manual::default().answer(&request("a"), kept.as_ref(), |_| panic!("recorded"));
            assert_eq!(again, Ok(json!({"source": "x"})));
        }
    }

    #[test]
    fn what_does_not_fit_is_not_recorded_and_an_answer_to_nothing_is_left_over() {
        let asked = Manual::default();
        let _ = asked.answer(&request("a"), None, |_| {});
        let task = asked.open()[0].task.clone();
        let manual = handed_in(&task, json!({"source": 7}));
        let answer = manual.answer(&request("a"), None, |_| panic!("recorded"));
        assert!(answer.is_err());
        assert!(manual.open()[0].refused.is_some(), "{:?}", manual.open());
        let other = handed_in(&task, json!({"source": "x"}));
        assert!(other.answer(&request("b"), None, |_| {}).is_err());
        assert_eq!(other.unused(), [task]);
    }

    #[test]
    fn a_file_of_answers_is_bounded_and_has_one_for_each_task() {
        let read = |json: &Value| TaskAnswer::read_all(json.to_string().as_bytes());
        let answer = |task: usize| json!({"task": task.to_string(), "reply": {}});
        let many: Vec<Value> = (0..=ANSWERS_MAX).map(answer).collect();
        assert!(read(&json!(many)).unwrap_err().contains("64"));
        assert_eq!(read(&json!(many[1..])).unwrap().len(), ANSWERS_MAX);
        assert!(read(&json!([answer(1), answer(1)])).is_err());
        assert!(read(&json!([{"task": "1", "reply": {}, "passed": true}])).is_err());
        assert!(read(&json!({})).is_err());
    }
}
