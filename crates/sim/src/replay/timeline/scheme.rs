//! How full the regions of a scheme are, as counters, and what it decides, as instants.

use super::packets::{Body, Head, NameKind, Packets, Sequence, Unit};
use super::tracks::{DECISIONS, REGIONS};
use slcache_core::base::op::{Cause, OpKind};
use slcache_core::device::levels::{Change, Changed};
use slcache_core::device::Simulation;
use slcache_core::ftl::any_region::Role;
use slcache_core::hw::geometry::Geometry;
use slcache_core::hw::timing::LoggedOperation;
use std::io::{Result, Write};

/// Counters of a region.
const COUNTERS: [(&str, Unit); 3] = [("free", Unit::Count), ("blocks", Unit::Count), ("live", Unit::Bytes)];

pub struct SchemeTracks {
    first: u64,
    knobs: Vec<&'static str>,
    /// The first counter of the knobs, one each, and of the phases behind them.
    first_knob: u64,
    first_phase: u64,
    end: u64,
    /// By plane: the blocks that are being emptied.
    emptied: Vec<Vec<u32>>,
    body: Body,
}

impl SchemeTracks {
    /// Names the tracks, the first of which is `first`.
    pub fn begin<W: Write>(simulation: &Simulation, first: u64, packets: &mut Packets<W>) -> Result<Self> {
        packets.track(REGIONS, None, "regions", REGIONS)?;
        packets.track(DECISIONS, None, "decisions", DECISIONS)?;
        let mut track = first;
        for (place, (role, mode)) in simulation.region_roles().into_iter().enumerate() {
            let role = if role == Role::Cache { "cache" } else { "store" };
            for (what, unit) in COUNTERS {
                let name = format!("{role} {place} ({}): {what}", mode.name());
                packets.counter(track, REGIONS, &name, track, unit)?;
                track += 1;
            }
        }
        let knobs: Vec<_> = simulation.knobs().iter().map(|knob| knob.spec.name).collect();
        let planes = simulation.media().array().geometry.planes.len();
        let emptied = vec![Vec::new(); planes];
        for (place, knob) in knobs.iter().enumerate() {
            let rank = track + place as u64;
            packets.counter(rank, REGIONS, &format!("knob {knob}"), rank, Unit::Count)?;
        }
        let (first_knob, first_phase) = (track, track + knobs.len() as u64);
        let phases = simulation.phases();
        for (rank, phase) in (first_phase..).zip(&phases) {
            packets.counter(rank, REGIONS, &format!("planes in phase {phase}"), rank, Unit::Count)?;
        }
        let end = first_phase + phases.len() as u64;
        Ok(Self { first, knobs, first_knob, first_phase, end, emptied, body: Body::default() })
    }

    /// The first track that is free for others.
    pub fn free_track(&self) -> u64 {
        self.end
    }

    pub fn draw<W: Write>(&mut self, change: &Change, packets: &mut Packets<W>) -> Result<()> {
        let at_ns = change.at_ns;
        match change.what {
            Changed::Region(place, level) => {
                let track = self.first + (COUNTERS.len() * place) as u64;
                for (track, value) in (track..).zip([level.free, level.blocks, level.live_bytes]) {
                    self.count(at_ns, track, value as f64, packets)?;
                }
                Ok(())
            }
            Changed::Knob(place, value) => {
                self.count(at_ns, self.first_knob + place as u64, value, packets)?;
                match at_ns {
                    0 => Ok(()),
                    _ => self.decide(at_ns, &format!("{} = {value}", self.knobs[place]), &[], packets),
                }
            }
            Changed::Phase(place, planes) => {
                self.count(at_ns, self.first_phase + place as u64, planes as f64, packets)
            }
            Changed::Window(index) => self.decide(at_ns, "window ends", &[("window", index)], packets),
        }
    }

    /// Draws when a block begins to be emptied: the first operation that moves something out of it, or
    /// erases it, since it was erased.
    pub fn operation<W: Write>(
        &mut self,
        operation: &LoggedOperation,
        geometry: &Geometry,
        packets: &mut Packets<W>,
    ) -> Result<()> {
        let &LoggedOperation { kind, cause, queued_ns, .. } = operation;
        let empties = matches!(cause, Cause::Migration | Cause::Gc | Cause::Agc);
        if !empties || !matches!(kind, OpKind::Read | OpKind::Erase) {
            return Ok(());
        }
        let Some((plane, block)) = operation.plane.zip(operation.block_of(geometry)) else { return Ok(()) };
        let emptied = &mut self.emptied[plane.index()];
        let place = emptied.iter().position(|&other| other == block);
        match (kind, place) {
            (OpKind::Erase, Some(place)) => {
                emptied.swap_remove(place);
            }
            (OpKind::Erase, None) => {}
            _ if place.is_none() => emptied.push(block),
            _ => {}
        }
        if place.is_some() {
            return Ok(());
        }
        let facts = [("plane", plane.index() as u64), ("block", u64::from(block))];
        self.decide(queued_ns, &format!("{} begins", cause.name()), &facts, packets)
    }

    fn count<W: Write>(
        &mut self,
        at_ns: u64,
        track: u64,
        value: f64,
        packets: &mut Packets<W>,
    ) -> Result<()> {
        self.body.counter(track, value);
        packets.event(Sequence::Free, at_ns, &self.body)
    }

    fn decide<W: Write>(
        &mut self,
        at_ns: u64,
        what: &str,
        told: &[(&str, u64)],
        packets: &mut Packets<W>,
    ) -> Result<()> {
        let name = packets.name(Sequence::Free, NameKind::Event, what)?;
        let mut facts = [(0, 0); 2];
        for (fact, (name, value)) in facts.iter_mut().zip(told) {
            *fact = (packets.name(Sequence::Free, NameKind::Fact, name)?, *value);
        }
        let facts = &facts[..told.len()];
        self.body.instant(&Head { track: DECISIONS, name, flows: [None; 2], facts });
        packets.event(Sequence::Free, at_ns, &self.body)
    }
}
