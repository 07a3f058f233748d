//! Data placed at their first read, while operations on the same blocks are in flight.

use crate::it::common::restart::again;
use crate::it::common::*;

const MU: u64 = 4096;

/// What a read of a page takes whose program waits behind another, after data from before time 0 have
/// been placed behind it in the same block.
fn read_of_a_waiting_page_ns(inflight_read: InflightRead) -> u64 {
    let mut device = device(pool(1, 1, 15, 8, MU as u32), 100 * MU);
    device.inflight_read = inflight_read;
    let mut setup = setup(device, "tlc-only");
    setup.trace.prefill = Prefill::OnRead;
    let mut sim = Simulation::new(&setup).unwrap();
    sim.keep_log();
    let requests = [
        request(0, HostOp::Write, 0, MU),
        request(1000, HostOp::Write, MU, MU),
        request(2000, HostOp::Read, 5 * MU, MU),
        request(3000, HostOp::Read, MU, MU),
    ];
    sim.feed(&requests).unwrap();
    sim.finish().unwrap();
    sim.log().iter().find(|(r, _)| *r == requests[3]).unwrap().1
}

#[test]
fn a_read_does_not_pass_the_program_of_its_data() {
    let (program, read) = (100 + 4096 + 800_000, 100 + 60_000 + 10 + 4096);
    assert_eq!(read_of_a_waiting_page_ns(InflightRead::Wait), 2 * program + 2 * read - 3000);
    assert_eq!(read_of_a_waiting_page_ns(InflightRead::Buffer), 0);
}

/// Wordlines programmed in one shot of which some pages were placed at a read, first, last or between: those
/// cost nothing by themselves, but the program is one, with all of its pulse.
#[test]
fn a_wordline_with_old_data_in_it_is_counted_as_one_program() {
    let mut flash = pool(1, 1, 40, 8, MU as u32);
    flash.tlc.as_mut().unwrap().program = ProgramRule::OneShot;
    let mut setup = setup(device(flash, 200 * MU), "tlc-only");
    setup.trace.prefill = Prefill::OnRead;
    let (_, report) = ended(&setup, &random(400, 200 * MU, 1, 0.5, 5e5, 1));
    let (mut programs, mut pages, mut written, mut us) = (0, 0, 0, 0.0);
    for row in report.flash.ops.iter().filter(|row| row.kind == "program") {
        (programs, pages, us) = (programs + row.count, pages + row.pages, us + row.time_us);
        written += if row.cause == "pad" { 0 } else { row.pages };
    }
    assert!(3 * programs > pages + 20, "{pages} pages in {programs} wordlines: hardly any has old data");
    let expected = 800.1 * programs as f64 + 4.096 * written as f64;
    assert!((us - expected).abs() < 1e-6 * expected, "{us} us for {programs} programs, not {expected}");
}

/// A full device is read, trimmed and read again: what was trimmed is gone, also of a page of which a part is
/// left, and in a state that was saved in between.
#[test]
fn a_trim_takes_old_data_for_good() {
    const PAGE: u64 = 4 * MU;
    const GAP_NS: u64 = 100_000_000;
    for entry in CATALOG.iter().filter(|entry| !entry.on_disk) {
        let mut setup = small(entry.name);
        setup.trace.prefill = Prefill::OnRead;
        let pages = setup.device.user_bytes / PAGE;
        let mut at_ns = 0;
        let mut each = |op, at: u64, bytes: u64| {
            let of = |page| {
                at_ns += GAP_NS;
                request(at_ns, op, page * PAGE + at, bytes)
            };
            (0..pages).map(of).collect::<Vec<_>>()
        };
        // One unit of each page is trimmed before anything was read, one after.
        let first = [
            each(HostOp::Trim, 0, MU),
            each(HostOp::Read, 0, MU),
            each(HostOp::Read, 0, PAGE),
            each(HostOp::Trim, MU, MU),
        ];
        let (sim, report) = ended(&setup, &first.concat());
        assert_eq!(report.host.unmapped_reads, pages, "{}", entry.name);
        assert_eq!(sim.media().mapped(), 2 * pages, "{}", entry.name);
        let mut restored = again(&setup, &sim);
        let then = [each(HostOp::Read, 0, 2 * MU), each(HostOp::Write, 0, MU), each(HostOp::Read, 0, MU)];
        restored.feed(&then.concat()).unwrap();
        assert_eq!(restored.finish().unwrap().host.unmapped_reads, pages, "{}", entry.name);
        assert_eq!(restored.media().mapped(), 3 * pages, "{}", entry.name);
        restored.audit().unwrap();
    }
}

#[test]
fn the_table_of_what_was_trimmed_is_in_the_memory_that_a_device_is_said_to_need() {
    let mut setup = small("baseline");
    let without = setup.memory().tables_bytes;
    setup.trace.prefill = Prefill::OnRead;
    let pages = setup.device.user_bytes / u64::from(setup.device.piece_bytes());
    assert_eq!(setup.memory().tables_bytes, without + 4 * pages);
}
