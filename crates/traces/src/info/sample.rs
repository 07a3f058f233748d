//! Which keys are looked at where not all of them fit in memory.

/// Whether a key belongs to a sample of one in `1 << bits`. A larger `bits`
/// takes a part of the smaller one's sample.
pub(super) fn is_sampled(key: u64, bits: u32) -> bool {
    // The finaliser of SplitMix64: neighbouring keys get unrelated hashes.
    let key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (key ^ (key >> 31)).trailing_zeros() >= bits
}

/// The key of a place in a stream. Places of two streams may share one, which
/// only makes them sampled together.
pub(super) fn place_key(stream: u16, place: u64) -> u64 {
    place ^ u64::from(stream) << 48
}
