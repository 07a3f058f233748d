//! Requests by stream, and writes by what the host says about their data.

use super::ratio;
use schemars::JsonSchema;
use serde::Serialize;
use slcache_base::request::{HostOp, Request};

/// Reads and writes of one stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct StreamInfo {
    /// Number of the stream.
    pub stream: u16,
    /// Name of its volume; `None` where the trace names none.
    pub volume: Option<String>,
    /// Reads and writes.
    pub requests: u64,
    /// Writes among the requests, from 0 to 1.
    pub write_share: f64,
    /// Different 4 KiB pages written.
    pub written_4kib_pages: u64,
    /// Different 4 KiB pages read or written.
    pub touched_4kib_pages: u64,
    /// Requests that start where the one before ended, from 0 to 1.
    pub sequential_share: f64,
}

/// What is known of a stream so far.
#[derive(Clone, Default)]
pub(super) struct StreamCounter {
    requests: [u64; 2],
    sequential: u64,
    /// End of the previous request.
    previous_end: Option<u64>,
    written_pages: u64,
    touched_pages: u64,
}

impl StreamCounter {
    /// Takes a read or write, with how many pages it touched or wrote for the
    /// first time; whether it starts where the one before ended.
    #[inline]
    pub(super) fn add(&mut self, request: &Request, fresh_touched: u64, fresh_written: u64) -> bool {
        let side = usize::from(request.op == HostOp::Write);
        self.requests[side] += 1;
        let is_sequential = self.previous_end.replace(request.end_sector()) == Some(request.sector);
        self.sequential += u64::from(is_sequential);
        self.touched_pages += fresh_touched;
        self.written_pages += fresh_written;
        is_sequential
    }

    /// Runs of requests: each begins with one that is not sequential.
    pub(super) fn runs(&self) -> u64 {
        self.requests[0] + self.requests[1] - self.sequential
    }

    fn finish(&self, stream: u16, volume: Option<String>) -> StreamInfo {
        let requests = self.requests[0] + self.requests[1];
        StreamInfo {
            stream,
            volume,
            requests,
            write_share: ratio(self.requests[1] as f64, requests as f64),
            written_4kib_pages: self.written_pages,
            touched_4kib_pages: self.touched_pages,
            sequential_share: ratio(self.sequential as f64, requests as f64),
        }
    }
}

/// All streams, by number.
#[derive(Default)]
pub(super) struct Streams {
    counters: Vec<StreamCounter>,
}

impl Streams {
    #[inline]
    pub(super) fn of(&mut self, stream: u16) -> &mut StreamCounter {
        let place = usize::from(stream);
        if place >= self.counters.len() {
            self.counters.resize_with(place + 1, StreamCounter::default);
        }
        &mut self.counters[place]
    }

    pub(super) fn runs(&self) -> u64 {
        self.counters.iter().map(StreamCounter::runs).sum()
    }

    /// The streams with requests, with their volumes' names where they have any.
    pub(super) fn finish(&self, names: &[String]) -> Vec<StreamInfo> {
        let name = |place: usize| names.get(place).filter(|name| !name.is_empty()).cloned();
        let counters = self.counters.iter().enumerate().filter(|(_, counter)| counter.runs() > 0);
        counters.map(|(place, counter)| counter.finish(place as u16, name(place))).collect()
    }
}

/// Writes with one hint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HintCount {
    /// The hint; 0 for none.
    pub hint: u8,
    /// Writes that have it.
    pub writes: u64,
    /// Their bytes.
    pub write_bytes: u64,
}

/// Counts writes and bytes by hint.
pub(super) struct Hints([(u64, u64); 256]);

impl Default for Hints {
    fn default() -> Self {
        Self([(0, 0); 256])
    }
}

impl Hints {
    #[inline]
    pub(super) fn add(&mut self, request: &Request) {
        if request.op == HostOp::Write {
            let (writes, bytes) = &mut self.0[usize::from(request.hint)];
            *writes += 1;
            *bytes += request.bytes();
        }
    }

    /// Those that there are; nothing where no write has a hint.
    pub(super) fn finish(&self) -> Vec<HintCount> {
        if self.0[1..].iter().all(|(writes, _)| *writes == 0) {
            return Vec::new();
        }
        let each = (0..=u8::MAX).zip(self.0).filter(|(_, (writes, _))| *writes > 0);
        each.map(|(hint, (writes, write_bytes))| HintCount { hint, writes, write_bytes }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted_within_a_stream() {
        let mut streams = Streams::default();
        for (stream, sector, sectors) in [(0, 0, 8), (3, 8, 8), (0, 8, 16), (0, 24, 8), (0, 0, 8)] {
            let request = Request { at_ns: 0, sector, sectors, stream, hint: 0, op: HostOp::Read };
            streams.of(stream).add(&request, 1, 0);
        }
        let infos = streams.finish(&["a".to_owned()]);
        assert_eq!(infos.iter().map(|info| info.stream).collect::<Vec<_>>(), [0, 3]);
        assert_eq!((infos[0].requests, infos[0].sequential_share, infos[0].touched_4kib_pages), (4, 0.5, 4));
        assert_eq!((infos[0].volume.as_deref(), infos[1].volume.as_deref()), (Some("a"), None));
        assert_eq!(streams.runs(), 3);
    }
}
