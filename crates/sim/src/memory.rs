//! Whether a device fits into the memory there is, found out before it is made.

use crate::config::RunConfig;
use rustix::process::{getrlimit, Resource};
use slcache_core::device::setup::MemoryNeed;
use sysinfo::{MemoryRefreshKind, Pid, ProcessRefreshKind, ProcessesToUpdate, System};

const MIB: u64 = 1 << 20;
/// Beside the tables: code, traces on their way, the document.
const BESIDE_BYTES: u64 = 64 * MIB;
/// Work ends when less is left: about what it can take between two looks.
const KEPT_FREE_BYTES: u64 = 96 * MIB;

/// A device that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the device needs about {} MiB of {what}, and {} MiB are available; allowed: a smaller device, a part of it (`slcache cliff --scale 1/16`) or a larger device.mu_bytes",
    .needed_bytes.div_ceil(MIB), .available_bytes / MIB
)]
pub struct Shortage {
    /// What runs short.
    pub what: &'static str,
    /// About what the run takes, bytes.
    pub needed_bytes: u64,
    pub available_bytes: u64,
}

impl Shortage {
    /// Says what is short in words that do not change with what else the machine does.
    pub fn lasting(&self) -> String {
        let (needed, what) = (self.needed_bytes.div_ceil(MIB), self.what);
        format!("the device needs about {needed} MiB of {what}, more than there is")
    }
}

/// Work that has used up what there is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "out of {what}: {} MiB are used and {} MiB are left; allowed: a smaller device, a trace that touches fewer pages, or fewer requests at a time",
    .used_bytes / MIB, .left_bytes / MIB
)]
pub struct Exhausted {
    /// What runs short.
    pub what: &'static str,
    /// What the process holds, bytes.
    pub used_bytes: u64,
    /// What there is beside, bytes.
    pub left_bytes: u64,
}

/// Refuses what would end in an abort or in the system's killing of the process.
pub fn check(need: &MemoryNeed) -> Result<(), Shortage> {
    let tables = need.tables_bytes.saturating_add(BESIDE_BYTES);
    compare("address space", tables, address_space_bytes())?;
    let filled = need.filled_bytes.saturating_add(BESIDE_BYTES);
    compare("memory", filled, memory_bytes())?;
    // Tables take memory only as far as they are used, but the system must promise all of it.
    let promised = Vec::<u8>::new().try_reserve_exact(usize::try_from(tables).unwrap_or(usize::MAX));
    promised.map_err(|_| Shortage {
        what: "address space",
        needed_bytes: tables,
        available_bytes: memory_bytes().unwrap_or(0),
    })
}

/// Why a run cannot have the memory that its device needs, if so.
pub fn shortage(config: &RunConfig) -> Option<Shortage> {
    check(&config.setup().memory()).err()
}

/// What a run takes as it begins, at most once all of its device is written, and what there is.
pub fn outlook(config: &RunConfig) -> (u64, u64, Option<u64>) {
    let need = config.setup().memory();
    let [begun, whole] =
        [need.filled_bytes, need.tables_bytes].map(|bytes| bytes.saturating_add(BESIDE_BYTES));
    (begun, whole, memory_bytes())
}

/// Refuses to go on where little is left: what grows with a trace, such as the set of the pages it
/// touches, cannot be known beforehand.
pub fn watch() -> Result<(), Exhausted> {
    for (what, left) in [("address space", address_space_bytes()), ("memory", memory_bytes())] {
        if let Some(left_bytes) = left.filter(|&left| left < KEPT_FREE_BYTES) {
            return Err(Exhausted { what, used_bytes: used_bytes(), left_bytes });
        }
    }
    Ok(())
}

fn compare(what: &'static str, needed_bytes: u64, available: Option<u64>) -> Result<(), Shortage> {
    match available {
        Some(available_bytes) if needed_bytes > available_bytes => {
            Err(Shortage { what, needed_bytes, available_bytes })
        }
        _ => Ok(()),
    }
}

/// What the limit on the process's address space (`ulimit -v`) leaves; `None` without one.
fn address_space_bytes() -> Option<u64> {
    let limit = getrlimit(Resource::As).current?;
    Some(limit.saturating_sub(own(sysinfo::Process::virtual_memory)))
}

fn used_bytes() -> u64 {
    own(sysinfo::Process::memory)
}

fn own(figure: impl Fn(&sysinfo::Process) -> u64) -> u64 {
    let number = Pid::from_u32(std::process::id());
    let mut system = System::new();
    let what = ProcessRefreshKind::nothing().with_memory().without_tasks();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[number]), false, what);
    system.process(number).map_or(0, figure)
}

/// What the system and the control group (a container, a batch job) have left; `None` where
/// they do not tell.
fn memory_bytes() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::everything());
    let free = system.available_memory().saturating_add(system.free_swap());
    // What the group has in its page cache it gives back.
    let group = system.cgroup_limits().map(|group| group.total_memory.saturating_sub(group.rss));
    (free > 0).then(|| group.map_or(free, |group| group.min(free)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_of_a_few_tables_fits() {
        assert_eq!(check(&MemoryNeed { tables_bytes: 1 << 20, filled_bytes: 1 << 20 }), Ok(()));
    }

    #[test]
    fn more_than_there_is_is_refused_with_both_figures() {
        for need in [
            MemoryNeed { tables_bytes: u64::MAX, filled_bytes: 0 },
            MemoryNeed { tables_bytes: 1 << 20, filled_bytes: 1 << 50 },
        ] {
            let shortage = check(&need).unwrap_err();
            assert!(shortage.needed_bytes > shortage.available_bytes, "{shortage:?}");
            assert!(shortage.to_string().contains("MiB are available"), "{shortage}");
        }
    }
}
