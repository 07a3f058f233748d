//! The figures of a finished run.

use super::config::Replay;
use super::{RunError, Simulation};
use crate::base::Cause;
use crate::ftl::by_regions::ByRegions;
use crate::ftl::scheme::Scheme;
use crate::ftl::translation::MapCache;
use crate::hw::config::PlaneParallelism;
use crate::hw::disk::{Books, Disk, DiskOpCount, PowerState};
use crate::hw::geometry::Pool;
use crate::metrics::counters::{OpCounters, OpTotals};
use crate::metrics::latency::RequestsBeyond;
use crate::metrics::report::{
    Adjusted, BacklogReport, CacheReport, DeviceScale, DiskOpRow, DiskReport, FlashReport, FlushReport,
    HostReport, OpRow, PowerSeriesReport, PowerStateRow, Report, SchemeReport, SlotRow, TrimReport,
    WafReport,
};
use std::collections::BTreeMap;

impl Simulation {
    /// Ends the run: completes everything in flight and returns the figures.
    pub fn finish(&mut self) -> Result<Report, RunError> {
        self.drain()?;
        let cache = self.scheme.cache_live_bytes(&self.io);
        Ok(Report {
            host: self.host_report(),
            flash: self.flash_report(),
            disk: self.io.disk().map(of),
            map: self.io.map_cache().map(MapCache::report),
            waf: self.waf_report(),
            wear: self.wear_report(),
            cells: self
                .io
                .cell_counts()
                .map(|cells| cells.report(self.io.upkeep_report(), self.bad_blocks_report())),
            cache: CacheReport { slc_bytes: self.scheme.slc_cache_bytes(&self.io) },
            state: self.state_report(),
            scheme: self.scheme_report(),
            series: self.io.series_mut().report(cache),
            bound: self.bound_report(),
            adjusted: Adjusted { sub_mu_rounded: self.stats.sub_mu_rounded },
            device: self.scale(),
        })
    }

    fn scale(&self) -> DeviceScale {
        let geometry = self.io.geometry();
        let at_a_time = |pool: &Pool| match pool.config.plane_parallelism {
            PlaneParallelism::Serial => pool.planes / pool.config.planes,
            PlaneParallelism::MultiPlane | PlaneParallelism::Independent => pool.planes,
        };
        let array_units = geometry.pools.iter().map(|pool| u64::from(at_a_time(pool))).sum();
        DeviceScale { mu_bytes: geometry.mu_bytes.into(), array_units }
    }

    /// The scheme's report, with the knobs that do not stand as configured.
    fn scheme_report(&self) -> SchemeReport {
        let mut report = self.scheme.report(&self.io);
        self.scheme.regions(&mut |_, region| report.figures.extend(region.separation_figures()));
        for (knob, at_first) in self.knobs().iter().zip(&self.knobs_at_first) {
            if knob.value != *at_first {
                let name = knob.spec.name.replace('.', "_");
                report.figures.insert(format!("knob_{name}"), knob.value);
            }
        }
        report
    }

    fn host_report(&self) -> HostReport {
        let stats = &self.stats;
        let requests = stats.read.requests() + stats.write.requests();
        let duration_ns = stats.last_completion_ns;
        let iops = if duration_ns == 0 { 0.0 } else { requests as f64 * 1e9 / duration_ns as f64 };
        HostReport {
            duration_ns,
            requests,
            bytes: stats.read.bytes() + stats.write.bytes(),
            iops,
            read: stats.read.report(),
            write: stats.write.report(),
            trim: TrimReport { requests: stats.trims, bytes: stats.trim_bytes },
            flush: FlushReport {
                requests: stats.flush.requests(),
                latency_us: stats.flush.latency().summary(),
                requests_beyond: RequestsBeyond::of(stats.flush.requests()),
            },
            unmapped_reads: stats.unmapped_reads,
            read_errors: self.io.cell_counts().map(|cells| cells.read_errors()),
            backlog: (self.setup.host.replay == Replay::Open).then(|| BacklogReport {
                requests_max: self.backlog_max,
                lag_ns: duration_ns.saturating_sub(self.last_arrival_ns),
            }),
        }
    }

    /// The operations of `counters` as reports show them.
    pub fn op_rows(&self, counters: &OpCounters) -> Vec<OpRow> {
        let pools = &self.io.geometry().pools;
        let row = |row: OpTotals| OpRow {
            pool: pools[row.pool].name.clone(),
            kind: row.kind.name(),
            mode: row.mode.name(),
            cause: row.cause.name(),
            count: row.totals.count,
            pages: row.totals.pages,
            bytes: row.totals.bytes,
            time_us: row.totals.time_ns as f64 / 1000.0,
        };
        let done = counters.iter().filter(|row| row.totals.pages > 0 || row.totals.count > 0);
        done.map(row).collect()
    }

    fn flash_report(&self) -> FlashReport {
        let pools = &self.io.geometry().pools;
        let row = |row: OpTotals| SlotRow {
            pool: pools[row.pool].name.clone(),
            mode: row.mode.name(),
            cause: row.cause.name(),
            count: row.totals.slots,
        };
        let with_slots = self.io.counters().iter().filter(|row| row.totals.slots > 0);
        FlashReport {
            ops: self.op_rows(self.io.counters()),
            slots: with_slots.map(row).collect(),
            ops_until_ns: self.io.timing().ended_ns(),
        }
    }

    /// Bytes programmed per byte the host wrote. By cause, every mapping unit in a page counts for
    /// itself, so that old data in a host's page are `rmw`, and room left empty is `pad`.
    fn waf_report(&self) -> WafReport {
        let host = self.stats.write.bytes() as f64;
        let mut report = WafReport::default();
        if host == 0.0 {
            return report;
        }
        let mu_bytes = u64::from(self.setup.device.mu_bytes);
        let mut bytes: BTreeMap<&str, u64> = BTreeMap::new();
        let (mut programmed, mut held) = (0, 0);
        for row in self.io.counters().iter().filter(|row| row.kind.stores()) {
            programmed += row.totals.bytes;
            *report.by_mode.entry(row.mode.name()).or_default() += row.totals.bytes as f64 / host;
            held += row.totals.slots * mu_bytes;
            *bytes.entry(row.cause.name()).or_default() += row.totals.slots * mu_bytes;
        }
        *bytes.entry(Cause::Pad.name()).or_default() += programmed - held;
        bytes.retain(|_, bytes| *bytes > 0);
        report.total = programmed as f64 / host;
        report.by_cause = bytes.into_iter().map(|(cause, b)| (cause.to_string(), b as f64 / host)).collect();
        report
    }
}

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
