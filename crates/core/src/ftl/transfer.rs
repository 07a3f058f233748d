//! Transfer: what is stored of some spans of mapping units moves from wherever it lies to one page of
//! another region.

use super::io::Io;
use super::media::{bits, SLOTS_MAX};
use super::page_level::{mapped_in, Sources};
use super::piece::{Job, Span};
use super::region::{Region, Writer};
use super::relocate::note_carrier;
use crate::base::arithmetic::Ones;
use crate::base::Ppn;
use crate::hw::timing::{OpId, RequestId};

/// Moves the stored units of `spans`, each of a logical page, to `to`, which `dest` just gave, where the
/// spans lie one behind the other. Each page that holds some of them is read once.
///
/// Adds to `awaited` what is sure to happen soon: the program, or only its reads where it is staged and
/// may wait for others of its wordline for ever.
pub fn transfer(
    spans: &[(u32, Span)],
    dest: &mut Region,
    to: Ppn,
    job: Job,
    awaited: &mut Vec<OpId>,
    io: &mut Io,
) {
    let n = io.policy().mus_per_page;
    let mu_bytes = io.geometry().mu_bytes;
    let (mut tags, mut len, mut units) = ([0; SLOTS_MAX], 0, 0);
    let mut sources = Sources::of(io, 0, 0);
    for &(page, span) in spans {
        let stored = mapped_in(io, page, span.mask());
        bits(span.cut(stored)).for_each(|i| tags[(len + i) as usize] = page * n + span.first + i + 1);
        sources.add_units(io, page, stored);
        len += span.units;
        units += stored.ones();
    }
    let (mut reads, mut count) = ([OpId::NONE; SLOTS_MAX], 0);
    for &(from, units) in sources.list() {
        let read = io.read(from, units * mu_bytes, job.cause, job.class, RequestId::NONE, false);
        if !read.is_none() {
            reads[count] = read;
            count += 1;
        }
    }
    io.write_page(to, &tags[..len as usize], 0, 0);
    let program = dest.emit(io, to, Writer::Host, &job.write(units, mu_bytes), &reads[..count]);
    for &(from, _) in sources.list() {
        let block = io.geometry().block_of(from);
        note_carrier(dest, io, block, to, Writer::Host, program, None);
    }
    let plane = io.geometry().plane_of(io.geometry().block_of(to));
    match dest.staged(plane, Writer::Host) {
        Some(_) => awaited.extend_from_slice(&reads[..count]),
        None if program.is_none() => {}
        None => awaited.push(program),
    }
}
