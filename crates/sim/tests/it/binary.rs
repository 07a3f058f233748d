//! The small binary: one document on standard output, and its exit codes.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_slcache-sim");
    Command::new(program).args(arguments).output().expect("the program starts")
}

#[test]
fn faults_have_their_own_exit_codes() {
    let trace = crate::common::file("0 0 0 8 0\n1000 0 80000 8 1\n", ".trace");
    let path = trace.path().to_str().unwrap();
    let device = ["--device", "tiny", "--scheme", "tlc-only", "--trace-format", "mqsim"];
    let code = |arguments: &[&[&str]]| run(&arguments.concat()).status.code();
    assert_eq!(code(&[&[path], &device]), Some(4));
    assert_eq!(code(&[&[path]]), Some(2));
    assert_eq!(code(&[&[path], &device, &["--colour", "red"]]), Some(2));
    assert_eq!(code(&[&[path], &device, &["--set", "x=1"]]), Some(3));
    assert_eq!(code(&[&[path], &device, &["--trace-option", "x=1"]]), Some(3));
    for text in ["", "0 0 0 8 7\n"] {
        let bad = crate::common::file(text, ".trace");
        assert_eq!(code(&[&[bad.path().to_str().unwrap()], &device]), Some(4));
    }
    assert_eq!(code(&[&["/nonexistent"], &device]), Some(4));
    let told = run(&[&["/nonexistent"][..], &device].concat()).stderr;
    assert!(String::from_utf8_lossy(&told).ends_with("No such file or directory\n"));
}

#[test]
fn standard_input_is_read_twice_where_needed() {
    use std::io::Write;
    use std::process::Stdio;
    for prefill in ["touched", "none"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_slcache-sim"))
            .args(["-", "--device", "tiny", "--scheme", "baseline", "--trace-format", "mqsim"])
            .args(["--set", &format!("trace.prefill={prefill}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(b"0 0 0 8 0\n1000 0 800 8 1\n").unwrap();
        drop(input);
        let output = child.wait_with_output().unwrap();
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["trace"]["path"], "-");
        assert_eq!(document["trace"]["requests"], 2);
        let unmapped = u64::from(prefill == "none");
        assert_eq!(document["host"]["unmapped_reads"], unmapped);
    }
}
