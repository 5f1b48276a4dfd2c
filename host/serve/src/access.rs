//! Access to the server: whoever has the token of its address may read, through its own pages, and change something where
//! the user of the server gave leave for that, by their forms.

use super::one_time::OneTimeToken;
use super::secret::{is_equal, random_hex};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use std::io;
use std::time::Instant;

/// Random bytes of a token.
const TOKEN_BYTES: usize = 32;
/// Random bytes of the path below which all pages are.
const PATH_BYTES: usize = 8;
/// Name of the cookie, which the browser sends below that path only: a cookie goes to every port of a host.
const COOKIE: &str = "bakeoff";

/// The secrets of one server.
pub(crate) struct Access {
    token: String,
    session: String,
    path: String,
    form: String,
    /// The token for the command line of a browser.
    pub(crate) one_time: OneTimeToken,
    port: u16,
    may_change: bool,
}

/// Decision on a request, before anything is read for it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The address with its token: the cookie is set, and the browser goes on to an address without the token.
    Enter,
    /// A request with the cookie.
    Pass,
    /// Anything else, with the reason.
    Refuse(StatusCode, &'static str),
}

impl Access {
    /// Draws the secrets of a server that listens on a port. With `may_change`, forms may be sent to it.
    ///
    /// # Errors
    /// The system gives no random numbers.
    pub(crate) fn new(port: u16, may_change: bool) -> io::Result<Self> {
        Ok(Self {
            token: random_hex(TOKEN_BYTES)?,
            session: random_hex(TOKEN_BYTES)?,
            path: random_hex(PATH_BYTES)?,
            form: random_hex(TOKEN_BYTES)?,
            one_time: OneTimeToken::default(),
            port,
            may_change,
        })
    }

    /// Returns the address with the token.
    pub(crate) fn address(&self) -> String {
        self.address_with(&self.token)
    }

    /// Returns an address with a new token, which enters once.
    ///
    /// # Errors
    /// The system gives no random numbers.
    pub(crate) fn one_time_address(&self, now: Instant) -> io::Result<String> {
        let token = random_hex(TOKEN_BYTES)?;
        let address = self.address_with(&token);
        self.one_time.issue(token, now);
        Ok(address)
    }

    fn address_with(&self, token: &str) -> String {
        format!("http://127.0.0.1:{}/?token={token}", self.port)
    }

    /// Returns the port on which the server listens.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Returns the path below which all pages are: `/5f0c…/`.
    pub(crate) fn path(&self) -> String {
        format!("/{}/", self.path)
    }

    /// Returns the token of this server's forms: other pages cannot read it, and send none without it.
    pub(crate) fn form_token(&self) -> &str {
        &self.form
    }

    /// Returns the header that sets the cookie.
    pub(crate) fn cookie(&self) -> String {
        let (session, path) = (&self.session, self.path());
        format!("{COOKIE}={session}; Path={path}; HttpOnly; SameSite=Strict")
    }

    /// Decides on a request by its method, its address and its headers. `spends` says of a token whether it is the one that
    /// enters once, and makes it void; it is asked last.
    pub(crate) fn decide(
        &self,
        (method, uri, headers): (&Method, &Uri, &HeaderMap),
        spends: impl FnOnce(&str) -> bool,
    ) -> Decision {
        let is_form = self.may_change && method == Method::POST;
        if method != Method::GET && method != Method::HEAD && !is_form {
            let why = if self.may_change {
                "GET, HEAD and POST are the methods of this server."
            } else {
                "This server is only read from: GET and HEAD are its methods."
            };
            return Decision::Refuse(StatusCode::METHOD_NOT_ALLOWED, why);
        }
        let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let is_ours = |host: &str| names.iter().any(|name| name.eq_ignore_ascii_case(host));
        let host = only(headers, header::HOST).filter(|host| is_ours(host));
        if uri.authority().is_some() || host.is_none() {
            let why =
                "The request names another host: open the address that `bakeoff serve` printed.";
            return Decision::Refuse(StatusCode::FORBIDDEN, why);
        }
        // Of the two names of this machine, the one that the request itself has.
        let is_own_page = |origin: &str| {
            let of = origin.strip_prefix("http://");
            of.zip(host)
                .is_some_and(|(of, host)| of.eq_ignore_ascii_case(host))
        };
        let is_own_fetch = |site: &str| site == "same-origin" || site == "none" && !is_form;
        // A browser says of every form where it is from.
        let has_origin = only(headers, header::ORIGIN).is_some_and(is_own_page);
        if is_form && !has_origin
            || !every(headers, header::ORIGIN, is_own_page)
            || !every(headers, "sec-fetch-site", is_own_fetch)
        {
            let why = "The request comes from another page: open the address that `bakeoff serve` printed by hand.";
            return Decision::Refuse(StatusCode::FORBIDDEN, why);
        }
        // Only what opens a page makes the token void that enters once: not who asks whether there is one.
        let enters =
            |token: &str| is_equal(token, &self.token) || method == Method::GET && spends(token);
        if !is_form && uri.path() == "/" && parameter(uri, "token").is_some_and(enters) {
            return Decision::Enter;
        }
        let cookies = headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let mut cookies = cookies
            .flat_map(|line| line.split(';'))
            .filter_map(|one| one.trim().split_once('='));
        if cookies.any(|(name, value)| name == COOKIE && is_equal(value, &self.session)) {
            Decision::Pass
        } else {
            Decision::Refuse(StatusCode::NOT_FOUND, "Nothing is here.")
        }
    }
}

/// Returns the value of a parameter of an address, as it stands there.
pub(crate) fn parameter<'a>(uri: &'a Uri, name: &str) -> Option<&'a str> {
    let mut pairs = uri
        .query()?
        .split('&')
        .filter_map(|pair| pair.split_once('='));
    pairs.find_map(|(key, value)| (key == name).then_some(value))
}

/// Returns the value of a header that is there once.
fn only(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then(|| value.to_str().ok())?
}

/// Returns true if every value of a header holds; also where there is none.
fn every(
    headers: &HeaderMap,
    name: impl header::AsHeaderName,
    holds: impl Fn(&str) -> bool,
) -> bool {
    let mut values = headers.get_all(name).iter();
    values.all(|value| value.to_str().is_ok_and(&holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(
        access: &Access,
        method: Method,
        uri: &str,
        headers: &[(&'static str, String)],
    ) -> Decision {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        let request = (&method, &uri.parse().unwrap(), &map);
        access.decide(request, |token| {
            access.one_time.spend(token, Instant::now(), || true)
        })
    }

    fn is_refused(decision: &Decision) -> bool {
        matches!(decision, Decision::Refuse(..))
    }

    #[test]
    fn the_token_enters_and_the_cookie_passes() {
        let access = Access::new(4000, false).unwrap();
        let host = || ("host", "127.0.0.1:4000".to_owned());
        let cookie = access.cookie().split_once(';').unwrap().0.to_owned();
        let entering = format!("/?token={}", access.token);
        let get = |uri: &str, headers: &[_]| decide(&access, Method::GET, uri, headers);
        assert_eq!(get(&entering, &[host()]), Decision::Enter);
        let own = [
            host(),
            ("cookie", format!("a=b; {cookie}")),
            ("sec-fetch-site", "same-origin".to_owned()),
        ];
        assert_eq!(get("/x", &own), Decision::Pass);
        let localhost = [("host", "LocalHost:4000".to_owned()), ("cookie", cookie)];
        assert_eq!(get("/x", &localhost), Decision::Pass);
        for wrong in ["/", "/?token=", "/?token=0", "/x"] {
            assert!(is_refused(&get(wrong, &[host()])), "{wrong}");
        }
        assert!(is_refused(&get(
            "/x",
            &[host(), ("cookie", "bakeoff=0".to_owned())]
        )));
        // A token is none in the place of the cookie, nor the other way round.
        assert!(is_refused(&get(
            "/x",
            &[host(), ("cookie", format!("bakeoff={}", access.token))]
        )));
        assert!(is_refused(&get(
            &format!("/?token={}", access.session),
            &[host()]
        )));
    }

    #[test]
    fn a_one_time_address_enters_once_and_no_other_page_spends_it() {
        let access = Access::new(4000, true).unwrap();
        let address = access.one_time_address(Instant::now()).unwrap();
        let uri = address.strip_prefix("http://127.0.0.1:4000").unwrap();
        assert!(!address.contains(&access.token));
        let ours = || ("host", "127.0.0.1:4000".to_owned());
        let site = |site: &str| ("sec-fetch-site", site.to_owned());
        let own = || ("origin", "http://127.0.0.1:4000".to_owned());
        for (method, headers) in [
            (Method::GET, vec![ours(), site("cross-site")]),
            (Method::GET, vec![ours(), site("same-site")]),
            (
                Method::GET,
                vec![ours(), ("origin", "http://evil.example".to_owned())],
            ),
            (Method::GET, vec![("host", "evil.example:4000".to_owned())]),
            (Method::GET, vec![]),
            (Method::HEAD, vec![ours()]),
            (Method::POST, vec![ours(), own()]),
        ] {
            let decision = decide(&access, method.clone(), uri, &headers);
            assert!(is_refused(&decision), "{method} {headers:?}");
        }
        // A browser that a program starts says that no page led to it.
        let started = [ours(), site("none")];
        let get = |uri: &str| decide(&access, Method::GET, uri, &started);
        assert_eq!(get(uri), Decision::Enter);
        let wrong = get("/?token=0");
        assert!(is_refused(&wrong));
        assert_eq!(get(uri), wrong);
        assert_eq!(get(&format!("/?token={}", access.token)), Decision::Enter);
    }

    #[test]
    fn other_hosts_pages_and_methods_are_refused_with_the_cookie_too() {
        let access = Access::new(4000, false).unwrap();
        let cookie = access.cookie().split_once(';').unwrap().0.to_owned();
        let cookie = || ("cookie", cookie.clone());
        let host = |name: &str| ("host", name.to_owned());
        let ours = || host("127.0.0.1:4000");
        for headers in [
            vec![cookie()],
            vec![cookie(), host("evil.example:4000")],
            vec![cookie(), host("127.0.0.1:4001")],
            vec![cookie(), host("127.0.0.1")],
            vec![cookie(), ours(), host("evil.example")],
            vec![
                cookie(),
                ours(),
                ("origin", "http://evil.example".to_owned()),
            ],
            vec![cookie(), ours(), ("origin", "null".to_owned())],
            vec![
                cookie(),
                ours(),
                ("origin", "https://127.0.0.1:4000".to_owned()),
            ],
            vec![
                cookie(),
                ours(),
                ("sec-fetch-site", "cross-site".to_owned()),
            ],
            vec![cookie(), ours(), ("sec-fetch-site", "same-site".to_owned())],
        ] {
            assert!(
                is_refused(&decide(&access, Method::GET, "/x", &headers)),
                "{headers:?}"
            );
        }
        let own = [cookie(), ours()];
        for method in [
            Method::POST,
            Method::PUT,
            Method::DELETE,
            Method::OPTIONS,
            Method::CONNECT,
        ] {
            assert!(is_refused(&decide(&access, method, "/x", &own)));
        }
        assert!(is_refused(&decide(
            &access,
            Method::GET,
            "http://127.0.0.1:4000/x",
            &own
        )));
    }

    #[test]
    fn a_form_passes_with_the_cookie_from_an_own_page_alone() {
        let access = Access::new(4000, true).unwrap();
        let cookie = || {
            (
                "cookie",
                access.cookie().split_once(';').unwrap().0.to_owned(),
            )
        };
        let host = || ("host", "127.0.0.1:4000".to_owned());
        let origin = |origin: &str| ("origin", origin.to_owned());
        let own = || origin("http://127.0.0.1:4000");
        let site = |site: &str| ("sec-fetch-site", site.to_owned());
        let post = |headers: &[_]| decide(&access, Method::POST, "/x", headers);
        assert_eq!(post(&[cookie(), host(), own()]), Decision::Pass);
        let full = [cookie(), host(), own(), site("same-origin")];
        assert_eq!(post(&full), Decision::Pass);
        for headers in [
            vec![host(), own()],
            vec![cookie(), host()],
            vec![cookie(), own()],
            vec![cookie(), host(), origin("null")],
            vec![cookie(), host(), origin("http://127.0.0.1:4001")],
            vec![cookie(), host(), own(), own()],
            vec![cookie(), host(), own(), origin("http://evil.example")],
            vec![cookie(), host(), own(), site("none")],
            vec![cookie(), host(), own(), site("same-site")],
            vec![cookie(), host(), own(), site("cross-site")],
        ] {
            assert!(is_refused(&post(&headers)), "{headers:?}");
        }
        let token = format!("/?token={}", access.token);
        assert!(is_refused(&decide(
            &access,
            Method::POST,
            &token,
            &[host(), own()]
        )));
        for method in [Method::PUT, Method::DELETE, Method::OPTIONS] {
            assert!(is_refused(&decide(&access, method, "/x", &full)));
        }
    }
}
