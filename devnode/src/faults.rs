//! Faults a test puts on routes: answers a node never meant to give, silence, broken connections.
//!
//! A [`Fault`] says which requests it takes, how many of them, and what happens to them. The first one that fits
//! wins, in the order of injection. How a connection is cut lies in `connection.rs`; this file only decides.

use std::time::Duration;

/// One fault. Made by [`Fault::on`] and one of the methods that say what happens.
#[derive(Clone, Debug)]
pub struct Fault {
    method: Option<String>,
    path: String,
    skip: u32,
    times: Option<u32>,
    pub(crate) effect: Effect,
}

/// What happens to a request.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    /// This answer instead of the node's.
    Answer { status: u16, headers: Vec<(String, String)>, body: Vec<u8> },
    /// No answer until the client leaves or the node stops.
    Hang,
    /// The node's own answer, later.
    Delay(Duration),
    /// The connection ends without a byte.
    Close,
    /// The node's own answer with its full `content-length`, cut after half of the body.
    HalfBody,
}

/// Chooses what happens; see [`Fault::on`].
#[derive(Clone, Debug)]
pub struct FaultRoute {
    method: Option<String>,
    path: String,
}

impl Fault {
    /// Takes requests with `method` (`"*"` for any) whose path, without the base path, begins with `path`.
    #[must_use]
    pub fn on(method: &str, path: &str) -> FaultRoute {
        let method = (method != "*").then(|| method.to_ascii_uppercase());
        FaultRoute { method, path: path.into() }
    }

    /// Only the next `count` fitting requests instead of all.
    #[must_use]
    pub fn times(mut self, count: u32) -> Self {
        self.times = Some(count);
        self
    }

    /// Lets the first `count` fitting requests pass.
    #[must_use]
    pub fn after(mut self, count: u32) -> Self {
        self.skip = count;
        self
    }

    fn fits(&self, method: &str, path: &str) -> bool {
        self.method.as_deref().is_none_or(|own| own == method) && path.starts_with(&self.path)
    }
}

impl FaultRoute {
    fn fault(self, effect: Effect) -> Fault {
        Fault { method: self.method, path: self.path, skip: 0, times: None, effect }
    }

    /// A given answer.
    #[must_use]
    pub fn answer(self, status: u16, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Fault {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.fault(Effect::Answer { status, headers, body: body.into() })
    }

    /// JSON with this status.
    #[must_use]
    pub fn json(self, status: u16, body: &str) -> Fault {
        self.answer(status, &[("content-type", "application/json")], body)
    }

    /// 401 with an empty body and, if given, an `x-auth-error` header.
    #[must_use]
    pub fn unauthorized(self, auth_error: Option<&str>) -> Fault {
        let headers: Vec<(&str, &str)> = auth_error.map(|value| ("x-auth-error", value)).into_iter().collect();
        self.answer(401, &headers, "")
    }

    /// 403 with `x-auth-error: token_revoked`.
    #[must_use]
    pub fn token_revoked(self) -> Fault {
        self.answer(403, &[("x-auth-error", "token_revoked")], "")
    }

    /// 503 in the envelope: not ready yet.
    #[must_use]
    pub fn unavailable(self) -> Fault {
        self.json(503, r#"{"error":"authority not yet resolvable"}"#)
    }

    /// 200, said to be JSON, and not.
    #[must_use]
    pub fn garbage(self) -> Fault {
        self.answer(200, &[("content-type", "application/json")], b"{\"data\": \xff\xfe nonsense".as_slice())
    }

    /// 200 with an HTML page, as from a captive portal.
    #[must_use]
    pub fn html(self) -> Fault {
        self.answer(200, &[("content-type", "text/html; charset=utf-8")], "<!doctype html><title>Sign in</title>")
    }

    /// 200 with valid JSON of about `bytes` bytes.
    #[must_use]
    pub fn huge(self, bytes: usize) -> Fault {
        self.json(200, &format!(r#"{{"data":"{}"}}"#, "x".repeat(bytes)))
    }

    /// 307 to another place.
    #[must_use]
    pub fn redirect(self, location: &str) -> Fault {
        self.answer(307, &[("location", location)], "")
    }

    /// Silence.
    #[must_use]
    pub fn hang(self) -> Fault {
        self.fault(Effect::Hang)
    }

    /// The real answer after `wait`.
    #[must_use]
    pub fn delay(self, wait: Duration) -> Fault {
        self.fault(Effect::Delay(wait))
    }

    /// The connection ends without an answer.
    #[must_use]
    pub fn close(self) -> Fault {
        self.fault(Effect::Close)
    }

    /// The real answer, cut in the middle of its body.
    #[must_use]
    pub fn half_body(self) -> Fault {
        self.fault(Effect::HalfBody)
    }
}

/// Takes the effect for a request and counts it.
pub(crate) fn take(faults: &mut [Fault], method: &str, path: &str) -> Option<Effect> {
    for fault in faults.iter_mut().filter(|fault| fault.fits(method, path)) {
        if fault.skip > 0 {
            fault.skip -= 1;
            continue;
        }
        match &mut fault.times {
            Some(0) => continue,
            Some(left) => *left -= 1,
            None => {}
        }
        return Some(fault.effect.clone());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counted_fault_takes_its_share_and_then_lets_go() {
        let mut faults = vec![Fault::on("post", "/jsonrpc").hang().after(1).times(1)];
        assert!(take(&mut faults, "GET", "/jsonrpc").is_none(), "another verb");
        assert!(take(&mut faults, "POST", "/admin-api").is_none(), "another path");
        assert!(take(&mut faults, "POST", "/jsonrpc").is_none(), "the first passes");
        assert!(take(&mut faults, "POST", "/jsonrpc").is_some());
        assert!(take(&mut faults, "POST", "/jsonrpc").is_none(), "used up");
    }
}
