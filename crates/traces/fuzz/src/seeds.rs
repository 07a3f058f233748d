//! Valid files, from which fuzzing starts.

use slcache_traces::format_catalogue;
use slcache_traces::workload::{presets, Workload};
use std::collections::BTreeMap;
use std::io::Write;

/// Files of a format, each behind a byte of choices.
pub fn of_reader(format: &str) -> Vec<Vec<u8>> {
    let files = match format {
        "vscsi" => vec![vscsi1(), vscsi2()],
        "blktrace" => vec![blktrace(false), blktrace(true), archive(&blktrace(false))],
        "oracle_general" => vec![objects()],
        _ => vec![lines(format, 1), lines(format, 5)],
    };
    files.iter().flat_map(|file| [0, 0xbf, 0x1f].map(|choices| [&[choices], &file[..]].concat())).collect()
}

/// Files of several formats in every compression.
pub fn of_input() -> Vec<Vec<u8>> {
    let text = lines("msr", 4);
    let plain = [text.clone(), vscsi1(), archive(&blktrace(false))];
    let packed = plain.iter().flat_map(|file| [file.clone(), gzip(file), zstd(file), xz(file), bzip2(file)]);
    let members = [gzip(&text), gzip(&text)].concat();
    packed.chain([members]).map(|file| [&[0], &file[..]].concat()).collect()
}

/// Declared columns with a file of them.
pub fn of_layout() -> Vec<Vec<u8>> {
    let columns = [
        r#"{"time":1,"time_unit":"s","address":2,"address_unit":4096,"size":3,"size_unit":"byte","op":4}"#,
        r#"{"delimiter":"whitespace","header":true,"time":"t","time_unit":"us","address":"a","address_unit":"sector","size":"n","size_unit":"sector","op":"o","ops":{"0":"read","1":"write","2":"trim","3":"flush"},"stream":"v"}"#,
    ];
    let files = ["0.5,1,4096,R\n1.25,2,8192,W\n", "t a n o v\n1 8 8 0 x\n2 16 8 1 x\n3 0 8 2 y\n4 0 0 3 x\n"];
    columns.iter().zip(files).map(|(columns, file)| format!("{columns}\n{file}").into_bytes()).collect()
}

/// The shipped workloads.
pub fn of_workload() -> Vec<Vec<u8>> {
    let load = |name| Workload::load(name, &BTreeMap::new()).expect("a shipped workload loads");
    presets().iter().map(|preset| load(preset.name).canonical().into_bytes()).collect()
}

/// The example of a format of lines, several times.
fn lines(format: &str, count: usize) -> Vec<u8> {
    let example =
        format_catalogue().into_iter().find(|known| known.name == format).map_or("", |known| known.example);
    format!("{example}\n").repeat(count).into_bytes()
}

fn vscsi1() -> Vec<u8> {
    let record = |cmd: u16, time: u64| {
        let mut record: Vec<u8> = [1u32, 4096, 1].iter().flat_map(|number| number.to_le_bytes()).collect();
        record.extend(cmd.to_le_bytes().into_iter().chain(0x100u16.to_le_bytes()));
        record.extend([8, time].iter().flat_map(|number: &u64| number.to_le_bytes()));
        record
    };
    [record(0x2a, 1), record(0x28, 2), record(0x35, 3)].concat()
}

fn vscsi2() -> Vec<u8> {
    let record = |cmd: u16, time: u64| {
        let mut record: Vec<u8> = [cmd, 0x200].iter().flat_map(|number| number.to_le_bytes()).collect();
        record.extend([1u32, 4096, 1].iter().flat_map(|number| number.to_le_bytes()));
        record.extend([8, time, 250].iter().flat_map(|number: &u64| number.to_le_bytes()));
        record
    };
    [record(0x8a, 1), record(0x88, 2)].concat()
}

fn blktrace(big_endian: bool) -> Vec<u8> {
    let record = |time: u64, action: u32, payload: &[u8]| {
        let fields = [
            (0x6561_7407, 4),
            (1, 4),
            (time, 8),
            (8, 8),
            (4096, 4),
            (u64::from(action), 4),
            (1, 4),
            (7 << 20, 4),
            (0, 4),
            (0, 2),
            (payload.len() as u64, 2),
        ];
        let bytes = |&(number, width): &(u64, usize)| match big_endian {
            true => number.to_be_bytes()[8 - width..].to_vec(),
            false => number.to_le_bytes()[..width].to_vec(),
        };
        [fields.iter().flat_map(bytes).collect::<Vec<u8>>(), payload.to_vec()].concat()
    };
    [
        record(0, 1 << 26, b"fsync"),
        record(1, 7 | 1 << 17, b""),
        record(2, 7 | 5 << 16, b""),
        record(3, 8, b""),
    ]
    .concat()
}

fn archive(file: &[u8]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for cpu in 0..2 {
        let mut header = tar::Header::new_ustar();
        header.set_size(file.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append_data(&mut header, format!("sda.blktrace.{cpu}"), file).expect("an archive");
    }
    builder.into_inner().expect("an archive")
}

fn objects() -> Vec<u8> {
    let mut record = [0; 24];
    (record[4], record[13]) = (8, 16);
    record.repeat(3)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).expect("memory")
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}
