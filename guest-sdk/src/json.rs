//! JSON as values, for guests: they have no crates.

/// The largest depth of nested arrays and objects.
const DEPTH_MAX: u32 = 128;

/// A value of JSON.
///
/// A value that is not there is [`Json::Null`], so that paths can be followed without asking at each step:
///
/// ```
/// use bakeoff_guest::json::Json;
/// let report = Json::parse(r#"{"variants": [{"name": "heap", "rank": 1}]}"#).unwrap();
/// let first = report.key("variants").item(0);
/// assert_eq!(first.key("name").text(), Some("heap"));
/// assert_eq!(first.key("rank").number(), Some(1.0));
/// assert!(first.key("failure").key("class").is_null());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// No value.
    Null,
    /// True or false.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// Keys with their values, in the order of the text.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a text.
    ///
    /// # Errors
    /// It is no JSON: what is wrong, and at which byte.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.space();
        if reader.at == text.len() {
            Ok(value)
        } else {
            reader.wrong("more than one value")
        }
    }

    /// The value of a key; `Null` if there is none.
    pub fn key(&self, key: &str) -> &Self {
        let found = self.entries().iter().find(|(known, _)| known == key);
        found.map_or(&Self::Null, |(_, value)| value)
    }

    /// The item at a place, from 0; `Null` if there is none.
    pub fn item(&self, place: usize) -> &Self {
        self.items().get(place).unwrap_or(&Self::Null)
    }

    /// The items of a list; none of anything else.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// The keys of an object with their values; none of anything else.
    pub fn entries(&self) -> &[(String, Self)] {
        match self {
            Self::Object(entries) => entries,
            _ => &[],
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns true if it is `true`.
    pub fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }

    /// Returns true if there is nothing.
    pub fn is_null(&self) -> bool {
        *self == Self::Null
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn wrong<T>(&self, what: &str) -> Result<T, String> {
        Err(format!("no JSON at byte {}: {what}", self.at))
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while self
            .next()
            .is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        {
            self.at += 1;
        }
    }

    /// Takes these characters, if they come next.
    fn takes(&mut self, word: &str) -> bool {
        let is_next = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    fn value(&mut self, depth: u32) -> Result<Json, String> {
        if depth > DEPTH_MAX {
            return self.wrong("nested too deeply");
        }
        self.space();
        match self.next() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Ok(Json::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ if self.takes("true") => Ok(Json::Bool(true)),
            _ if self.takes("false") => Ok(Json::Bool(false)),
            _ if self.takes("null") => Ok(Json::Null),
            _ => self.wrong("a value is missing"),
        }
    }

    /// Takes what ends a list or an object, or separates its items: true at the end.
    fn ends(&mut self, end: &str) -> Result<bool, String> {
        self.space();
        if self.takes(end) {
            return Ok(true);
        }
        if self.takes(",") {
            Ok(false)
        } else {
            self.wrong(&format!("`,` or `{end}` is missing"))
        }
    }

    fn list(&mut self, depth: u32) -> Result<Json, String> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.takes("]") {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.ends("]")? {
                return Ok(Json::List(items));
            }
        }
    }

    fn object(&mut self, depth: u32) -> Result<Json, String> {
        self.at += 1;
        let mut entries = Vec::new();
        self.space();
        if self.takes("}") {
            return Ok(Json::Object(entries));
        }
        loop {
            self.space();
            if self.next() != Some(b'"') {
                return self.wrong("a key is missing");
            }
            let key = self.string()?;
            self.space();
            if !self.takes(":") {
                return self.wrong("`:` is missing");
            }
            entries.push((key, self.value(depth + 1)?));
            if self.ends("}")? {
                return Ok(Json::Object(entries));
            }
        }
    }

    fn number(&mut self) -> Result<Json, String> {
        let start = self.at;
        while self
            .next()
            .is_some_and(|byte| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9'))
        {
            self.at += 1;
        }
        match self.text[start..self.at].parse() {
            Ok(number) => Ok(Json::Number(number)),
            Err(_) => self.wrong("no number"),
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let start = self.at;
            while self
                .next()
                .is_some_and(|byte| !matches!(byte, b'"' | b'\\'))
            {
                self.at += 1;
            }
            text.push_str(&self.text[start..self.at]);
            match self.next() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(_) => {
                    self.at += 1;
                    text.push(self.escape()?);
                }
                None => return self.wrong("a text does not end"),
            }
        }
    }

    /// The character behind a backslash. Half of a pair stands for a character that there is not.
    fn escape(&mut self) -> Result<char, String> {
        let Some(byte) = self.next() else {
            return self.wrong("a text does not end");
        };
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.unit()?;
                let is_pair = (0xd800..0xdc00).contains(&first) && self.takes("\\u");
                let units = [first, if is_pair { self.unit()? } else { 0 }];
                let units = &units[..if is_pair { 2 } else { 1 }];
                let mut characters = char::decode_utf16(units.iter().copied());
                let first = characters.next().and_then(Result::ok);
                first.unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return self.wrong("no escape"),
        })
    }

    fn unit(&mut self) -> Result<u16, String> {
        let digits = self.text.get(self.at..self.at + 4);
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        self.at += 4;
        match unit {
            Some(unit) => Ok(unit),
            None => {
                self.at -= 4;
                self.wrong("no four hexadecimal digits")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_are_written() {
        let text = r#" {"a": [1, -2.5e3, true, false, null, []], "b": {}, "c": "x\n\"é\u00e9\ud83d\ude00\ud83d"} "#;
        let value = Json::parse(text).unwrap();
        let list = value.key("a");
        assert_eq!(list.item(1).number(), Some(-2500.0));
        assert!(list.item(2).is_true() && !list.item(3).is_true());
        assert!(list.item(4).is_null() && list.item(9).is_null());
        assert_eq!(list.items().len(), 6);
        assert_eq!(value.key("c").text(), Some("x\n\"éé😀\u{fffd}"));
        assert_eq!(value.entries().len(), 3);
    }

    #[test]
    fn what_is_no_json_is_an_error_and_no_panic() {
        for text in [
            "",
            "{",
            "[1",
            "[1,]",
            "{\"a\"}",
            "{a:1}",
            "\"",
            "\"\\",
            "\"\\u12",
            "\"\\ué\"",
            "\"\\x\"",
            "1 2",
            "tru",
            "-",
            "1.2.3",
            "[1 2]",
        ] {
            assert!(Json::parse(text).is_err(), "{text}");
        }
        assert!(Json::parse(&"[".repeat(100_000)).is_err());
        let deep = "[".repeat(100) + &"]".repeat(100);
        assert!(Json::parse(&deep).is_ok());
    }
}
