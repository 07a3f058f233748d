//! The naive translation layer: what each mapping unit must hold.

use crate::it::common::*;
use slcache_core::ftl::media::Versions;

/// Whether a unit holds data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Absent,
    Present,
    /// Gone for good, until it is written.
    Trimmed,
    /// The model cannot tell: mapped by a read, or written and trimmed at the same time.
    Unknown,
}

/// What each unit holds.
pub struct Oracle {
    units: Vec<Unit>,
    sectors_per_mu: u64,
    mus_per_page: u64,
    /// Trims leave units unknown, for writes may come after them.
    loose_trims: bool,
    /// Reads leave the absent units of their pages unknown.
    mapping_reads: bool,
    /// The newest version of all; only where writes take effect at once.
    newest: Option<u32>,
}

/// The version a read of `mu` returns now; 0 = no data.
fn read_version(sim: &Simulation, versions: &Versions, mu: Mu) -> u32 {
    match (versions.held[mu.index()], sim.media().lookup(mu)) {
        (0, Some(slot)) => versions.stored[slot.index()],
        (0, None) => versions.disk.get(mu.index()).copied().unwrap_or(0),
        (held, _) => held,
    }
}

impl Oracle {
    /// The state of `sim`, whose versions are tracked and in which nothing is in flight.
    pub fn of(sim: &Simulation, immediate: bool, loose_trims: bool, mapping_reads: bool) -> Self {
        let mu_bytes = u64::from(sim.media().array().geometry.mu_bytes);
        let has_data = |mu| match sim.media().versions() {
            Some(versions) => read_version(sim, versions, mu) != 0,
            None => sim.media().lookup(mu).is_some(),
        };
        let present = |mu| if has_data(Mu(mu)) { Unit::Present } else { Unit::Absent };
        let newest = sim.media().versions().filter(|_| immediate);
        Self {
            units: (0..sim.media().mus()).map(present).collect(),
            sectors_per_mu: mu_bytes / 512,
            mus_per_page: u64::from(sim.piece_bytes()) / mu_bytes,
            loose_trims,
            mapping_reads,
            newest: newest.map(|versions| versions.newest.iter().copied().max().unwrap_or(0)),
        }
    }

    /// Applies a request that the device has just taken.
    pub fn apply(&mut self, request: &Request, sim: &Simulation) {
        let (first, end) = (request.sector, request.end_sector());
        let touched = (first / self.sectors_per_mu) as usize..end.div_ceil(self.sectors_per_mu) as usize;
        match request.op {
            HostOp::Write => {
                self.check_newer(touched.clone(), sim);
                self.units[touched].fill(Unit::Present);
            }
            HostOp::Trim => {
                // Only units that lie wholly in the range are unused.
                let whole =
                    first.div_ceil(self.sectors_per_mu) as usize..(end / self.sectors_per_mu) as usize;
                let left = if self.loose_trims { Unit::Unknown } else { Unit::Trimmed };
                if !whole.is_empty() {
                    self.units[whole].fill(left);
                }
            }
            HostOp::Read if self.mapping_reads => {
                let n = self.mus_per_page as usize;
                let pages = touched.start / n * n..touched.end.div_ceil(n) * n;
                let absent = self.units[pages].iter_mut().filter(|unit| **unit == Unit::Absent);
                absent.for_each(|unit| *unit = Unit::Unknown);
            }
            HostOp::Read | HostOp::Flush => {}
        }
    }

    /// Every unit written has got a version newer than any before.
    fn check_newer(&mut self, written: std::ops::Range<usize>, sim: &Simulation) {
        if let (Some(before), Some(versions)) = (self.newest, sim.media().versions()) {
            for mu in written {
                let version = versions.newest[mu];
                assert!(version > before, "unit {mu} was not written: version {version} after {before}");
                self.newest = self.newest.max(Some(version));
            }
        }
    }

    /// Every unit reads as its newest version, and holds data where it must.
    pub fn check(&mut self, sim: &Simulation) {
        for (mu, unit) in self.units.iter().enumerate() {
            let here = match sim.media().versions() {
                Some(versions) => {
                    let read = read_version(sim, versions, Mu(mu as u32));
                    assert_eq!(read, versions.newest[mu], "unit {mu} reads an old version");
                    read != 0
                }
                None => sim.media().lookup(Mu(mu as u32)).is_some(),
            };
            assert!(
                *unit == Unit::Unknown || here == (*unit == Unit::Present),
                "unit {mu} is {unit:?} in the model"
            );
        }
        if let (Some(newest), Some(versions)) = (self.newest.as_mut(), sim.media().versions()) {
            // A read that maps a page numbers what it places, too.
            *newest = versions.newest.iter().copied().max().unwrap_or(0).max(*newest);
        }
    }
}
