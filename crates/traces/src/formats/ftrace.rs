//! Text of Linux' event tracer: `trace_pipe` and `trace` of ftrace, `trace-cmd report`, `perf script`,
//! Android's systrace. A line is `TASK-PID [CPU] flags SECONDS: EVENT: FIELDS`, with more or less between.
//!
//! Of the block events (include/trace/events/block.h) `block_rq_issue` is the request, or with `action`
//! `block_rq_complete` or `block_bio_queue`: `maj,min RWBS bytes (command) sector + sectors [task]`. Newer
//! kernels put a priority behind the sectors, completions and bios have no bytes. Of UFS' `ufshcd_command`
//! (include/trace/events/ufs.h) it is `send_req`, or `complete_rsp`. Everything else is counted.

use super::rwbs::{Flags, SKIPPED_PASS_THROUGH};
use super::{
    is_ellipsis, uninterrupted, Format, RawRequest, Record, RecordParser, SKIPPED_COMPLETION,
    SKIPPED_ELLIPSIS, SKIPPED_EMPTY, SKIPPED_EVENT, SKIPPED_ISSUE, SKIPPED_NOTE, SKIPPED_QUEUE,
    SKIPPED_REQUEUE,
};
use crate::error::{LineFault, TraceError};
use crate::fields::scan::{decimal_time, unsigned, ScannedTime};
use crate::fields::sectors::SizeRules;
use crate::options::{BlkparseAction, TraceOptions};
use crate::records::volumes::plain_name;
use slcache_base::request::HostOp;

mod line;

use line::{Cursor, LineEvent, Word, LINE};

pub(super) const FORMAT: Format = Format {
    name: "ftrace",
    about: "ftrace, trace-cmd report or perf script: device (volume), seconds, block_rq_issue (action D; block_bio_queue Q, block_rq_complete C), RWBS, 512 B sector + sectors; or ufshcd_command send_req (D) and complete_rsp (C) with 4 KiB blocks and bytes",
    example: "          writer-901     [001] d... 100.000100: block_rq_issue: 8,0 W 0 () 2048 + 8 [writer]",
    extensions: &["ftrace", "perf", "txt"],
    volume_name: device_name,
    options: &["action", "ufs_lba_bytes"],
    ..Format::of(|options| Ok(Box::new(Ftrace::new(options)?)))
};

/// What a UFS size may be.
const SIZE: &str = "a number of bytes from 0";
/// Of READ(16) and WRITE(16) many kernels tell neither size nor place.
const SKIPPED_UNTOLD: &str = "UFS READ(16) or WRITE(16) of which the kernel tells no size (-1)";
/// What a UFS group number may be.
const GROUP: &str = "a group number from 0 to 255";

/// blkparse's letter of each event, and why those that are not chosen are left out.
const EVENTS: [(&[u8], u8, &str); 8] = [
    (b"block_rq_issue", b'D', SKIPPED_ISSUE),
    (b"block_rq_complete", b'C', SKIPPED_COMPLETION),
    (b"block_bio_queue", b'Q', SKIPPED_QUEUE),
    (b"block_rq_insert", b'I', "event block_rq_insert"),
    (b"block_rq_requeue", b'R', SKIPPED_REQUEUE),
    (b"block_bio_complete", b' ', "event block_bio_complete"),
    (b"block_bio_remap", b'A', "event block_bio_remap"),
    (UFS, b' ', SKIPPED_UFS),
];
const SKIPPED_UFS: &str = "event ufshcd_command of another kind";
const UFS: &[u8] = b"ufshcd_command";
const SKIPPED_LOST: &str = "note of lost events: the recording has gaps";

struct Ftrace {
    action: BlkparseAction,
    sizes: SizeRules,
    /// Bytes of a logical block where the line does not tell.
    lba_bytes: Option<u64>,
    /// Whether there was an event: what stands above the first one may be anything.
    begun: bool,
}

impl Ftrace {
    fn new(options: &TraceOptions) -> Result<Self, TraceError> {
        if let Some(bytes) = options.ufs_lba_bytes.filter(|bytes| ![512, 4096].contains(bytes)) {
            return Err(TraceError::option("ufs_lba_bytes", bytes, "512 or 4096"));
        }
        let lba_bytes = options.ufs_lba_bytes.map(u64::from);
        Ok(Self { action: options.action, sizes: SizeRules::new(options), lba_bytes, begun: false })
    }

    /// A block event: what it asks for.
    fn block<'a>(
        &self,
        letter: u8,
        mut rest: Cursor<'a>,
        raw: RawRequest<'a>,
    ) -> Result<Record<'a>, LineFault> {
        if rest.assigned("dev").is_some() {
            return self.unformatted(letter, &rest, raw);
        }
        let device = rest.word("device")?;
        if !device.text.split(|&byte| byte == b',').all(|number| unsigned(number).is_some()) {
            return Err(device.fault("major,minor"));
        }
        let rwbs = rest.word("RWBS")?;
        let (bio, mut passes_through) = (letter == b'Q', false);
        let mut word = rest.word(if bio { "sector" } else { "bytes" })?;
        if !bio {
            if !word.text.starts_with(b"(") {
                word.number("a number of bytes from 0 to 2^64 - 1")?;
                word = rest.word("command")?;
            }
            if !word.text.starts_with(b"(") {
                return Err(word.fault("a command in parentheses, which may be empty"));
            }
            passes_through = word.text != b"()";
            while !word.text.ends_with(b")") {
                word = rest.word("command")?;
            }
            word = rest.word("sector")?;
        }
        let sector = word.number("a sector number from 0 to 2^64 - 1")?;
        let plus = rest.word("+")?;
        if plus.text != b"+" {
            return Err(plus.fault("the + between sector and sectors"));
        }
        let sectors = rest.word("sectors")?;
        let count = sectors.number("a number of sectors from 0")?;
        if !rest.any(|word| word.text.starts_with(b"[")) {
            return Err(rest.cut_short("[task] or [error]"));
        }
        if passes_through {
            return Ok(Record::Skipped(SKIPPED_PASS_THROUGH));
        }
        self.transfer(letter, (device, rwbs), (sector, count, sectors), raw)
    }

    /// A block event of which the tool could not print the text and gives its fields instead.
    fn unformatted<'a>(
        &self,
        letter: u8,
        rest: &Cursor<'a>,
        raw: RawRequest<'a>,
    ) -> Result<Record<'a>, LineFault> {
        let value = |name: &'static str| rest.assigned(name).ok_or_else(|| rest.cut_short(name));
        let (device, rwbs) = (value("dev")?, value("rwbs")?);
        device.number("a device number")?;
        let sector = value("sector")?.number("a sector number from 0 to 2^64 - 1")?;
        let sectors = value("nr_sector")?;
        let count = sectors.number("a number of sectors from 0")?;
        self.transfer(letter, (device, rwbs), (sector, count, sectors), raw)
    }

    fn transfer<'a>(
        &self,
        letter: u8,
        (device, rwbs): (Word<'a>, Word<'a>),
        (sector, count, sectors): (u64, u64, Word<'a>),
        raw: RawRequest<'a>,
    ) -> Result<Record<'a>, LineFault> {
        let flags = Flags::parse(rwbs.column, rwbs.text)?;
        let raw = RawRequest { volume: device.text, ..raw };
        let (place, ends) = ((sector, (count, sectors.place())), matches!(letter, b'C' | b'R'));
        flags.record((rwbs.column, rwbs.text), ends, self.sizes, place, raw)
    }

    /// A command of UFS: `send_req: DEVICE: tag: 7, DB: 0x0, size: 4096, IS: 0, LBA: 8, opcode: 0x28 ...`.
    fn ufs<'a>(&self, mut rest: Cursor<'a>, raw: RawRequest<'a>) -> Result<Record<'a>, LineFault> {
        let (letter, reason) = match rest.word("kind")?.text {
            b"send_req:" | b"send:" => (b'D', SKIPPED_ISSUE),
            b"complete_rsp:" | b"complete:" => (b'C', SKIPPED_COMPLETION),
            _ => return Ok(Record::Skipped(SKIPPED_UFS)),
        };
        let Some(role) = self.action.role(letter) else {
            return Ok(Record::Skipped(reason));
        };
        let device = rest.word("device")?;
        let volume = device.text.strip_suffix(b":").ok_or_else(|| device.fault("a device and a colon"))?;
        let raw = RawRequest { volume, ..raw };
        let value = |name: &'static str| rest.value_of(name).ok_or_else(|| rest.cut_short(name));
        let opcode = value("opcode")?;
        let opcode = opcode.listed().unwrap_or(opcode);
        let op = match opcode.number("an opcode of SCSI")? {
            0x08 | 0x28 | 0x88 => HostOp::Read,
            0x0a | 0x2a | 0x8a => HostOp::Write,
            0x42 => HostOp::Trim,
            0x35 | 0x91 => return Ok(Record::Request(raw).of_event(role)),
            _ => return Ok(Record::Skipped(SKIPPED_PASS_THROUGH)),
        };
        let (lba, size) = (value("LBA")?.listed()?, value("size")?.listed()?);
        if size.text == b"-1" && matches!(opcode.text, b"0x88" | b"0x8a") {
            return Ok(Record::Skipped(SKIPPED_UNTOLD));
        }
        let size_bytes = size.number(SIZE)?;
        // Kernels from 6.3 tell it, from 6.7 a SCSI address; LBA had come to count logical blocks long
        // before, and those of UFS have 4 KiB.
        let is_new = rest.value_of("hwq_id").is_some() || volume.contains(&b':');
        let unit_bytes = match (is_new, self.lba_bytes) {
            (true, _) => 4096,
            (false, Some(bytes)) => bytes,
            (false, None) => {
                let allowed = "known without hwq_id in the line: it counts 512 bytes in kernels up to 5.13 and 4096 later; ufs_lba_bytes = 512 or 4096 says which";
                return Err(lba.fault(allowed));
            }
        };
        let first = lba.number("a block number from 0 whose bytes fit 64 bits")?.checked_mul(unit_bytes);
        let first = first.ok_or_else(|| lba.fault("a block number from 0 whose bytes fit 64 bits"))?;
        let extent = self.sizes.extent_of_bytes((first, lba.place()), (size_bytes, size.place()))?;
        let hint = match rest.value_of("group_id") {
            Some(group) => {
                let group = group.listed().unwrap_or(group);
                u8::try_from(group.number(GROUP)?).map_err(|_| group.fault(GROUP))?
            }
            None => 0,
        };
        Ok(Record::transfer(RawRequest { op, hint, ..raw }, extent).of_event(role))
    }
}

impl RecordParser for Ftrace {
    fn record<'a>(&mut self, line: &'a [u8]) -> Result<Record<'a>, LineFault> {
        let Some(event) = LineEvent::of(line) else {
            return self.beside(line).map(Record::Skipped);
        };
        self.begun = true;
        let Some(&(_, letter, reason)) = EVENTS.iter().find(|(name, ..)| *name == event.name) else {
            return Ok(Record::Skipped(SKIPPED_EVENT));
        };
        let role = self.action.role(letter);
        if role.is_none() && event.name != UFS {
            return Ok(Record::Skipped(reason));
        }
        let time = event.unit_ns.and_then(|unit_ns| decimal_time(event.time.text, unit_ns));
        let ScannedTime { at_ns, rounded } = time.ok_or_else(|| {
            event.time.fault("a time in seconds with a fraction, or in us (clocks such as counter or x86-tsc tell no unit)")
        })?;
        let raw = RawRequest { rounded_to_ns: rounded, ..RawRequest::new(at_ns, HostOp::Flush, b"") };
        match role {
            None => self.ufs(event.fields, raw),
            Some(role) => Ok(self.block(letter, event.fields, raw)?.of_event(role)),
        }
    }
}

impl Ftrace {
    /// Why a line without an event is left out.
    fn beside(&self, line: &[u8]) -> Result<&'static str, LineFault> {
        let line = uninterrupted(line);
        if is_ellipsis(line) {
            return Ok(SKIPPED_ELLIPSIS);
        }
        let mut words = Cursor::new(line);
        let Some(first) = words.next() else {
            return Ok(SKIPPED_EMPTY);
        };
        // What a dump of the kernel's buffer lies between, mostly behind a time of the log.
        let is_rule = line.trim_ascii_end().ends_with(b"----------");
        let is_known = |word: Word<'_>| {
            let name = word.text.strip_suffix(b":").and_then(|name| name.rsplit(|&byte| byte == b':').next());
            name.is_some_and(|name| EVENTS.iter().any(|(known, ..)| *known == name))
        };
        let unknown = || LineFault::Unknown { text: line.to_vec(), expected: LINE.to_owned() };
        if words.clone().any(is_known) {
            return Err(unknown());
        }
        if first.text.starts_with(b"CPU:")
            && words.any(|word| word.text.ends_with(b"EVENTS]") || word.text.ends_with(b"DROPPED]"))
        {
            return Ok(SKIPPED_LOST);
        }
        let stack = line.starts_with(b" ") || line.starts_with(b"\t");
        let frame = first.text == b"=>"
            || first.text.starts_with(b"<stack")
            || first.text.iter().all(u8::is_ascii_hexdigit);
        let note = [b"#", b"CPU" as &[u8], b"cpus=", b"version", b"Ending"]
            .iter()
            .any(|note| first.text.starts_with(note));
        match !self.begun || note || is_rule || stack && frame {
            true => Ok(SKIPPED_NOTE),
            false => Err(unknown()),
        }
    }
}

/// `major,minor`, as nearly all lines have it; a number where the tool could not print the text.
fn device_name(key: &[u8]) -> String {
    match unsigned(key) {
        Some(device) => format!("{},{}", device >> 20, device & 0xf_ffff),
        None => plain_name(key),
    }
}

#[cfg(test)]
mod tests;
