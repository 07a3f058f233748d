//! The figures that come out of a plan, to hold against those that were given.

use super::super::spec::TwinSpec;
use super::op_order::write_after_write_share;
use super::plan::{count, pages, TwinPlan};
use super::sizes::SizeClass;
use super::{bursts, pauses, tight_gaps};
use crate::info::arrivals::median_length;
use crate::info::ratio;
use serde_json::Value;
use slcache_base::request::SECTOR_BYTES;
use std::collections::BTreeMap;

/// Figures by name, in the units their names end with.
pub(in crate::workload) type Figures = BTreeMap<String, f64>;

/// Figures that grow with the number of requests.
const EXTENSIVE: [&str; 7] = [
    "requests",
    "read_bytes",
    "write_bytes",
    "footprint_written_bytes",
    "footprint_touched_bytes",
    "update_writes",
    "duration_ns",
];
/// Keys of a twin that are no figures.
const NO_FIGURES: [&str; 3] = ["of", "from", "size_shares_by"];

/// Whether a figure shrinks along when a twin is scaled down.
pub(in crate::workload) fn extensive(name: &str) -> bool {
    EXTENSIVE.contains(&name)
}

/// What a specification says, by key; nothing where a figure is left out.
fn stated(spec: &TwinSpec) -> serde_json::Map<String, Value> {
    match serde_json::to_value(spec) {
        Ok(Value::Object(stated)) => stated,
        _ => serde_json::Map::new(),
    }
}

/// The figures a specification states as numbers.
pub(in crate::workload) fn figures(spec: &TwinSpec) -> Figures {
    stated(spec).into_iter().filter_map(|(name, value)| Some((name, value.as_f64()?))).collect()
}

/// The names of all figures; empty lists are not among what is stated.
pub(in crate::workload) fn figure_names() -> Vec<String> {
    let single = stated(&TwinSpec::default()).into_iter().map(|(name, _)| name);
    let lists = ["read_sizes", "write_sizes", "gap_classes"].map(str::to_owned);
    single.filter(|name| !NO_FIGURES.contains(&name.as_str())).chain(lists).collect()
}

fn bytes(classes: &[(SizeClass, u64)]) -> f64 {
    classes.iter().map(|(class, count)| (u64::from(class.sectors) * SECTOR_BYTES * count) as f64).sum()
}

impl TwinPlan {
    /// What the plan's requests amount to, by the definitions of `trace info`.
    pub(in crate::workload) fn achieved(&self) -> BTreeMap<&'static str, f64> {
        let (reads, writes) = (count(&self.reads) as f64, count(&self.writes) as f64);
        let (read_bytes, write_bytes) = (bytes(&self.reads), bytes(&self.writes));
        let requests = reads + writes;
        let page_writes = pages(&self.writes) as f64;
        let written = self.written_pages as f64;
        let small = self.writes.iter().filter(|(class, _)| class.sectors <= 8).map(|(_, n)| *n).sum::<u64>();
        let unaligned = self.reads.iter().chain(&self.writes).filter(|(class, _)| class.unaligned());
        let mut figures = BTreeMap::from([
            ("requests", requests),
            ("write_share", ratio(writes, requests)),
            ("write_bytes_share", ratio(write_bytes, read_bytes + write_bytes)),
            ("read_bytes", read_bytes),
            ("write_bytes", write_bytes),
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
        figures.extend(self.order());
        figures
    }

    /// How gaps and operations follow each other, where that is certain.
    fn order(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let (reads, writes) = (count(&self.reads), count(&self.writes));
        let runs = self.write_runs.map(|runs| write_after_write_share(reads, writes, runs));
        let split = bursts::split(&self.gaps).filter(|_| !self.gaps.is_empty());
        let lengths = Some(&self.bursts).filter(|lengths| !lengths.is_empty());
        let median = lengths.map(|lengths| median_length(lengths.clone()) as f64);
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
            ("median_burst_requests", median),
            ("write_after_write_share", runs),
        ];
        figures.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }
}
