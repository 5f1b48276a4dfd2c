//! For diagnostic builds: says what a panic said, through a function that the host grants.

use std::sync::Once;

/// From now on, reports each panic: its place and its message, as Rust prints them.
///
/// Called at every export, and done once: a prototype that sets a hook of its own keeps it.
pub fn report_panics(report: fn(&str)) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(move |panic| report(&panic.to_string()))));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    static SEEN: Mutex<String> = Mutex::new(String::new());

    #[test]
    fn a_panic_is_reported_with_its_place() {
        report_panics(|message| SEEN.lock().unwrap().push_str(message));
        report_panics(|_| ());
        assert!(std::panic::catch_unwind(|| panic!("of {} pieces", 3)).is_err());
        let seen = SEEN.lock().unwrap();
        assert!(
            seen.contains("diagnostic.rs:") && seen.ends_with("of 3 pieces"),
            "{seen}"
        );
    }
}
