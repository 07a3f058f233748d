//! The analytic models. What is asked was checked in Python, which knows the names.

use super::errors::config_error;
use super::run_request::Device;
use pyo3::prelude::*;
use slcache_sim::models::{self, Chip, CostModel, First, Mix, Tier, Volumes};

/// A tier as Python has it.
#[derive(FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub struct TierItems {
    read_ns: f64,
    program_ns: f64,
    copyback_ns: f64,
    erase_ns: f64,
    units_per_block: f64,
    bytes: f64,
}

impl From<TierItems> for Tier {
    fn from(items: TierItems) -> Self {
        let TierItems { read_ns, program_ns, copyback_ns, erase_ns, units_per_block, bytes } = items;
        Self { read_ns, program_ns, copyback_ns, erase_ns, units_per_block, bytes }
    }
}

impl From<Tier> for TierItems {
    fn from(tier: Tier) -> Self {
        let Tier { read_ns, program_ns, copyback_ns, erase_ns, units_per_block, bytes } = tier;
        Self { read_ns, program_ns, copyback_ns, erase_ns, units_per_block, bytes }
    }
}

/// The tiers of a device, fast and dense, and the bytes of its logical pages.
#[pyfunction]
#[pyo3(signature = (*, device, sets))]
pub fn hyssd_tiers(device: Device, sets: Vec<String>) -> PyResult<(TierItems, TierItems, f64)> {
    let model = models::hyssd_model(device.into(), sets).map_err(|errors| config_error(&errors))?;
    Ok((model.fast.into(), model.dense.into(), model.data_bytes))
}

/// Cost of an access, of a write, of a read, utilisation of the dense tier, best utilisation.
type Costs = (Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>, Option<f64>);

/// The victim's utilisation in tiers of these utilisations.
#[pyfunction]
pub fn victim_utilisation(utilisation: Vec<f64>) -> Vec<f64> {
    utilisation.into_iter().map(models::victim_utilisation).collect()
}

/// The cost model of HySSD at each utilisation of the fast tier.
#[pyfunction]
#[pyo3(signature = (*, fast, dense, data_bytes, utilisation, write_share, write_hits, read_hits))]
pub fn hyssd_cost(
    fast: TierItems,
    dense: TierItems,
    data_bytes: f64,
    utilisation: Vec<f64>,
    write_share: f64,
    write_hits: Vec<f64>,
    read_hits: Vec<f64>,
) -> Costs {
    let model = CostModel { fast: fast.into(), dense: dense.into(), data_bytes };
    let hits = write_hits.into_iter().zip(read_hits);
    let mixes: Vec<Mix> =
        hits.map(|(write_hits, read_hits)| Mix { write_share, write_hits, read_hits }).collect();
    let costs = models::hyssd_costs(&model, &utilisation, &mixes);
    (costs.cost_ns, costs.write_ns, costs.read_ns, costs.dense_utilisation, costs.best)
}

/// What a chip endures, as Python has it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ChipItems {
    slc_cycles: f64,
    dense_cycles: f64,
    slc_block_bytes: f64,
    dense_bits: f64,
    blocks: f64,
}

/// Bytes of a pass, as Python has them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct VolumeItems {
    host_bytes: f64,
    slc_bytes: f64,
    dense_bytes: f64,
    slc_only_bytes: f64,
    dense_only_bytes: f64,
}

/// Passes of the SLC region, of the dense one, of both, bytes of the host, the region that goes first,
/// the share of SLC blocks at which both would go together.
type Lifespan = (Option<f64>, Option<f64>, f64, Option<f64>, &'static str, Option<f64>);

/// The lifespan of a flash cache with this share of its blocks in SLC mode.
#[pyfunction]
#[pyo3(signature = (*, chip, slc_share, volumes))]
pub fn nvc_lifespan(chip: ChipItems, slc_share: f64, volumes: VolumeItems) -> Lifespan {
    let ChipItems { slc_cycles, dense_cycles, slc_block_bytes, dense_bits, blocks } = chip;
    let VolumeItems { host_bytes, slc_bytes, dense_bytes, slc_only_bytes, dense_only_bytes } = volumes;
    let chip = Chip { slc_cycles, dense_cycles, slc_block_bytes, dense_bits, blocks };
    let volumes = Volumes { host_bytes, slc_bytes, dense_bytes, slc_only_bytes, dense_only_bytes };
    let found = chip.lifespan(slc_share, &volumes);
    let first = match found.first {
        First::Slc => "slc",
        First::Dense => "dense",
        First::Both => "both",
        First::Neither => "neither",
    };
    let even = chip.even_slc_share(&volumes);
    (found.slc_passes, found.dense_passes, found.passes, found.host_bytes, first, even)
}
