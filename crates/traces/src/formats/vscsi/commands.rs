//! SCSI operation codes (SBC-4) as requests.

use slcache_base::request::HostOp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// It is a request.
    Op(HostOp),
    /// It is left out, and why.
    Skipped(&'static str),
}

/// The command of an operation code; `None` when it is none (they are 8 bits).
pub(super) fn command(code: u16) -> Option<Command> {
    let code = u8::try_from(code).ok()?;
    Some(match code {
        // READ(6), (10), (12), (16).
        0x08 | 0x28 | 0xa8 | 0x88 => Command::Op(HostOp::Read),
        // WRITE(6), (10), (12), (16) and WRITE AND VERIFY(10), (12), (16).
        0x0a | 0x2a | 0xaa | 0x8a | 0x2e | 0xae | 0x8e => Command::Op(HostOp::Write),
        // SYNCHRONIZE CACHE(10), (16).
        0x35 | 0x91 => Command::Op(HostOp::Flush),
        0x00 => Command::Skipped("SCSI TEST UNIT READY"),
        0x42 => Command::Skipped("SCSI UNMAP (its ranges are not in the trace)"),
        0x41 | 0x93 => Command::Skipped("SCSI WRITE SAME (its range is not in the trace)"),
        0x7f => Command::Skipped("SCSI command of variable length (what it asks is not in the trace)"),
        _ => Command::Skipped("other SCSI command (no read, write or cache flush)"),
    })
}
