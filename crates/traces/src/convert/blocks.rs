//! A twin of a trace: its blocks in random order, at addresses of their own.
//!
//! The trace is cut at gaps longer than `pause_ns` (100 ms) into blocks of `block_requests` (256)
//! or more. Blocks are drawn in rounds, each once a round, until there are `requests` (as many as
//! the trace has). Blocks change their order within `stages` (16) parts of the trace, which follow
//! each other as they did. Times, operations and sizes stay together within a block. With
//! `places = "kept"` (default) requests also keep how recently the place they go to was used; with
//! `"drawn"` requests of the same operation and size change places. With `regions = "shuffled"`
//! (default) data that lie together get new places at random; with `"kept"` they stay in the order of
//! the trace's addresses. Addresses stay below `footprint_bytes`; where they would pass it, fresh data
//! take the place of the oldest.
//!
//! The trace is read once. 32 bytes are kept of each request, at most 1 GiB, and about 150 of each
//! extent in use. Response times are left out.

use super::traces::Traces;
use super::StepReport;
use crate::bootstrap::{Blocks, Source, Twin};
use crate::error::TraceError;
use crate::request_source::{Progress, TraceEntry};

/// Requests made at a time.
const BATCH: usize = 4096;

/// The requests of a twin, and what it is a twin of.
pub(super) struct BlockTwin {
    blocks: Blocks,
    twin: Twin,
}

impl BlockTwin {
    /// Reads traces to their end.
    pub(super) fn of(
        blocks: Blocks,
        traces: &mut Traces,
        progress: &mut Progress<'_>,
    ) -> Result<Self, TraceError> {
        let mut source = Source::new(blocks);
        let mut batch = Vec::new();
        while traces.next(&mut batch)? {
            // Streams without names are of one volume.
            let in_one = traces.names().is_empty();
            for TraceEntry { request, .. } in &batch {
                source.add(request, if in_one { 0 } else { usize::from(request.stream) })?;
            }
            traces.tell("scan", progress)?;
        }
        Ok(Self { blocks, twin: source.draw(traces.names().is_empty())? })
    }

    /// Replaces `out` by the next requests, at least one; `false` at the end.
    pub(super) fn next(&mut self, out: &mut Vec<TraceEntry>) -> Result<bool, TraceError> {
        out.clear();
        while out.len() < BATCH {
            let Some(request) = self.twin.next()? else { break };
            out.push(TraceEntry { request, response_ns: None });
        }
        Ok(!out.is_empty())
    }

    /// What its requests are.
    pub(super) fn label(&self, traces: &Traces) -> String {
        let of = traces.label().unwrap_or_else(|| traces.origin().file);
        format!("twin of {of} (its blocks in random order, seed {})", self.blocks.seed)
    }

    /// What was done to the traces; complete at the end.
    pub(super) fn report(&self) -> StepReport {
        let counts = [
            ("blocks", self.twin.blocks()),
            ("blocks that keep their place", self.twin.fixed_blocks()),
            ("trims of what is not there", self.twin.idle_trims()),
        ];
        StepReport { step: self.blocks.step_text(), counts: counts.into() }
    }
}
