//! Every compression: several members, cut short, damaged, and too hungry.

use crate::it::common::*;

type Pack = fn(&[u8]) -> Vec<u8>;

const PACKS: [(&str, Pack); 4] = [("gzip", gzip), ("zstd", zstd), ("xz", xz), ("bzip2", bzip2)];

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 6);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn all_hold_the_same_requests() {
    let text = msr_lines(20_000);
    let plain = read(text.as_bytes(), &msr());
    assert_eq!((plain.requests.len(), plain.error.is_none()), (20_000, true));
    for (name, pack) in PACKS {
        let outcome = read(&pack(text.as_bytes()), &TraceOptions::default());
        assert!(outcome.error.is_none(), "{name}: {:?}", outcome.error);
        assert_eq!(outcome.requests, plain.requests, "{name}");
    }
}

#[test]
fn several_members_are_one_trace() {
    let text = msr_lines(50);
    let (first, second) = text.split_at(text.len() / 2);
    for (name, pack) in PACKS {
        let members = [pack(first.as_bytes()), pack(b""), pack(second.as_bytes())].concat();
        assert_eq!(read(&members, &msr()).requests.len(), 50, "{name}");
    }
    // Zeros in fours behind a stream of xz are its padding.
    let padded = [xz(first.as_bytes()), vec![0; 8], xz(second.as_bytes())].concat();
    assert_eq!(read(&padded, &msr()).requests.len(), 50);
    // What pzstd puts in front.
    let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4], &zstd(text.as_bytes())[..]].concat();
    assert_eq!(read(&skippable, &msr()).requests.len(), 50);
}

#[test]
fn cut_short_or_damaged() {
    let text = msr_lines(20_000);
    for (name, pack) in PACKS {
        let bytes = pack(text.as_bytes());
        for keep in [bytes.len() - 1, bytes.len() - 9, bytes.len() / 2, 12] {
            let message = message(&bytes[..keep], &msr());
            assert!(message.contains(&format!("the {name} data is truncated")), "{name} {keep}: {message}");
        }
        let mut inside = bytes.clone();
        inside[bytes.len() / 2] ^= 0x55;
        inside[bytes.len() / 2 + 1] ^= 0x55;
        assert!(read(&inside, &msr()).error.is_some(), "{name}: damage goes unseen");
        let trailing = [&bytes[..], b"junk behind the end"].concat();
        let told = message(&trailing, &msr());
        assert!(told.contains(&format!("the {name} data is damaged after line")), "{name}: {told}");
        assert!(message(&pack(b""), &msr()).contains("the file is empty"), "{name}");
    }
    // The line before the damage is told.
    let members = [&gzip(msr_lines(10).as_bytes())[..], &gzip(msr_lines(10).as_bytes())[..20]].concat();
    assert!(message(&members, &msr()).contains("the compressed stream, after line 10"));
}

/// What is unpacked of a damaged stream may be lines of any kind: none of them is blamed.
#[test]
fn a_flipped_bit_is_told_as_damage() {
    let text = msr_lines(5_000);
    // zstd has a checksum only where its writer was asked for one.
    for (name, pack) in PACKS.iter().filter(|(name, _)| *name != "zstd") {
        let bytes = pack(text.as_bytes());
        for part in 1..16 {
            let mut flipped = bytes.clone();
            flipped[20 + (bytes.len() - 28) * part / 16] ^= 1 << (part % 8);
            let message = message(&flipped, &msr());
            let told =
                ["damaged after line", "truncated: it ends"].map(|what| format!("the {name} data is {what}"));
            assert!(told.iter().any(|told| message.contains(told)), "{name} {part}: {message}");
        }
    }
}

/// A frame of zstd (RFC 8878) with one raw block and the given window.
fn zstd_frame(window_log: u8, text: &[u8]) -> Vec<u8> {
    let block = (text.len() as u32) << 3 | 1;
    let header = [0x28, 0xb5, 0x2f, 0xfd, 0, (window_log - 10) << 3];
    [&header, &block.to_le_bytes()[..3], text].concat()
}

/// A stream of xz whose block header asks for another dictionary: 2 or 3 (the
/// lowest bit) times a power of two.
fn xz_with_dictionary(code: u8, text: &[u8]) -> Vec<u8> {
    let mut bytes = xz(text);
    let (start, dictionary) = (12, 16);
    let end = start + (usize::from(bytes[start]) + 1) * 4;
    bytes[dictionary] = code;
    let mut crc = flate2::Crc::new();
    crc.update(&bytes[start..end - 4]);
    bytes[end - 4..end].copy_from_slice(&crc.sum().to_le_bytes());
    bytes
}

#[test]
fn memory_of_128_mib_is_taken_and_more_refused() {
    let text = msr_lines(100);
    for (fits, beyond) in [
        (zstd_frame(27, text.as_bytes()), zstd_frame(28, text.as_bytes())),
        (xz_with_dictionary(30, text.as_bytes()), xz_with_dictionary(31, text.as_bytes())),
    ] {
        let outcome = read(&fits, &msr());
        assert!(outcome.error.is_none(), "{:?}", outcome.error);
        assert_eq!(outcome.requests.len(), 100);
        let message = message(&beyond, &msr());
        assert!(message.contains("takes too much memory"), "{message}");
    }
}
