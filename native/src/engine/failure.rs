//! Why a fetch or a look-up failed: a cause of Python's failure table, and a sentence.

/// The names of the failure table. Python decides how each is handled (P5).
pub mod cause {
    pub const CONNECT_REFUSED: &str = "connect_refused";
    pub const CONNECT_FAILED: &str = "connect_failed";
    pub const CONNECT_TIMEOUT: &str = "connect_timeout";
    pub const TLS_FAILED: &str = "tls_failed";
    pub const ADDRESS_REFUSED: &str = "address_refused";
    pub const READ_TIMEOUT: &str = "read_timeout";
    pub const TOTAL_TIMEOUT: &str = "total_timeout";
    pub const CONNECTION_RESET: &str = "connection_reset";
    /// A reused connection was closed without a byte of an answer.
    pub const CONNECTION_STALE: &str = "connection_stale";
    pub const BODY_INCOMPLETE: &str = "body_incomplete";
    pub const HTTP_MALFORMED: &str = "http_malformed";
    pub const HEADERS_TOO_LARGE: &str = "headers_too_large";
    pub const DECODE_FAILED: &str = "decode_failed";
    pub const PROXY_FAILED: &str = "proxy_failed";
    pub const ATTEMPT_NOT_RECORDED: &str = "attempt_not_recorded";
    /// Python cancelled it because its lease ended.
    pub const LEASE_ENDED: &str = "lease_ended";
    /// Python cancelled it because the run ends.
    pub const CANCELLED: &str = "cancelled";
    pub const ENGINE_PANIC: &str = "engine_panic";
    /// The request is invalid: a bad URL, a bad address, or a header that cannot be set.
    pub const UNSENDABLE: &str = "unsendable";
    pub const DNS_NXDOMAIN: &str = "dns_nxdomain";
    pub const DNS_FAILURE: &str = "dns_failure";
    /// The name is invalid, so it cannot be queried.
    pub const DNS_IMPOSSIBLE: &str = "dns_impossible";

    /// Causes for which Python cancels a request.
    pub const OF_A_CANCEL: [&str; 2] = [LEASE_ENDED, CANCELLED];

    /// Causes that a fetch can end with.
    pub const OF_A_FETCH: [&str; 19] = [
        CONNECT_REFUSED,
        CONNECT_FAILED,
        CONNECT_TIMEOUT,
        TLS_FAILED,
        ADDRESS_REFUSED,
        READ_TIMEOUT,
        TOTAL_TIMEOUT,
        CONNECTION_RESET,
        CONNECTION_STALE,
        BODY_INCOMPLETE,
        HTTP_MALFORMED,
        HEADERS_TOO_LARGE,
        DECODE_FAILED,
        PROXY_FAILED,
        ATTEMPT_NOT_RECORDED,
        LEASE_ENDED,
        CANCELLED,
        ENGINE_PANIC,
        UNSENDABLE,
    ];
}

/// A failure. `detail` is for people. It contains no secret, and no address except the one that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub cause: &'static str,
    pub detail: String,
}

impl Failure {
    pub fn new(cause: &'static str, detail: impl Into<String>) -> Self {
        Failure {
            cause,
            detail: detail.into(),
        }
    }
}

impl From<Failure> for (&'static str, String) {
    fn from(failure: Failure) -> Self {
        (failure.cause, failure.detail)
    }
}
