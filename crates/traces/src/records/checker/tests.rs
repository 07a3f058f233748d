use super::*;
use proptest::prelude::*;

/// Where a request is like all others, and where it is at a bound.
fn raw() -> impl Strategy<Value = RawRequest<'static>> {
    let sector = prop_oneof![6 => 0..100u64, 1 => Just(SECTORS_END - 8), 1 => Just(u64::MAX)];
    let late = prop::sample::select(vec![times::TIME_END_NS - 1, times::TIME_END_NS, u64::MAX]);
    let at_ns = prop_oneof![8 => 10..14u64, 1 => 0..20u64, 1 => late];
    let op = prop::sample::select(vec![HostOp::Read, HostOp::Write, HostOp::Trim, HostOp::Flush]);
    let volume = prop::sample::select(vec![&b"0"[..], b"0", b"0", b"1", b"hm,0"]);
    let notes = prop::array::uniform4(prop::bool::weighted(0.1));
    let size = prop_oneof![6 => 1..9u32, 1 => Just(u32::MAX)];
    (at_ns, sector, size, op, volume, notes, any::<Option<u64>>()).prop_map(
        |(at_ns, sector, size, op, volume, [flush, unit, sectors, ns], response_ns)| RawRequest {
            flush_before: flush,
            forced_unit_access: unit,
            rounded_to_sectors: sectors,
            rounded_to_ns: ns,
            response_ns,
            ..RawRequest::plain(at_ns, (sector, size), op, volume)
        },
    )
}

fn options() -> impl Strategy<Value = TraceOptions> {
    let unsorted = prop::sample::select(vec![Unsorted::Error, Unsorted::Keep, Unsorted::Sort(2)]);
    let named = VolumeChoice::Named("0".to_owned());
    let volumes = vec![VolumeChoice::Error, VolumeChoice::Merge, VolumeChoice::Each, named];
    let coarse = prop::sample::select(vec![CoarseTime::Keep, CoarseTime::Keep, CoarseTime::Spread]);
    (unsorted, prop::sample::select(volumes), any::<Option<bool>>(), coarse).prop_map(
        |(unsorted, volume, rebase, coarse_time)| TraceOptions {
            unsorted,
            volume: Some(volume),
            rebase,
            coarse_time,
            ..TraceOptions::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_taken_at_once_is_what_the_whole_way_gives(
        requests in prop::collection::vec(raw(), 1..40),
        options in options(),
        bytes in prop::sample::select(vec![0, u64::MAX - 5000]),
    ) {
        let format = crate::formats::named("msr").unwrap();
        let checker = || {
            let mut checker = format.checker(&options);
            (checker.summary.read_bytes, checker.summary.write_bytes) = (bytes, bytes);
            checker
        };
        let (mut short, mut whole) = (checker(), checker());
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        for raw in &requests {
            let fault = short.accept_request(raw, &mut found);
            prop_assert_eq!(fault, whole.accept_any(raw, &mut expected));
            prop_assert_eq!(&found, &expected);
            short.update_summary(0);
            whole.update_summary(0);
            prop_assert_eq!(short.summary(), whole.summary());
        }
    }
}
