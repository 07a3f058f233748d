use super::*;
use crate::formats::lines::tests::{below, below_with};
use crate::formats::rwbs::SKIPPED_FLUSH_END;

fn options(action: BlkparseAction) -> TraceOptions {
    TraceOptions { action, rebase: Some(false), ..TraceOptions::default() }
}

fn parsed(action: BlkparseAction, line: &str) -> Result<RawRequest<'static>, String> {
    below_with(&FORMAT, &options(action), &["# tracer: nop", "cpus=4"], line)
}

fn issued(line: &str) -> Result<RawRequest<'static>, String> {
    parsed(BlkparseAction::D, line)
}

#[test]
fn one_request_however_the_tool_prints_it() {
    let expected = RawRequest::plain(200_000_006_000, (4096, 8), HostOp::Write, b"259,0");
    let fields = "block_rq_issue: 259,0 WS 4096 () 4096 + 8";
    for line in [
        format!("          writer-901     [001] .....   200.000006: {fields} none,0,0 [writer]"),
        format!("          writer-901     [001] d... 200.000006: {fields} [writer]"),
        format!("          writer-901   (  901) [001] d..1   200.000006: {fields} [writer]"),
        format!("           <...>-901     [001]   200.000006000: {fields} be,0,4 [a [b] c: d]"),
        format!("          writer-901     [001]   200.000006: (+12)   {fields} [writer]"),
        format!("  writer-901     1d..1 200000006us+: {fields} [writer]"),
        format!("  writer-901     1d..1 200000006us : {fields} [writer]"),
        format!("writer   901 [001]   200.000006: block:{fields} none,0,0 [writer]"),
        format!("Web: [x] 7  901/902 [001]   200.000006:          1 block:{fields} [Web: [x] 7]\r"),
        format!("writer 901 200.000006: {fields} [writer]"),
        format!("   200.000006: block:{fields} [writer]"),
    ] {
        assert_eq!(issued(&line), Ok(expected), "{line}");
    }
    let unformatted = "writer-901 [001] 200.000006: block_rq_issue: [FAILED TO PARSE] dev=271581184 sector=4096 nr_sector=8 bytes=4096 ioprio=0 rwbs=WS comm=a b cmd=";
    assert_eq!(issued(unformatted), Ok(RawRequest { volume: b"271581184", ..expected }));
    assert_eq!((device_name(b"271581184"), device_name(b"8,0")), ("259,0".to_owned(), "8,0".to_owned()));
}

#[test]
fn each_event_can_be_the_request() {
    let complete = "<idle>-0 [001] d.h1. 200.000050: block_rq_complete: 259,0 WS () 4096 + 8 none,0,0 [0]";
    let queued = "writer-901 [001] ..... 200.000002: block_bio_queue: 259,0 WS 4096 + 8 [writer]";
    let expected = RawRequest::plain(200_000_050_000, (4096, 8), HostOp::Write, b"259,0");
    assert_eq!(parsed(BlkparseAction::C, complete), Ok(expected));
    assert_eq!(parsed(BlkparseAction::Q, queued), Ok(RawRequest { at_ns: 200_000_002_000, ..expected }));
    assert_eq!(issued(complete).unwrap_err(), SKIPPED_COMPLETION);
    assert_eq!(issued(queued).unwrap_err(), SKIPPED_QUEUE);
    assert_eq!(issued("a-1 [0] 1.5: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=2").unwrap_err(), SKIPPED_EVENT);
    assert_eq!(issued("a-1 [0] 1.5: vfs_read <-ksys_read").unwrap_err(), SKIPPED_EVENT);
}

#[test]
fn what_is_asked() {
    let asked = |fields: &str| issued(&format!("a-1 [000] d... 1.0: block_rq_issue: 8,0 {fields} [a]"));
    assert_eq!(asked("DS 65536 () 16384 + 128").unwrap().op, HostOp::Trim);
    assert_eq!(asked("FF 0 () 0 + 0").unwrap().op, HostOp::Flush);
    assert_eq!(asked("FWS 0 () 18446744073709551615 + 0 none,0,0").unwrap().op, HostOp::Flush);
    let durable = asked("WFSU 16384 () 768 + 32").unwrap();
    assert_eq!((durable.op, durable.forced_unit_access), (HostOp::Write, true));
    assert_eq!(asked("WZS 40960 () 8192 + 80").unwrap().op, HostOp::Write);
    assert_eq!(asked("N 36 (12 00 00 00 24 00) 0 + 0").unwrap_err(), SKIPPED_PASS_THROUGH);
    assert_eq!(asked("R 18 (03 00 00 00 12 00) 0 + 0").unwrap_err(), SKIPPED_PASS_THROUGH);
    assert!(asked("ZR 0 () 524288 + 0").unwrap_err().starts_with("zone management"));
}

#[test]
fn commands_of_ufs() {
    let line = |kind: &str, rest: &str| {
        format!("   kworker/u17:2-7053    [000] ..... 400.001000: ufshcd_command: {kind}: 1d84000.ufshc: tag: 49, DB: 0x0, {rest}")
    };
    let write = "size: 12288, IS: 0, LBA: 15628, opcode: 0x2a (WRITE_10), group_id: 0x11, hwq_id: 0";
    let plain = RawRequest::plain(400_001_000_000, (15_628 * 8, 24), HostOp::Write, b"1d84000.ufshc");
    let expected = RawRequest { hint: 0x11, ..plain };
    let ungrouped = line("send_req", write).replace(" group_id: 0x11,", "");
    assert_eq!(issued(&ungrouped), Ok(plain));
    assert_eq!(issued(&line("send_req", write)), Ok(expected));
    assert_eq!(issued(&line("complete_rsp", write)).unwrap_err(), SKIPPED_COMPLETION);
    assert_eq!(parsed(BlkparseAction::C, &line("complete_rsp", write)), Ok(expected));
    let by_unit = issued(&line("send_req", write).replace("1d84000.ufshc", "0:0:0:3")).unwrap();
    assert_eq!(by_unit.volume, b"0:0:0:3");
    let flush = "size: -1, IS: 0, LBA: 0, opcode: 0x35 (SYNC), group_id: 0x0, hwq_id: 0";
    assert_eq!(issued(&line("send_req", flush)).unwrap().op, HostOp::Flush);
    let other = "size: -1, IS: 0, LBA: 0, opcode: 0x0, group_id: 0x0, hwq_id: 0";
    assert_eq!(issued(&line("send_req", other)).unwrap_err(), SKIPPED_PASS_THROUGH);
    for opcode in ["0x88 (READ_16)", "0x8a (WRITE_16)"] {
        let untold =
            format!("size: -1, IS: 0, LBA: 18446744073709551615, opcode: {opcode}, group_id: 0x0, hwq_id: 0");
        assert_eq!(issued(&line("send_req", &untold)).unwrap_err(), SKIPPED_UNTOLD);
    }
    let trim = "size: 8192, IS: 0, LBA: 2, opcode: 0x42 (UNMAP), group_id: 0x0, hwq_id: 0";
    assert_eq!(
        issued(&line("send_req", trim)).map(|raw| (raw.op, raw.sector, raw.sectors)),
        Ok((HostOp::Trim, 16, 16))
    );
    for (rest, expected) in [
        (write.replace("15628", "-8"), "column 17 (LBA): \"-8\""),
        (write.replace("12288", "-1"), "column 13 (size): \"-1\""),
        (write.replace("12288", "100"), "column 13 (size): 100 bytes is not a multiple of 512"),
        (write.replace("0x2a", "write"), "column 19 (opcode): \"write\""),
        (
            write.replace("0x11", "0x100"),
            "column 22 (group_id): \"0x100\" is not a group number from 0 to 255",
        ),
        (write.replace("LBA: 15628, ", ""), "expected LBA in it"),
    ] {
        let message = issued(&line("send_req", &rest)).unwrap_err();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn what_a_block_of_ufs_is_is_not_guessed() {
    let line = "a-1 [000] 1.0: ufshcd_command: send_req: 1d84000.ufshc: tag: 1, DB: 0x1, size: 4096, IS: 0, LBA: 16, opcode: 0x28 (READ_10), group_id: 0x0";
    assert!(issued(line).unwrap_err().contains("column 16 (LBA): \"16\" is not known without hwq_id"));
    for (bytes, sector) in [(512, 16), (4096, 128)] {
        let options = TraceOptions { ufs_lba_bytes: Some(bytes), ..options(BlkparseAction::D) };
        assert_eq!(below_with(&FORMAT, &options, &[], line).map(|raw| raw.sector), Ok(sector));
    }
    let by_unit = line.replace("1d84000.ufshc", "0:0:0:4");
    assert_eq!(issued(&by_unit).map(|raw| raw.sector), Ok(128));
    let options = TraceOptions { ufs_lba_bytes: Some(1024), ..TraceOptions::default() };
    assert!(Ftrace::new(&options).err().unwrap().to_string().contains("512 or 4096"));
}

#[test]
fn the_end_of_a_flush_is_not_the_flush() {
    let line = |fields: &str| format!("a-0 [007] ..s. 19654.923562: block_rq_complete: {fields}");
    for sector in [0, 2_100_864, u64::MAX] {
        let flush = parsed(BlkparseAction::C, &line(&format!("8,0 FF () {sector} + 0 [0]")));
        assert_eq!(flush.unwrap().op, HostOp::Flush);
        let end = parsed(BlkparseAction::C, &line(&format!("8,0 WS () {sector} + 0 [-5]")));
        assert_eq!(end.unwrap_err(), SKIPPED_FLUSH_END);
    }
    let issue = "a-0 [007] 1.5: block_rq_issue: 8,0 WFS 0 () 2100864 + 0 [a]";
    assert!(issued(issue).unwrap_err().contains("of size 0"));
}

#[test]
fn lines_beside_the_events() {
    let event = FORMAT.example;
    let mut parser = Ftrace::new(&TraceOptions::default()).unwrap();
    assert_eq!(parser.record(b"anything"), Ok(Record::Skipped(SKIPPED_NOTE)));
    assert!(matches!(parser.record(event.as_bytes()), Ok(Record::Request(_))));
    for (line, expected) in [
        ("", SKIPPED_EMPTY),
        ("#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION", SKIPPED_NOTE),
        ("##### CPU 2 buffer started ####", SKIPPED_NOTE),
        ("CPU:2 [LOST 12 EVENTS]", SKIPPED_LOST),
        ("CPU:2 [LOST EVENTS]", SKIPPED_LOST),
        ("CPU:1 [12 EVENTS DROPPED]", SKIPPED_LOST),
        ("CPU 3 is empty", SKIPPED_NOTE),
        ("cpus=4", SKIPPED_NOTE),
        ("\tffffffff8153a2c1 blk_mq_start_request+0x81 ([kernel.kallsyms])", SKIPPED_NOTE),
        (" => blk_mq_start_request", SKIPPED_NOTE),
        (" <stack trace>", SKIPPED_NOTE),
        ("[  203.000030] ---------------------------------", SKIPPED_NOTE),
        ("^C", SKIPPED_EMPTY),
        ("Ending tracing...", SKIPPED_NOTE),
        ("[...]", SKIPPED_ELLIPSIS),
    ] {
        assert_eq!(parser.record(line.as_bytes()), Ok(Record::Skipped(expected)), "{line}");
    }
    for line in [
        "anything",
        "writer-901 [001] d... 100.0001",
        "writer-901 [001] block_rq_issue: 8,0 W 0 () 8 + 8 [a]",
    ] {
        let message = parser.record(line.as_bytes()).unwrap_err().to_string();
        assert!(message.contains("not a line of this format"), "{line}: {message}");
    }
}

#[test]
fn bad_fields_are_named() {
    let line = |time: &str, fields: &str| format!("writer-901 [001] d... {time}: block_rq_issue: {fields}");
    for (time, fields, expected) in [
        ("12345", "8,0 W 0 () 8 + 8 [a]", "column 4 (time): \"12345\" is not a time in seconds"),
        ("99999999999999.0", "8,0 W 0 () 8 + 8 [a]", "column 4 (time)"),
        ("1.0", "8-0 W 0 () 8 + 8 [a]", "column 6 (device): \"8-0\""),
        ("1.0", "8,0 Q 0 () 8 + 8 [a]", "column 7 (RWBS): \"Q\""),
        ("1.0", "8,0 FF 0 () 8 + 8 [a]", "column 7 (RWBS): \"FF\""),
        ("1.0", "8,0 W x () 8 + 8 [a]", "column 8 (bytes): \"x\""),
        ("1.0", "8,0 W 0 8 + 8 [a]", "column 9 (command): \"8\""),
        ("1.0", "8,0 W 0 () -8 + 8 [a]", "column 10 (sector): \"-8\""),
        ("1.0", "8,0 W 0 () 8 - 8 [a]", "column 11 (+): \"-\""),
        ("1.0", "8,0 W 0 () 8 + 8k [a]", "column 12 (sectors): \"8k\""),
        ("1.0", "8,0 W 0 () 8 + 0 [a]", "column 12 (sectors): a request of size 0"),
        ("1.0", "8,0 W 0 () 8 + 80", "expected [task] or [error] in it"),
        ("1.0", "8,0 W 0 () 8", "expected + in it"),
        ("1.0", "[FAILED TO PARSE] dev=8388608 sector=x nr_sector=8 rwbs=W", "column 10 (sector): \"x\""),
        ("1.0", "[FAILED TO PARSE] dev=8388608 sector=8 nr_sector=8", "expected rwbs in it"),
    ] {
        let message = below(&FORMAT, &[], &line(time, fields)).unwrap_err();
        assert!(message.contains(expected), "{fields}: {message}");
    }
}
