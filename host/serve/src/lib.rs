//! Experiments in a browser on this machine: the list of all questions, runs while they go on, and reports.
//!
//! It reads. A run does not notice: what is shown follows from its database and its events, which are read by two threads
//! of low priority, however many look. Whoever has the token of the address may read, through pages of this server alone;
//! all text in them comes from outside, and is escaped.
//!
//! Where its user gave leave ([`ControlConsent`]), its forms also start, stop and change something: each as a command of the same
//! binary, in the open folder of an experiment. A run that was started lives on without the server.

mod access;
mod actions;
mod answers;
mod app;
mod browser;
mod change_forms;
mod change_page;
mod changes;
mod commands;
mod controls;
mod experiment_copy;
mod form;
mod lines;
mod list_page;
mod live;
mod monitor;
mod one_time;
mod page;
mod peer;
mod picture;
mod places;
mod race;
mod race_clock;
mod reports;
mod request_line;
mod resources;
mod routes;
mod run_page;
mod run_stop;
mod secret;
mod server;
mod standings;
mod stream;
mod target;
mod worker;

pub use browser::{BrowserError, open_in_browser};
pub use controls::ControlConsent;
pub use server::{ServeError, Server};
