//! The core of bakeoff for the page of a report, as WebAssembly with plain exports.
//!
//! The page writes bytes to where [`input`] says and calls [`open`] with a report, once, then [`explore`]
//! with a question whenever a weight moves. Both leave their answer at [`output`] and return its length:
//! JSON, `{"error": "…"}` where something is wrong. Nothing is scored here: `bakeoff_domain::report` does.

use bakeoff_domain::report::{self, Question, Report};
use serde::Serialize;
use std::cell::RefCell;

/// The largest input, in bytes.
const INPUT_MAX: usize = 16 << 20;

#[derive(Default)]
struct Page {
    input: Vec<u8>,
    report: Option<Report>,
    output: Vec<u8>,
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::default();
}

#[derive(Serialize)]
struct Wrong {
    error: String,
}

/// Makes room for so many bytes of input and returns where they go; 0 if it is too much.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    if length > INPUT_MAX {
        return std::ptr::null_mut();
    }
    PAGE.with_borrow_mut(|page| {
        page.input = vec![0; length];
        page.input.as_mut_ptr()
    })
}

/// Reads the report that is the input. Returns the length of the answer: `{}`, or what is wrong.
#[unsafe(no_mangle)]
pub extern "C" fn open() -> usize {
    PAGE.with_borrow_mut(
        |page| match serde_json::from_slice(&std::mem::take(&mut page.input)) {
            Ok(report) => {
                page.report = Some(report);
                page.answer(&serde_json::Map::new())
            }
            Err(error) => page.wrong(format!("the report cannot be read: {error}")),
        },
    )
}

/// Answers the question that is the input. Returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn explore() -> usize {
    PAGE.with_borrow_mut(|page| {
        let question: Question = match serde_json::from_slice(&std::mem::take(&mut page.input)) {
            Ok(question) => question,
            Err(error) => return page.wrong(format!("the question cannot be read: {error}")),
        };
        let Some(report) = &page.report else {
            return page.wrong("there is no report".to_owned());
        };
        match report::explore(report, &question) {
            Ok(explored) => page.answer(&explored),
            Err(error) => page.wrong(error.to_string()),
        }
    })
}

/// Returns where the last answer lies.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    PAGE.with_borrow(|page| page.output.as_ptr())
}

impl Page {
    fn answer(&mut self, value: &impl Serialize) -> usize {
        // Values of these types have a JSON form.
        self.output = serde_json::to_vec(value).unwrap_or_default();
        self.output.len()
    }

    fn wrong(&mut self, error: String) -> usize {
        self.answer(&Wrong { error })
    }
}
