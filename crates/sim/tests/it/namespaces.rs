//! Volumes side by side never share an address.

use crate::common::*;
use slcache_sim::traces::{TraceOptions, VolumeChoice};
use std::io::Write;

/// Two volumes that write the same addresses.
fn trace() -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    for place in 0..200u64 {
        let (ticks, offset) = (1000 * place, place / 2 % 10 * 4096);
        writeln!(file, "{ticks},h,{},Write,{offset},4096,1", place % 2).unwrap();
    }
    file
}

fn run(volume: VolumeChoice, address: &str) -> Value {
    let file = trace();
    let options = TraceOptions { volume: Some(volume), ..TraceOptions::with_format("msr") };
    let sets = vec![format!("trace.address={address}")];
    let layers = Layers { device: "tiny".into(), scheme: "tlc-only".to_owned(), sets, ..Layers::default() };
    let trace = file.path().to_str().unwrap().into();
    let request = RunRequest { trace, trace_options: options, layers, ..RunRequest::default() };
    execute(&request, &mut |_, _, _| true).unwrap()
}

#[test]
fn each_volume_has_its_own_addresses() {
    for address in ["error", "compact"] {
        let result = run(VolumeChoice::Each, address);
        assert_eq!(result["trace"]["footprint_bytes"], 2 * 10 * 4096, "{address}");
        let namespaces = result["trace"]["namespaces"].as_array().unwrap();
        let place = |stream: usize, key: &str| &namespaces[stream][key];
        assert_eq!((place(0, "volume"), place(1, "volume")), (&"h_0".into(), &"h_1".into()));
        assert_eq!((place(0, "base_bytes"), place(0, "size_bytes")), (&0.into(), &40_960.into()));
        let base = place(1, "base_bytes").as_u64().unwrap();
        assert!((40_960..40_960 + 16_384).contains(&base), "{base}");
    }
}

#[test]
fn merged_volumes_share_theirs() {
    let result = run(VolumeChoice::Merge, "error");
    assert_eq!(result["trace"]["footprint_bytes"], 10 * 4096);
    assert_eq!(result["trace"]["namespaces"], serde_json::json!([]));
}
