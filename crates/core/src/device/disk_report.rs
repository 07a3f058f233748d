//! The figures of the disk.

use crate::base::Cause;
use crate::hw::disk::{Books, Disk, DiskOpCount, PowerState};
use crate::metrics::report::{DiskOpRow, DiskReport, PowerSeriesReport, PowerStateRow};

/// What a disk did, its books closed.
pub fn of(disk: &Disk) -> DiskReport {
    let books = disk.books();
    let until_ns = books.until_ns();
    let energy_pj: u128 = PowerState::ALL.into_iter().map(|state| books.energy_pj(state)).sum();
    let mean_power_mw = if until_ns == 0 { 0.0 } else { energy_pj as f64 / until_ns as f64 };
    DiskReport {
        ops: disk.counters().iter().map(op_row).collect(),
        energy_j: joules(energy_pj),
        mean_power_w: mean_power_mw / 1e3,
        until_ns,
        states: PowerState::ALL.into_iter().map(|state| state_row(books, state)).collect(),
        spin_ups: books.spin_ups(),
        spin_downs: books.spin_downs(),
        series: PowerSeriesReport {
            window_ns: books.series().window_ns(),
            states: PowerState::ALL
                .into_iter()
                .map(|state| (state.name(), books.series().shares(state)))
                .collect(),
        },
    }
}

fn op_row((write, cause, count): (bool, Cause, &DiskOpCount)) -> DiskOpRow {
    let us = |ns: u64| ns as f64 / 1e3;
    DiskOpRow {
        kind: if write { "write" } else { "read" },
        cause: cause.name(),
        count: count.count,
        bytes: count.bytes,
        seek_us: us(count.time.seek_ns),
        rotation_us: us(count.time.rotation_ns),
        transfer_us: us(count.time.transfer_ns),
        time_us: us(count.time.total_ns()),
    }
}

fn state_row(books: &Books, state: PowerState) -> PowerStateRow {
    PowerStateRow {
        state: state.name(),
        time_s: books.time_ns(state) as f64 / 1e9,
        energy_j: joules(books.energy_pj(state)),
    }
}

fn joules(pj: u128) -> f64 {
    pj as f64 / 1e12
}
