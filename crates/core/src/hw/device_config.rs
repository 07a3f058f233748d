//! Configuration of the flash device: its pools and the controller's fixed properties.

use super::config::{CellsConfig, PoolConfig};
use super::controller_config::ControllerConfig;
use super::disk::config::DiskConfig;
use super::map_config::MapConfig;
use crate::base::defaults::number;
use crate::base::units;
use crate::base::{CellMode, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What crosses the flash bus when a page is written after a read-modify-write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RmwTransfer {
    /// The whole merged page.
    #[default]
    Page,
    /// Only the bytes the host sent.
    Request,
}

/// What crosses the flash bus when a page is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReadTransfer {
    /// The bytes that are asked for.
    #[default]
    Request,
    /// The whole flash page.
    Page,
}

/// How the host reads a logical page whose parts lie in several flash pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartReads {
    /// All parts at once, as far as they lie in several units.
    #[default]
    Together,
    /// One part after the other.
    InTurn,
}

/// How a page is read that is programmed in state but not yet in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InflightRead {
    /// From the controller's buffer, at no flash cost.
    #[default]
    Buffer,
    /// From flash, after its program.
    Wait,
}

/// The flash device: its pools and the controller's fixed properties.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceConfig {
    /// Name used in results.
    pub name: String,
    /// One line that says what the device is.
    #[serde(default)]
    pub summary: String,
    /// Where its numbers come from.
    #[serde(default)]
    pub source: String,
    /// Host-visible capacity in bytes (integer or a string such as "42GiB"); the same for all schemes compared.
    #[serde(deserialize_with = "units::bytes")]
    #[schemars(with = "units::Bytes")]
    pub user_bytes: u64,
    /// What was asked for as `user_bytes` where that is no whole number of logical pages, as the
    /// capacities on labels are not: `user_bytes` is then rounded down. Written by slcache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated_user_bytes: Option<u64>,
    /// Mapping unit in bytes: a power of two.
    #[serde(default = "number::<4096, u32>")]
    #[schemars(range(min = 512, max = 65_536))]
    pub mu_bytes: u32,
    /// Logical page in which requests are cut, bytes; 0 = the largest page of any pool.
    #[serde(default)]
    pub piece_bytes: u32,
    /// What a program transfers after a read-modify-write.
    #[serde(default)]
    pub rmw_transfer: RmwTransfer,
    /// What a read transfers.
    #[serde(default)]
    pub read_transfer: ReadTransfer,
    /// How the parts of a logical page are read for the host.
    #[serde(default)]
    pub part_reads: PartReads,
    /// How a page still being programmed is read.
    #[serde(default)]
    pub inflight_read: InflightRead,
    /// Power-loss protection: an erase need not wait for pages staged in the controller.
    #[serde(default = "yes")]
    pub plp: bool,
    /// How long a partly filled one-shot wordline that holds host pages waits before it is padded, ns; with a
    /// DRAM buffer it waits as long as the host writes. So long, too, does a write wait for its page where the
    /// write buffer of a scheme is full.
    #[serde(default = "number::<1_000_000, u64>")]
    #[schemars(range(min = 1, max = 10_000_000_000u64))]
    pub stage_timeout_ns: u64,
    /// Age at which a waiting low-priority flash operation is served like a host read, ns; 0 = never.
    #[serde(default)]
    pub starvation_ns: u64,
    /// The disk that is the home of the data; absent where flash is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<DiskConfig>,
    /// The controller's own time; absent = none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller: Option<ControllerConfig>,
    /// The part of the map that is in DRAM; absent = all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<MapConfig>,
    /// How cells err; absent = never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<CellsConfig>,
    /// Pools of identical chips.
    #[schemars(length(min = 1, max = 8))]
    pub pool: Vec<PoolConfig>,
}

fn yes() -> bool {
    true
}

impl DeviceConfig {
    /// Writes out the defaults that depend on the chips, and the capacity in whole logical pages.
    pub fn settle(&mut self) {
        self.round_capacity();
        for pool in &mut self.pool {
            let densest = pool.densest();
            if let Some(reprogram) = &mut pool.reprogram {
                reprogram.mode.get_or_insert(densest);
            }
            for mode in CellMode::ALL.into_iter().filter(|_| self.cells.is_some()) {
                if let Some(config) = pool.mode_mut(mode) {
                    config.cells.get_or_insert_default().settle(mode);
                }
            }
        }
    }

    /// Rounds the capacity down to whole logical pages, if any are left, and keeps what was stated.
    fn round_capacity(&mut self) {
        let piece = u64::from(self.piece_bytes()).max(1);
        let whole = |bytes: u64| bytes - bytes % piece;
        let stated = self.user_bytes;
        if whole(stated) != stated && whole(stated) > 0 {
            self.user_bytes = whole(stated);
            self.stated_user_bytes = Some(stated);
        } else {
            // Of a resolved configuration; one that was changed since then states another capacity.
            self.stated_user_bytes =
                self.stated_user_bytes.filter(|&bytes| bytes > stated && whole(bytes) == stated);
        }
    }

    /// The logical page in bytes.
    pub fn piece_bytes(&self) -> u32 {
        match self.piece_bytes {
            0 => self.pool.iter().map(|p| p.page_bytes).max().unwrap_or(0),
            bytes => bytes,
        }
    }

    pub fn check(&self, problems: &mut Vec<Problem>) {
        self.check_names(problems);
        if !self.mu_bytes.is_power_of_two() || !(512..=65536).contains(&self.mu_bytes) {
            problems.push(Problem::new(
                "device.mu_bytes",
                self.mu_bytes,
                "a power of two between 512 and 65536",
            ));
        }
        if self.pool.is_empty() || self.pool.len() > 8 {
            problems.push(Problem::new("device.pool", self.pool.len(), "a list of 1 to 8 pools"));
        }
        for (i, pool) in self.pool.iter().enumerate() {
            pool.check(&format!("device.pool[{i}]"), self.mu_bytes, problems);
        }
        // Left out it is the largest page, which its pool tells.
        let piece = self.piece_bytes;
        if piece != 0 && self.mu_bytes != 0 && (piece % self.mu_bytes != 0 || piece / self.mu_bytes > 16) {
            let allowed = format!("1 to 16 mapping units of {} bytes", self.mu_bytes);
            problems.push(Problem::new("device.piece_bytes", piece, allowed));
        }
        if let Some(disk) = &self.disk {
            disk.check("device.disk", problems);
        }
        if let Some(controller) = &self.controller {
            controller.check(self.plp, problems);
        }
        if let Some(map) = &self.map {
            map.check(&self.pool, self.mapping_units(), problems);
        }
        match &self.cells {
            Some(cells) => {
                cells.check(&self.pool, problems);
                if self.disk.is_some() && cells.bad_blocks.is_some() {
                    let allowed = "left out beside a disk: its flash is written in a circle of all blocks";
                    problems.push(Problem::new("device.cells.bad_blocks", "present", allowed));
                }
            }
            None => self.check_no_cells(problems),
        }
        self.check_capacity(u64::from(self.piece_bytes()), problems);
    }

    /// How the cells of a mode err has no effect where none do.
    fn check_no_cells(&self, problems: &mut Vec<Problem>) {
        for (i, pool) in self.pool.iter().enumerate() {
            let given = |mode: &CellMode| pool.mode(*mode).is_some_and(|config| config.cells.is_some());
            for mode in CellMode::ALL.into_iter().filter(given) {
                let key = format!("device.pool[{i}].{}.cells", mode.name());
                problems.push(Problem::new(key, "present", "left out without device.cells"));
            }
        }
    }

    /// Mapping units of the host.
    pub fn mapping_units(&self) -> u64 {
        self.user_bytes / u64::from(self.mu_bytes.max(1))
    }

    /// Results are told apart by these names.
    fn check_names(&self, problems: &mut Vec<Problem>) {
        if self.name.trim().is_empty() {
            problems.push(Problem::new("device.name", format!("{:?}", self.name), "a name, not empty"));
        }
        for (i, pool) in self.pool.iter().enumerate() {
            let key = format!("device.pool[{i}].name");
            let value = format!("{:?}", pool.name);
            if pool.name.trim().is_empty() {
                problems.push(Problem::new(key, value, "a name, not empty"));
            } else if pool.name.chars().any(char::is_control) {
                problems.push(Problem::new(key, value, "a name in one line, without control characters"));
            } else if let Some(other) = self.pool[..i].iter().position(|other| other.name == pool.name) {
                let allowed = format!("another name than that of device.pool[{other}]");
                problems.push(Problem::new(key, value, allowed));
            }
        }
    }

    fn check_capacity(&self, piece: u64, problems: &mut Vec<Problem>) {
        let raw: u64 = self.pool.iter().map(|p| p.raw_bytes(p.densest())).sum();
        // A disk behind the flash holds all that the flash may.
        let range = if self.disk.is_some() { raw.max(1)..u64::MAX } else { 1..raw };
        if !range.contains(&self.user_bytes) {
            let allowed = match self.disk {
                Some(_) => format!("at least the flash's raw capacity of {raw} bytes: it is the disk's"),
                None => format!("above 0 and below the raw capacity of {raw} bytes"),
            };
            problems.push(Problem::new("device.user_bytes", self.user_bytes, allowed));
        }
        if piece != 0 && self.user_bytes % piece != 0 {
            let below = self.user_bytes - self.user_bytes % piece;
            let nearest: Vec<String> = [below, below.saturating_add(piece)]
                .into_iter()
                .filter(|bytes| range.contains(bytes) && bytes % piece == 0)
                .map(|bytes| bytes.to_string())
                .collect();
            let nearest = if nearest.is_empty() {
                String::new()
            } else {
                format!("; nearest: {}", nearest.join(" and "))
            };
            let allowed = format!("a whole number of logical pages of {piece} bytes{nearest}");
            problems.push(Problem::new("device.user_bytes", self.user_bytes, allowed));
        }
    }
}
