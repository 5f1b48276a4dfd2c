//! Literal values: read from WAVE notation by their shapes, and written in WAVE and in Rust.

use super::shape::{Shape, wide_halves};

/// A value of a type that has a shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A `bool`.
    Bool(bool),
    /// A whole number.
    Whole(i128),
    /// A float, as it is written.
    Float(String),
    /// A `char`.
    Char(char),
    /// A `string`.
    Text(String),
    /// A list.
    List(Vec<Literal>),
    /// A tuple.
    Tuple(Vec<Literal>),
    /// An `option`.
    Option(Option<Box<Literal>>),
    /// A `result` whose error has no value.
    Result(Result<Option<Box<Literal>>, ()>),
    /// A case of an enum, by its name in WIT, with what it holds.
    Case(String, Option<Box<Literal>>),
}

/// Reads values of these shapes, separated by commas, such as the arguments between the brackets of a call. `None`
/// if the text is anything else.
pub fn read_literals(text: &str, shapes: &[&Shape]) -> Option<Vec<Literal>> {
    let mut reader = Reader { rest: text };
    let mut values = Vec::new();
    for (place, shape) in shapes.iter().enumerate() {
        if place > 0 {
            reader.expect(",")?;
        }
        values.push(reader.value(shape)?);
    }
    reader.rest.trim().is_empty().then_some(values)
}

/// A parser of values in WAVE, by their shapes. It recurses as deep as the shape does, and no deeper.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn take(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start();
        let found = rest.strip_prefix(token);
        self.rest = found.unwrap_or(rest);
        found.is_some()
    }

    fn expect(&mut self, token: &str) -> Option<()> {
        self.take(token).then_some(())
    }

    fn value(&mut self, shape: &Shape) -> Option<Literal> {
        Some(match shape {
            Shape::Plain(name) => self.plain(name)?,
            Shape::Any(_) => self.plain("s64")?,
            Shape::List(item) => Literal::List(self.items("[", "]", |_| Some(item))?),
            Shape::Array(item, length) => {
                let read = self.items("[", "]", |_| Some(item))?;
                (read.len() == *length).then_some(Literal::List(read))?
            }
            Shape::Wide(is_signed) => {
                let halves = wide_halves(*is_signed).map(Shape::plain);
                let read = self.items("(", ")", |place| halves.get(place))?;
                (read.len() == 2).then_some(Literal::Tuple(read))?
            }
            Shape::Enum(of) => {
                let word = self.name();
                let case = of.cases.iter().find(|case| case.wit_name() == word)?;
                let name = word.to_owned();
                let value = match case.payload() {
                    None => None,
                    Some(payload) => {
                        self.expect("(")?;
                        let value = self.value(&payload)?;
                        self.expect(")")?;
                        Some(Box::new(value))
                    }
                };
                Literal::Case(name, value)
            }
            Shape::Tuple(items) => {
                let read = self.items("(", ")", |place| items.get(place))?;
                (read.len() == items.len()).then_some(Literal::Tuple(read))?
            }
            Shape::Option(item) => {
                if self.take("none") {
                    Literal::Option(None)
                } else {
                    self.expect("some(")?;
                    let value = self.value(item)?;
                    self.expect(")")?;
                    Literal::Option(Some(Box::new(value)))
                }
            }
            Shape::Result(ok) => match (self.take("err"), ok) {
                (true, _) => Literal::Result(Err(())),
                (false, None) => {
                    self.expect("ok")?;
                    Literal::Result(Ok(None))
                }
                (false, Some(ok)) => {
                    self.expect("ok(")?;
                    let value = self.value(ok)?;
                    self.expect(")")?;
                    Literal::Result(Ok(Some(Box::new(value))))
                }
            },
        })
    }

    fn items<'s>(
        &mut self,
        open: &str,
        close: &str,
        shape: impl Fn(usize) -> Option<&'s Shape>,
    ) -> Option<Vec<Literal>>
    where
        Self: 's,
    {
        self.expect(open)?;
        let mut items = Vec::new();
        while !self.take(close) {
            if !items.is_empty() {
                self.expect(",")?;
                if self.take(close) {
                    break;
                }
            }
            items.push(self.value(shape(items.len())?)?);
        }
        Some(items)
    }

    fn plain(&mut self, name: &str) -> Option<Literal> {
        Some(match name {
            "char" => {
                self.expect("'")?;
                let letter = self.letter()?;
                self.rest = self.rest.strip_prefix('\'')?;
                Literal::Char(letter)
            }
            "string" => {
                self.expect("\"")?;
                let mut text = String::new();
                while !self.rest.starts_with('"') {
                    text.push(self.letter()?);
                }
                self.rest = &self.rest[1..];
                Literal::Text(text)
            }
            _ => {
                let word = self.word();
                match name {
                    "bool" => Literal::Bool(word.parse().ok()?),
                    "f32" | "f64" => {
                        word.parse::<f64>().ok()?;
                        Literal::Float(word.to_owned())
                    }
                    name => {
                        let whole = word.parse().ok()?;
                        wholes(name)?
                            .contains(&whole)
                            .then_some(Literal::Whole(whole))?
                    }
                }
            }
        })
    }

    /// Takes a number or a name from the text.
    fn word(&mut self) -> &str {
        let rest = self.rest.trim_start();
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        word
    }

    /// Takes the name of a case, which is marked by `%` if it is a keyword of WAVE.
    fn name(&mut self) -> &str {
        self.take("%");
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        let end = self.rest.find(|letter| !is_part(letter));
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        name
    }

    /// Takes a letter or an escape sequence from within quotes, where white space counts.
    fn letter(&mut self) -> Option<char> {
        let mut letters = self.rest.chars();
        let mut letter = letters.next()?;
        if letter == '\\' {
            letter = match letters.next()? {
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                '0' => '\0',
                'u' => {
                    let (code, rest) = letters.as_str().strip_prefix('{')?.split_once('}')?;
                    self.rest = rest;
                    return char::from_u32(u32::from_str_radix(code, 16).ok()?);
                }
                same @ ('\\' | '"' | '\'') => same,
                _ => return None,
            };
        }
        self.rest = letters.as_str();
        Some(letter)
    }
}

/// Keywords of WAVE, which names of cases may be only if they are marked by `%`.
const KEYWORDS: [&str; 8] = ["err", "false", "inf", "nan", "none", "ok", "some", "true"];

/// Returns the range of a type of whole numbers; `None` for other types.
pub(super) fn wholes(name: &str) -> Option<std::ops::RangeInclusive<i128>> {
    let bits: u32 = name.get(1..)?.parse().ok()?;
    match (name.as_bytes().first()?, bits) {
        (b'u', 8 | 16 | 32 | 64) => Some(0..=(1 << bits) - 1),
        (b's', 8 | 16 | 32 | 64) => Some(-(1 << (bits - 1))..=(1 << (bits - 1)) - 1),
        _ => None,
    }
}

fn escaped(letter: char, out: &mut String) {
    match letter {
        '\\' | '"' | '\'' | '\t' | '\r' | '\n' => out.extend(letter.escape_default()),
        _ if letter.is_control() => out.extend(letter.escape_unicode()),
        _ => out.extend(letter.escape_debug()),
    }
}

fn joined<'a>(values: impl IntoIterator<Item = &'a Literal>, out: &mut String) {
    for (place, value) in values.into_iter().enumerate() {
        if place > 0 {
            out.push_str(", ");
        }
        value.write(out);
    }
}

/// Returns a call of a function with these arguments, in WAVE.
pub fn written_call(call: &str, arguments: &[Literal]) -> String {
    let mut text = format!("{call}(");
    joined(arguments, &mut text);
    text.push(')');
    text
}

impl Literal {
    /// Writes the value in WAVE.
    fn write(&self, out: &mut String) {
        match self {
            Self::Bool(value) => out.push_str(&value.to_string()),
            Self::Whole(value) => out.push_str(&value.to_string()),
            Self::Float(text) => out.push_str(text),
            Self::Char(letter) => {
                out.push('\'');
                escaped(*letter, out);
                out.push('\'');
            }
            Self::Text(text) => {
                out.push('"');
                text.chars().for_each(|letter| escaped(letter, out));
                out.push('"');
            }
            Self::List(items) => {
                out.push('[');
                joined(items, out);
                out.push(']');
            }
            Self::Tuple(items) => {
                out.push('(');
                joined(items, out);
                out.push(')');
            }
            Self::Case(name, value) => {
                if KEYWORDS.contains(&&**name) {
                    out.push('%');
                }
                out.push_str(name);
                if let Some(value) = value {
                    out.push('(');
                    value.write(out);
                    out.push(')');
                }
            }
            Self::Option(None) => out.push_str("none"),
            Self::Option(Some(value)) => {
                out.push_str("some(");
                value.write(out);
                out.push(')');
            }
            Self::Result(Err(())) => out.push_str("err"),
            Self::Result(Ok(None)) => out.push_str("ok"),
            Self::Result(Ok(Some(value))) => {
                out.push_str("ok(");
                value.write(out);
                out.push(')');
            }
        }
    }

    /// Returns the value as a Rust expression of the type [`Shape::rust`].
    pub fn rust(&self, shape: &Shape) -> String {
        let list = |items: &[Self], shape: &Shape| {
            let items: Vec<String> = items.iter().map(|item| item.rust(shape)).collect();
            items.join(", ")
        };
        match (self, shape) {
            (Self::Bool(value), _) => value.to_string(),
            (Self::Whole(value), _) => value.to_string(),
            (Self::Float(text), Shape::Plain(name)) => match text.as_str() {
                "nan" => format!("{name}::NAN"),
                "inf" => format!("{name}::INFINITY"),
                "-inf" => format!("{name}::NEG_INFINITY"),
                number if number.contains(['.', 'e', 'E']) => number.to_owned(),
                number => format!("{number}.0"),
            },
            (Self::Char(letter), _) => format!("{letter:?}"),
            (Self::Text(text), _) => format!("{text:?}.to_owned()"),
            (Self::List(items), Shape::List(shape)) => match items.as_slice() {
                [first, rest @ ..] if rest.len() > 3 && rest.iter().all(|item| item == first) => {
                    format!("vec![{}; {}]", first.rust(shape), items.len())
                }
                items => format!("vec![{}]", list(items, shape)),
            },
            (Self::List(items), Shape::Array(shape, _)) => match items.as_slice() {
                [first, rest @ ..] if rest.len() > 3 && rest.iter().all(|item| item == first) => {
                    let item = first.rust(shape);
                    match **shape {
                        Shape::Plain(ref name) if name != "string" => {
                            format!("[{item}; {}]", items.len())
                        }
                        _ => format!("[{}]", list(items, shape)),
                    }
                }
                items => format!("[{}]", list(items, shape)),
            },
            (Self::Tuple(halves), Shape::Wide(_)) => match halves.as_slice() {
                [Self::Whole(high), Self::Whole(low)] if *high >= 0 => {
                    let number = high.unsigned_abs() << 64 | low.unsigned_abs();
                    number.to_string()
                }
                [Self::Whole(high), Self::Whole(low)] => (high << 64 | low).to_string(),
                _ => String::new(),
            },
            (Self::Case(name, value), Shape::Enum(of)) => {
                let case = of.cases.iter().find(|case| case.wit_name() == *name);
                let Some(case) = case else {
                    return String::new();
                };
                let fields: Vec<&Self> = match (value.as_deref(), case.fields.len()) {
                    (Some(Self::Tuple(items)), 2..) => items.iter().collect(),
                    (value, _) => value.into_iter().collect(),
                };
                let fields = case.names.iter().zip(&case.fields).zip(fields);
                let fields = fields.map(|((name, shape), field)| {
                    if case.is_named {
                        format!("{name}: {}", field.rust(shape))
                    } else {
                        field.rust(shape)
                    }
                });
                let fields: Vec<String> = fields.collect();
                let path = format!("{}::{}", of.name, case.name);
                match (fields.is_empty(), case.is_named) {
                    (true, _) => path,
                    (false, true) => format!("{path} {{ {} }}", fields.join(", ")),
                    (false, false) => format!("{path}({})", fields.join(", ")),
                }
            }
            (Self::Tuple(items), Shape::Tuple(shapes)) => {
                let items = items.iter().zip(shapes);
                let items: Vec<String> = items.map(|(item, shape)| item.rust(shape)).collect();
                let comma = if items.len() == 1 { "," } else { "" };
                format!("({}{comma})", items.join(", "))
            }
            (Self::Option(None), _) => "None".to_owned(),
            (Self::Option(Some(value)), Shape::Option(shape)) => {
                format!("Some({})", value.rust(shape))
            }
            (Self::Result(Err(())), _) => "Err(())".to_owned(),
            (Self::Result(Ok(None)), _) => "Ok(())".to_owned(),
            (Self::Result(Ok(Some(value))), Shape::Result(Some(shape))) => {
                format!("Ok({})", value.rust(shape))
            }
            // A value has the shape that it was read by.
            (other, _) => {
                let mut text = String::new();
                other.write(&mut text);
                text
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes() -> [Shape; 6] {
        [
            Shape::list(Shape::plain("s64")),
            Shape::Tuple(vec![Shape::plain("string"), Shape::plain("char")]),
            Shape::Option(Box::new(Shape::list(Shape::plain("f64")))),
            Shape::Result(Some(Box::new(Shape::plain("bool")))),
            Shape::Result(None),
            Shape::Any("T".to_owned()),
        ]
    }

    #[test]
    fn what_is_written_is_read_again_and_is_rust() {
        let shapes = shapes();
        let shapes: Vec<&Shape> = shapes.iter().collect();
        let text =
            r#"[3, -1], ("a\n\u{301}é\"'", '\''), some([1.5, -0, nan, 1e300]), ok(true), err, -7"#;
        let read = read_literals(text, &shapes).unwrap();
        let call = written_call("f", &read);
        assert_eq!(
            read_literals(&call[2..call.len() - 1], &shapes),
            Some(read.clone())
        );
        let rust = read
            .iter()
            .zip(&shapes)
            .map(|(value, shape)| value.rust(shape));
        let rust: Vec<String> = rust.collect();
        assert_eq!(
            rust,
            [
                "vec![3, -1]",
                r#"("a\n\u{301}é\"'".to_owned(), '\'')"#,
                "Some(vec![1.5, -0.0, f64::NAN, 1e300])",
                "Ok(true)",
                "Err(())",
                "-7"
            ]
        );
        let sevens = read_literals("[7, 7, 7, 7, 7, 7]", &shapes[..1]).unwrap();
        assert_eq!(sevens[0].rust(shapes[0]), "vec![7; 6]");
    }

    #[test]
    fn what_is_anything_else_is_no_value() {
        let shapes = shapes();
        for (text, shape) in [
            ("[1", 0),
            ("[1,, 2]", 0),
            ("[1] 2", 0),
            ("[1 … 2]", 0),
            ("(\"a\")", 1),
            ("(\"a\", 'bc')", 1),
            ("(\"\\q\", 'b')", 1),
            ("some([1)", 2),
            ("maybe", 3),
            ("", 5),
            ("9223372036854775808", 5),
        ] {
            assert_eq!(read_literals(text, &[&shapes[shape]]), None, "{text}");
        }
    }
}
