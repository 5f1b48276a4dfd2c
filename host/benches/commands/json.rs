//! JSON as both tools write it, read with nothing but the standard library.

use std::collections::BTreeMap;

/// A value.
#[derive(Debug)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Table(BTreeMap<String, Json>),
}

impl Json {
    /// Reads a text that holds one value.
    ///
    /// # Errors
    /// The text is not JSON; the error says at which byte.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let mut reader = Reader {
            bytes: text.as_bytes(),
            at: 0,
        };
        let value = reader.value();
        let value = value.filter(|_| reader.peek().is_none());
        value.ok_or_else(|| format!("this is not JSON at byte {}", reader.at))
    }

    /// Returns what a way of keys and places leads to, written as `verdicts.0.value`.
    pub(crate) fn at(&self, way: &str) -> Option<&Self> {
        way.split('.').try_fold(self, |value, step| match value {
            Self::Table(table) => table.get(step),
            Self::List(list) => list.get(step.parse::<usize>().ok()?),
            _ => None,
        })
    }

    pub(crate) fn number(&self, way: &str) -> Option<f64> {
        match self.at(way)? {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns true if `true` stands at this place.
    pub(crate) fn is_true(&self, way: &str) -> bool {
        matches!(self.at(way), Some(Self::Bool(true)))
    }

    /// Returns a text, or an empty one if there is none at this place.
    pub(crate) fn text(&self, way: &str) -> &str {
        match self.at(way) {
            Some(Self::Text(text)) => text,
            _ => "",
        }
    }

    /// Returns the numbers of a list, or none if there is no list at this place.
    pub(crate) fn numbers(&self, way: &str) -> Vec<f64> {
        let Some(Self::List(list)) = self.at(way) else {
            return Vec::new();
        };
        let numbers = list.iter().filter_map(|value| match value {
            Self::Number(number) => Some(*number),
            _ => None,
        });
        numbers.collect()
    }
}

/// Bytes, and how far they have been read.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// Passes over white space, and returns the byte after it.
    fn peek(&mut self) -> Option<u8> {
        while self.bytes.get(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, wanted: u8) -> Option<()> {
        (self.peek()? == wanted).then(|| self.at += 1)
    }

    fn word(&mut self, word: &str, value: Json) -> Option<Json> {
        let rest = &self.bytes[self.at..];
        rest.starts_with(word.as_bytes()).then(|| {
            self.at += word.len();
            value
        })
    }

    fn value(&mut self) -> Option<Json> {
        match self.peek()? {
            b'{' => self.table(),
            b'[' => self.list(),
            b'"' => self.string().map(Json::Text),
            b'n' => self.word("null", Json::Null),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            _ => self.digits(),
        }
    }

    fn table(&mut self) -> Option<Json> {
        let mut table = BTreeMap::new();
        self.take(b'{')?;
        while self.peek()? != b'}' {
            if !table.is_empty() {
                self.take(b',')?;
            }
            self.peek()?;
            let key = self.string()?;
            self.take(b':')?;
            table.insert(key, self.value()?);
        }
        self.take(b'}').map(|()| Json::Table(table))
    }

    fn list(&mut self) -> Option<Json> {
        let mut list = Vec::new();
        self.take(b'[')?;
        while self.peek()? != b']' {
            if !list.is_empty() {
                self.take(b',')?;
            }
            list.push(self.value()?);
        }
        self.take(b']').map(|()| Json::List(list))
    }

    fn digits(&mut self) -> Option<Json> {
        let rest = &self.bytes[self.at..];
        let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
        let count = rest.iter().take_while(|byte| is_part(byte)).count();
        let number = std::str::from_utf8(&rest[..count]).ok()?.parse().ok()?;
        self.at += count;
        Some(Json::Number(number))
    }

    fn string(&mut self) -> Option<String> {
        self.take(b'"')?;
        let mut text = Vec::new();
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            match byte {
                b'"' => return String::from_utf8(text).ok(),
                b'\\' => {
                    let mut place = [0; 4];
                    text.extend(self.escaped()?.encode_utf8(&mut place).bytes());
                }
                other => text.push(other),
            }
        }
    }

    /// Returns the letter of an escape; half of a pair of surrogates is a question mark.
    fn escaped(&mut self) -> Option<char> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(match byte {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let digits = self.bytes.get(self.at..self.at + 4)?;
                self.at += 4;
                let number = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
                char::from_u32(number).unwrap_or('?')
            }
            other => char::from(other),
        })
    }
}
