//! Writes by what the host says about their data.

use schemars::JsonSchema;
use serde::Serialize;
use slcache_base::request::{HostOp, Request};

/// Writes with one hint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HintCount {
    /// The hint; 0 for none.
    pub hint: u8,
    /// Writes that have it.
    pub writes: u64,
    /// Their bytes.
    pub write_bytes: u64,
}

/// Counts writes and bytes by hint.
pub(super) struct Hints([(u64, u64); 256]);

impl Default for Hints {
    fn default() -> Self {
        Self([(0, 0); 256])
    }
}

impl Hints {
    #[inline]
    pub(super) fn add(&mut self, request: &Request) {
        if request.op == HostOp::Write {
            let (writes, bytes) = &mut self.0[usize::from(request.hint)];
            *writes += 1;
            *bytes += request.bytes();
        }
    }

    /// Those that there are; nothing where no write has a hint.
    pub(super) fn finish(&self) -> Vec<HintCount> {
        if self.0[1..].iter().all(|(writes, _)| *writes == 0) {
            return Vec::new();
        }
        let each = (0..=u8::MAX).zip(self.0).filter(|(_, (writes, _))| *writes > 0);
        each.map(|(hint, (writes, write_bytes))| HintCount { hint, writes, write_bytes }).collect()
    }
}
