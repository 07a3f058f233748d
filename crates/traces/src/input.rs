//! Opening a trace: plain, gzip or zstd by the first bytes, or standard input.

use crate::error::TraceError;
use crate::raw_input::RawInput;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{BufReader, Chain, Cursor, ErrorKind, Read};
use std::sync::atomic::AtomicU64;
use std::sync::Arc;

/// First bytes of a gzip member (RFC 1952).
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
/// First bytes of a zstd frame (RFC 8878).
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// Largest zstd window taken, as a power of two: 128 MiB (`zstd --long=27`).
const ZSTD_WINDOW_LOG_MAX: u32 = 27;
/// Bytes asked of the file at a time.
const RAW_BLOCK_BYTES: usize = 256 * 1024;

/// The stored bytes with the first few, already looked at, put back in front.
type Stored = Chain<Cursor<Vec<u8>>, RawInput>;

/// The text of a trace behind whatever compression it is stored with.
pub(crate) struct Input {
    decoder: Decoder,
    bytes_read: Arc<AtomicU64>,
    bytes_total: Option<u64>,
}

enum Decoder {
    Plain(Stored),
    Gzip(Box<MultiGzDecoder<BufReader<Stored>>>),
    Zstd(zstd::stream::read::Decoder<'static, BufReader<Stored>>),
}

impl Input {
    /// Opens a path, or standard input for `-`.
    pub(crate) fn open(path: &str) -> Result<Self, TraceError> {
        let failed = |source| TraceError::Open { file: path.to_owned(), source: Arc::new(source) };
        if path == "-" {
            return Self::from_source(Box::new(std::io::stdin()), None).map_err(failed);
        }
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        let bytes_total = metadata.is_file().then_some(metadata.len());
        Self::from_source(Box::new(file), bytes_total).map_err(failed)
    }

    fn from_source(source: Box<dyn Read + Send>, bytes_total: Option<u64>) -> std::io::Result<Self> {
        let mut raw = RawInput::new(source);
        let bytes_read = raw.byte_counter();
        let mut first = Vec::with_capacity(ZSTD_MAGIC.len());
        raw.by_ref().take(ZSTD_MAGIC.len() as u64).read_to_end(&mut first)?;
        let gzip = first.starts_with(GZIP_MAGIC);
        let zstd = first.starts_with(ZSTD_MAGIC);
        let stored = Cursor::new(first).chain(raw);
        let decoder = if gzip {
            let buffered = BufReader::with_capacity(RAW_BLOCK_BYTES, stored);
            Decoder::Gzip(Box::new(MultiGzDecoder::new(buffered)))
        } else if zstd {
            let buffered = BufReader::with_capacity(RAW_BLOCK_BYTES, stored);
            let mut decoder = zstd::stream::read::Decoder::with_buffer(buffered)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG_MAX)?;
            Decoder::Zstd(decoder)
        } else {
            Decoder::Plain(stored)
        };
        Ok(Self { decoder, bytes_read, bytes_total })
    }

    fn raw(&self) -> &RawInput {
        let stored = match &self.decoder {
            Decoder::Plain(stored) => stored,
            Decoder::Gzip(decoder) => decoder.get_ref().get_ref(),
            Decoder::Zstd(decoder) => decoder.get_ref().get_ref(),
        };
        stored.get_ref().1
    }

    /// Stored (compressed) bytes consumed so far; shared.
    pub(crate) fn byte_counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_read)
    }

    /// Stored bytes in all, where the source is a file.
    pub(crate) fn bytes_total(&self) -> Option<u64> {
        self.bytes_total
    }

    /// SHA-256 of the stored bytes read so far, in hex.
    pub(crate) fn sha256_hex(&self) -> String {
        self.raw().sha256_hex()
    }

    fn compression(&self) -> Option<&'static str> {
        match self.decoder {
            Decoder::Plain(_) => None,
            Decoder::Gzip(_) => Some("gzip"),
            Decoder::Zstd(_) => Some("zstd"),
        }
    }

    /// Turns a read error into one that says whose fault it is: the operating
    /// system's, a stream that ends early, or damaged data.
    pub(crate) fn explain(&self, file: &str, line: u64, source: std::io::Error) -> TraceError {
        let file = file.to_owned();
        match self.compression() {
            Some(compression) if source.raw_os_error().is_none() => {
                if source.kind() == ErrorKind::UnexpectedEof {
                    TraceError::Truncated { file, compression, line }
                } else {
                    let message = source.to_string();
                    TraceError::Damaged { file, compression, line, message }
                }
            }
            _ => TraceError::Read { file, line, source: Arc::new(source) },
        }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match &mut self.decoder {
            Decoder::Plain(stored) => stored.read(buffer),
            Decoder::Gzip(decoder) => decoder.read(buffer),
            Decoder::Zstd(decoder) => decoder.read(buffer),
        }
    }
}
