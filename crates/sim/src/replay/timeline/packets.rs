//! Tracks, slices, instants and counters as packets of Perfetto's TrackEvent protocol.
//!
//! Numbers of fields are those of `trace_packet.proto`, `trace_packet_defaults.proto`, `clock_snapshot.proto`,
//! `track_event.proto`, `track_descriptor.proto`, `counter_descriptor.proto`, `interned_data.proto` and
//! `debug_annotation.proto` of Perfetto, which never change.

use rustc_hash::FxHashMap;
use std::io::{Result, Write};

/// Packets whose times are told alike, with names of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sequence {
    /// In the order of time: each tells how long after the one before.
    Ordered = 0,
    /// In any order.
    Free = 1,
}

/// What is named once, and by number from then on.
#[derive(Clone, Copy)]
pub enum NameKind {
    Event = 0,
    Fact = 1,
}

/// What a counter counts in.
#[derive(Clone, Copy)]
pub enum Unit {
    Count,
    Bytes,
}

/// The body of an event, to be written when its time has come.
#[derive(Default)]
pub struct Body(Vec<u8>);

/// What a slice begins with.
pub struct Head<'a> {
    pub track: u64,
    pub name: u64,
    /// What arrows lead from slice to slice.
    pub flows: [Option<u64>; 2],
    /// Whole numbers that are told of it, each by the number of its name.
    pub facts: &'a [(u64, u64)],
}

const BEGIN: u64 = 1;
const END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;

impl Body {
    /// A slice begins.
    pub fn begin(&mut self, head: &Head<'_>) {
        self.named(BEGIN, head);
    }

    /// Something happens that takes no time.
    pub fn instant(&mut self, head: &Head<'_>) {
        self.named(INSTANT, head);
    }

    fn named(&mut self, what: u64, head: &Head<'_>) {
        let event = &mut self.0;
        event.clear();
        uint(event, 9, what);
        uint(event, 11, head.track);
        uint(event, 10, head.name);
        for flow in head.flows.into_iter().flatten() {
            fixed64(event, FLOW, flow);
        }
        for &(name, value) in head.facts {
            message(event, 4, |fact| {
                uint(fact, 1, name);
                uint(fact, 3, value);
            });
        }
    }

    /// The slice that goes on in `track` ends.
    pub fn end(&mut self, track: u64) {
        self.0.clear();
        uint(&mut self.0, 9, END);
        uint(&mut self.0, 11, track);
    }

    pub fn counter(&mut self, track: u64, value: f64) {
        self.0.clear();
        uint(&mut self.0, 9, COUNTER);
        uint(&mut self.0, 11, track);
        fixed64(&mut self.0, 44, value.to_bits());
    }

    /// An arrow leads from the slice, or to it.
    pub fn flow(&mut self, flow: u64) {
        fixed64(&mut self.0, FLOW, flow);
    }
}

const FLOW: u32 = 47;
/// The fields of `InternedData` for names of events and of facts.
const NAMES: [u32; 2] = [2, 3];
/// What was written once before this packet is void, and is needed from here on.
const CLEARED: u64 = 1;
const NEEDED: u64 = 2;
/// Perfetto's own clock, and one of a sequence whose times are told as differences.
const CLOCK: u64 = 6;
const DIFFERENCES: u64 = 64;

pub struct Packets<W: Write> {
    to: W,
    /// The numbers of the names, by sequence.
    names: [[FxHashMap<String, u64>; 2]; 2],
    /// The time of the last packet in the order of time.
    last_ns: u64,
    packet: Vec<u8>,
    out: Vec<u8>,
}

const OUT_BYTES: usize = 1 << 16;

impl<W: Write> Packets<W> {
    /// Begins a trace.
    pub fn new(to: W) -> Result<Self> {
        let (packet, out) = (Vec::new(), Vec::with_capacity(OUT_BYTES + 1024));
        let mut packets = Self { to, names: Default::default(), last_ns: 0, packet, out };
        packets.begin(Sequence::Ordered, CLEARED);
        message(&mut packets.packet, 59, |defaults| uint(defaults, 58, DIFFERENCES));
        packets.write()?;
        packets.begin(Sequence::Ordered, NEEDED);
        message(&mut packets.packet, 6, |snapshot| {
            message(snapshot, 1, |clock| {
                uint(clock, 1, CLOCK);
                uint(clock, 2, 0);
            });
            message(snapshot, 1, |clock| {
                uint(clock, 1, DIFFERENCES);
                uint(clock, 2, 0);
                uint(clock, 3, 1);
            });
        });
        packets.write()?;
        packets.begin(Sequence::Free, CLEARED);
        packets.write()?;
        Ok(packets)
    }

    /// Writes a track below another; those of one parent stand in the order of `rank`.
    pub fn track(&mut self, track: u64, parent: Option<u64>, name: &str, rank: u64) -> Result<()> {
        self.any_track(track, parent, name, rank, None)
    }

    pub fn counter(&mut self, track: u64, parent: u64, name: &str, rank: u64, unit: Unit) -> Result<()> {
        self.any_track(track, Some(parent), name, rank, Some(unit))
    }

    fn any_track(
        &mut self,
        track: u64,
        parent: Option<u64>,
        name: &str,
        rank: u64,
        counter: Option<Unit>,
    ) -> Result<()> {
        self.packet.clear();
        message(&mut self.packet, 60, |descriptor| {
            uint(descriptor, 1, track);
            bytes(descriptor, 2, name.as_bytes());
            if let Some(parent) = parent {
                uint(descriptor, 5, parent);
            }
            if let Some(unit) = counter {
                message(descriptor, 8, |counter| {
                    uint(counter, 3, if matches!(unit, Unit::Bytes) { 3 } else { 2 })
                });
            }
            // The children's own ranks order them.
            uint(descriptor, 11, 3);
            uint(descriptor, 12, rank);
        });
        self.write()
    }

    /// The number of a name, which is written at once where it is new.
    pub fn name(&mut self, sequence: Sequence, kind: NameKind, name: &str) -> Result<u64> {
        let names = &mut self.names[sequence as usize][kind as usize];
        if let Some(&number) = names.get(name) {
            return Ok(number);
        }
        let number = names.len() as u64 + 1;
        names.insert(name.to_owned(), number);
        self.begin(sequence, NEEDED);
        message(&mut self.packet, 12, |interned| {
            message(interned, NAMES[kind as usize], |entry| {
                uint(entry, 1, number);
                bytes(entry, 2, name.as_bytes());
            });
        });
        self.write()?;
        Ok(number)
    }

    /// Writes an event; those in the order of time come in it.
    pub fn event(&mut self, sequence: Sequence, at_ns: u64, body: &Body) -> Result<()> {
        self.packet.clear();
        let told_ns = match sequence {
            Sequence::Free => at_ns,
            Sequence::Ordered => {
                let last_ns = std::mem::replace(&mut self.last_ns, at_ns);
                at_ns.checked_sub(last_ns).expect("Invariant: events come in the order of time")
            }
        };
        uint(&mut self.packet, 8, told_ns);
        self.tail(sequence, NEEDED);
        // The body is copied once: there are three for every operation.
        head(&mut self.packet, 11, body.0.len());
        head(&mut self.out, 1, self.packet.len() + body.0.len());
        self.out.extend_from_slice(&self.packet);
        self.out.extend_from_slice(&body.0);
        self.hand_on(OUT_BYTES)
    }

    fn begin(&mut self, sequence: Sequence, flags: u64) {
        self.packet.clear();
        self.tail(sequence, flags);
    }

    fn tail(&mut self, sequence: Sequence, flags: u64) {
        uint(&mut self.packet, 10, sequence as u64 + 1);
        uint(&mut self.packet, 13, flags);
    }

    fn write(&mut self) -> Result<()> {
        bytes(&mut self.out, 1, &self.packet);
        self.hand_on(OUT_BYTES)
    }

    /// Hands on what there is, if it is that much.
    fn hand_on(&mut self, least: usize) -> Result<()> {
        if self.out.len() >= least {
            self.to.write_all(&self.out)?;
            self.out.clear();
        }
        Ok(())
    }

    pub fn into_inner(mut self) -> Result<W> {
        self.hand_on(0)?;
        Ok(self.to)
    }
}

/// Appends a number in groups of seven bits.
#[inline]
fn varint(out: &mut Vec<u8>, mut value: u64) {
    if value < 0x80 {
        return out.push(value as u8);
    }
    let (mut groups, mut count) = ([0; 10], 0);
    while value >= 0x80 {
        groups[count] = value as u8 | 0x80;
        value >>= 7;
        count += 1;
    }
    groups[count] = value as u8;
    out.extend_from_slice(&groups[..=count]);
}

/// Appends a field that is a whole number.
pub fn uint(out: &mut Vec<u8>, field: u32, value: u64) {
    varint(out, u64::from(field) << 3);
    varint(out, value);
}

/// Appends a field of eight bytes.
pub fn fixed64(out: &mut Vec<u8>, field: u32, value: u64) {
    varint(out, u64::from(field) << 3 | 1);
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends what stands before a field of so many bytes.
pub fn head(out: &mut Vec<u8>, field: u32, length: usize) {
    varint(out, u64::from(field) << 3 | 2);
    varint(out, length as u64);
}

/// Appends a field of bytes: a text, or a message.
pub fn bytes(out: &mut Vec<u8>, field: u32, content: &[u8]) {
    head(out, field, content.len());
    out.extend_from_slice(content);
}

/// Appends a field that is a message, which `fill` writes: most are short, and one byte tells how long.
pub fn message(out: &mut Vec<u8>, field: u32, fill: impl FnOnce(&mut Vec<u8>)) {
    varint(out, u64::from(field) << 3 | 2);
    let begin = out.len();
    out.push(0);
    fill(out);
    let length = out.len() - begin - 1;
    if length < 0x80 {
        out[begin] = length as u8;
        return;
    }
    let mut told = Vec::new();
    varint(&mut told, length as u64);
    out.splice(begin..=begin, told);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the format's own description.
    #[test]
    fn fields_are_those_of_the_format() {
        let mut out = Vec::new();
        uint(&mut out, 1, 150);
        assert_eq!(out, [0x08, 0x96, 0x01]);
        out.clear();
        bytes(&mut out, 2, b"testing");
        assert_eq!(out, b"\x12\x07testing");
        out.clear();
        message(&mut out, 3, |inner| uint(inner, 1, 150));
        assert_eq!(out, [0x1a, 0x03, 0x08, 0x96, 0x01]);
        out.clear();
        message(&mut out, 2, |inner| bytes(inner, 1, &[7; 200]));
        assert_eq!(out[..7], [0x12, 0xcb, 0x01, 0x0a, 0xc8, 0x01, 7]);
        assert_eq!(out.len(), 3 + 203);
        out.clear();
        fixed64(&mut out, 47, 1);
        assert_eq!(out, [0xf9, 0x02, 1, 0, 0, 0, 0, 0, 0, 0]);
    }
}
