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

use super::entries::{tell, Entries};
use super::report::{InputReport, StepReport};
use crate::bootstrap::{Blocks, Source, Twin};
use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::origin::Origin;
use crate::progress::Progress;

/// Requests made at a time.
const BATCH: usize = 4096;

/// Reads a stream to its end and makes that of its twin.
pub(super) fn twin(
    blocks: Blocks,
    mut inner: Box<dyn Entries>,
    progress: &mut Progress<'_>,
) -> Result<Box<dyn Entries>, TraceError> {
    let mut source = Source::new(blocks);
    let mut batch = Vec::new();
    while inner.next(&mut batch)? {
        // Streams without names are of one volume.
        let in_one = inner.names().is_empty();
        for TraceEntry { request, .. } in &batch {
            source.add(request, if in_one { 0 } else { usize::from(request.stream) })?;
        }
        tell("scan", inner.as_ref(), progress)?;
    }
    let twin = source.draw(inner.names().is_empty())?;
    Ok(Box::new(BlockTwin { blocks, inner, twin }))
}

struct BlockTwin {
    blocks: Blocks,
    /// The trace, read to its end.
    inner: Box<dyn Entries>,
    twin: Twin,
}

impl Entries for BlockTwin {
    fn next(&mut self, out: &mut Vec<TraceEntry>) -> Result<bool, TraceError> {
        out.clear();
        while out.len() < BATCH {
            let Some(request) = self.twin.next()? else { break };
            out.push(TraceEntry { request, response_ns: None });
        }
        Ok(!out.is_empty())
    }

    fn names(&self) -> Vec<String> {
        self.inner.names()
    }

    fn label(&self) -> Option<String> {
        let of = self.inner.label().unwrap_or_else(|| self.inner.origin().file);
        Some(format!("twin of {of} (its blocks in random order, seed {})", self.blocks.seed))
    }

    fn origin(&self) -> Origin {
        let mut origin = self.inner.origin();
        origin.label = self.label();
        origin.steps.push(self.blocks.step_text());
        origin
    }

    fn progress(&self) -> (u64, u64) {
        self.inner.progress()
    }

    fn report(&self, inputs: &mut Vec<InputReport>, steps: &mut Vec<StepReport>) {
        self.inner.report(inputs, steps);
        let counts = vec![
            ("blocks", self.twin.blocks()),
            ("blocks that keep their place", self.twin.fixed_blocks()),
            ("trims of what is not there", self.twin.idle_trims()),
        ];
        steps.push(StepReport::new(&self.blocks.step_text(), counts));
    }
}
