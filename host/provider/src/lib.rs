//! Everything that speaks to a model.
//!
//! A [`Request`] becomes an answer of its schema, or an [`AskError`]. Between the two lie the budget, what
//! was recorded before, the limits on calls, one of the providers, the record, and the check of the reply.

mod anthropic;
mod budget;
mod call;
mod cassette;
mod command;
mod endpoint;
mod environment;
mod error;
mod excerpt;
mod fuzz_entry;
mod http;
mod ledger;
mod limiter;
mod live;
mod live_models;
mod manual;
mod models;
mod openai;
mod options;
mod prices;
mod process;
mod progress;
mod read_file;
mod record_books;
mod record_seal;
mod recorder;
mod reply;
mod request;
mod retry_after;
mod schema;
mod secret;
mod spending;
mod sse;
mod stream;
#[cfg(test)]
mod tests;
mod under_way;
mod usage;

#[cfg(test)]
#[path = "../../confine/testing/keeper_before_main.rs"]
mod keeper_before_main;

pub use error::{Amount, AskError, OpenError};
pub use fuzz_entry::{
    parse_cassette, read_command_output, read_progress, read_record, read_stream,
};
pub use ledger::Ledger;
pub use manual::{ANSWERS_BYTES_MAX, ANSWERS_MAX, OpenTask, TaskAnswer};
pub use models::{FORM_REPAIRS_MAX, Models};
pub use options::{ModelOptions, ProviderKind, RepairModelOptions};
pub use progress::{ProgressStep, QuestionProgress};
pub use request::{Purpose, Request};
pub use spending::{AskedQuestion, RECORD_FILE, Spending};
pub use usage::{SpentTable, Usage, UsageTotals};
