//! `sample`: a part of the requests.
//!
//! - `every = K`: the first request and every K-th behind it.
//! - `share = P`: each request with probability P, drawn from `seed`.
//! - `share = P, by = "address"`: the requests whose first byte lies in a chosen
//!   unit of `unit_bytes` (1 MiB); units are chosen by a hash of their number,
//!   their stream and `seed`. All accesses to a unit are kept or none, so reuse
//!   and update patterns of what is kept stay as they were (spatial sampling, as
//!   in SHARDS). Flushes have no address and are all kept.
//!
//! A request is kept whole or left out. Flushes and trims count as requests.

use super::describe::{refused, unit_sectors};
use super::entries::Stage;
use super::ratio::Ratio;
use crate::entry::TraceEntry;
use crate::error::TraceError;
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};
use slcache_base::request::HostOp;

pub(super) const KIND: &str = "sample";

/// The parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sample {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    every: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    share: Option<Ratio>,
    #[serde(default)]
    by: By,
    #[serde(default = "default_unit")]
    unit_bytes: u64,
    #[serde(default)]
    seed: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum By {
    #[default]
    Request,
    Address,
}

fn default_unit() -> u64 {
    1 << 20
}

impl Sample {
    /// Makes the stage.
    pub(super) fn stage(&self) -> Result<Box<dyn Stage>, TraceError> {
        let unit_sectors = unit_sectors(KIND, "unit_bytes", self.unit_bytes)?;
        let rule = match (self.every, self.share, self.by) {
            (Some(every), None, By::Request) if every > 0 => Rule::Every { every, number: 0 },
            (None, Some(share), By::Request) if share.is_share() => {
                let random = Box::new(Pcg64Mcg::new(u128::from(mixed(self.seed)) << 1));
                Rule::Random { random, threshold: share.threshold() }
            }
            (None, Some(share), By::Address) if share.is_share() => {
                Rule::Address { seed: mixed(self.seed), unit_sectors, threshold: share.threshold() }
            }
            _ => {
                let allowed = "allowed: every = K from 1, or share above 0 and at most 1 with by = \"request\" or \"address\"";
                return Err(refused(KIND, format!("one of every and share must be given; {allowed}")));
            }
        };
        Ok(Box::new(Sampler { rule, dropped: 0 }))
    }
}

enum Rule {
    Every { every: u64, number: u64 },
    Random { random: Box<Pcg64Mcg>, threshold: u128 },
    Address { seed: u64, unit_sectors: u64, threshold: u128 },
}

struct Sampler {
    rule: Rule,
    dropped: u64,
}

impl Sampler {
    #[inline]
    fn keeps(&mut self, entry: &TraceEntry) -> bool {
        match &mut self.rule {
            Rule::Every { every, number } => {
                *number += 1;
                (*number - 1) % *every == 0
            }
            Rule::Random { random, threshold } => u128::from(random.next_u64()) < *threshold,
            Rule::Address { .. } if entry.request.op == HostOp::Flush => true,
            Rule::Address { seed, unit_sectors, threshold } => {
                let unit = entry.request.sector / *unit_sectors;
                let hash = mixed(mixed(unit ^ *seed) ^ u64::from(entry.request.stream));
                u128::from(hash) < *threshold
            }
        }
    }
}

impl Stage for Sampler {
    fn apply(&mut self, batch: &mut Vec<TraceEntry>) -> Result<(), TraceError> {
        let before = batch.len();
        batch.retain(|entry| self.keeps(entry));
        self.dropped += (before - batch.len()) as u64;
        Ok(())
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        vec![("not sampled", self.dropped)]
    }
}

/// A bijection whose results look random: the finisher of SplitMix64.
#[inline]
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}
