//! A request with what the trace says about it beyond what a device needs.

use slcache_base::request::Request;

/// A request of a trace and the response time published with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEntry {
    pub request: Request,
    /// How long the traced system took to answer, in nanoseconds, where the
    /// trace says so.
    pub response_ns: Option<u64>,
}
