//! No flash: the DRAM buffer and the disk.
//!
//! **What it does.** What the DRAM buffer evicts is written to the disk, and what it has not got is read
//! from there.
//! **Paper.** NAND Flash-based Disk Cache Using SLC/MLC Combined Flash Memory, section VI: the normal hard
//! disk.
//! **What the paper leaves open and what we chose.** Buffer and power management are those of the hybrid
//! disk.
//! **Knobs.** None.

use super::figures::NvcFigures;
use crate::base::arithmetic::Ones;
use crate::base::op::Class;
use crate::base::Problem;
use crate::ftl::answer::DeviceFull;
use crate::ftl::any_region::{AnyRegion, Role};
use crate::ftl::io::Io;
use crate::ftl::piece::{PageWrite, Piece};
use crate::ftl::scheme::{Parameters, Scheme};
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of `disk-only`: none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DiskOnlyConfig {}

impl Parameters for DiskOnlyConfig {
    const ON_DISK: bool = true;

    fn check(&self, _device: &DeviceConfig, _problems: &mut Vec<Problem>) {}
}

/// A disk whose flash is not used.
#[derive(Clone, Serialize, Deserialize)]
pub struct DiskOnly {
    #[serde(skip)]
    figures: NvcFigures,
}

impl DiskOnly {
    pub fn new(_config: &DiskOnlyConfig, _device: &DeviceConfig, _io: &mut Io) -> Self {
        Self { figures: NvcFigures::default() }
    }
}

impl Scheme for DiskOnly {
    fn regions(&self, _visit: &mut dyn FnMut(Role, &dyn AnyRegion)) {}

    fn regions_mut(&mut self, _visit: &mut dyn FnMut(&mut dyn AnyRegion)) {}

    fn preload(&mut self, _page: u32, _mask: u32, _io: &mut Io) -> Result<(), DeviceFull> {
        Ok(())
    }

    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let units = piece.mask.ones();
        let write = PageWrite {
            bytes: piece.bytes,
            fresh_slots: units,
            slots: units,
            cause: piece.cause,
            class: Class::HostWrite,
            request: piece.request,
        };
        io.write_disk(piece.page, piece.mask, true, &write, &[]);
        self.figures.wrote_disk(u64::from(units), io);
        Ok(())
    }

    fn read(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        self.figures.miss(piece.mask.ones());
        let Piece { page, mask, request, .. } = piece;
        io.read_disk(page, mask, piece.cause, Class::HostRead, request, true);
        Ok(())
    }

    fn served_above(&mut self, units: u32) {
        self.figures.buffer_hit(units);
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = SchemeReport { name: "disk-only".into(), ..SchemeReport::default() };
        report.figures = self.figures.report_disk(&[], io);
        report
    }
}
