//! Slices and tracks as packets of Perfetto's TrackEvent protocol.
//!
//! Numbers of fields are those of `trace_packet.proto`, `track_event.proto`, `track_descriptor.proto`,
//! `interned_data.proto` and `debug_annotation.proto` of Perfetto, which never change.

use super::proto::{bytes, fixed64, message, uint};
use rustc_hash::FxHashMap;
use std::io::{Result, Write};

/// A slice on a track.
pub struct Slice<'a> {
    /// Its track.
    pub track: u64,
    /// What it is called.
    pub name: &'a str,
    /// When it begins and ends, ns.
    pub begin_ns: u64,
    pub end_ns: u64,
    /// What arrows lead from slice to slice.
    pub flow: Option<u64>,
    /// Whole numbers that are told of it.
    pub facts: &'a [(&'a str, u64)],
}

/// Writes packets.
pub struct Events<W: Write> {
    to: W,
    /// Names of events and of facts, which are written once, and the numbers for them from then on.
    names: [FxHashMap<String, u64>; 2],
    numbers: Vec<u64>,
    begun: bool,
    packet: Vec<u8>,
    bytes: Vec<u8>,
}

/// The fields of `InternedData` for names of events and of facts.
const NAMES: [u32; 2] = [2, 3];
const BEGIN: u64 = 1;
const END: u64 = 2;
/// All is one sequence.
const SEQUENCE: u64 = 1;
/// What was written once before this packet is void, and is needed from here on.
const CLEARED: u64 = 1;
const NEEDED: u64 = 2;

impl<W: Write> Events<W> {
    /// Of a trace of which nothing is written yet.
    pub fn new(to: W) -> Self {
        let (numbers, packet, bytes) = (Vec::new(), Vec::new(), Vec::new());
        Self { to, names: Default::default(), numbers, begun: false, packet, bytes }
    }

    /// Writes a track below another; those of one parent stand in the order of `rank`.
    pub fn track(&mut self, track: u64, parent: Option<u64>, name: &str, rank: u64) -> Result<()> {
        self.packet.clear();
        message(&mut self.packet, 60, |descriptor| {
            uint(descriptor, 1, track);
            bytes(descriptor, 2, name.as_bytes());
            if let Some(parent) = parent {
                uint(descriptor, 5, parent);
            }
            // The children's own ranks order them.
            uint(descriptor, 11, 3);
            uint(descriptor, 12, rank);
        });
        self.flush()
    }

    /// Writes a slice.
    pub fn slice(&mut self, slice: &Slice<'_>) -> Result<()> {
        let mut interned = Vec::new();
        let name = self.number(0, slice.name, &mut interned);
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        numbers.extend(slice.facts.iter().map(|(fact, _)| self.number(1, fact, &mut interned)));
        self.packet.clear();
        self.head(slice.begin_ns);
        if !interned.is_empty() {
            bytes(&mut self.packet, 12, &interned);
        }
        message(&mut self.packet, 11, |event| {
            uint(event, 9, BEGIN);
            uint(event, 11, slice.track);
            uint(event, 10, name);
            if let Some(flow) = slice.flow {
                fixed64(event, 47, flow);
            }
            for (number, (_, value)) in numbers.iter().zip(slice.facts) {
                message(event, 4, |fact| {
                    uint(fact, 1, *number);
                    uint(fact, 3, *value);
                });
            }
        });
        self.numbers = numbers;
        self.flush()?;
        self.packet.clear();
        self.head(slice.end_ns);
        message(&mut self.packet, 11, |event| {
            uint(event, 9, END);
            uint(event, 11, slice.track);
        });
        self.flush()
    }

    /// The number of a name, which is told in `interned` where it is new.
    fn number(&mut self, kind: usize, name: &str, interned: &mut Vec<u8>) -> u64 {
        let names = &mut self.names[kind];
        if let Some(&number) = names.get(name) {
            return number;
        }
        let number = names.len() as u64 + 1;
        names.insert(name.to_owned(), number);
        message(interned, NAMES[kind], |entry| {
            uint(entry, 1, number);
            bytes(entry, 2, name.as_bytes());
        });
        number
    }

    fn head(&mut self, at_ns: u64) {
        uint(&mut self.packet, 8, at_ns);
        uint(&mut self.packet, 10, SEQUENCE);
        uint(&mut self.packet, 13, if self.begun { NEEDED } else { CLEARED | NEEDED });
        self.begun = true;
    }

    fn flush(&mut self) -> Result<()> {
        self.bytes.clear();
        bytes(&mut self.bytes, 1, &self.packet);
        self.to.write_all(&self.bytes)
    }

    /// What the packets went to.
    pub fn into_inner(self) -> W {
        self.to
    }
}
