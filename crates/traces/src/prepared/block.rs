//! Requests as columns of fixed size.

use slcache_base::request::{HostOp, Request};
use std::ops::Range;

/// Rows and CRC-32 in front of the columns.
pub(super) const PREFIX_BYTES: usize = 8;
/// Time, sector, sectors, stream, hint and operation of a request.
const WIDTHS: [usize; 6] = [8, 8, 4, 2, 1, 1];
pub(super) const ROW_BYTES: usize = 24;

pub(crate) fn encode(requests: &[Request], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&(requests.len() as u32).to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    requests.iter().for_each(|r| out.extend_from_slice(&r.at_ns.to_le_bytes()));
    requests.iter().for_each(|r| out.extend_from_slice(&r.sector.to_le_bytes()));
    requests.iter().for_each(|r| out.extend_from_slice(&r.sectors.to_le_bytes()));
    requests.iter().for_each(|r| out.extend_from_slice(&r.stream.to_le_bytes()));
    out.extend(requests.iter().map(|r| r.hint));
    out.extend(requests.iter().map(|r| r.op as u8));
    let crc = crc32fast::hash(&out[start + PREFIX_BYTES..]);
    out[start + 4..start + PREFIX_BYTES].copy_from_slice(&crc.to_le_bytes());
}

/// The rows of a block and the CRC-32 of its columns.
pub(super) fn prefix(bytes: [u8; PREFIX_BYTES]) -> (usize, u32) {
    let [a, b, c, d, e, f, g, h] = bytes;
    (u32::from_le_bytes([a, b, c, d]) as usize, u32::from_le_bytes([e, f, g, h]))
}

/// The columns of a block, whose CRC-32 holds.
pub(super) struct Columns<'a>([&'a [u8]; 6]);

impl<'a> Columns<'a> {
    /// Of the bytes behind a block's prefix.
    pub fn of(bytes: &'a [u8]) -> Self {
        let rows = bytes.len() / ROW_BYTES;
        let mut rest = bytes;
        Self(WIDTHS.map(|width| {
            let (column, behind) = rest.split_at(rows * width);
            rest = behind;
            column
        }))
    }

    /// The requests of some rows; `None` in the place of one that cannot be.
    #[inline]
    pub fn requests(&self, rows: Range<usize>) -> impl Iterator<Item = Option<Request>> + 'a {
        let [at_ns, sector, sectors, stream, hint, op] = self.0;
        let times = fields(at_ns, &rows).zip(fields(sector, &rows));
        let sizes = fields(sectors, &rows).zip(fields(stream, &rows));
        let kinds = hint[rows.clone()].iter().zip(&op[rows]);
        times.zip(sizes).zip(kinds).map(|(((at_ns, sector), (sectors, stream)), (&hint, op))| {
            let op = match op {
                0 => HostOp::Read,
                1 => HostOp::Write,
                2 => HostOp::Trim,
                3 => HostOp::Flush,
                _ => return None,
            };
            Some(Request {
                at_ns: u64::from_le_bytes(at_ns),
                sector: u64::from_le_bytes(sector),
                sectors: u32::from_le_bytes(sectors),
                stream: u16::from_le_bytes(stream),
                hint,
                op,
            })
        })
    }
}

fn fields<'a, const N: usize>(column: &'a [u8], rows: &Range<usize>) -> impl Iterator<Item = [u8; N]> + 'a {
    let bytes = &column[rows.start * N..rows.end * N];
    bytes.chunks_exact(N).map(|field| field.try_into().unwrap_or([0; N]))
}
