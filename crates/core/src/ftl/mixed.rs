//! Programming held pieces: one flash page with mapping units of several logical pages.

use super::io::Io;
use super::media::{bits, SLOTS_MAX};
use super::pack::Picks;
use super::page_level::{mapped_mask, Sources};
use super::piece::{PageWrite, Piece};
use super::region::{Region, Writer};
use crate::base::arithmetic::Ones;
use crate::base::op::{Cause, Class};
use crate::base::Ppn;
use crate::hw::array::RegionId;
use crate::hw::timing::{OpId, RequestId};

/// Which flash pages hold parts of logical pages whose other parts lie elsewhere.
pub trait MixedPages {
    /// Whether flash page `at` is one of them.
    fn has(&self, at: Ppn, io: &Io) -> bool;
}

impl MixedPages for RegionId {
    #[inline(always)]
    fn has(&self, at: Ppn, io: &Io) -> bool {
        io.array().block(io.geometry().block_of(at)).region() == *self
    }
}

/// Whether a logical page's other mapping units come along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carry {
    Nothing,
    /// They are read and programmed with the new ones: a logical page stays together.
    Rest,
}

/// A page being put together.
struct Draft {
    tags: [u32; SLOTS_MAX],
    slots: u32,
    /// Slots that come out of the hold buffer.
    held: u32,
    bytes: u32,
    /// Acknowledged units among them.
    early: u32,
    cause: Cause,
    sources: Sources,
}

/// Programs the pieces of `picks` into `page`, which `region` just gave the host, and takes them out
/// of the hold buffer; `request`, if there is one, waits for the program, which waits for `after`. Units
/// of one piece lie in ascending order, one piece behind the other. Returns the program.
pub fn program(
    picks: &Picks,
    carry: Carry,
    region: &mut Region,
    page: Ppn,
    (request, after): (RequestId, OpId),
    io: &mut Io,
) -> OpId {
    let draft = draft(picks, carry, io);
    // The request that the program is told to be of, which its reads are of as well.
    let of_held = || picks.list().rev().find_map(|(entry, _)| io.held().tokens(entry).next());
    let reader = if request.is_none() { of_held().unwrap_or(RequestId::NONE) } else { request };
    let mut sources = [OpId::NONE; SLOTS_MAX + 1];
    let mut count = emit_reads(&draft, reader, &mut sources, io);
    if !after.is_none() {
        sources[count] = after;
        count += 1;
    }
    let sources = &sources[..count];
    io.write_page(page, &draft.tags[..draft.slots as usize], 0, draft.held);
    let write = PageWrite {
        bytes: draft.bytes,
        fresh_slots: draft.held.ones(),
        slots: draft.slots,
        cause: draft.cause,
        class: Class::HostWrite,
        request,
    };
    let awaited = picks.list().any(|(entry, _)| io.held().entries()[entry].is_awaited());
    // Where nothing has to join it, and it waits for nothing, it is emitted as any program.
    let (op, full) = match sources.is_empty() && !awaited && region.pages_per_program() == 1 {
        true => (region.emit(io, page, Writer::Host, &write, &[]), false),
        false => region.emit_joinable(io, page, Writer::Host, &write, sources),
    };
    for (entry, mask) in picks.list().rev() {
        io.take_held(entry, mask, op);
    }
    if !op.is_none() {
        io.acknowledge_later(draft.early, op);
    }
    if full {
        io.start_joinable(op);
    }
    op
}

/// Programs an acknowledged `piece` that fills `page` alone, as if it had been held until now.
pub fn program_alone(
    piece: &Piece,
    region: &mut Region,
    page: Ppn,
    (request, after): (RequestId, OpId),
    io: &mut Io,
) -> OpId {
    let n = io.policy().mus_per_page;
    io.write_units(page, piece.page * n, n, piece.mask, piece.mask);
    let write = PageWrite {
        bytes: piece.bytes,
        fresh_slots: n,
        slots: n,
        cause: piece.cause,
        class: Class::HostWrite,
        request,
    };
    let after = [after];
    let sources = if after[0].is_none() { &after[..0] } else { &after[..] };
    let op = region.emit(io, page, Writer::Host, &write, sources);
    if !op.is_none() {
        io.acknowledge_later(n, op);
    }
    op
}

fn draft(picks: &Picks, carry: Carry, io: &Io) -> Draft {
    let n = io.policy().mus_per_page;
    let mu_bytes = io.geometry().mu_bytes;
    let mut draft = Draft {
        tags: [0; SLOTS_MAX],
        slots: 0,
        held: 0,
        bytes: 0,
        early: 0,
        cause: Cause::Flush,
        sources: Sources::of(io, 0, 0),
    };
    for (entry, mask) in picks.list() {
        let held = &io.held().entries()[entry];
        let mapped = if carry == Carry::Rest || held.partial != 0 { mapped_mask(io, held.page) } else { 0 };
        let rest = if carry == Carry::Rest { mapped & !held.mask } else { 0 };
        let needed = rest | (held.partial & mask & mapped);
        let live = mask | rest;
        for i in bits(live) {
            draft.tags[draft.slots as usize] = held.page * n + i + 1;
            draft.held |= (mask >> i & 1) << draft.slots;
            draft.slots += 1;
        }
        let merged = needed != 0 && io.policy().rmw_whole_page;
        let fresh_bytes = held.bytes.min(mask.ones() * mu_bytes);
        draft.bytes += if merged { live.ones() * mu_bytes } else { fresh_bytes };
        draft.early += (held.early & mask).ones();
        draft.cause = if held.cause == Cause::Host { Cause::Host } else { draft.cause };
        let read = if merged && carry == Carry::Rest { mapped & live } else { needed };
        draft.sources.add_units(io, held.page, read);
    }
    draft
}

/// Emits the reads, for `request`, of what is carried along or covered only in part; how many there are.
fn emit_reads(draft: &Draft, request: RequestId, ops: &mut [OpId], io: &mut Io) -> usize {
    let mut count = 0;
    for &(page, units) in draft.sources.list() {
        let bytes = units * io.geometry().mu_bytes;
        let op = io.read(page, bytes, Cause::Rmw, Class::HostRead, request, false);
        if !op.is_none() {
            ops[count] = op;
            count += 1;
        }
    }
    count
}
