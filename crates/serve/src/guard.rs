//! The permission of a request: from this machine's own name, or with the token.
//!
//! A page of another site can make a browser send requests here. So the name in the request must be this
//! server's (a foreign name that was pointed here is refused), and a request that changes something needs a
//! header that other sites cannot send.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, header};

/// The header without which nothing is stopped.
pub(crate) const OWN_HEADER: &str = "x-drivetrain";
/// The cookie that keeps the token of the first request.
const COOKIE: &str = "drivetrain-token";

/// The rule for requests.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    /// Needed from everywhere when the server listens to more than this machine.
    token: Option<String>,
}

impl Guard {
    /// For a server at this address: without a token on the loopback device, with one elsewhere.
    pub(crate) fn for_address(address: SocketAddr) -> Self {
        if address.ip().is_loopback() {
            return Self { token: None };
        }
        Self { token: Some(format!("{}{}", disk::nonce(), disk::nonce())) }
    }

    /// The part of the address that carries the token; empty without one.
    pub(crate) fn query(&self) -> String {
        self.token.as_ref().map(|token| format!("?token={token}")).unwrap_or_default()
    }

    /// True if a request may be answered.
    pub(crate) fn admits(&self, headers: &HeaderMap, query: Option<&str>) -> bool {
        match &self.token {
            None => host(headers).is_some_and(is_own_name),
            Some(token) => {
                let in_query = query
                    .unwrap_or_default()
                    .split('&')
                    .any(|part| part.strip_prefix("token=").is_some_and(|given| is_same(given, token)));
                in_query || cookie(headers).is_some_and(|given| is_same(given, token))
            }
        }
    }

    /// The cookie for an answer, where a token is needed.
    pub(crate) fn cookie(&self) -> Option<String> {
        self.token.as_ref().map(|token| format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict"))
    }
}

/// The host that a request names, without its port.
fn host(headers: &HeaderMap) -> Option<&str> {
    let host = headers.get(header::HOST)?.to_str().ok()?;
    match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map(|(name, _)| name),
        None => Some(host.split_once(':').map_or(host, |(name, _)| name)),
    }
}

fn is_own_name(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get(header::COOKIE)?.to_str().ok()?;
    cookies.split(';').find_map(|cookie| cookie.trim().strip_prefix(COOKIE)?.strip_prefix('='))
}

/// Compares in a time that does not depend on the place of the first difference.
fn is_same(given: &str, token: &str) -> bool {
    given.len() == token.len()
        && given.bytes().zip(token.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn on_loopback_only_its_own_names_are_answered() {
        let guard = Guard::for_address("127.0.0.1:80".parse().unwrap());
        for own in ["localhost", "LOCALHOST:4780", "127.0.0.1:4780", "[::1]:4780", "127.0.0.2"] {
            assert!(guard.admits(&headers(header::HOST, own), None), "{own}");
        }
        for foreign in ["evil.example:4780", "10.0.0.1", "", "localhost.evil.example", "[::1"] {
            assert!(!guard.admits(&headers(header::HOST, foreign), None), "{foreign}");
        }
        assert!(!guard.admits(&HeaderMap::new(), None));
    }

    #[test]
    fn elsewhere_the_token_is_needed() {
        let guard = Guard::for_address("0.0.0.0:80".parse().unwrap());
        let query = guard.query();
        let host = headers(header::HOST, "lab:4780");
        assert!(guard.admits(&host, Some(query.trim_start_matches('?'))));
        assert!(!guard.admits(&host, None) && !guard.admits(&host, Some("token=")));
        assert!(!guard.admits(&headers(header::HOST, "localhost"), Some("token=00")));
        let cookie = guard.cookie().unwrap();
        let pair = cookie.split(';').next().unwrap();
        assert!(guard.admits(&headers(header::COOKIE, &format!("a=b; {pair}")), None));
        assert!(!guard.admits(&headers(header::COOKIE, "drivetrain-token=x"), None));
    }
}
