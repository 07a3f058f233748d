//! The bound of a trace on a device.

use crate::common::*;
use slcache_sim::bounds;

/// Sectors of one of tiny's mapping units.
const UNIT: u64 = 8;

#[test]
fn a_trim_ends_what_it_covers_whole() {
    for offset in 0..2 * UNIT {
        for width in 1..=2 * UNIT {
            let text = format!("time,op,address,size\n0,write,0,{}\n1,trim,{offset},{width}\n", 4 * UNIT);
            let file = file(&text, ".csv");
            let request = RunRequest {
                trace: file.path().to_str().unwrap().into(),
                trace_options: by_sectors(),
                layers: layers("tiny", "baseline", &[]),
                ..RunRequest::default()
            };
            let found = bounds(&request, &[4], &mut |_, _, _| true).unwrap();
            let covered = (offset.div_ceil(UNIT)..(offset + width) / UNIT).count() as u64;
            let row = &found.sizes[0];
            assert_eq!(found.versions, 4);
            assert_eq!(row.least, 0);
            assert_eq!(row.least_drained, 4 - covered, "{width} sectors from {offset} on");
        }
    }
}
