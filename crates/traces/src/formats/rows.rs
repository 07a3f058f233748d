//! The formats of which the columns say all: a row each.

use super::columns::{column, Codes, Columns, Header, Holds, Split, Units, LETTERS, ONE_IS_READ};
use super::lines::LineFormat;
use super::volume_names::VolumeNames;
use super::{Detection, Format};

const MICROSECOND_NS: u64 = 1000;
const SECOND_NS: u64 = 1_000_000_000;
/// Nanoseconds in a tick of Windows file time.
const TICK_NS: u64 = 100;
const WORDS: Codes = Codes { reads: &["Read"], writes: &["Write"] };
/// Letters in either case.
const ANY_CASE: Codes = Codes { reads: &["r", "R"], writes: &["w", "W"] };
const ZERO_IS_READ: Codes = Codes { reads: &["0"], writes: &["1"] };
/// The flag of DiskSim that a read has.
const READ: u32 = 1;

/// A format by its columns, with the type that its reader is built for.
macro_rules! row {
    ($(#[$doc:meta])* $name:ident, $of:ident { $($said:tt)* } { $($columns:tt)* }) => {
        #[derive(Default)]
        struct $of;

        impl LineFormat for $of {
            const COLUMNS: &'static Columns = &Columns { $($columns)* };
        }

        $(#[$doc])*
        pub(super) const $name: Format = Format { $($said)* ..Format::lines::<$of>() };
    };
}

row! {
    /// MSR Cambridge traces (SNIA IOTTA block-io/387):
    /// `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`.
    ///
    /// Timestamp and ResponseTime are Windows file times (100 ns ticks, the former
    /// since 1601); Offset and Size are bytes. A volume is a host with a disk.
    MSR, Msr {
        name: "msr",
        about: "MSR Cambridge csv: file time in 100 ns ticks, host and disk (volume), Read/Write, offset and size in bytes",
        example: "128166385295514663,hm,0,Write,9056014336,2048,2833",
        extensions: &["csv"],
    }
    {
        split: Split::BareCommas,
        header: Header::Maybe,
        units: Units::Bytes,
        volumes: VolumeNames::HostAndDisk,
        columns: &[
            column("Timestamp", Holds::Ticks(TICK_NS), "a file time in 100 ns ticks (a whole number up to 184467440737095516)"),
            column("Hostname", Holds::VolumeText, "a host name"),
            column("DiskNumber", Holds::Volume, "a disk number from 0"),
            column("Type", Holds::Op(WORDS), "Read or Write"),
            column("Offset", Holds::Address, "a whole number of bytes from 0 to 2^64 - 1"),
            column("Size", Holds::Size, "a positive number of bytes"),
            column("ResponseTime", Holds::ResponseTicks(TICK_NS), "a response time of at most 2^64 - 1 ns, in whole ticks"),
        ],
    }
}

row! {
    /// SPC traces, among them the UMass Financial and WebSearch traces:
    /// `ASU,LBA,Size,Opcode,Timestamp` and optional fields behind them.
    ///
    /// SPC Trace File Format Specification, revision 1.0.1: the logical block
    /// address counts blocks of the application storage unit (ASU), which is a
    /// volume here; Size is in bytes and need not be a multiple of 512; Opcode is
    /// R or W in either case; Timestamp is in seconds from the start of the trace;
    /// fields may be surrounded by blanks. The size of a block is not in the file;
    /// it is 512 bytes in the UMass traces.
    SPC, Spc {
        name: "spc",
        about: "SPC / UMass csv: ASU (volume), address in 512 B blocks, size in bytes, R/W, seconds",
        example: "0,303567,3584,w,0.026214",
        extensions: &["spc"],
        rebases: false,
    }
    {
        split: Split::CommasOrMore,
        header: Header::Never,
        units: Units::SectorAndBytes,
        volumes: VolumeNames::Number,
        columns: &[
            column("ASU", Holds::Volume, "an application storage unit: a whole number from 0"),
            column("LBA", Holds::Address, "a block number from 0 to 2^64 - 1"),
            column("Size", Holds::Size, "a number of bytes from 0 to 2^64 - 1"),
            column("Opcode", Holds::Op(ANY_CASE), "R or W (or r or w)"),
            column("Timestamp", Holds::Seconds, "a time in seconds, in digits with at most one point"),
        ],
    }
}

row! {
    /// Alibaba Cloud block traces of 2020:
    /// `device_id,opcode,offset,length,timestamp`.
    ///
    /// README of alibaba/block-traces: opcode is R or W, offset and length are
    /// bytes, the timestamp is Unix time in microseconds. A volume is a device.
    ALICLOUD, Alicloud {
        name: "alicloud",
        about: "Alibaba Cloud 2020 csv: device (volume), R/W, offset and length in bytes, Unix microseconds",
        example: "419,W,8792731648,16384,1577808144360767",
        extensions: &["csv"],
    }
    {
        split: Split::Commas,
        header: Header::Maybe,
        units: Units::Bytes,
        volumes: VolumeNames::Number,
        columns: &[
            column("device_id", Holds::Volume, "a device number from 0"),
            column("opcode", Holds::Op(LETTERS), "R or W"),
            column("offset", Holds::Address, "a whole number of bytes from 0 to 2^64 - 1"),
            column("length", Holds::Size, "a positive number of bytes"),
            column("timestamp", Holds::Ticks(MICROSECOND_NS), "a Unix time in microseconds (a whole number up to 18446744073709551)"),
        ],
    }
}

row! {
    /// Tencent Cloud Block Storage traces of 2018 (SNIA IOTTA parallel/28064):
    /// `Timestamp,Offset,Size,IOType,VolumeID`.
    ///
    /// README of the distribution: Timestamp is Unix time in whole seconds, Offset
    /// and Size count sectors of 512 bytes, IOType 0 is a READ and 1 a WRITE. That
    /// is the other way round than in MQSim, SSDsim and DiskSim files, so the format
    /// is never told from the content. `coarse_time = "spread"` spreads the requests
    /// of a second over it.
    TENCENT, Tencent {
        name: "tencent",
        about: "Tencent CBS 2018 csv: whole Unix seconds, 512 B sector, sectors, 0 = read / 1 = write, volume",
        example: "1538323199,13896880,128,0,1063",
        extensions: &["csv"],
        detection: Detection::MustBeNamed,
    }
    {
        split: Split::Commas,
        header: Header::Maybe,
        units: Units::Sectors,
        volumes: VolumeNames::Number,
        columns: &[
            column("Timestamp", Holds::Ticks(SECOND_NS), "a Unix time in whole seconds, up to 18446744073"),
            column("Offset", Holds::Address, "a sector number from 0 to 2^64 - 1"),
            column("Size", Holds::Size, "a positive number of sectors"),
            column("IOType", Holds::Op(ZERO_IS_READ), "0 (read) or 1 (write)"),
            column("VolumeID", Holds::Volume, "a volume number from 0"),
        ],
    }
}

row! {
    /// Fujitsu K5 cloud traces (SNIA IOTTA parallel/26930):
    /// `ID,Timestamp,Type,Offset,Length`.
    ///
    /// README of the distribution: ID is the virtual storage volume, Timestamp the
    /// seconds since the first request of all files, Type R or W, Offset and Length
    /// are bytes. Times are kept as given, since the volumes of a data set lie in
    /// files of their own and share their time 0.
    K5CLOUD, K5cloud {
        name: "k5cloud",
        about: "Fujitsu K5 cloud csv: volume, seconds, R/W, offset and length in bytes",
        example: "1283,3.000012,W,42932745216,65536",
        extensions: &["csv"],
        rebases: false,
    }
    {
        split: Split::Commas,
        header: Header::Maybe,
        units: Units::Bytes,
        volumes: VolumeNames::Number,
        columns: &[
            column("ID", Holds::Volume, "a volume number from 0"),
            column("Timestamp", Holds::Seconds, "a time in seconds from 0, in digits with at most one point"),
            column("Type", Holds::Op(LETTERS), "R or W"),
            column("Offset", Holds::Address, "a whole number of bytes from 0 to 2^64 - 1"),
            column("Length", Holds::Size, "a positive number of bytes"),
        ],
    }
}

row! {
    /// MobileBlockIOTraces (phones, SYSTOR '24):
    /// `proces,device,rw_flag,sector,size,timestamp` with a header line.
    ///
    /// Read off the published files: the process is a name and sometimes a pid, the
    /// device a number (major shifted left by 20 bits and minor) and the volume
    /// here, rw_flag R or W, the sector and size in 512 bytes, the timestamp in
    /// seconds since boot. `proces` is how the files spell it.
    MOBILEBLOCKIO, MobileBlockIo {
        name: "mobileblockio",
        about: "MobileBlockIO csv (SYSTOR '24): process, device (volume), R/W, 512 B sector, sectors, seconds",
        example: "kworker/u17:3-7403,8388608,R,3103800,32,5218127.730127",
        extensions: &["csv"],
    }
    {
        split: Split::CommasFromEnd,
        header: Header::Usual(&[(1, "process")]),
        units: Units::Sectors,
        volumes: VolumeNames::Number,
        columns: &[
            column("proces", Holds::Unused("-"), "the name of a process"),
            column("device", Holds::Volume, "a device number from 0"),
            column("rw_flag", Holds::Op(LETTERS), "R or W"),
            column("sector", Holds::Address, "a sector number from 0 to 2^64 - 1"),
            column("size", Holds::Size, "a positive number of sectors"),
            column("timestamp", Holds::Seconds, "a time in seconds, in digits with at most one point"),
        ],
    }
}

row! {
    /// SSDsim's ASCII traces: `time device lsn size operation`, separated by blanks.
    ///
    /// readme.txt of SSDsim: time is a whole number of nanoseconds, the logical
    /// sector number and the size count 512-byte sectors, operation 1 is a READ and
    /// 0 a WRITE. SSDsim itself ignores the device number; files made of a trace of
    /// several volumes carry it, so a second one is not merged in silence.
    SSDSIM, Ssdsim {
        name: "ssdsim",
        about: "SSDsim ASCII: time in ns, device (volume), 512 B sector, sectors, 1 = read / 0 = write",
        example: "26214000 1 240840 6 0",
        extensions: &["ascii", "trace", "txt"],
        rebases: false,
        detection: Detection::MustBeNamed,
    }
    {
        split: Split::Blanks,
        header: Header::Never,
        units: Units::Sectors,
        volumes: VolumeNames::Number,
        columns: &[
            column("time", Holds::Ticks(1), "a time in whole nanoseconds from 0 to 2^64 - 1"),
            column("device", Holds::Volume, "a device number from 0"),
            column("lsn", Holds::Address, "a sector number from 0 to 2^64 - 1"),
            column("size", Holds::Size, "a positive number of sectors"),
            column("operation", Holds::Op(ONE_IS_READ), "1 (read) or 0 (write)"),
        ],
    }
}

row! {
    /// DiskSim's ASCII traces: `time device block blocks flags`, separated by blanks.
    ///
    /// disksim_iotrace.c and disksim_reqflags.h: time is in milliseconds with a
    /// fraction, the block number and the count are in 512-byte blocks, flags are
    /// hexadecimal. Bit 0 of the flags set is a READ, clear a WRITE; the other bits
    /// tell a scheduler how urgent a request is and whether it is asynchronous,
    /// and are not used here.
    DISKSIM, Disksim {
        name: "disksim",
        about: "DiskSim ASCII: time in ms, device (volume), 512 B block, blocks, hexadecimal flags (bit 0 set = read)",
        example: "0.221 5 162947904 16 1",
        extensions: &["trace", "ascii", "txt"],
        rebases: false,
        detection: Detection::MustBeNamed,
    }
    {
        split: Split::Blanks,
        header: Header::Never,
        units: Units::Sectors,
        volumes: VolumeNames::Number,
        columns: &[
            column("time", Holds::Milliseconds, "a time in milliseconds, in digits with at most one point"),
            column("device", Holds::Volume, "a device number from 0"),
            column("block", Holds::Address, "a block number from 0 to 2^64 - 1"),
            column("blocks", Holds::Size, "a positive number of blocks"),
            column("flags", Holds::Flags(READ), "hexadecimal flags of at most 32 bits"),
        ],
    }
}

#[cfg(test)]
mod tests;
