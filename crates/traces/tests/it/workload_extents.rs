//! Twins whose updates repeat extents: figures of space, measured by `trace info`.

use crate::it::common::*;
use crate::it::workload_presets::{assert_met, load, parse};
use slcache_base::request::HostOp;
use std::collections::HashSet;

const SIZES: &str = "mean_write_bytes = \"9KiB\"\nmean_read_bytes = \"12KiB\"\n";

fn text(requests: u64, more: &str) -> String {
    format!(
        r#"[twin]
        of = "x"
        from = "a table"
        requests = {requests}
        write_share = 0.7
        read_skew = 0.9
        update_skew = 0.9
        {more}"#
    )
}

fn twin(requests: u64, more: &str) -> Workload {
    parse(&text(requests, more))
}

#[test]
fn figures_of_space_are_met_together_with_all_others() {
    for more in [
        "update_ratio = 0.8\nrepeated_extent_share = 0.95",
        "update_ratio = 0.8\nrepeated_extent_share = 0.9\nwriters_per_16kib_page = 1.4",
        "update_ratio = 0.5\nrepeated_extent_share = 0.99\nwriters_per_16kib_page = 1.9\nsequential_share = 0.1",
        "update_ratio = 0.9\nrepeated_extent_share = 0.97\nnot_4kib_aligned_share = 0.3\nwriters_per_16kib_page = 1.6",
        "update_ratio = 0.4\nrepeated_extent_share = 0.6\nsequential_share = 0.3",
        "update_ratio = 0.4\nupdate_writes = 15000\nrepeated_extent_share = 0.95\nwriters_per_16kib_page = 1.5",
        "footprint_written_bytes = \"20MiB\"\nfootprint_touched_bytes = \"60MiB\"\nrepeated_extent_share = 0.95",
    ] {
        for seed in [0, u64::MAX] {
            assert_met(&twin(30_000, &format!("{SIZES}{more}")), seed);
        }
    }
}

#[test]
fn short_twins_meet_them_at_any_seed() {
    let sizes = "size_shares_by = \"count\"
        read_sizes = [{ to_bytes = 8192, share = 1 }]
        write_sizes = [{ to_bytes = 4096, share = 6 }, { to_bytes = 16384, share = 4 }]
        update_ratio = 0.5\nsequential_share = 0.1\n";
    for (requests, more) in [
        (200, "repeated_extent_share = 0.8"),
        (1000, "repeated_extent_share = 0.9\nwriters_per_16kib_page = 1.5"),
        (3000, "repeated_extent_share = 0.95\nwriters_per_16kib_page = 1.2"),
    ] {
        let workload = twin(requests, &format!("{sizes}{more}"));
        // Of 200 requests one more or less is more than 1 %.
        let tolerance = if requests < 1000 { 2.0 } else { 1.0 };
        for seed in 0..10 {
            let requests: Vec<_> = workload.generate(seed).collect();
            let (repeated, overwriting) = repeats(&requests);
            let share = workload.spec().twin.as_ref().unwrap().repeated_extent_share.unwrap();
            let (repeated, wanted) = (repeated as f64, overwriting as f64 * share);
            assert!((repeated - wanted).abs() <= tolerance + 0.01 * wanted, "{repeated}, not {wanted}");
        }
        if requests >= 3000 {
            (0..10).for_each(|seed| assert_met(&workload, seed));
        }
    }
}

/// Writes that repeat an extent, among those over pages that were all written before.
fn repeats(requests: &[slcache_base::request::Request]) -> (usize, usize) {
    let (mut pages, mut extents) = (HashSet::new(), HashSet::new());
    let (mut repeated, mut overwriting) = (0, 0);
    for write in requests.iter().filter(|request| request.op == HostOp::Write) {
        let touched = write.sector / 8..write.end_sector().div_ceil(8);
        let extent = (write.sector, write.sectors);
        if touched.clone().all(|page| pages.contains(&page)) {
            overwriting += 1;
            repeated += usize::from(extents.contains(&extent));
        }
        pages.extend(touched);
        extents.insert(extent);
    }
    (repeated, overwriting)
}

#[test]
fn scaled_twins_and_presets_meet_them_too() {
    let figures = "update_ratio = 0.7\nrepeated_extent_share = 0.95\nwriters_per_16kib_page = 1.5\n\
        update_writes = 220000\nsequential_share = 0.05\n";
    let scaled = parse(&format!("requests = 20000\n{}", text(400_000, &format!("{SIZES}{figures}"))));
    (0..3).for_each(|seed| assert_met(&scaled, seed));
    for preset in ["hierarchy-web_0", "ips-hm_0", "hyssd-financial"] {
        let set = [
            ("requests", "40000"),
            ("twin.repeated_extent_share", "0.95"),
            ("twin.writers_per_16kib_page", "1.5"),
        ];
        assert_met(&load(preset, &set), 1);
    }
}

#[test]
fn reads_take_the_extents_that_were_written() {
    let workload = twin(30_000, &format!("{SIZES}update_ratio = 0.8\nrepeated_extent_share = 0.95"));
    let (mut written, mut same, mut reads) = (HashSet::new(), 0, 0);
    for request in workload.generate(1) {
        if request.op == HostOp::Write {
            written.insert((request.sector, request.sectors));
        } else {
            reads += 1;
            same += usize::from(written.contains(&(request.sector, request.sectors)));
        }
    }
    // Sizes that are only read, and reads before the first write of their size, have none.
    assert!(same * 100 > reads * 98, "{same} of {reads}");
}

#[test]
fn what_cannot_be_is_refused_with_what_can() {
    let pages = "size_shares_by = \"count\"\nread_sizes = [{ to_bytes = 4096, share = 1 }]
        write_sizes = [{ to_bytes = 4096, share = 1 }]\nupdate_ratio = 0.8\n";
    let ratio = format!("{SIZES}update_ratio = 0.8\n");
    for (sizes, figures, named) in [
        // A page that was written as such can only be written again as such.
        (pages, "repeated_extent_share = 0.9", "allowed: 1.0000 to 1.0000"),
        (&ratio, "repeated_extent_share = 0.1", "twin.repeated_extent_share: 0.1 conflicts with the sizes"),
        (&ratio, "repeated_extent_share = 1.5", "from 0 to 1"),
        (&ratio, "repeated_extent_share = 0.9\nwriters_per_16kib_page = 5", "from 1."),
        (&ratio, "repeated_extent_share = 0.9\nwriters_per_16kib_page = 0.5", "1 to 32"),
        (&ratio, "writers_per_16kib_page = 1.5", "no meaning without repeated_extent_share"),
        (&ratio, "update_writes = 100", "no meaning without repeated_extent_share"),
        (&ratio, "repeated_extent_share = 0.9\nupdate_writes = 6999", "writes can overwrite"),
        (
            &ratio,
            "repeated_extent_share = 0.95\nwriters_per_16kib_page = 1\nmax_read_bytes = 67108864",
            "max_read_bytes",
        ),
    ] {
        let loaded = Workload::parse("w.toml", &text(10_000, &format!("{sizes}{figures}")), &BTreeMap::new());
        let message = loaded.unwrap_err().to_string();
        assert!(message.contains(named), "{figures}: {message}");
    }
    let requests: Vec<_> = twin(10_000, &format!("{pages}repeated_extent_share = 1")).generate(1).collect();
    assert_eq!(repeats(&requests), (5600, 5600));
}
