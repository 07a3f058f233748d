//! How fast a trace's text becomes requests.

use super::figures::Spread;
use super::Size;
use slcache_sim::resources::Stopwatch;
use slcache_traces::{open, TraceOptions};
use std::io::{BufWriter, Write};

const FILE_BYTES: usize = 50_000_000;

/// MB per CPU second for a generated trace in the MSR Cambridge format.
pub fn measure(size: Size) -> Result<Spread, String> {
    let file = generate(size.of(FILE_BYTES)).map_err(|error| error.to_string())?;
    let path = file.path().to_string_lossy();
    let mut rates = Vec::new();
    for _ in 0..size.rounds {
        let stopwatch = Stopwatch::start();
        let options = TraceOptions::with_format("msr");
        let mut reader = open(&path, &options).map_err(|error| error.to_string())?;
        let mut batch = Vec::new();
        while reader.next_batch(&mut batch, 4096).map_err(|error| error.to_string())? {
            std::hint::black_box(&batch);
        }
        rates.push(reader.bytes_read() as f64 / 1e6 / stopwatch.cpu_s());
    }
    Ok(Spread::of(rates))
}

fn generate(bytes: usize) -> std::io::Result<tempfile::NamedTempFile> {
    let file = tempfile::NamedTempFile::new()?;
    let mut out = BufWriter::new(file.as_file());
    let (mut written, mut ticks, mut state) = (0, 128_166_372_000_000_000u64, 1u64);
    while written < bytes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ticks += state >> 44;
        let op = if state >> 62 == 0 { "Read" } else { "Write" };
        let offset = (state >> 30) % (1 << 26) * 512;
        let length = ((state >> 20) % 16 + 1) * 4096;
        let line = format!("{ticks},hm,0,{op},{offset},{length},{}\n", state >> 48);
        out.write_all(line.as_bytes())?;
        written += line.len();
    }
    out.flush()?;
    drop(out);
    Ok(file)
}
