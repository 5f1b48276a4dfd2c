//! Forms as browsers send them: `application/x-www-form-urlencoded`, within bounds.

use std::collections::BTreeMap;

/// The most bytes of a form: a source of the largest size, with each byte written as three.
pub(crate) const FORM_BYTES_MAX: usize = 4 << 20;
/// The most fields of a form.
const FIELDS_MAX: usize = 16;

/// The fields of a form by their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Form(BTreeMap<String, String>);

impl Form {
    /// Parses the body of a request.
    ///
    /// # Errors
    /// The reason why it is no form: too many fields, a field twice, or what is no text in UTF-8.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, String> {
        let mut fields = BTreeMap::new();
        for pair in body
            .split(|byte| *byte == b'&')
            .filter(|pair| !pair.is_empty())
        {
            let mut halves = pair.splitn(2, |byte| *byte == b'=');
            let name = decoded(halves.next().unwrap_or_default())?;
            let value = decoded(halves.next().unwrap_or_default())?;
            if fields.len() == FIELDS_MAX {
                return Err(format!("the form has more than {FIELDS_MAX} fields"));
            }
            if fields.insert(name, value).is_some() {
                return Err("the form has a field twice".to_owned());
            }
        }
        Ok(Self(fields))
    }

    /// Returns a field without spaces around it; empty if it is not there.
    pub(crate) fn word(&self, name: &str) -> &str {
        self.text(name).trim()
    }

    /// Returns a field as it is; empty if it is not there.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }
}

/// Returns a name or value as text, with lines that end as in a file.
fn decoded(part: &[u8]) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
                let is_hex = |two: &&str| two.bytes().all(|byte| byte.is_ascii_hexdigit());
                let byte = digits
                    .filter(is_hex)
                    .and_then(|two| u8::from_str_radix(two, 16).ok());
                let Some(byte) = byte else {
                    return Err("the form has a % that begins no byte".to_owned());
                };
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            byte => bytes.push(*byte),
        }
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(text.replace("\r\n", "\n")),
        _ => Err("the form has a field that is no text in UTF-8".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded_and_lines_end_as_in_a_file() {
        let form = Form::parse(b"name=+a%2Bb+&source=x%0D%0Ay%26%3D&empty=&flag").unwrap();
        assert_eq!((form.word("name"), form.text("name")), ("a+b", " a+b "));
        assert_eq!(form.text("source"), "x\ny&=");
        assert_eq!((form.text("empty"), form.text("missing")), ("", ""));
        assert_eq!(Form::parse(b"").unwrap(), Form::default());
    }

    #[test]
    fn what_is_no_form_is_refused_with_the_reason() {
        for (body, why) in [
            (&b"a=%"[..], "begins no byte"),
            (b"a=%4", "begins no byte"),
            (b"a=%+1", "begins no byte"),
            (b"a=%zz", "begins no byte"),
            (b"a=%ff", "no text"),
            (b"a=%00", "no text"),
            (b"a=1&a=2", "twice"),
        ] {
            assert!(Form::parse(body).unwrap_err().contains(why), "{body:?}");
        }
        let many: Vec<String> = (0..=FIELDS_MAX).map(|n| format!("f{n}=1")).collect();
        let refused = Form::parse(many.join("&").as_bytes()).unwrap_err();
        assert!(refused.contains("more than 16"), "{refused}");
    }
}
