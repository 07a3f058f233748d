//! What device files say of themselves, and parts of devices for quick runs.

use crate::common::*;
use slcache_sim::config::scaled;
use slcache_sim::device_facts::device_facts;
use slcache_sim::preset::DRIVES;

#[test]
fn evidence_is_no_part_of_a_run() {
    let marks = "[evidence]\n[evidence.keys]\ndevice = { kind = \"known\", source = \"a page\" }\n";
    let (plain, marked) = (file(DEVICE, ".toml"), file(&format!("{DEVICE}\n{marks}"), ".toml"));
    let config = |file: &tempfile::NamedTempFile| resolved(file.path().to_str().unwrap(), "tlc-only", &[]);
    assert_eq!(config(&plain).to_json(), config(&marked).to_json());
    let facts = json!(device_facts(marked.path().to_str().unwrap()).unwrap());
    assert_eq!(facts["evidence"], json!({ "device": { "kind": "known", "source": "a page" } }));
}

#[test]
fn evidence_is_for_every_key_and_for_no_other() {
    let with = |marks: &str| file_errors(&format!("{DEVICE}\n[evidence.keys]\n{marks}\n"), &[]);
    let known = "{ kind = \"known\", source = \"a page\" }";
    let lines = with(&format!("\"device.pool[0]\" = {known}"));
    let says = |line: &String| line.contains("device.user_bytes: [evidence.keys] does not say");
    assert!(lines.iter().any(says), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("blocks")), "{lines:?}");
    for (marks, told) in [
        (format!("device = {known}\n\"host.link\" = {known}"), "the file does not say host.link"),
        ("device = { kind = \"known\", source = \" \" }".into(), "say where it is from"),
        (
            "device = { kind = \"fitted\", source = \"a log\", low = 2.0, high = 1.0 }".into(),
            "low must not be above high",
        ),
        ("device = { kind = \"guessed\", source = \"a page\" }".into(), "must be one of known"),
    ] {
        let lines = with(&marks);
        assert!(lines.len() == 1 && lines[0].contains(told), "{lines:?}");
    }
}

#[test]
fn a_part_of_a_drive_has_less_of_what_counts_and_all_planes_and_times() {
    for preset in DRIVES {
        let whole = resolve(&layers(preset.name, "client", &[])).unwrap().to_json();
        let content = scaled(&preset.name.into(), 16).unwrap_or_else(|e| panic!("{}: {e:?}", preset.name));
        let part_layers = slcache_sim::Layers {
            device: slcache_sim::DeviceSource::Content(content),
            ..layers(preset.name, "client", &[])
        };
        let config = resolve(&part_layers).unwrap();
        assert_eq!(config.setup().check(), [], "{}", preset.name);
        let part = config.to_json();
        let pool = |json: &serde_json::Value, key: &str| json["device"]["pool"][0][key].clone();
        for key in ["channels", "chips", "planes", "wordlines", "slc", "tlc", "qlc", "bus"] {
            assert_eq!(pool(&whole, key), pool(&part, key), "{} {key}", preset.name);
        }
        let sizes = |json: &serde_json::Value| {
            let client = &json["scheme"]["client"];
            let table = client["dynamic"]["table"][0][1].as_u64().unwrap_or(0);
            let static_blocks = client["static_blocks"].as_u64().unwrap();
            let blocks = pool(json, "blocks").as_u64().unwrap();
            [json["device"]["user_bytes"].as_u64().unwrap(), blocks, table, static_blocks]
        };
        assert_eq!(sizes(&whole), sizes(&part).map(|size| 16 * size), "{}", preset.name);
    }
}

#[test]
fn what_cannot_be_divided_is_an_error_with_its_key() {
    let device = file(DEVICE, ".toml");
    let name = device.path().to_str().unwrap();
    let errors = scaled(&name.into(), 7).unwrap_err();
    let lines: Vec<_> = errors.0.iter().map(ToString::to_string).collect();
    assert!(lines.iter().all(|line| line.contains("cannot be divided by 7 for --scale 1/7")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("device.pool[0].blocks")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("device.user_bytes")), "{lines:?}");
}
