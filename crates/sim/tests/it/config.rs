//! Every kind of configuration error, and what it says.

use crate::common::*;

/// As many lines as expected, each with its parts, which `|` divides.
#[track_caller]
fn says(lines: &[String], expected: &[&str]) {
    assert_eq!(lines.len(), expected.len(), "{lines:#?}");
    for (line, parts) in lines.iter().zip(expected) {
        for part in parts.split('|') {
            assert!(line.contains(part), "{part:?} is not in {line:?}");
        }
    }
}

#[test]
fn settings_and_options_win_over_the_file() {
    let layers = Layers {
        device: "tiny".into(),
        scheme: "baseline".to_owned(),
        sets: ["slc_blocks=4", "device.pool[0].blocks=20"].map(str::to_owned).to_vec(),
        seed: Some(9),
        replay: Some("closed:8".to_owned()),
    };
    let json = resolve(&layers).unwrap().to_json();
    assert_eq!(json["scheme"]["baseline"]["slc_blocks"], 4);
    assert_eq!((&json["run"]["seed"], &json["host"]["replay"]), (&9.into(), &"closed".into()));
    assert_eq!((&json["host"]["queue_depth"], &json["device"]["pool"][0]["blocks"]), (&8.into(), &20.into()));
    // Values are TOML or bare words.
    let sets = ["slc.victim=fifo", "device.name=other", "device.user_bytes=1MiB"];
    let json = resolved("tiny", "baseline", &sets).to_json();
    assert_eq!(json["scheme"]["baseline"]["slc"]["victim"], "fifo");
    assert_eq!(
        (&json["device"]["name"], &json["device"]["user_bytes"]),
        (&"other".into(), &(1 << 20).into())
    );
    for set in ["slc.victim={d-choices={d=4}}", "slc.victim.d-choices.d=4"] {
        let json = resolved("tiny", "baseline", &[set]).to_json();
        assert_eq!(json["scheme"]["baseline"]["slc"]["victim"]["d-choices"]["d"], 4, "{set}");
    }
    // An alias is a scheme with a setting.
    let json = resolved("rl-32g", "slc-only", &["device.user_bytes=1MiB"]).to_json();
    assert_eq!(json["scheme"]["tlc-only"]["mode"], "slc");
    // A file has defaults for the other sections too.
    let sections = "[buffer]\nbytes = \"1MiB\"\nfill_on_read = true\n[trace]\naddress = \"wrap\"\n";
    let file = file(&format!("{DEVICE}\n{sections}"), ".toml");
    let json = resolved(file.path().to_str().unwrap(), "tlc-only", &["buffer.bytes=2MiB"]).to_json();
    let buffer = (&json["buffer"]["bytes"], &json["buffer"]["fill_on_read"]);
    assert_eq!((buffer, &json["trace"]["address"]), ((&(2 << 20).into(), &true.into()), &"wrap".into()));
}

#[test]
fn a_problem_is_told_where_its_key_was_said() {
    let wrong = [
        ("slc_blocks=99", "--set slc_blocks=99: scheme.baseline.slc_blocks = 99: must"),
        ("device.pool[0].blocks=5", "preset tiny:8: device.user_bytes = 3407872: must"),
        ("buffer.access_ns=4", "--set buffer.access_ns=4: buffer.bytes: missing"),
    ];
    for (set, told) in wrong {
        for sets in [[set, "slc.victim=fifo"], ["slc.victim=fifo", set]] {
            let lines = errors("tiny", "baseline", &sets);
            assert!(lines.iter().any(|line| line.starts_with(told)), "{lines:?}");
        }
    }
}

#[test]
fn a_setting_without_effect_is_refused() {
    for (scheme, set, others) in [
        ("baseline", "host.time_scale=2", &["host.replay=closed", "host.queue_depth=4"][..]),
        ("baseline", "host.turnaround_ns=1000", &["host.queue_depth=4"]),
        ("baseline", "precondition.tolerance=0.1", &["precondition.fill=0.5"]),
        ("baseline", "precondition.drain=false", &["slc_blocks=3"]),
        ("baseline", "device.pool[0].suspend.max_suspends=4", &["slc_blocks=3"]),
        ("baseline", "slc.separate_frontier=false", &[]),
        ("hierarchy", "scheme.hierarchy.slc={separate_frontier=false, victim=\"fifo\"}", &[]),
        ("tlc-only", "idle.threshold_ns=5", &["clean.start_free_blocks=3"]),
        ("sector", "window_writes=7", &["hotness_classes=1"]),
    ] {
        let lines = errors("tiny", scheme, &[&[set, "run.seed=2"], others].concat());
        says(&lines, &[&format!("--set {set}: |has no effect")]);
    }
    resolved("tiny", "tlc-only", &["idle.threshold_ns=5", "clean.idle_free_ratio=0.5"]);
    resolved("tiny", "baseline", &["host.time_scale=2"]);
    resolved("tiny", "baseline", &["precondition.fill=0.5", "precondition.drain=false"]);
}

/// What is wrong in a device file, each said by itself with its line.
#[test]
fn faults_of_a_file_name_its_line() {
    let pool = &DEVICE[DEVICE.find("[[device.pool]]").unwrap()..];
    let twice = "[scheme-defaults.tlc-only]\nclean.start_free_ratio = 0.1\nclean.victim = \"fifo\"\n\
                 [scheme.tlc-only.clean]\nstart_free_ratio = 0.2\nstart_free_blocks = 3\n";
    let double = "scheme.tlc-only.clean.start_free_ratio: scheme-defaults.tlc-only.clean.start_free_ratio";
    for (from, to, below, told) in [
        ("", "", twice, format!("mine.toml:32:|{double}")),
        (
            "",
            "",
            pool,
            "device.pool[1].name = \"nand\": must be another name than that of device.pool[0]".into(),
        ),
        (
            "",
            "",
            "[buffer]\nbytes = \"1MiB\"\nfill_on_read = 1\n",
            "mine.toml:30: buffer.fill_on_read = 1: |true or false".into(),
        ),
        (
            "blocks = 16",
            "blocks = \"sixteen\"",
            "",
            "mine.toml:11: device.pool[0].blocks = \"sixteen\"|whole number|between 4 and 65536".into(),
        ),
        ("2MiB", "2 parsecs", "", "mine.toml:3: device.user_bytes = \"2 parsecs\"|42GiB".into()),
        ("channels = 1\n", "", "", "mine.toml:5: device.pool[0].channels: missing|between 1 and 256".into()),
        ("planes = 2", "planes == 2", "", "mine.toml:10: not valid TOML".into()),
        (
            "",
            "",
            "[scheme-defaults.turbo]\nx = 1\n",
            "mine.toml:28: scheme-defaults.turbo|not a scheme".into(),
        ),
        (
            "",
            "",
            "[scheme.baseline]\nslc_blocks = 4\n",
            "mine.toml:28: scheme.baseline: the run's scheme is tlc-only|[scheme-defaults.baseline]".into(),
        ),
    ] {
        let text = if from.is_empty() { DEVICE.to_owned() } else { DEVICE.replace(from, to) };
        let lines = file_errors(&format!("{text}\n{below}"), &[]);
        says(&lines, &[&told]);
    }
}

#[test]
fn everything_wrong_is_told_at_once() {
    let text = DEVICE
        .replace("blocks = 16", "blocks = \"x\"\nblocs = 3")
        .replace("planes = 2", "planes = -2")
        .replace("[20_000]", "20_000");
    let text =
        format!("{text}\n[host]\ntime_scale = 0.0\nspeed = 1\n[scheme-defaults.baseline]\nslc_block = 3\n");
    says(
        &file_errors(&text, &["precondition.fill=2", "mode=plc", "run.sed=3"]),
        &[
            "mine.toml:10: device.pool[0].planes = -2",
            "mine.toml:11: device.pool[0].blocks = \"x\"",
            "mine.toml:12: device.pool[0].blocs = 3: unknown key; did you mean blocks?",
            "mine.toml:20: device.pool[0].slc.read_ns = 20000",
            "mine.toml:30: host.time_scale = 0: must be between 1e-9 and 1000000",
            "mine.toml:31: host.speed = 1: unknown key",
            "mine.toml:33: scheme-defaults.baseline.slc_block = 3: unknown key; did you mean slc_blocks?",
            "--set precondition.fill=2: precondition.fill = 2: must be between 0 and 1",
            "--set mode=plc: scheme.tlc-only.mode = \"plc\": must be one of slc, mlc, tlc, qlc",
            "--set run.sed=3: run.sed: unknown key; did you mean run.seed?|seed",
        ],
    );
}

/// What is wrong in a setting, or in a name.
#[test]
fn faults_of_settings_name_the_setting() {
    let of_disk_only: Vec<&str> = ON_DISK.into_iter().chain(["scheme.disk-only.x=1"]).collect();
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path().to_str().unwrap();
    for (device, scheme, sets, told) in [
        ("tiny", "tlc-only", &["device.name=\"\""][..], &["device.name = \"\": must be a name"][..]),
        ("tiny", "tlc-only", &["device.pool[0].name=' '"], &["device.pool[0].name = \" \": must"]),
        ("tiny", "tlc-only", &["device.user_bytes=100"], &["nearest: 4096"]),
        ("tiny", "disk-only", &of_disk_only, &["scheme.disk-only.x: unknown key|disk-only has no keys"]),
        ("hierarchy-44", "tlc-only", &[], &["--device hierarchy-44|Did you mean hierarchy-44g?|mqsim-like"]),
        (directory, "tlc-only", &[], &["cannot be read"]),
        ("tiny", "basline", &[], &["--scheme basline|schemes: tlc-only|qlc-only|Did you mean baseline?"]),
        (
            "tiny",
            "tlc-only",
            &["scheme.baseline.slc_blocks=4"],
            &["the run's scheme is tlc-only, so scheme.baseline.slc_blocks has no effect|mode"],
        ),
        (
            "tiny",
            "baseline",
            &["slc_bloks=4", "seed=3", "device.pool[0].colour=1", "slc.victm=fifo"],
            &[
                "--set slc_bloks=4: slc_bloks: unknown key; did you mean slc_blocks? Keys of baseline: dense.",
                "--set seed=3: seed: unknown key; did you mean run.seed?",
                "--set device.pool[0].colour=1|Keys allowed here:|channels",
                "--set slc.victm=fifo: slc.victm: unknown key; did you mean slc.victim?",
            ],
        ),
        (
            "tiny",
            "baseline",
            &["slc_blocks", "a b=1", "slc_blocks=", "slc=[1", "device.pool[9].blocks=4"],
            &[
                "--set slc_blocks: must be key=value",
                "--set a b=1: \"a b\" is not a key",
                "--set slc_blocks=: the value is missing",
                "--set slc=[1: [1 is not a TOML value",
                "--set device.pool[9].blocks=4: device.pool[9].blocks: [9] is not in a list of 1",
            ],
        ),
        ("tiny", "baseline", &["device={}"], &["--set device={}: device: an empty table changes nothing"]),
        ("tiny", "baseline", &["host={}"], &["--set host={}: host: an empty table changes nothing"]),
        ("tiny", "baseline", &["trace={}"], &["--set trace={}: trace: an empty table changes nothing"]),
        ("tiny", "baseline", &["device.stated_user_bytes=77"], &["has no effect: slcache writes it"]),
        ("tiny", "baseline", &["slc_blocks=3 # four"], &["--set slc_blocks=3 # four: 3 # four holds a comment"]),
        ("tiny", "baseline", &["host.time_scale=5e-324"], &["must be between 1e-9 and 1000000"]),
    ] {
        says(&errors(device, scheme, sets), told);
    }
    let mut layers = crate::common::layers("tiny", "tlc-only", &[]);
    (layers.seed, layers.replay) = (Some(u64::MAX), Some("closed:0".to_owned()));
    let text = resolve(&layers).unwrap_err().to_string();
    assert!(text.contains("--seed 18446744073709551615: must be between 0 and"), "{text}");
    assert!(text.contains("--replay closed:0: must be open, or closed:N"), "{text}");
}

#[test]
fn a_link_has_a_name_or_keys() {
    let named = resolved("tiny", "baseline", &["host.link=pcie4x4"]);
    let keys = "host.link={lanes=4, lane_mb_per_s=1969, payload_bytes=256, header_bytes=24, \
                read_overhead_ns=0, write_overhead_ns=0}";
    assert_eq!(named, resolved("tiny", "baseline", &[keys]));
    let unknown = errors("tiny", "baseline", &["host.link=pcie9"]);
    says(&unknown, &["host.link = \"pcie9\": must be one of pcie3x4, pcie4x4|sata, ufs2, ufs3, ufs4"]);
    let both = errors("tiny", "baseline", &["host.link=sata", "host.link.lanes=2"]);
    says(&both, &["--set host.link.lanes=2: host.link=sata says it as well; give one of the two"]);
    let missing = errors("tiny", "baseline", &["host.link={lanes=4}"]);
    assert!(missing.iter().any(|line| line.contains("host.link.lane_mb_per_s: missing")), "{missing:?}");
    says(&errors("tiny", "baseline", &["host.link=4"]), &["host.link = 4: |sata|or a table"]);
    let text = slcache_sim::preset::find("tiny").unwrap().text.to_owned() + "\n[host]\nlink = \"sata\"\n";
    let device = file(&text, ".toml");
    let path = device.path().to_str().unwrap();
    assert_eq!(resolved(path, "baseline", &[]).host.link.unwrap().lane_mb_per_s, 600);
    // A name replaces what is below as a whole; a key alone would be neither.
    assert_eq!(resolved("mqsim-like", "tlc-only", &["host.link=sata"]).host.link.unwrap().lanes, 1);
    let beside = errors(path, "baseline", &["host.link.lanes=2"]);
    says(&beside, &["host.link.lanes: host.link = \"sata\" says it already"]);
}
