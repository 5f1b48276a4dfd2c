//! Experiments in a browser on this machine: the list of all questions, runs while they go on, and reports.
//!
//! It reads, and changes nothing. A run does not notice: what is shown follows from its database and its events, which
//! are read by two threads of low priority, however many look. Whoever has the token of the address may read, through
//! pages of this server alone; all text in them comes from outside, and is escaped.

mod access;
mod app;
mod lines;
mod list_page;
mod live;
mod monitor;
mod page;
mod picture;
mod places;
mod race;
mod reports;
mod request_line;
mod resources;
mod routes;
mod run_page;
mod server;
mod standings;
mod stream;
mod worker;

pub use server::{ServeError, Server};
