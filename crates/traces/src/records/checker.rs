//! From parsed records to requests: volumes, order, time 0 and the counts.

use crate::error::{LineFault, TraceError};
use crate::options::{BlkparseAction, CoarseTime, TraceOptions, Unsorted, VolumeChoice};
use crate::records::in_flight::InFlight;
use crate::records::order::{Order, Spread};
use crate::records::parser::{RawRequest, Record, SKIPPED_REQUEUE};
use crate::records::volumes::{plain_name, Volumes};
use crate::request_source::TraceEntry;
use crate::summary::TraceSummary;
use crate::times;
use slcache_base::request::{HostOp, Request, SECTOR_BYTES};

/// Last sector number (exclusive) whose bytes a 64-bit address can name.
const SECTORS_END: u64 = u64::MAX / SECTOR_BYTES;

/// Why records of volumes that were not chosen are left out.
pub(crate) const OTHER_VOLUME: &str = "another volume";
/// Why a request's second issue is left out.
const SKIPPED_REISSUE: &str = "event D (issued) of a request that was requeued: it counts once";
/// How issues are counted of which no completion came.
pub(crate) const SKIPPED_UNANSWERED: &str = "issue without a completion";

/// Checks records one after the other and gives out requests.
pub(crate) struct Checker {
    volumes: Volumes,
    order: Order,
    unsorted: Unsorted,
    spread: Option<Spread>,
    /// Issues where completions are timed, else what was requeued.
    in_flight: InFlight,
    timed: bool,
    rebase: bool,
    /// Whether times are bound; not where the user wants those of the file.
    bounded: bool,
    first_ns: Option<u64>,
    /// What the format adds to every time so that none lies below 0.
    shift_ns: u64,
    summary: TraceSummary,
}

impl Checker {
    /// With the user's choices, or the format's where there are none.
    pub(crate) fn new(
        options: &TraceOptions,
        merges_volumes: bool,
        (rebases, shift_ns): (bool, u64),
        volume_name: fn(&[u8]) -> String,
    ) -> Self {
        let format_choice = || match merges_volumes {
            true => VolumeChoice::Merge,
            false => VolumeChoice::Error,
        };
        let choice = options.volume.clone().unwrap_or_else(format_choice);
        Self {
            volumes: Volumes::new(choice, volume_name),
            rebase: options.rebase.unwrap_or(rebases),
            shift_ns,
            ..Self::of_streams(options)
        }
    }

    /// For requests whose streams are settled already, with times as given
    /// unless the user says otherwise.
    pub(crate) fn of_streams(options: &TraceOptions) -> Self {
        Self {
            volumes: Volumes::new(VolumeChoice::Merge, plain_name),
            order: Order::new(options.unsorted),
            unsorted: options.unsorted,
            spread: (options.coarse_time == CoarseTime::Spread).then(Spread::default),
            in_flight: InFlight::default(),
            timed: options.action == BlkparseAction::Timed,
            rebase: options.rebase.unwrap_or(false),
            bounded: options.rebase != Some(false),
            first_ns: None,
            shift_ns: 0,
            summary: TraceSummary::default(),
        }
    }

    /// Takes one record; appends what may go out now.
    #[inline(always)]
    pub(crate) fn accept(&mut self, record: Record<'_>, out: &mut Vec<TraceEntry>) -> Result<(), LineFault> {
        match record {
            Record::Request(raw) => {
                self.accept_request(&raw, out).map_err(|fault| fault.earlier_by(self.shift_ns))
            }
            Record::Issue(raw) => self.accept_issue(&raw),
            Record::Requeue(raw) => {
                self.accept_requeue(&raw);
                Ok(())
            }
            Record::Skipped(reason) => {
                self.summary.skip(reason);
                Ok(())
            }
        }
    }

    /// Takes a request; appends what may go out now.
    #[inline(always)]
    fn accept_request(&mut self, raw: &RawRequest<'_>, out: &mut Vec<TraceEntry>) -> Result<(), LineFault> {
        match self.accept_next(raw, out) {
            true => Ok(()),
            false => self.accept_any(raw, out),
        }
    }

    /// Takes a request as nearly all are: of the volume of the one before, not before it, and going
    /// out as it comes. `false` for any other, and for what is wrong; [`Self::accept_any`] then
    /// looks at it again from the start.
    #[inline(always)]
    fn accept_next(&mut self, raw: &RawRequest<'_>, out: &mut Vec<TraceEntry>) -> bool {
        let Some(stream) = self.volumes.again(raw.volume) else {
            return false;
        };
        let zero_ns = if self.rebase { self.first_ns.unwrap_or(u64::MAX) } else { 0 };
        let Some(at_ns) = raw.at_ns.checked_sub(zero_ns) else {
            return false;
        };
        let request =
            Request { at_ns, sector: raw.sector, sectors: raw.sectors, stream, hint: raw.hint, op: raw.op };
        let in_time = self.order.is_next(raw.at_ns) && (!self.bounded || at_ns < times::TIME_END_NS);
        let alone = self.spread.is_none() && self.in_flight.is_empty();
        let plain = in_time && alone && !raw.flush_before;
        if !plain || check_end(&request).is_err() || self.summary.take(&request).is_err() {
            return false;
        }
        self.volumes.count_again(&mut self.summary.volumes);
        self.count_notes(raw);
        self.order.take_next(raw.at_ns);
        out.push(TraceEntry { request, response_ns: raw.response_ns });
        true
    }

    /// Keeps when a read or a write was issued.
    fn accept_issue(&mut self, raw: &RawRequest<'_>) -> Result<(), LineFault> {
        let stream = self.volumes.stream(raw.volume, &mut self.summary.volumes)?;
        if let Some(stream) = stream.filter(|_| matches!(raw.op, HostOp::Read | HostOp::Write)) {
            let unanswered = self.in_flight.begin(stream, raw);
            self.count_unanswered(unanswered);
        }
        Ok(())
    }

    /// Takes an issue back: the request is issued again, and is no second one.
    fn accept_requeue(&mut self, raw: &RawRequest<'_>) {
        self.summary.skip(SKIPPED_REQUEUE);
        if let Some(stream) = self.volumes.known(raw.volume, &self.summary.volumes) {
            match self.timed {
                true => self.in_flight.end(stream, raw),
                false => Some(self.in_flight.begin(stream, raw)),
            };
        }
    }

    fn count_unanswered(&mut self, count: u64) {
        if count > 0 {
            self.summary.skip_all(SKIPPED_UNANSWERED, count);
        }
    }

    /// When what ends here began, or was requeued.
    fn begun_ns(&mut self, raw: &RawRequest<'_>) -> Option<u64> {
        let stream = self.volumes.known(raw.volume, &self.summary.volumes)?;
        self.in_flight.end(stream, raw)
    }

    #[inline(never)]
    fn accept_any(&mut self, raw: &RawRequest<'_>, out: &mut Vec<TraceEntry>) -> Result<(), LineFault> {
        let begun_ns = if self.in_flight.is_empty() { None } else { self.begun_ns(raw) };
        if begun_ns.is_some() && !self.timed {
            self.summary.skip(SKIPPED_REISSUE);
            return Ok(());
        }
        let took_ns = begun_ns.and_then(|begun_ns| raw.at_ns.checked_sub(begun_ns));
        let Some(stream) = self.volumes.stream(raw.volume, &mut self.summary.volumes)? else {
            self.summary.skip(OTHER_VOLUME);
            return Ok(());
        };
        self.count_notes(raw);
        let request = Request {
            at_ns: raw.at_ns,
            sector: raw.sector,
            sectors: raw.sectors,
            stream,
            hint: raw.hint,
            op: raw.op,
        };
        if raw.flush_before {
            let flush = Request { sector: 0, sectors: 0, op: HostOp::Flush, ..request };
            self.put_in_order(TraceEntry { request: flush, response_ns: None }, out)?;
        }
        self.accept_entry(TraceEntry { request, response_ns: raw.response_ns.or(took_ns) }, out)
    }

    /// Takes a request whose stream is settled; appends what may go out now.
    #[inline]
    pub(crate) fn accept_entry(
        &mut self,
        entry: TraceEntry,
        out: &mut Vec<TraceEntry>,
    ) -> Result<(), LineFault> {
        check_end(&entry.request)?;
        self.put_in_order(entry, out)
    }

    #[inline]
    fn count_notes(&mut self, raw: &RawRequest<'_>) {
        self.summary.rounded_to_sectors += u64::from(raw.rounded_to_sectors);
        self.summary.rounded_to_ns += u64::from(raw.rounded_to_ns);
        self.summary.forced_unit_access_writes += u64::from(raw.forced_unit_access);
    }

    #[inline]
    fn put_in_order(&mut self, entry: TraceEntry, out: &mut Vec<TraceEntry>) -> Result<(), LineFault> {
        if self.spread.is_some() {
            Spread::check(entry.request.at_ns)?;
        }
        match self.order.push(entry)? {
            Some(entry) => self.spread_out(entry, out),
            None => Ok(()),
        }
    }

    #[inline(always)]
    fn spread_out(&mut self, entry: TraceEntry, out: &mut Vec<TraceEntry>) -> Result<(), LineFault> {
        let Some(spread) = &mut self.spread else {
            return self.give_out(entry, out);
        };
        match spread.push(entry)? {
            Some(entry) => self.give_out(entry, out),
            None => Ok(()),
        }
    }

    #[inline]
    fn give_out(&mut self, mut entry: TraceEntry, out: &mut Vec<TraceEntry>) -> Result<(), LineFault> {
        let request = &mut entry.request;
        let first_ns = *self.first_ns.get_or_insert(request.at_ns);
        if self.rebase {
            let at_ns = request.at_ns;
            let Some(since_first_ns) = at_ns.checked_sub(first_ns) else {
                return Err(LineFault::BeforeFirst { at_ns, first_ns });
            };
            request.at_ns = since_first_ns;
        }
        if self.bounded {
            times::check(request.at_ns)?;
        }
        self.summary.take(request)?;
        out.push(entry);
        Ok(())
    }

    /// At the end of the trace: takes one request still held back and may append
    /// one; whether there was one.
    pub(crate) fn drain_one(&mut self, out: &mut Vec<TraceEntry>) -> Result<bool, LineFault> {
        if let Some(entry) = self.order.pop() {
            return self.spread_out(entry, out).map(|()| true);
        }
        match self.spread.as_mut().and_then(Spread::pop) {
            Some(entry) => self.give_out(entry, out).map(|()| true),
            None => Ok(false),
        }
    }

    /// Brings the figures kept elsewhere into the summary.
    pub(crate) fn update_summary(&mut self, lines: u64) {
        self.summary.lines = lines;
        match self.unsorted {
            Unsorted::Sort(_) => self.summary.reordered = self.order.out_of_order(),
            Unsorted::Keep => self.summary.kept_unsorted = self.order.out_of_order(),
            Unsorted::Error => {}
        }
        if let Some(spread) = &self.spread {
            self.summary.spread_inside_seconds = spread.moved();
        }
        if self.rebase {
            let first_ns = self.first_ns.map(|first_ns| i128::from(first_ns) - i128::from(self.shift_ns));
            self.summary.rebased_by_ns = first_ns.unwrap_or(0);
        }
    }

    /// At the end of the trace.
    pub(crate) fn complete(&mut self, unterminated: bool, sha256: String) {
        if self.timed {
            self.count_unanswered(self.in_flight.len());
        }
        self.summary.last_line_unterminated = unterminated;
        self.summary.sha256 = Some(sha256);
    }

    /// Counts something left out that is no record.
    pub(crate) fn skip(&mut self, reason: &'static str) {
        self.summary.skip(reason);
    }

    /// At the end of the trace: an error when nothing was taken.
    pub(crate) fn settle(&self, file: &str) -> Result<(), TraceError> {
        let summary = &self.summary;
        if let Some(volume) = self.missing_volume() {
            let (file, volume) = (file.to_owned(), volume.to_owned());
            return Err(TraceError::VolumeMissing { file, volume, listed: summary.volumes_text() });
        }
        if summary.requests() + summary.flushes + summary.trims == 0 {
            return Err(TraceError::no_requests(file, summary.lines, &summary.skipped_text()));
        }
        Ok(())
    }

    /// The volume asked for by name, when the file does not hold it.
    fn missing_volume(&self) -> Option<&str> {
        self.volumes.missing(&self.summary.volumes)
    }

    /// The names of the volumes by stream, as far as they have appeared; empty
    /// where the streams are not volumes.
    pub(crate) fn stream_names(&self) -> Vec<String> {
        self.volumes.stream_names(&self.summary.volumes)
    }

    /// Counts so far, to be added to.
    pub(crate) fn summary_mut(&mut self) -> &mut TraceSummary {
        &mut self.summary
    }

    /// Counts so far.
    pub(crate) fn summary(&self) -> &TraceSummary {
        &self.summary
    }
}

/// Refuses a request whose last byte a 64-bit address cannot name.
#[inline]
fn check_end(request: &Request) -> Result<(), LineFault> {
    let Request { sector, sectors, .. } = *request;
    let sectors = u64::from(sectors);
    match sector.checked_add(sectors) {
        Some(end) if end <= SECTORS_END => Ok(()),
        _ => Err(LineFault::PastEnd { sector, sectors }),
    }
}

#[cfg(test)]
mod tests;
