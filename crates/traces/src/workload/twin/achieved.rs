//! The figures that come out of a plan, to hold against those that were given.

use super::super::spec::TwinSpec;
use super::op_order::write_after_write_share;
use super::plan::{count, pages, TwinPlan};
use super::sizes::SizeClass;
use super::{bursts, pauses, tight_gaps};
use slcache_base::request::SECTOR_BYTES;
use std::collections::BTreeMap;

/// Figures by name, in the units their names end with.
pub(in crate::workload) type Figures = BTreeMap<&'static str, f64>;

/// Figures that grow with the number of requests.
const EXTENSIVE: [&str; 10] = [
    "requests",
    "read_bytes",
    "write_bytes",
    "footprint_written_bytes",
    "footprint_touched_bytes",
    "update_writes",
    "duration_ns",
    "gaps_over_1ms",
    "gaps_over_100ms",
    "gaps_over_1s",
];

/// Whether a figure shrinks along when a twin is scaled down.
pub(in crate::workload) fn extensive(name: &str) -> bool {
    EXTENSIVE.contains(&name)
}

/// Every figure that is a number, with its value where the specification states one.
fn all_figures(spec: &TwinSpec) -> Vec<(&'static str, Option<f64>)> {
    vec![
        ("requests", spec.requests.map(|n| n as f64)),
        ("write_share", spec.write_share),
        ("write_bytes_share", spec.write_bytes_share),
        ("read_bytes", spec.read_bytes.map(|figure| figure.0)),
        ("write_bytes", spec.write_bytes.map(|figure| figure.0)),
        ("mean_request_bytes", spec.mean_request_bytes.map(|figure| figure.0)),
        ("mean_read_bytes", spec.mean_read_bytes.map(|figure| figure.0)),
        ("mean_write_bytes", spec.mean_write_bytes.map(|figure| figure.0)),
        ("max_read_bytes", spec.max_read_bytes.map(|size| size.0 as f64)),
        ("max_write_bytes", spec.max_write_bytes.map(|size| size.0 as f64)),
        ("small_write_share", spec.small_write_share),
        ("footprint_written_bytes", spec.footprint_written_bytes.map(|size| size.0 as f64)),
        ("footprint_touched_bytes", spec.footprint_touched_bytes.map(|size| size.0 as f64)),
        ("update_ratio", spec.update_ratio),
        ("repeated_extent_share", spec.repeated_extent_share),
        ("writers_per_16kib_page", spec.writers_per_16kib_page),
        ("update_writes", spec.update_writes.map(|n| n as f64)),
        ("not_4kib_aligned_share", spec.not_4kib_aligned_share),
        ("sequential_share", spec.sequential_share),
        ("update_skew", spec.update_skew),
        ("large_update_skew", spec.large_update_skew),
        ("read_skew", spec.read_skew),
        ("duration_ns", spec.duration_ns.map(|time| time.0)),
        ("mean_interarrival_ns", spec.mean_interarrival_ns.map(|time| time.0)),
        ("burst_requests", spec.burst_requests),
        ("idle_share", spec.idle_share),
        ("idle_over_ns", spec.idle_over_ns.map(|time| time.0)),
        ("gaps_over_1ms", spec.gaps_over_1ms.map(|n| n as f64)),
        ("gaps_over_100ms", spec.gaps_over_100ms.map(|n| n as f64)),
        ("gaps_over_1s", spec.gaps_over_1s.map(|n| n as f64)),
        ("short_gap_runs", spec.short_gap_runs),
        ("short_pause_runs", spec.short_pause_runs),
        ("tight_gap_runs", spec.tight_gap_runs),
        ("mean_burst_requests", spec.mean_burst_requests),
        ("median_burst_requests", spec.median_burst_requests),
        ("write_after_write_share", spec.write_after_write_share),
    ]
}

/// The figures a specification states as numbers.
pub(in crate::workload) fn figures(spec: &TwinSpec) -> Figures {
    all_figures(spec).into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

pub(in crate::workload) fn figure_names() -> Vec<&'static str> {
    let numbers = all_figures(&TwinSpec::default()).into_iter().map(|(name, _)| name);
    numbers.chain(["read_sizes", "write_sizes", "gap_classes", "class"]).collect()
}

fn bytes(classes: &[(SizeClass, u64)]) -> f64 {
    classes.iter().map(|(class, count)| (u64::from(class.sectors) * SECTOR_BYTES * count) as f64).sum()
}

/// `part / whole`, 0 where there is nothing to divide by.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 {
        0.0
    } else {
        part / whole
    }
}

impl TwinPlan {
    /// What the plan's requests amount to, by the definitions of `trace info`.
    pub(in crate::workload) fn achieved(&self) -> Figures {
        let (reads, writes) = (count(&self.reads) as f64, count(&self.writes) as f64);
        let (read_bytes, write_bytes) = (bytes(&self.reads), bytes(&self.writes));
        let requests = reads + writes;
        let page_writes = pages(&self.writes) as f64;
        let written = self.written_pages as f64;
        let small = self.writes.iter().filter(|(class, _)| class.sectors <= 8).map(|(_, n)| *n).sum::<u64>();
        let unaligned = self.reads.iter().chain(&self.writes).filter(|(class, _)| class.unaligned());
        let mut figures = Figures::from([
            ("requests", requests),
            ("write_share", ratio(writes, requests)),
            ("write_bytes_share", ratio(write_bytes, read_bytes + write_bytes)),
            ("read_bytes", read_bytes),
            ("write_bytes", write_bytes),
            ("mean_request_bytes", ratio(read_bytes + write_bytes, requests)),
            ("mean_read_bytes", ratio(read_bytes, reads)),
            ("mean_write_bytes", ratio(write_bytes, writes)),
            ("small_write_share", ratio(small as f64, writes)),
            ("footprint_written_bytes", written * 4096.0),
            ("footprint_touched_bytes", (written + self.read_only_pages as f64) * 4096.0),
            ("update_ratio", ratio(page_writes - written, page_writes)),
            ("not_4kib_aligned_share", ratio(unaligned.map(|(_, n)| *n).sum::<u64>() as f64, requests)),
        ]);
        if let Some(extents) = &self.extents {
            figures.insert("repeated_extent_share", extents.repeated_share);
            figures.insert("writers_per_16kib_page", extents.writers);
            figures.insert("update_writes", extents.update_writes(&self.writes) as f64);
        }
        let duration_ns: f64 = self.gaps.iter().map(|class| class.count as f64 * class.mean_ns).sum();
        figures.insert("duration_ns", duration_ns);
        figures.insert("mean_interarrival_ns", ratio(duration_ns, requests - 1.0));
        figures.extend(self.gap_counts());
        figures.extend(self.order());
        figures
    }

    /// How gaps and operations follow each other, where that is certain.
    fn order(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let (reads, writes) = (count(&self.reads), count(&self.writes));
        let runs = self.write_runs.map(|runs| write_after_write_share(reads, writes, runs));
        let split = bursts::split(&self.gaps).filter(|_| !self.gaps.is_empty());
        let mean = split.map(|(_, between)| (reads + writes) as f64 / (between + 1) as f64);
        let lengths = Some(&self.bursts).filter(|lengths| !lengths.is_empty());
        let median = lengths.map(|lengths| bursts::median(lengths) as f64);
        let short = split.zip(lengths).map(|((inside, between), lengths)| {
            let longer = lengths.iter().filter(|(length, _)| *length > 1).map(|(_, count)| count).sum();
            bursts::short_gap_runs(inside, between + 1, longer)
        });
        let pauses = self.pause_runs.and_then(|runs| pauses::short_pause_runs(&self.gaps, runs));
        let tight = Some(&self.tight_gaps).filter(|counts| !counts.is_empty());
        let tight = tight.map(|counts| tight_gaps::tight_gap_runs(&self.bursts, counts));
        let figures = [
            ("short_gap_runs", short),
            ("tight_gap_runs", tight),
            ("short_pause_runs", pauses),
            ("mean_burst_requests", mean),
            ("median_burst_requests", median),
            ("write_after_write_share", runs),
        ];
        figures.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }

    /// Gaps over the thresholds of `trace info`, where a bound between classes makes them certain.
    fn gap_counts(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        let thresholds = [("gaps_over_1ms", 1e6), ("gaps_over_100ms", 1e8), ("gaps_over_1s", 1e9)];
        let bound = |threshold| self.gaps.iter().any(|c| c.over_ns == threshold || c.to_ns == threshold);
        thresholds.into_iter().filter(move |(_, threshold)| bound(*threshold)).map(|(name, threshold)| {
            let longer = self.gaps.iter().filter(move |class| class.over_ns >= threshold);
            (name, longer.map(|class| class.count).sum::<u64>() as f64)
        })
    }
}
