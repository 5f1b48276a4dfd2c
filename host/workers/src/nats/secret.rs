//! Files of credentials.

/// Content of a file of credentials.
#[derive(PartialEq, Eq)]
pub(super) enum Secret {
    /// A user with a password.
    User {
        /// The name.
        name: String,
        /// The password.
        password: String,
    },
    /// A token.
    Token(String),
}

impl Secret {
    /// Parses the text of a file of credentials.
    ///
    /// # Errors
    /// It has another form. The error does not quote it.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let line = text.trim_end_matches(['\r', '\n']);
        if line.is_empty() || line.contains('\n') {
            return Err("it must have one line: USER:PASSWORD, or a token");
        }
        Ok(match line.split_once(':') {
            Some((name, password)) => Self::User {
                name: name.to_owned(),
                password: password.to_owned(),
            },
            None => Self::Token(line.to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_a_user_or_a_token_in_one_line() {
        let user = Secret::User {
            name: "ann".to_owned(),
            password: "a:b".to_owned(),
        };
        assert!(Secret::parse("ann:a:b\n") == Ok(user));
        assert!(Secret::parse("s3cret\r\n") == Ok(Secret::Token("s3cret".to_owned())));
        let of_nsc = "-----BEGIN NATS USER JWT-----\nsecret\n";
        for wrong in ["", "\n", of_nsc] {
            let error = Secret::parse(wrong).err().unwrap();
            assert!(error.contains("one line") && !error.contains("secret"));
        }
    }
}
