//! The compressions a trace may be stored with, told by the first bytes.

use flate2::bufread::MultiGzDecoder;
use std::io::{BufRead, BufReader, Read};

/// Bytes at the front that tell the compression.
pub(crate) const MAGIC_BYTES: usize = 10;
/// Largest zstd window taken, as a power of two: 128 MiB (`zstd --long=27`).
const ZSTD_WINDOW_LOG_MAX: u32 = 27;
/// What libzstd says to a larger window.
const ZSTD_WINDOW_MESSAGE: &str = "Frame requires too much memory for decoding";
/// Most memory for unpacking xz: dictionaries of 128 MiB and their tables fit.
const XZ_MEMORY_BYTES: u64 = 160 << 20;
/// Bytes asked of the file at a time.
const RAW_BLOCK_BYTES: usize = 256 * 1024;

/// How a trace is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Plain,
    Gzip,
    Zstd,
    Xz,
    Bzip2,
}

impl Compression {
    /// By the first [`MAGIC_BYTES`] (or fewer, when there are no more).
    pub(crate) fn of(first: &[u8]) -> Self {
        match first {
            // RFC 1952.
            [0x1f, 0x8b, ..] => Self::Gzip,
            // RFC 8878: a frame, or a skippable frame in front of one (pzstd).
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            // A block, or the end of a stream without one.
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90] => Self::Bzip2,
            _ => Self::Plain,
        }
    }

    /// Name for messages; `None` for plain.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Gzip => Some("gzip"),
            Self::Zstd => Some("zstd"),
            Self::Xz => Some("xz"),
            Self::Bzip2 => Some("bzip2"),
        }
    }

    /// Unpacks: several members, frames or streams in a row are one text.
    pub(crate) fn decoder(self, stored: impl Read + Send + 'static) -> std::io::Result<Box<dyn Read + Send>> {
        if self == Self::Plain {
            return Ok(Box::new(stored));
        }
        let buffered = BufReader::with_capacity(RAW_BLOCK_BYTES, stored);
        Ok(match self {
            Self::Plain | Self::Gzip => Box::new(MultiGzDecoder::new(buffered)),
            Self::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(buffered)?;
                decoder.window_log_max(ZSTD_WINDOW_LOG_MAX)?;
                Box::new(decoder)
            }
            Self::Xz => xz(buffered)?,
            Self::Bzip2 => bzip2(buffered)?,
        })
    }

    /// When unpacking would take more memory than allowed: the limit, and what
    /// keeps within it.
    pub(crate) fn memory_limit(self, error: &std::io::Error) -> Option<&'static str> {
        match self {
            Self::Zstd if error.to_string().contains(ZSTD_WINDOW_MESSAGE) => {
                Some("windows of at most 128 MiB (zstd --long=27)")
            }
            Self::Xz if is_xz_limit(error) => Some("dictionaries of at most 128 MiB (any preset of xz)"),
            _ => None,
        }
    }
}

type Unpacked = std::io::Result<Box<dyn Read + Send>>;

fn xz(stored: impl BufRead + Send + 'static) -> Unpacked {
    use liblzma::stream::{Stream, CONCATENATED};
    let stream = Stream::new_stream_decoder(XZ_MEMORY_BYTES, CONCATENATED)?;
    Ok(Box::new(liblzma::bufread::XzDecoder::new_stream(stored, stream)))
}

fn is_xz_limit(error: &std::io::Error) -> bool {
    use liblzma::stream::Error;
    error.get_ref().and_then(|inner| inner.downcast_ref()) == Some(&Error::MemLimit)
}

fn bzip2(stored: impl BufRead + Send + 'static) -> Unpacked {
    Ok(Box::new(bzip2::bufread::MultiBzDecoder::new(stored)))
}
