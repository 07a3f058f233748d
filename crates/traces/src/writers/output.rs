//! Where an output goes: a file or standard output, compressed as the name says.

use crate::error::TraceError;
use flate2::write::GzEncoder;
use slcache_files::Outputs;
use std::io::Write;
use std::path::Path;

/// Levels that are worth their time on traces.
const GZIP_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 3;
const XZ_LEVEL: u32 = 6;

/// An output being written.
pub(super) struct Output {
    path: String,
    encoder: Encoder,
}

enum Encoder {
    Plain(Sink),
    Gzip(GzEncoder<Sink>),
    Zstd(zstd::stream::write::Encoder<'static, Sink>),
    Xz(liblzma::write::XzEncoder<Sink>),
}

/// The file, or standard output, counting what it takes.
struct Sink {
    /// A file takes its name when all outputs are published, unless it is a device.
    place: Box<dyn Write + Send>,
    bytes: u64,
}

impl Output {
    /// Begins an output, one of `outputs`; `-` is standard output.
    pub(super) fn create(path: &str, outputs: &mut Outputs) -> Result<Self, TraceError> {
        let place: Box<dyn Write + Send> = match path {
            "-" => Box::new(std::io::stdout()),
            _ => Box::new(outputs.create(Path::new(path))?),
        };
        let encoder = encoder(path, place).map_err(|source| TraceError::write(path, source))?;
        Ok(Self { path: path.to_owned(), encoder })
    }

    /// Whether the name asks for a compression.
    pub(super) fn is_compressed(&self) -> bool {
        !matches!(self.encoder, Encoder::Plain(_))
    }

    /// Ends the output; the bytes stored.
    pub(super) fn finish(self) -> Result<u64, TraceError> {
        let path = self.path;
        let finish = || -> std::io::Result<u64> {
            let mut sink = match self.encoder {
                Encoder::Plain(sink) => sink,
                Encoder::Gzip(encoder) => encoder.finish()?,
                Encoder::Zstd(encoder) => encoder.finish()?,
                Encoder::Xz(encoder) => encoder.finish()?,
            };
            sink.flush()?;
            Ok(sink.bytes)
        };
        finish().map_err(|source| TraceError::write(&path, source))
    }
}

/// The name without the ending that names a compression.
pub(super) fn stem(path: &str) -> &str {
    [".gz", ".zst", ".xz"].iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(path)
}

fn encoder(path: &str, place: Box<dyn Write + Send>) -> std::io::Result<Encoder> {
    let sink = Sink { place, bytes: 0 };
    Ok(match path {
        _ if path.ends_with(".gz") => {
            Encoder::Gzip(GzEncoder::new(sink, flate2::Compression::new(GZIP_LEVEL)))
        }
        _ if path.ends_with(".zst") => Encoder::Zstd(zstd::stream::write::Encoder::new(sink, ZSTD_LEVEL)?),
        _ if path.ends_with(".xz") => Encoder::Xz(liblzma::write::XzEncoder::new(sink, XZ_LEVEL)),
        _ => Encoder::Plain(sink),
    })
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.encoder {
            Encoder::Plain(sink) => sink.write(bytes),
            Encoder::Gzip(encoder) => encoder.write(bytes),
            Encoder::Zstd(encoder) => encoder.write(bytes),
            Encoder::Xz(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match &mut self.encoder {
            Encoder::Plain(sink) => sink.flush(),
            Encoder::Gzip(encoder) => encoder.flush(),
            Encoder::Zstd(encoder) => encoder.flush(),
            Encoder::Xz(encoder) => encoder.flush(),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.place.write(bytes)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.place.flush()
    }
}
