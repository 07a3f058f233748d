//! Programming held pieces: one flash page with mapping units of several logical pages.

use super::io::Io;
use super::media::{bits, SLOTS_MAX};
use super::pack::Picks;
use super::page_level::{mapped_mask, region_slots, Sources};
use super::piece::PageWrite;
use crate::base::op::{Cause, Class};
use crate::base::request::{HostOp, Request};
use crate::base::Ppn;
use crate::hw::timing::op_table::{OpId, RequestId};
use crate::hw::timing::{InFlight, Internal};

/// Whether a logical page's other mapping units come along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carry {
    /// They stay where they are.
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

/// Programs the pieces of `picks` into `page`, the next of a frontier of a per-page mode, and
/// takes them out of the hold buffer. Units of one piece lie in ascending order, one piece behind
/// the other.
pub fn program(picks: &Picks, carry: Carry, page: Ppn, io: &mut Io) {
    let draft = draft(picks, carry, io);
    let mut reads = [OpId::NONE; SLOTS_MAX];
    let reads = emit_reads(&draft, &mut reads, io);
    let slots = region_slots(io, page);
    debug_assert!(draft.slots as usize <= slots, "Invariant: the picks fit the page");
    io.media.write_page(page, &draft.tags[..slots], 0, draft.held);
    let write = PageWrite {
        bytes: draft.bytes,
        fresh_slots: draft.held.count_ones(),
        slots: draft.slots,
        cause: draft.cause,
        class: Class::HostWrite,
        request: RequestId::NONE,
    };
    let op = io.program_joint(page, &write);
    for &read in reads {
        io.timing.add_dep(op);
        io.timing.wake(read, op);
    }
    take_out(picks, op, io);
    if !op.is_none() {
        acknowledge_later(draft.early, op, io);
        io.timing.release(op);
    }
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
    for &(entry, mask) in picks.list() {
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
        let fresh_bytes = held.bytes.min(mask.count_ones() * mu_bytes);
        draft.bytes += if merged { live.count_ones() * mu_bytes } else { fresh_bytes };
        draft.early += (held.early & mask).count_ones();
        draft.cause = if held.cause == Cause::Host { Cause::Host } else { draft.cause };
        let read = if merged && carry == Carry::Rest { mapped & live } else { needed };
        draft.sources.add_units(io, held.page, read);
    }
    draft
}

/// Emits the reads of what is carried along or covered only in part.
fn emit_reads<'a>(draft: &Draft, ops: &'a mut [OpId; SLOTS_MAX], io: &mut Io) -> &'a [OpId] {
    let mut count = 0;
    for &(page, units) in draft.sources.list() {
        let bytes = units * io.geometry().mu_bytes;
        let op = io.read(page, bytes, Cause::Rmw, Class::HostRead, RequestId::NONE, false);
        if !op.is_none() {
            ops[count] = op;
            count += 1;
        }
    }
    &ops[..count]
}

/// Takes the picked units out of the hold buffer; the requests that wait for them wait for `op`.
fn take_out(picks: &Picks, op: OpId, io: &mut Io) {
    for &(entry, mask) in picks.list().iter().rev() {
        let held = io.held().entries()[entry];
        let last = held.mask & !mask == 0;
        for request in io.media.hold.tokens(entry) {
            if !op.is_none() {
                io.timing.join_request(op, request);
            }
            if last {
                io.timing.release_request(request);
            }
        }
        io.media.unhold(entry, mask, held.page * io.policy().mus_per_page, false);
    }
}

/// Acknowledged data occupy the buffer until they are programmed: a request of our own tells when.
fn acknowledge_later(units: u32, op: OpId, io: &mut Io) {
    if units == 0 {
        return;
    }
    io.merging_units += units;
    io.merges += 1;
    let now_ns = io.now_ns();
    let request = Request { at_ns: now_ns, sector: 0, sectors: units, stream: 0, op: HostOp::Write };
    let mut record = InFlight::new(request, now_ns, now_ns);
    record.internal = Internal::Merge;
    record.flushes_before = io.flushes;
    let id = io.timing.add_request(record);
    io.timing.join_request(op, id);
    io.timing.release_request(id);
}
