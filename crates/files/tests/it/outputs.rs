//! Outputs are all or none, never an input, and never in the place of a device.

use slcache_files::{plain, OutputError, Outputs, Scratch};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::{symlink, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Command;

fn write(outputs: &mut Outputs, path: &Path, text: &str) {
    outputs.create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn two_files() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    fs::write(&a, "old a").unwrap();
    (folder, a, b)
}

#[test]
fn nothing_appears_before_everything_is_there() {
    let (folder, a, b) = two_files();
    let mut outputs = Outputs::default();
    write(&mut outputs, &a, "new a");
    write(&mut outputs, &b, "new b");
    assert_eq!(fs::read_to_string(&a).unwrap(), "old a");
    assert!(!b.exists());
    outputs.publish().unwrap();
    assert_eq!(
        (fs::read_to_string(&a).unwrap(), fs::read_to_string(&b).unwrap()),
        ("new a".into(), "new b".into())
    );
    assert_eq!(names(folder.path()), ["a", "b"]);
}

#[test]
fn a_file_that_was_replaced_leaves_its_number_to_others() {
    let (folder, a, b) = two_files();
    for mut outputs in [Outputs::default(), Outputs::new([&a])] {
        // As an output, or an input, the file at `a` is what has its number now.
        let _ = outputs.reserve(&a);
        fs::hard_link(&a, &b).unwrap();
        assert!(outputs.reserve(&b).is_err(), "both are one file");
        fs::write(folder.path().join("c"), "newer a").unwrap();
        fs::rename(folder.path().join("c"), &a).unwrap();
        outputs.reserve(&b).expect("another file by now");
        drop(outputs);
        fs::remove_file(&b).unwrap();
    }
}

#[test]
fn no_error_has_a_hidden_name_or_the_number_of_the_system() {
    let root = tempfile::tempdir().unwrap();
    let error = Scratch::new(&root.path().join("missing")).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(2), "{error}");
    let told = OutputError::Io { path: "x".into(), source: error }.to_string();
    assert_eq!(told, "x: cannot be written: No such file or directory");
    assert_eq!(plain(&"a: no (os error 2) at b: full (os error 28); c"), "a: no at b: full; c");
}

#[test]
fn a_failing_rename_takes_the_others_back() {
    let (folder, a, b) = two_files();
    let c = folder.path().join("c");
    let mut outputs = Outputs::default();
    for path in [&a, &b, &c] {
        write(&mut outputs, path, "new");
    }
    fs::create_dir(&c).unwrap();
    let error = outputs.publish().unwrap_err().to_string();
    assert!(error.contains("/c: cannot be written"), "{error}");
    assert_eq!(fs::read_to_string(&a).unwrap(), "old a");
    assert_eq!(names(folder.path()), ["a", "c"]);
}

#[test]
fn no_output_is_an_input_by_whatever_name_and_whenever_it_comes() {
    let (folder, input, output) = two_files();
    let [soft, hard] = ["soft", "hard"].map(|name| folder.path().join(name));
    symlink(&input, &soft).unwrap();
    fs::hard_link(&input, &hard).unwrap();
    for name in [input.clone(), folder.path().join("./a"), soft, hard] {
        let mut outputs = Outputs::new([&input]);
        assert!(matches!(outputs.create(&name), Err(OutputError::IsInput { .. })), "{name:?}");
    }
    // Also where an input takes an output's place before that appears.
    let mut outputs = Outputs::new([&input]);
    write(&mut outputs, &output, "new");
    fs::hard_link(&input, &output).unwrap();
    assert!(matches!(outputs.publish(), Err(OutputError::IsInput { .. })));
    assert_eq!(fs::read_to_string(&input).unwrap(), "old a");
    // And in a folder that is still to be made.
    let later = folder.path().join("x/a");
    let mut outputs = Outputs::new([&later]);
    outputs.folder(later.parent().unwrap()).unwrap();
    assert!(matches!(outputs.reserve(&later), Err(OutputError::IsInput { .. })));
    // Nor are two outputs one file.
    let (_folder, a, b) = two_files();
    let mut outputs = Outputs::default();
    outputs.reserve(&b).unwrap();
    let again = b.parent().unwrap().join("./b");
    assert!(matches!(outputs.reserve(&again), Err(OutputError::Twice { .. })));
    outputs.reserve(&a).unwrap();
    outputs.create(&a).unwrap();
}

#[test]
fn a_link_stays_a_link() {
    let (folder, a, b) = two_files();
    let dangling = folder.path().join("dangling");
    symlink("a", &b).unwrap();
    symlink("later", &dangling).unwrap();
    let mut outputs = Outputs::default();
    write(&mut outputs, &b, "new");
    write(&mut outputs, &dangling, "fresh");
    outputs.publish().unwrap();
    assert!(b.is_symlink() && dangling.is_symlink());
    assert_eq!(fs::read_to_string(a).unwrap(), "new");
    assert_eq!(fs::read_to_string(folder.path().join("later")).unwrap(), "fresh");
}

#[test]
fn a_pipe_and_a_device_are_written_into() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || {
            let mut text = String::new();
            File::open(pipe).unwrap().read_to_string(&mut text).unwrap();
            text
        })
    };
    let mut outputs = Outputs::default();
    write(&mut outputs, &pipe, "through");
    write(&mut outputs, Path::new("/dev/null"), "away");
    outputs.publish().unwrap();
    assert_eq!(reader.join().unwrap(), "through");
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

#[test]
fn folders_come_with_the_files_and_go_without() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("x/y");
    let mut outputs = Outputs::default();
    outputs.folder(&folder).unwrap();
    assert!(folder.is_dir());
    drop(outputs);
    assert!(names(root.path()).is_empty());
    let mut outputs = Outputs::default();
    outputs.folder(&folder).unwrap();
    write(&mut outputs, &folder.join("a"), "new");
    outputs.publish().unwrap();
    assert_eq!(names(&folder), ["a"]);
}

#[test]
fn many_at_once_into_one_new_folder_leave_one_whole_set() {
    // What goes wrong between two looks at a folder does so once in a hundred times.
    for _ in 0..50 {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("x/y");
        let save = |text: String| {
            let mut outputs = Outputs::default();
            outputs.folder(&folder).unwrap();
            for name in ["a", "b", "c"] {
                write(&mut outputs, &folder.join(name), &text);
            }
            outputs.publish().unwrap();
        };
        std::thread::scope(|scope| {
            for number in 0..8 {
                scope.spawn(move || save(number.to_string()));
            }
        });
        assert_eq!(names(&folder), ["a", "b", "c"]);
        let texts = ["a", "b", "c"].map(|name| fs::read_to_string(folder.join(name)).unwrap());
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    }
}

#[test]
fn what_a_killed_process_left_is_removed_and_what_a_living_one_has_is_not() {
    let root = tempfile::tempdir().unwrap();
    let left = root.path().join(".slcache-killed.tmp");
    fs::create_dir(&left).unwrap();
    fs::write(left.join("0"), "half").unwrap();
    let living = Scratch::new(root.path()).unwrap();
    assert!(!left.exists());
    let other = Scratch::new(root.path()).unwrap();
    assert!(living.path().is_dir() && other.path().is_dir());
    // Outputs may lie in such a folder.
    let mut outputs = Outputs::default();
    write(&mut outputs, &living.path().join("a"), "new");
    outputs.publish().unwrap();
    assert_eq!(names(living.path()), ["a"]);
    drop((living, other));
    assert!(names(root.path()).is_empty());
}

#[test]
fn a_new_file_is_readable_as_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, output) = (folder.path().join("plain"), folder.path().join("output"));
    fs::write(&plain, "").unwrap();
    let mut outputs = Outputs::default();
    write(&mut outputs, &output, "");
    outputs.publish().unwrap();
    assert_eq!(fs::metadata(output).unwrap().mode(), fs::metadata(plain).unwrap().mode());
}
