//! A recording drawn anew: stretches of its time in random order, by the stationary bootstrap of
//! Politis and Romano (1994).
//!
//! The recording is taken for a ring. A stretch begins at any instant of it, each as likely, and its
//! length is exponential. Stretches follow each other until they take as long as the recording. So
//! every request is expected once, and times inside a stretch, addresses and sizes stay.

use crate::error::{FileFault, TraceError};
use crate::options::TraceOptions;
use crate::request_source::{Facts, Origin, RequestSource, TraceEntry};
use crate::summary::TraceSummary;
use slcache_base::request::Request;
use slcache_base::rng::RngStream;

/// Most requests of a recording: 24 bytes each are kept, 768 MiB in all.
const REQUESTS_MAX: usize = 1 << 25;
/// Stretches that make up a draw, on average, where nothing is said of their length.
const STRETCHES: u64 = 20;

/// A draw of a recording, which is read to its end before the first request.
pub(crate) struct Resampled {
    inner: Box<dyn RequestSource>,
    file: String,
    draw: u64,
    /// Mean length of a stretch, as it was asked for.
    block_ns: Option<u64>,
    ring: Option<Ring>,
    summary: TraceSummary,
}

impl Resampled {
    /// Draw number `draw` of a recording, of which nothing was read yet.
    pub(crate) fn new(inner: Box<dyn RequestSource>, file: &str, draw: u64, options: &TraceOptions) -> Self {
        let (file, block_ns) = (file.to_owned(), options.resample_block_ns);
        Self { inner, file, draw, block_ns, ring: None, summary: TraceSummary::default() }
    }

    fn refused(&self, reason: impl Into<String>) -> TraceError {
        TraceError::file(&self.file, FileFault::Unfit, reason)
    }

    /// Reads the recording.
    fn read(&mut self, max: usize) -> Result<Ring, TraceError> {
        let (mut requests, mut batch) = (Vec::new(), Vec::new());
        while self.inner.step(&mut batch, max).map_err(|error| self.inner.final_error(error))? {
            requests.extend(batch.drain(..).map(|entry: TraceEntry| entry.request));
            if requests.len() > REQUESTS_MAX {
                return Err(self.refused(format!(
                    "a draw is made of at most {REQUESTS_MAX} requests; take a part of it first (take = N)"
                )));
            }
        }
        self.inner.finish()?;
        let ring = self.ring(requests)?;
        self.summary = drawn(self.inner.summary(), &self.file, self.draw, ring.block_ns);
        Ok(ring)
    }

    fn ring(&self, requests: Vec<Request>) -> Result<Ring, TraceError> {
        if !requests.is_sorted_by_key(|request| request.at_ns) {
            return Err(self.refused("a draw needs times in order; unsorted = sort:N puts them so"));
        }
        let span_ns = requests[requests.len() - 1].at_ns - requests[0].at_ns;
        if span_ns == 0 {
            return Err(self.refused("a draw needs requests at two times or more"));
        }
        // Behind the last request of the ring comes a gap like any other.
        let period_ns = span_ns + (span_ns / (requests.len() as u64 - 1)).max(1);
        let block_ns = self.block_ns.unwrap_or((period_ns / STRETCHES).max(1));
        if !(1..=period_ns).contains(&block_ns) {
            let allowed = format!("from 1 to {period_ns}, the length of the trace");
            return Err(TraceError::option("resample_block_ns", block_ns, allowed));
        }
        Ok(Ring::new(requests, period_ns, block_ns, self.draw))
    }
}

impl RequestSource for Resampled {
    fn step(&mut self, out: &mut Vec<TraceEntry>, max: usize) -> Result<bool, TraceError> {
        if self.ring.is_none() {
            self.ring = Some(self.read(max)?);
        }
        let before = out.len();
        while out.len() < max.max(before + 1) {
            let Some(request) = self.ring.as_mut().and_then(Ring::next) else { break };
            self.summary.take_row(&self.file, &request)?;
            out.push(TraceEntry { request, response_ns: None });
        }
        Ok(out.len() > before)
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        match self.summary.last_ns {
            Some(_) => Ok(()),
            None => Err(self.refused(format!("draw {} has no request", self.draw))),
        }
    }

    fn summary(&self) -> &TraceSummary {
        &self.summary
    }

    fn facts(&self) -> Facts<'_> {
        self.inner.facts()
    }

    fn stream_names(&self) -> Vec<String> {
        self.inner.stream_names()
    }

    fn origin(&self, path: &str) -> Origin {
        Origin { label: self.summary.label.clone(), ..self.inner.origin(path) }
    }
}

/// What is told of a draw: how the recording was read, and nothing counted yet.
fn drawn(of: &TraceSummary, file: &str, draw: u64, block_ns: u64) -> TraceSummary {
    let file = of.label.as_deref().unwrap_or_else(|| file.rsplit('/').next().unwrap_or(file));
    let block_s = block_ns as f64 / 1e9;
    TraceSummary {
        label: Some(format!(
            "draw {draw} of {file} (stretches of its time in random order, {block_s} s on average)"
        )),
        ..of.untaken()
    }
}

/// A recording without an end, and the stretches that are drawn of it.
struct Ring {
    requests: Vec<Request>,
    first_ns: u64,
    period_ns: u64,
    block_ns: u64,
    random: RngStream,
    /// Time that the stretches before take.
    done_ns: u64,
    stretch: Stretch,
}

/// A part of the ring; both ends count from the first request, and may lie a turn further.
#[derive(Default)]
struct Stretch {
    begin_ns: u64,
    end_ns: u64,
    /// The next request, counted over turns.
    place: usize,
}

impl Ring {
    fn new(requests: Vec<Request>, period_ns: u64, block_ns: u64, draw: u64) -> Self {
        let random = RngStream::new(draw, "resample");
        let first_ns = requests[0].at_ns;
        Self { requests, first_ns, period_ns, block_ns, random, done_ns: 0, stretch: Stretch::default() }
    }

    fn next(&mut self) -> Option<Request> {
        loop {
            let Stretch { begin_ns, end_ns, place } = self.stretch;
            let (turn, at) = (place / self.requests.len(), place % self.requests.len());
            let request = self.requests[at];
            let at_ns = request.at_ns - self.first_ns + turn as u64 * self.period_ns;
            if at_ns < end_ns {
                self.stretch.place += 1;
                return Some(Request { at_ns: self.first_ns + self.done_ns + at_ns - begin_ns, ..request });
            }
            self.done_ns += end_ns - begin_ns;
            if self.done_ns == self.period_ns {
                self.stretch = Stretch { begin_ns: 0, end_ns: 0, place: 0 };
                return None;
            }
            self.stretch = self.drawn();
        }
    }

    fn drawn(&mut self) -> Stretch {
        let begin_ns = ((u128::from(self.random.next_u64()) * u128::from(self.period_ns)) >> 64) as u64;
        let length_ns = self.random.exponential(self.block_ns as f64).ceil() as u64;
        let end_ns = begin_ns + length_ns.clamp(1, self.period_ns - self.done_ns);
        let place = self.requests.partition_point(|request| request.at_ns - self.first_ns < begin_ns);
        Stretch { begin_ns, end_ns, place }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slcache_base::request::HostOp;

    const COUNT: u64 = 50;

    /// Requests at 1,000, 1,010, ...: the sector tells which one it is.
    fn requests() -> Vec<Request> {
        let request = |n| Request {
            at_ns: 1000 + 10 * n,
            op: HostOp::Write,
            sector: n,
            sectors: 1,
            stream: 0,
            hint: 0,
        };
        (0..COUNT).map(request).collect()
    }

    fn draw(number: u64, block_ns: u64) -> Vec<Request> {
        let mut ring = Ring::new(requests(), 10 * COUNT, block_ns, number);
        std::iter::from_fn(|| ring.next()).collect()
    }

    #[test]
    fn a_draw_takes_as_long_and_goes_forward() {
        for number in 0..100 {
            let drawn = draw(number, 60);
            assert!(drawn.is_sorted_by_key(|request| request.at_ns));
            assert!(drawn.iter().all(|request| (1000..1000 + 10 * COUNT).contains(&request.at_ns)));
            assert_eq!(drawn, draw(number, 60));
        }
        assert_ne!(draw(1, 60), draw(2, 60));
    }

    /// Of 4,000 draws the number of each request has a mean of 1; its standard error is below 0.016.
    #[test]
    fn every_request_is_expected_once() {
        let mut times = [0u32; COUNT as usize];
        for number in 0..4000 {
            draw(number, 60).iter().for_each(|request| times[request.sector as usize] += 1);
        }
        assert!(times.iter().all(|&times| (3700..4300).contains(&times)), "{times:?}");
    }

    /// A stretch of mean length 60 holds six gaps: one of six neighbours is a seam.
    #[test]
    fn what_lies_within_a_stretch_stays_together() {
        let (mut together, mut all) = (0, 0);
        for number in 0..400 {
            for pair in draw(number, 60).windows(2) {
                let follows = pair[1].sector == (pair[0].sector + 1) % COUNT;
                let apart = pair[1].at_ns - pair[0].at_ns == 10;
                together += u32::from(follows && apart);
                all += 1;
            }
        }
        let share = f64::from(together) / f64::from(all);
        assert!((share - (-10.0_f64 / 60.0).exp()).abs() < 0.02, "{share}");
    }
}
