//! A JSON text, token by token.
//!
//! Numbers are read from their own digits, by the type that is wanted: no integer goes through a float, and
//! an `f32` is rounded once.

use super::error::Fault;
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// A place in a text that is known to be JSON.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// Begins to read a text, all of which is checked to be one JSON value.
    pub(super) fn new(text: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str::<IgnoredAny>(text)?;
        Ok(Self { text, at: 0 })
    }

    /// The bytes that are left.
    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Passes white space, and returns the first byte of the next token.
    fn peek(&mut self) -> Option<u8> {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let rest = self.rest();
        let spaces = rest.iter().take_while(|byte| is_space(byte)).count();
        self.at += spaces;
        rest.get(spaces).copied()
    }

    /// Passes a bracket, a comma or a colon; false if the next token is another.
    fn pass(&mut self, mark: u8) -> bool {
        let is_next = self.peek() == Some(mark);
        self.at += usize::from(is_next);
        is_next
    }

    /// Passes `null`, `true` or `false`; false if the next token is another.
    pub(super) fn word(&mut self, word: &str) -> bool {
        self.peek();
        let is_next = self.rest().starts_with(word.as_bytes());
        if is_next {
            self.at += word.len();
        }
        is_next
    }

    /// Reads a number as it is written; `None` if the next token is another.
    pub(super) fn number(&mut self) -> Option<&'a str> {
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let begin = self
            .peek()
            .filter(|byte| matches!(byte, b'-' | b'0'..=b'9'));
        begin?;
        let length = self.rest().iter().take_while(|byte| is_part(byte)).count();
        let number = self.text.get(self.at..self.at + length);
        self.at += length;
        number
    }

    /// Reads a string with its quotes, as it is written; `None` if the next token is another.
    fn quoted(&mut self) -> Option<&'a str> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let rest = self.rest();
        let mut length = 1;
        loop {
            match rest.get(length)? {
                b'"' => break,
                b'\\' => length += 2,
                _ => length += 1,
            }
        }
        let quoted = self.text.get(self.at..=self.at + length);
        self.at += length + 1;
        quoted
    }

    /// Reads a string; `None` if the next token is another, or has half of a surrogate pair in it.
    pub(super) fn string(&mut self) -> Option<Cow<'a, str>> {
        let quoted = self.quoted()?;
        if quoted.contains('\\') {
            return serde_json::from_str(quoted).ok().map(Cow::Owned);
        }
        quoted.get(1..quoted.len() - 1).map(Cow::Borrowed)
    }

    /// Passes the next value, whatever it is. However deep it is, this takes no stack.
    pub(super) fn skip(&mut self) {
        let mut open = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.quoted();
                }
                b'[' | b'{' => {
                    self.at += 1;
                    open += 1;
                }
                b']' | b'}' => {
                    self.at += 1;
                    open = open.saturating_sub(1);
                }
                b',' | b':' => self.at += 1,
                _ => {
                    let is_end = |byte: &u8| b" \t\n\r,:]}".contains(byte);
                    let word = self.rest().iter().take_while(|byte| !is_end(byte));
                    self.at += word.count();
                }
            }
            if open == 0 {
                break;
            }
        }
    }

    /// Returns the number of elements of the array that comes next; `None` if it is another value.
    pub(super) fn elements(mut self) -> Option<usize> {
        if !self.pass(b'[') {
            return None;
        }
        let mut count = 0;
        while self.peek().is_some_and(|byte| byte != b']') {
            self.skip();
            self.pass(b',');
            count += 1;
        }
        Some(count)
    }

    /// Reads an array; `element` is given the index of each element, and reads it.
    pub(super) fn array(
        &mut self,
        mut element: impl FnMut(&mut Self, usize) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let before = *self;
        if !self.pass(b'[') {
            return Err(before.expected("an array"));
        }
        let mut index = 0;
        while !self.pass(b']') {
            element(self, index).map_err(|fault| fault.in_element(index))?;
            self.pass(b',');
            index += 1;
        }
        Ok(())
    }

    /// Reads an object; `field` is given the name of each field, and reads its value. Another value is not
    /// the one that is `wanted`.
    pub(super) fn object(
        &mut self,
        wanted: &str,
        mut field: impl FnMut(&mut Self, &str) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let before = *self;
        if !self.pass(b'{') {
            return Err(before.expected(wanted));
        }
        while !self.pass(b'}') {
            let before = *self;
            let name = self.string();
            let name = name.ok_or_else(|| before.expected("the name of a field"))?;
            self.pass(b':');
            field(self, &name)?;
            self.pass(b',');
        }
        Ok(())
    }

    /// The fault of the value that comes next: another one is wanted.
    pub(super) fn expected(mut self, wanted: &str) -> Fault {
        self.peek();
        let begin = self.at;
        self.skip();
        Fault::expected(wanted, self.text.get(begin..self.at).unwrap_or_default())
    }
}
