//! Reports of panics through an imported function, for diagnostic builds.

use std::sync::Once;

/// Reports each later panic with its place and message, as Rust prints them.
///
/// Every export calls this, but only the first call has an effect: a prototype that sets a hook of its
/// own keeps it.
pub fn report_panics(report: fn(&str)) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(move |panic| report(&panic.to_string()))));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    thread_local! {
        /// Other tests panic at the same time, in threads of their own.
        static SEEN: RefCell<String> = const { RefCell::new(String::new()) };
    }

    #[test]
    fn a_panic_is_reported_with_its_place() {
        report_panics(|message| SEEN.with_borrow_mut(|seen| seen.push_str(message)));
        report_panics(|_| ());
        assert!(std::panic::catch_unwind(|| panic!("of {} pieces", 3)).is_err());
        let seen = SEEN.take();
        assert!(
            seen.contains("diagnostic.rs:") && seen.ends_with("of 3 pieces"),
            "{seen}"
        );
    }
}
