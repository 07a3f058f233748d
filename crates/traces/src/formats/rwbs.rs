//! The RWBS letters of Linux' block events, as blkparse, ftrace, perf and biosnoop print them.

use super::{RawRequest, Record};
use crate::error::LineFault;
use crate::fields::sectors::{NamedColumn, SizeRules};
use slcache_base::request::HostOp;

/// Why what is done to whole zones is left out: none of it says how long they are.
pub(super) const SKIPPED_ZONE: &str = "zone management (reset, open, close or finish; no length is told)";
/// Why commands that are no reads or writes are left out.
pub(super) const SKIPPED_PASS_THROUGH: &str = "pass-through command (not a block request)";
/// Why completions that move nothing are left out, wherever they stand: the flush itself is an event before.
pub(super) const SKIPPED_FLUSH_END: &str = "completion without sectors (end of a flush sequence)";

/// What RWBS says a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RwbsKind {
    Read,
    /// Also of zeroes, and at the end of a zone.
    Write,
    Discard,
    /// Reset, open, close or finish a zone.
    Zone,
    /// No data.
    None,
}

/// RWBS taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flags {
    pub kind: RwbsKind,
    /// `F` in front: flush the cache first.
    pub preflush: bool,
    /// `F` behind: durable on completion.
    pub forced_unit_access: bool,
}

impl Flags {
    /// `F` for preflush, then what it is, then F (FUA), A (read-ahead), B (barrier), S (sync), M
    /// (metadata), U (atomic). A flush of its own is `FN` in blkparse and `FF` in the kernel.
    #[inline]
    pub(super) fn parse(column: usize, rwbs: &[u8]) -> Result<Self, LineFault> {
        let (preflush, rest) = match rwbs {
            [b'F', rest @ ..] => (true, rest),
            _ => (false, rwbs),
        };
        let (kind, marks) = match rest {
            [b'R', marks @ ..] => (RwbsKind::Read, marks),
            [b'W', b'Z', marks @ ..] | [b'Z', b'A', marks @ ..] | [b'W', marks @ ..] => {
                (RwbsKind::Write, marks)
            }
            [b'D', b'E', marks @ ..] | [b'D', marks @ ..] => (RwbsKind::Discard, marks),
            [b'Z', b'R' | b'O' | b'C' | b'F', marks @ ..] => (RwbsKind::Zone, marks),
            [b'N', marks @ ..] => (RwbsKind::None, marks),
            marks if preflush => (RwbsKind::None, marks),
            _ => return Err(bad_rwbs(column, rwbs)),
        };
        if !marks.iter().all(|mark| matches!(mark, b'F' | b'A' | b'B' | b'S' | b'M' | b'U')) {
            return Err(bad_rwbs(column, rwbs));
        }
        let forced_unit_access = kind == RwbsKind::Write && marks.contains(&b'F');
        Ok(Self { kind, preflush, forced_unit_access })
    }

    /// The request of an event that names its sectors, given what RWBS is and where it stands; `raw` is a
    /// flush at the time of the event, `ends` whether it ends what began before.
    #[inline]
    pub(super) fn record<'a>(
        self,
        (column, rwbs): (usize, &[u8]),
        ends: bool,
        sizes: SizeRules,
        (sector, (sectors, length)): (u64, (u64, NamedColumn<'_>)),
        raw: RawRequest<'a>,
    ) -> Result<Record<'a>, LineFault> {
        let op = match self.kind {
            _ if self.preflush && sectors == 0 => return Ok(Record::Request(raw)),
            RwbsKind::Zone => return Ok(Record::Skipped(SKIPPED_ZONE)),
            RwbsKind::None if sectors == 0 => return Ok(Record::Skipped(SKIPPED_PASS_THROUGH)),
            _ if ends && sectors == 0 => return Ok(Record::Skipped(SKIPPED_FLUSH_END)),
            RwbsKind::Read => HostOp::Read,
            RwbsKind::Write => HostOp::Write,
            RwbsKind::Discard => HostOp::Trim,
            RwbsKind::None => {
                return Err(LineFault::field(column, "RWBS", rwbs, "R, W or D, as the event names sectors"))
            }
        };
        let (flush_before, forced_unit_access) = (self.preflush, self.forced_unit_access);
        let raw = RawRequest { op, flush_before, forced_unit_access, ..raw };
        Ok(Record::transfer(raw, sizes.extent_of_sectors(sector, (sectors, length))?))
    }

    /// The same where address and size count bytes.
    pub(super) fn record_of_bytes<'a>(
        self,
        rwbs: (usize, &[u8]),
        sizes: SizeRules,
        (address, size): ((u64, NamedColumn<'_>), (u64, NamedColumn<'_>)),
        mut raw: RawRequest<'a>,
    ) -> Result<Record<'a>, LineFault> {
        let mut place = (0, (0, size.1));
        if size.0 > 0 {
            let Some(extent) = sizes.extent_of_bytes(address, size)? else {
                return Ok(Record::transfer(raw, None));
            };
            raw.rounded_to_sectors = extent.rounded;
            place = (extent.sector, (extent.sectors.into(), size.1));
        }
        self.record(rwbs, false, sizes, place, raw)
    }
}

#[cold]
fn bad_rwbs(column: usize, rwbs: &[u8]) -> LineFault {
    let allowed = "RWBS: an optional F (flush first), one of R, W, WZ, D, DE, N, ZA, ZR, ZRA, ZO, ZC, ZF, then any of F, A, B, S, M, U";
    LineFault::field(column, "RWBS", rwbs, allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters() {
        let parsed = |rwbs: &str| {
            Flags::parse(7, rwbs.as_bytes())
                .map(|flags| (flags.kind, flags.preflush, flags.forced_unit_access))
        };
        for (rwbs, expected) in [
            ("R", (RwbsKind::Read, false, false)),
            ("RAM", (RwbsKind::Read, false, false)),
            ("FWFSU", (RwbsKind::Write, true, true)),
            ("WZS", (RwbsKind::Write, false, false)),
            ("ZAS", (RwbsKind::Write, false, false)),
            ("DE", (RwbsKind::Discard, false, false)),
            ("ZRA", (RwbsKind::Zone, false, false)),
            ("ZF", (RwbsKind::Zone, false, false)),
            ("FF", (RwbsKind::None, true, false)),
            ("FN", (RwbsKind::None, true, false)),
            ("FS", (RwbsKind::None, true, false)),
        ] {
            assert_eq!(parsed(rwbs), Ok(expected), "{rwbs}");
        }
        for bad in ["", "Z", "WQ", "ZX", "S", "w"] {
            assert!(parsed(bad).unwrap_err().to_string().contains("column 7 (RWBS)"), "{bad}");
        }
    }
}
