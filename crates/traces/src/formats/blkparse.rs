//! blkparse's default text: `maj,min cpu seq s.ns pid action RWBS rest`.
//!
//! One request shows up as several events (queued, issued, completed ...); the
//! `action` option says which of them is the request, the others are counted.
//! Sectors are 512 bytes. The `rest` is `sector + sectors [name]` for transfers
//! and shorter for flushes and for the completions that end a flush sequence
//! (blkparse_fmt.c of blktrace).

use super::rwbs::{Flags, RwbsKind, SKIPPED_FLUSH_END, SKIPPED_PASS_THROUGH, SKIPPED_ZONE};
use super::{
    is_ellipsis, uninterrupted, Detection, Fit, Format, RawRequest, Record, RecordParser, Sample,
    SKIPPED_COMPLETION, SKIPPED_ELLIPSIS, SKIPPED_ISSUE, SKIPPED_NOTE, SKIPPED_QUEUE, SKIPPED_REQUEUE,
};
use crate::error::LineFault;
use crate::fields::scan::{
    behind_blanks, decimal_time, decimal_until, digits_until, digits_word, field_until, unsigned,
    unsigned_word, TextBlock, Words,
};
use crate::fields::sectors::{NamedColumn, SizeRules};
use crate::options::{BlkparseAction, EventRole, TraceOptions};
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "blkparse",
    about: "blkparse default text: device (volume), seconds, action (D, Q or C is the request), RWBS, 512 B sector + sectors",
    example: "  7,0    0      568     0.000000000 17560  D  RS 14320672 + 32 [mariadbd]",
    extensions: &["blkparse", "txt"],
    detection: Detection::By(detect),
    options: &["action"],
    ..Format::of(|options| Ok(Box::new(Blkparse::new(options))))
};

const NAMES: [&str; 7] = ["device", "cpu", "sequence", "time", "pid", "action", "RWBS"];
/// Number of the RWBS column.
const RWBS: usize = 7;
const SECTORS: NamedColumn<'static> = NamedColumn { number: 10, name: "sectors" };
const LINE: &str = "maj,min cpu sequence seconds.nanoseconds pid action RWBS sector + sectors [name]";
const SKIPPED_SUMMARY: &str = "blkparse summary line";

struct Blkparse {
    action: BlkparseAction,
    sizes: SizeRules,
    /// Whether there was an event: what stands above the first one may be anything.
    begun: bool,
}

impl Blkparse {
    fn new(options: &TraceOptions) -> Self {
        Self { action: options.action, sizes: SizeRules::new(options), begun: false }
    }

    #[inline(always)]
    fn role(&self, action: &[u8]) -> Option<EventRole> {
        match action {
            [letter] => self.action.role(*letter),
            _ => None,
        }
    }

    /// What the chosen event asks for, from RWBS on.
    #[inline]
    fn event<'a>(
        &self,
        line: &[u8],
        mut words: Words<'a>,
        action: &[u8],
        raw: RawRequest<'a>,
    ) -> Result<Record<'a>, LineFault> {
        let rwbs = words.next().ok_or_else(|| unknown(line))?;
        let flags = Flags::parse(RWBS, rwbs)?;
        let first = words.next().ok_or_else(|| unknown(line))?;
        if words.clone().next() != Some(b"+") {
            return self.without_sectors(line, flags, (first, action), raw);
        }
        words.next();
        let length = words.next().ok_or_else(|| unknown(line))?;
        let sector = unsigned(first)
            .ok_or_else(|| LineFault::field(8, "sector", first, "a sector number from 0 to 2^64 - 1"))?;
        let sectors = unsigned(length).ok_or_else(|| {
            LineFault::field(SECTORS.number, SECTORS.name, length, "a positive number of sectors")
        })?;
        if words.next().is_none_or(|name| !matches!(name.first(), Some(b'[' | b'('))) {
            return Err(unknown(line));
        }
        flags.record((RWBS, rwbs), ends(action), self.sizes, (sector, (sectors, SECTORS)), raw)
    }

    /// An event without `sector + sectors`: a flush, a pass-through command, or
    /// a completion that only ends a flush sequence.
    fn without_sectors<'a>(
        &self,
        line: &[u8],
        flags: Flags,
        (first, action): (&[u8], &[u8]),
        raw: RawRequest<'a>,
    ) -> Result<Record<'a>, LineFault> {
        let bracketed = matches!(first.first(), Some(b'[' | b'('));
        if !bracketed && unsigned(first).is_none() {
            return Err(LineFault::field(
                8,
                "sector",
                first,
                "a sector number, or [name] where there is none",
            ));
        }
        if flags.preflush {
            return Ok(Record::Request(raw));
        }
        if flags.kind == RwbsKind::Zone {
            return Ok(Record::Skipped(SKIPPED_ZONE));
        }
        if ends(action) && !bracketed {
            return Ok(Record::Skipped(SKIPPED_FLUSH_END));
        }
        if flags.kind == RwbsKind::None || first.starts_with(b"(") || !bracketed {
            return Ok(Record::Skipped(SKIPPED_PASS_THROUGH));
        }
        Err(unknown(line))
    }
}

impl RecordParser for Blkparse {
    #[inline]
    fn record<'a>(&mut self, line: &'a [u8]) -> Result<Record<'a>, LineFault> {
        let line = uninterrupted(line);
        let mut words = Words::new(line);
        let device = words.next().unwrap_or_default();
        if !is_device(device) {
            return match line {
                _ if is_ellipsis(line) => Ok(Record::Skipped(SKIPPED_ELLIPSIS)),
                _ if is_report_line(line) => Ok(Record::Skipped(SKIPPED_SUMMARY)),
                [b'#', ..] => Ok(Record::Skipped(SKIPPED_NOTE)),
                _ if !self.begun => Ok(Record::Skipped(SKIPPED_NOTE)),
                _ => Err(unknown(line)),
            };
        }
        self.begun = true;
        let mut next = || words.next().ok_or_else(|| unknown(line));
        let [cpu, sequence, time, pid, action] = [next()?, next()?, next()?, next()?, next()?];
        for (column, field) in [(2, cpu), (3, sequence), (5, pid)] {
            if unsigned(field).is_none() {
                return Err(LineFault::field(column, NAMES[column - 1], field, "a whole number from 0"));
            }
        }
        let scanned = decimal_time(time, 1_000_000_000).filter(|_| time.contains(&b'.'));
        let scanned =
            scanned.ok_or_else(|| LineFault::field(4, NAMES[3], time, "a time as seconds.nanoseconds"))?;
        let Some(role) = self.role(action) else {
            return event_reason(action).map(Record::Skipped);
        };
        let mut raw = RawRequest::new(scanned.at_ns, HostOp::Flush, device);
        raw.rounded_to_ns = scanned.rounded;
        Ok(self.event(line, words, action, raw)?.of_event(role))
    }

    #[inline(always)]
    fn quick<'a>(&self, pending: &'a [u8]) -> Option<(Record<'a>, &'a [u8])> {
        if !self.begun {
            return None;
        }
        let ParsedEvent { at_ns, device, action, rest } = ParsedEvent::of(pending)?;
        let Some(role) = self.role(action) else {
            let behind = &rest[memchr::memchr(b'\n', rest)? + 1..];
            return Some((Record::Skipped(event_reason(action).ok()?), behind));
        };
        let (rwbs, rest) = field_until(behind_blanks(rest), b' ')?;
        let (sector, rest) = unsigned_word::<TextBlock>(rest)?;
        let rest = rest.strip_prefix(b" + ")?;
        let (sectors, rest) = unsigned_word::<TextBlock>(rest)?;
        let (b' ', [b'[' | b'(', name @ ..]) = rest.split_first()? else {
            return None;
        };
        let behind = &name[memchr::memchr(b'\n', name)? + 1..];
        let raw = RawRequest::new(at_ns, HostOp::Flush, device);
        let flags = Flags::parse(RWBS, rwbs).ok()?;
        let place = (sector, (sectors, SECTORS));
        let record = flags.record((RWBS, rwbs), ends(action), self.sizes, place, raw).ok()?;
        Some((record.of_event(role), behind))
    }
}

/// An event of a well-formed line up to its action.
struct ParsedEvent<'a> {
    at_ns: u64,
    device: &'a [u8],
    action: &'a [u8],
    rest: &'a [u8],
}

impl<'a> ParsedEvent<'a> {
    /// One pass over a line that others follow; `None` for any that needs a closer look.
    #[inline(always)]
    fn of(line: &'a [u8]) -> Option<Self> {
        let line = behind_blanks(line);
        let (major, rest) = digits_until(line, b',')?;
        let (minor, rest) = digits_until(rest, b' ')?;
        let device = &line[..major.len() + 1 + minor.len()];
        let (_, rest) = digits_word::<TextBlock>(rest)?;
        let (_, rest) = digits_word::<TextBlock>(rest)?;
        let time = behind_blanks(rest);
        let (at_ns, rest) = decimal_until::<9>(time, b' ')?;
        if !time[..time.len() - rest.len()].contains(&b'.') {
            return None;
        }
        let (_, rest) = digits_word::<TextBlock>(rest)?;
        let (action, rest) = field_until(behind_blanks(rest), b' ')?;
        Some(Self { at_ns, device, action, rest })
    }
}

/// Whether an event ends what began before.
#[inline(always)]
fn ends(action: &[u8]) -> bool {
    matches!(action, b"C" | b"R")
}

/// `maj,min`.
#[inline]
fn is_device(word: &[u8]) -> bool {
    let Some(comma) = word.iter().position(|&byte| byte == b',') else {
        return false;
    };
    unsigned(&word[..comma]).is_some() && unsigned(&word[comma + 1..]).is_some()
}

#[cold]
fn unknown(line: &[u8]) -> LineFault {
    LineFault::Unknown { text: line.to_vec(), expected: LINE.to_owned() }
}

/// Summary lines alone do not make a blkparse file.
fn detect(sample: &Sample<'_>) -> Fit {
    let lines = sample.lines.iter().map(|line| uninterrupted(line));
    let events: Vec<&[u8]> = lines.filter(|line| !is_report_line(line)).collect();
    Fit::certain(super::parses_most(&FORMAT, &events))
}

/// How the lines of the summary begin (show_stats and friends of blkparse.c).
const BEGINNINGS: &[&[u8]] = &[
    b"CPU",
    b"Total (",
    b"Reads Queued:",
    b"Read Dispatches:",
    b"Reads Requeued:",
    b"Reads Completed:",
    b"Read Merges:",
    b"Read depth:",
    b"PC Reads Queued:",
    b"PC Read Disp.:",
    b"PC Reads Req.:",
    b"PC Reads Compl.:",
    b"IO unplugs:",
    b"Throughput (R/W):",
    b"Events (",
    b"Skips:",
    b"Input file ",
];

/// Whether a line belongs to the summary; blkparse puts empty lines between
/// its parts.
fn is_report_line(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.is_empty() || BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
}

/// Why an event other than the chosen one is left out.
#[inline]
fn event_reason(action: &[u8]) -> Result<&'static str, LineFault> {
    Ok(match action {
        b"Q" => SKIPPED_QUEUE,
        b"D" => SKIPPED_ISSUE,
        b"C" => SKIPPED_COMPLETION,
        b"I" => "blkparse event I (inserted)",
        b"G" => "blkparse event G (get request)",
        b"M" => "blkparse event M (back merge)",
        b"F" => "blkparse event F (front merge)",
        b"S" => "blkparse event S (sleep)",
        b"R" => SKIPPED_REQUEUE,
        b"A" => "blkparse event A (remapped)",
        b"B" | b"W" => "blkparse event B/W (bounced)",
        b"X" => "blkparse event X (split)",
        b"P" => "blkparse event P (plug)",
        b"U" | b"UT" | b"UI" | b"T" => "blkparse event U/T (unplug)",
        b"m" => "blkparse event m (message)",
        [b'Z', ..] => "blkparse event ZP/ZU (writes of a zone plugged or unplugged)",
        _ => {
            let allowed =
                "an action of blkparse (Q, D, C, I, G, M, F, S, R, A, B, W, X, P, U, UT, UI, T, m, ZP, ZU)";
            return Err(LineFault::field(6, "action", action, allowed));
        }
    })
}

#[cfg(test)]
mod tests;
