//! What a scheme asks of its device: cell modes, the page size, room for the user's data.

use crate::base::{CellMode, Problem};
use crate::ftl::config::CleanConfig;
use crate::hw::config::PoolConfig;
use crate::hw::device_config::DeviceConfig;
use std::cmp::Reverse;

/// The densest mode of any pool.
pub fn densest(device: &DeviceConfig) -> CellMode {
    device.pool.iter().map(PoolConfig::densest).max_by_key(|mode| mode.bits()).unwrap_or(CellMode::Slc)
}

/// The densest mode of a pool that offers SLC and another; without one, the densest of any, which
/// the check of the scheme then refuses.
pub fn densest_beside_slc(device: &DeviceConfig) -> CellMode {
    let hybrid = device.pool.iter().filter(|pool| pool.slc.is_some()).map(PoolConfig::densest);
    let dense = hybrid.filter(|&mode| mode != CellMode::Slc).max_by_key(|mode| mode.bits());
    dense.unwrap_or_else(|| densest(device))
}

/// The pool that a scheme of one mode uses: the largest that offers it.
pub fn largest_pool(mode: CellMode, device: &DeviceConfig) -> Option<usize> {
    let offering = device.pool.iter().enumerate().filter(|(_, pool)| pool.mode(mode).is_some());
    offering.max_by_key(|(i, pool)| (pool.raw_bytes(mode), Reverse(*i))).map(|(i, _)| i)
}

/// The pool that a scheme of SLC and `mode` uses: the first that offers both.
pub fn pool_beside_slc(mode: CellMode, device: &DeviceConfig) -> Option<usize> {
    device.pool.iter().position(|pool| pool.slc.is_some() && pool.mode(mode).is_some())
}

/// The modes the device's pools offer, for messages.
pub fn offered_modes(device: &DeviceConfig) -> String {
    let offered = CellMode::ALL.into_iter().filter(|&m| device.pool.iter().any(|p| p.mode(m).is_some()));
    offered.map(CellMode::name).collect::<Vec<_>>().join(", ")
}

/// What is wrong where no pool offers `mode` beside SLC: the mode, named by `key`, or, where none would
/// do, the device.
pub fn no_pool(key: String, mode: CellMode, device: &DeviceConfig) -> Problem {
    let names = |pool: &PoolConfig| {
        let offered = CellMode::ALL.into_iter().filter(|&mode| pool.mode(mode).is_some());
        offered.map(CellMode::name).collect::<Vec<_>>().join(" and ")
    };
    let dense = [CellMode::Mlc, CellMode::Tlc, CellMode::Qlc];
    let fits = |pool: &PoolConfig| pool.slc.is_some() && dense.iter().any(|&m| pool.mode(m).is_some());
    if device.pool.iter().any(fits) {
        let modes = offered_modes(device);
        let allowed = format!("a mode that one pool offers beside slc; the device offers {modes}");
        return Problem::new(key, mode.name(), allowed);
    }
    let pools: Vec<String> = device.pool.iter().map(names).collect();
    let scheme = key.split('.').nth(1).unwrap_or_default();
    let allowed = format!("pools of which one offers slc and a denser mode, for {scheme}");
    Problem::new("device.pool", pools.join("; "), allowed)
}

/// Page-level schemes keep a logical page in one flash page.
pub fn check_page(device: &DeviceConfig, pool: &PoolConfig, key: &str, problems: &mut Vec<Problem>) {
    if device.piece_bytes() != pool.page_bytes {
        let allowed = format!("{} for {key}: the page size of pool \"{}\"", pool.page_bytes, pool.name);
        problems.push(Problem::new("device.piece_bytes", device.piece_bytes(), allowed));
    }
}

/// Blocks per plane that cannot hold user data: frontiers, and what cleaning keeps free.
pub fn held_back(clean: &CleanConfig, blocks: u32, reserve: u32) -> u32 {
    clean.open_blocks() + clean.threshold(blocks).max(reserve)
}

/// The user capacity must fit into the region less what is held back.
pub fn check_capacity(
    device: &DeviceConfig,
    pool: &PoolConfig,
    mode: CellMode,
    blocks: u32,
    held: u32,
    problems: &mut Vec<Problem>,
) {
    let block_bytes = u64::from(pool.pages_per_block(mode)) * u64::from(pool.page_bytes);
    let usable = u64::from(pool.plane_count()) * u64::from(blocks.saturating_sub(held)) * block_bytes;
    if device.user_bytes > usable {
        let allowed = format!(
            "at most {usable}: {blocks} {} blocks per plane, of which {held} are held back for frontiers and cleaning",
            mode.name()
        );
        problems.push(Problem::new("device.user_bytes", device.user_bytes, allowed));
    }
}
